import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceHandlers

@Suite("What an answer means")
struct AnswerRuleTests {
    private func verdict(
        _ status: Int, retryAfter: Int64? = nil, giveUpOn: Set<Int>? = nil, isSpent: Bool = false
    ) -> WebVerdict {
        var head = HTTPHead(status: status)
        head.retryAfterSeconds = retryAfter
        var tries = TryLadder(isSpent: isSpent)
        return AnswerRule(giveUpOn: giveUpOn).verdict(on: head, text: "no", tries: &tries)
    }

    @Test("CIO-74 there are exactly six tries more, after 0.1, 0.2, 0.4, 0.8, 1.6 and 3.2 s")
    func ladder() {
        var tries = TryLadder()
        let pauses = (0..<8).map { _ in tries.next() }
        #expect(pauses == [100, 200, 400, 800, 1600, 3200, nil, nil])
        tries.refill()
        #expect(tries.next() == 100)
        #expect(tries.longestMilliseconds == 3200)
    }

    @Test("A3 every status from 200 to 599 has its outcome")
    func statuses() {
        for status in 200..<600 {
            let expected: String =
                switch status {
                case ..<300: "success"
                case 401: "pause"
                case 408, 425, 429: "retry"
                case 500...: "again"
                default: "giveUp"
                }
            let found: String =
                switch verdict(status) {
                case .success: "success"
                case .again(100, _): "again"
                case .end(.pauseQueue(300_000, false, _)): "pause"
                case .end(.retry(nil, _)): "retry"
                case .end(.giveUp): "giveUp"
                default: "?"
                }
            #expect(found == expected, "\(status)")
        }
    }

    @Test("CIO-82 CIO-83 with giveUpOn [400] a 400 gives up, 403 and 404 are kept, none pauses")
    func narrowed() {
        #expect(verdict(400, giveUpOn: [400]) == .end(.giveUp(error: "HTTP 400 Bad Request: no")))
        #expect(verdict(403, giveUpOn: [400]) == .end(.failed("HTTP 403 Forbidden: no")))
        #expect(verdict(404, giveUpOn: [400]) == .end(.failed("HTTP 404 Not Found: no")))
        #expect(verdict(418, giveUpOn: []) == .end(.failed("HTTP 418: no")))
    }

    @Test("A3 Retry-After is obeyed, at least a second and at most a week")
    func retryAfter() {
        let waits: [(Int64, Int64)] = [(0, 1000), (7, 7000), (10_000_000, 604_800_000)]
        for (said, expected) in waits {
            let outcome = HandlerOutcome.retry(
                afterMilliseconds: expected, error: "HTTP 429 Too Many Requests: no")
            #expect(verdict(429, retryAfter: said) == .end(outcome))
        }
        let error = "HTTP 503 Service Unavailable: no"
        #expect(verdict(503, retryAfter: 2) == .again(milliseconds: 2000, why: error))
        #expect(
            verdict(503, retryAfter: 60)
                == .end(.retry(afterMilliseconds: 60_000, error: error)))
    }

    @Test("CIO-75 CIO-76 without a network it is offline with the error, else a counted failure")
    func failures() {
        func verdict(_ failure: HTTPFailure) -> WebVerdict {
            AnswerRule.verdict(on: failure, subject: "GET x")
        }
        #expect(verdict(.offline("far")) == .end(.offline(error: "GET x: far")))
        #expect(verdict(.transport("cut")) == .end(.failed("GET x: cut")))
        #expect(
            verdict(.stalled(milliseconds: 60_000))
                == .end(.failed("GET x: not one byte came or went for 1m")))
        #expect(verdict(.redirect("round")) == .end(.giveUp(error: "GET x: round")))
        #expect(verdict(.unavailable("gone")) == .end(.paused("gone")))
    }

    @Test("CIO-85 a server that used up its tries pauses at once, counted, until it is well again")
    func spent() {
        #expect(
            verdict(500, isSpent: true)
                == .end(.paused("HTTP 500 Internal Server Error: no", isCounted: true)))
        let servers = ServerRecord()
        #expect(!servers.isSpent("a", nanoseconds: 5))
        servers.spend("a", nanoseconds: 5)
        #expect(servers.isSpent("a", nanoseconds: 6) && !servers.isSpent("b", nanoseconds: 6))
        #expect(servers.isSpent("a", nanoseconds: 300_000_000_004))
        #expect(!servers.isSpent("a", nanoseconds: 300_000_000_005))
        servers.spend("a", nanoseconds: 5)
        servers.refill("a")
        #expect(!servers.isSpent("a", nanoseconds: 6))
    }

    @Test("P5 a secret never shows, however a server says it back")
    func secrets() {
        let secrets = Secrets(["TOKEN": "abcdef", "LONG": "abcdefgh", "PIN": "123", "E": ""])
        #expect(secrets.hidden("x abcdefgh y abcdef abcde 123") == "x ${LONG} y ${TOKEN} abcde 123")
        #expect(secrets.hidden("abcdefabcdef") == "${TOKEN}${TOKEN}")
        #expect(Secrets().hidden("abcdef") == "abcdef")
    }
}

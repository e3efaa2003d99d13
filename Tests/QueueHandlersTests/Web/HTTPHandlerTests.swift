import SluiceModel
import SluiceRunner
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceHandlers

@Suite("The handler http", .timeLimit(.minutes(10)))
struct HTTPHandlerTests {
    @Test("CIO-78 the payload is the body, the type stands in the address, 2xx is the result")
    func success() async throws {
        let server = try ScriptedServer { talk in
            let body = try talk.body()
            try talk.answer(201, [], body)
        }
        let payload = #"{"name":"Ånn"}"#
        let handler = HTTPHandler.asking(server, "/v1/{type}?x=1")
        let asked = Asked(handler, payload: Array(payload.utf8), type: "a b/ö")
        #expect(await asked.result == payload)
        let request = try #require(server.requests.first)
        #expect(request.method == "POST" && request.path == "/v1/a%20b%2F%C3%B6?x=1")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["idempotency-key"] == "key-1042")
        #expect(request.headers["user-agent"] == "sluice")
        #expect(request.headers["expect"] == nil)
        #expect(asked.report.seen.log == [])
    }

    @Test("T7 a request has the headers of the task's trace, unless the handler has its own")
    func trace() async throws {
        let server = try ScriptedServer { try $0.answer(200, [], "") }
        let headers = [
            "traceparent": "00-1", "tracestate": "a=1", "baggage": "user=ä", "x-own": "no",
            "authorization": "no",
        ]
        let own = try HeaderTemplate("TraceState", "mine=${SLUICE_HEADER_X_OWN}")
        for handler in [HTTPHandler.asking(server), .asking(server) { $0.headers = [own] }] {
            let asked = Asked(handler, payload: [], headers: headers)
            _ = await asked.outcome
            let kept = asked.report.seen.exchanges.joined()
            #expect(kept.contains("traceparent") && !kept.contains("00-1"), "\(kept)")
            #expect(!kept.contains("user="), "\(kept)")
        }
        let sent = server.requests.map(\.headers)
        try #require(sent.count == 2)
        #expect(sent.map { $0["traceparent"] } == ["00-1", "00-1"])
        #expect(sent.map { $0["tracestate"] } == ["a=1", "mine=no"])
        #expect(sent.map { $0["baggage"] } == ["user=ä", "user=ä"])
        #expect(sent.allSatisfy { $0["x-own"] == nil && $0["authorization"] == nil })
    }

    @Test("CIO-77 a success without data is a success")
    func emptySuccess() async throws {
        let server = try ScriptedServer { try $0.send("HTTP/1.1 204 No Content\r\n\r\n") }
        for method in ["POST", "PUT", "GET", "HEAD", "DELETE"] {
            let asked = await Asked.run(.asking(server, method: method), payload: "")
            #expect(await asked.outcome == .success(result: nil))
        }
        #expect(server.requests.map(\.method) == ["POST", "PUT", "GET", "HEAD", "DELETE"])
        #expect(server.requests.map { $0.headers["content-length"] } == ["0", "0", nil, nil, "0"])
    }

    @Test("T6 a payload of 1 MiB is sent whole; of a longer answer 1 MiB is kept")
    func large() async throws {
        let server = try ScriptedServer { talk in
            let body = try talk.body()
            try talk.answer(200, [], body + body)
        }
        let payload = Pattern.bytes(at: 0, count: 1 << 20)
        let asked = Asked(HTTPHandler.asking(server), payload: payload)
        #expect(await asked.outcome == .success(result: payload))
        #expect(server.requests.first?.headers["content-type"] == "application/octet-stream")
        #expect(
            asked.report.seen.log == ["the result is cut at 1MiB: the answer was longer"])
    }

    @Test("CIO-60 CIO-83 a 400 gives up with what the server said; there is one request")
    func badRequest() async throws {
        let said = #"{"meta":{"errors":["malformed delivery id: ."]}}"#
        let server = try ScriptedServer { try $0.answer(400, [], said) }
        let asked = await Asked.run(.asking(server))
        #expect(await asked.outcome == .giveUp(error: "HTTP 400 Bad Request: \(said)"))
        #expect(server.requests.count == 1)
    }

    @Test("A3 the error is the first kilobyte of what the server said, whole characters of it")
    func longError() async throws {
        let server = try ScriptedServer { talk in
            try talk.answer(404, [], "a" + String(repeating: "ö", count: 100_000))
        }
        let error = await Asked.run(.asking(server)).outcome.error ?? ""
        #expect(error == "HTTP 404 Not Found: a" + String(repeating: "ö", count: 511) + "…")
    }

    @Test("CIO-81 a 401 pauses the queue for five minutes and does not count")
    func unauthorized() async throws {
        let server = try ScriptedServer { try $0.answer(401, [], "who?") }
        let asked = await Asked.run(.asking(server))
        #expect(await asked.outcome == .paused("HTTP 401 Unauthorized: who?"))
        #expect(server.requests.count == 1)
    }

    @Test("CIO-84 CIO-98 a server that fails six times and then not: a success, again and again")
    func recovers() async throws {
        let server = try ScriptedServer { talk in
            try talk.answer(talk.number % 7 == 0 ? 200 : 503, [], "n\(talk.number)")
        }
        for episode in 1...3 {
            let asked = await Asked.run(.asking(server))
            #expect(await asked.result == "n\(7 * episode)")
            #expect(server.requests.count == 7 * episode)
            let first = "HTTP 503 Service Unavailable: n\(7 * episode - 6); asked again in 1ms"
            #expect(asked.report.seen.log.count == 6 && asked.report.seen.log.first == first)
        }
    }

    @Test("CIO-85 a server that fails seven times pauses the queue, counted; then at once")
    func exhausted() async throws {
        let server = try ScriptedServer { talk in
            try talk.answer(talk.number == 10 ? 404 : 500, [], "")
        }
        let error = "HTTP 500 Internal Server Error"
        let outcome = await Asked.run(.asking(server)).outcome
        #expect(outcome == .paused(error, isCounted: true) && server.requests.count == 7)
        for count in 8...9 {
            let outcome = await Asked.run(.asking(server)).outcome
            #expect(outcome == .paused(error, isCounted: true))
            #expect(server.requests.count == count)
        }
        // Any answer that is no failure of the server's refills the tries.
        let given = await Asked.run(.asking(server)).outcome
        #expect(given == .giveUp(error: "HTTP 404 Not Found"))
        _ = await Asked.run(.asking(server)).outcome
        #expect(server.requests.count == 17)
    }

    @Test("A3 Retry-After counts as seconds and as a date")
    func retryAfter() async throws {
        let server = try ScriptedServer { talk in
            let date = HTTPDate.text(SystemClock.nowMilliseconds() / 1000 + 3600)
            let values = ["30", date, "soon", "Mon, 01 Jan 1990 00:00:00 GMT"]
            try talk.answer(429, ["Retry-After: \(values[talk.number - 1])"], "")
        }
        var waits: [Int64?] = []
        for _ in 0..<4 {
            guard case .retry(let after, _) = await Asked.run(.asking(server)).outcome else {
                Issue.record("no retry")
                continue
            }
            waits.append(after)
        }
        #expect(waits.count == 4 && waits[0] == 30_000 && waits[2] == nil && waits[3] == 1000)
        #expect(waits[1].map { (3_590_000...3_600_000).contains($0) } == true)
    }

    @Test("CIO-76 no answer, half an answer and no answer in time are counted failures")
    func noAnswer() async throws {
        let server = try ScriptedServer { talk in
            // Read the body first, because closing with unread data would reset the connection.
            _ = try talk.body()
            switch talk.number {
            case 1: talk.close()
            case 2: talk.cut()
            case 3:
                try talk.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
                talk.close()
            case 4:
                try talk.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
                try talk.waitUntilGone()
            case 5: try talk.waitUntilGone()
            default:
                try talk.send("pancakes\r\n\r\n")
                talk.close()
            }
        }
        var errors: [String] = []
        for number in 1...6 {
            let outcome = await Asked.run(
                .asking(server) {
                    // A busy machine may answer later than that.
                    if (4...5).contains(number) { $0.limits.stalledMilliseconds = 100 }
                }
            ).outcome
            guard case .retry(nil, let error?) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            errors.append(error)
        }
        #expect(errors.allSatisfy { $0.hasPrefix("POST http://127.0.0.1:\(server.port)/: ") })
        #expect(errors[3].hasSuffix(": not one byte came or went for 100ms"))
        #expect(errors[4].hasSuffix(": not one byte came or went for 100ms"))
        #expect(Set(errors).count == 5, "\(errors)")
    }

    @Test(
        "A3 a header that comes slowly is told as slow, not as nothing",
        arguments: ["HTTP/1.1 200 OK\r\nX-Slow: ", "HTTP/1.1 2"])
    func slowHeader(beginning: String) async throws {
        let server = try ScriptedServer { talk in
            try talk.send(beginning)
            // The client leaves long before.
            for _ in 0..<6_000 {
                try talk.send("x")
                try Poll.pause(milliseconds: 10)
            }
        }
        let outcome = await Asked.run(
            .asking(server) { $0.limits.stalledMilliseconds = 1000 }
        ).outcome
        let error = try #require(outcome.error)
        #expect(error.hasSuffix(": the answer comes too slowly, after 1s its header is not whole"))
        #expect(outcome == .failed(error))
    }

    @Test("A3 a refused connection is a counted failure")
    func unreachable() async throws {
        let refused = await Asked.run(.asking("http://127.0.0.1:\(try Loopback.closedPort())/"))
        #expect(await refused.outcome == .failed(refused.outcome.error))
        #expect(await refused.outcome.error?.contains("connect") == true)
    }

    @Test("A6 a stop ends it at once: while it waits, while it reads, and before the next try")
    func stop() async throws {
        let heard = Protected(0)
        let server = try ScriptedServer { talk in
            if talk.request.path == "/503" {
                try talk.answer(503, [], "")
            } else {
                if talk.request.path == "/half" { try talk.head(200, ["Content-Length: 9"]) }
                heard.withLock { $0 += 1 }
                try talk.waitUntilGone()
            }
        }
        let stopped = HandlerOutcome.failed("stopped")
        for path in ["/wait", "/half"] {
            let count = heard.withLock { $0 }
            let asked = Asked(HTTPHandler.asking(server, path))
            while heard.withLock({ $0 }) == count { try Poll.pause(milliseconds: 1) }
            asked.running.stop()
            #expect(await asked.outcome == stopped)
        }
        let asked = Asked(HTTPHandler.asking(server, "/503") { $0.firstPauseMilliseconds = 60_000 })
        _ = await asked.report.first { $0.log.isEmpty ? nil : true }
        asked.running.stop()
        #expect(await asked.outcome == stopped)
        let early = HTTPInterruption()
        early.interrupt()
        #expect(throws: HTTPFailure.stopped) {
            let request = HTTPRequest("GET", try HTTPURL(server.url("/")))
            _ = try HTTPSession().exchange(request, body: nil, sink: CollectingSink(), early)
        }
    }
}

extension Poll {
    /// Waits a moment, for events without a notification.
    static func pause(milliseconds: Int) throws {
        _ = try Poll.wait(fds: [], timeoutMilliseconds: milliseconds)
    }
}

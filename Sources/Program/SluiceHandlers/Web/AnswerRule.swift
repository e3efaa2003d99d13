import SluiceModel
import SluiceSystem

/// The decision after an exchange.
enum WebVerdict: Hashable, Sendable {
    /// It went well.
    case success
    /// Ask again inside the attempt.
    case again(milliseconds: Int64, why: String)
    case end(HandlerOutcome)
}

/// Maps an answer, or its absence, to a decision; a pure rule.
struct AnswerRule: Hashable, Sendable {
    /// The pause of a queue after 401, and after a server's repeated failures (CIO-R38).
    static let pauseMilliseconds = CommandExit.pauseMilliseconds
    /// The maximum delay that a server can request; a longer request is cut to it.
    static let longestWaitMilliseconds: Int64 = 7 * 86_400_000
    /// Answers that ask to come again.
    static let later: Set<Int> = [408, 425, 429]

    /// The status codes from 300 to 499 that fail a task; `nil` for all without a special rule.
    var giveUpOn: Set<Int>?

    /// The verdict on an answer. `text` is the beginning of what the server said.
    func verdict(on head: HTTPHead, text: String, tries: inout TryLadder) -> WebVerdict {
        let error = Self.sentence(head.status, text)
        let after = head.retryAfterSeconds.map(Self.milliseconds)
        switch head.status {
        case 200..<300: return .success
        case 401:
            return .end(
                .pauseQueue(
                    milliseconds: Self.pauseMilliseconds, isCounted: false, error: error))
        case let status where Self.later.contains(status):
            return .end(.retry(afterMilliseconds: after, error: error))
        case 500...: return failed(error, after: after, tries: &tries)
        case let status:
            let isFinal = giveUpOn?.contains(status) ?? true
            return .end(
                isFinal
                    ? .giveUp(error: error) : .retry(afterMilliseconds: nil, error: error))
        }
    }

    /// Retries a failing server up to six times, unless it requests a longer delay.
    private func failed(_ error: String, after: Int64?, tries: inout TryLadder) -> WebVerdict {
        if let after, after > tries.longestMilliseconds {
            return .end(.retry(afterMilliseconds: after, error: error))
        }
        if let pause = tries.next() {
            return .again(milliseconds: max(pause, after ?? 0), why: error)
        }
        return .end(
            .pauseQueue(milliseconds: Self.pauseMilliseconds, isCounted: true, error: error))
    }

    /// The decision without an answer. `subject` names the request and the server.
    static func verdict(on failure: HTTPFailure, subject: String) -> WebVerdict {
        switch failure {
        case .stopped: return .end(.retry(afterMilliseconds: nil, error: "stopped"))
        case .stalled(let milliseconds):
            let time = DurationText.compact(milliseconds)
            let error = "\(subject): not one byte came or went for \(time)"
            return .end(.retry(afterMilliseconds: nil, error: error))
        case .slowHead(let milliseconds):
            let time = DurationText.compact(milliseconds)
            let error =
                "\(subject): the answer comes too slowly, after \(time) its header is not whole"
            return .end(.retry(afterMilliseconds: nil, error: error))
        case .offline(let text): return .end(.offline(error: "\(subject): \(text)"))
        case .transport(let text), .badURL(let text), .shortage(let text):
            return .end(.retry(afterMilliseconds: nil, error: "\(subject): \(text)"))
        case .redirect(let text): return .end(.giveUp(error: "\(subject): \(text)"))
        case .aborted:
            return .end(.retry(afterMilliseconds: nil, error: "\(subject): it was broken off"))
        case .unavailable(let text):
            return .end(
                .pauseQueue(milliseconds: pauseMilliseconds, isCounted: false, error: text))
        }
    }

    /// At least a second: a server that says 0 wants relief too.
    private static func milliseconds(_ seconds: Int64) -> Int64 {
        min(max(1, seconds), longestWaitMilliseconds / 1000) * 1000
    }

    /// `HTTP 404 Not Found: no such user`.
    static func sentence(_ status: Int, _ text: String) -> String {
        let isBlank = text.allSatisfy(\.isWhitespace)
        return "HTTP \(HTTPStatus.words(status))\(isBlank ? "" : ": \(text)")"
    }
}

import SluiceModel
import SluiceRunner

/// The object under `simulate` in a handlers file (G4).
struct SimulateEntry {
    private static let outcomes = [
        "success", "retry", "park", "giveUp", "pauseQueue", "offline",
    ]

    private static let keys = ["fail", "error", "outcome", "after", "for", "duration", "tape"]

    private let fields: HandlerFields
    private let folder: String
    private let tapes: TapeCache

    init(
        _ value: JSONValue, at place: HandlerPlace, folder: String, tapes: TapeCache
    ) throws(QueueError) {
        fields = try HandlerFields(value, at: place)
        (self.folder, self.tapes) = (folder, tapes)
    }

    func handler(timeout: Int64?) throws(QueueError) -> any TaskHandler {
        try fields.refuseKeys(except: Self.keys)
        guard let tape = try fields.text("tape") else { return try plain(timeout: timeout) }
        if let other = fields.object.keys.first(where: { !["tape", "duration"].contains($0) }) {
            throw fields.place.error(
                "\(fields.place.key(other).subject) means nothing with \"tape\", which says how "
                    + "each execution ends",
                fix: "keep one of them")
        }
        let script = try tapes.script(
            HandlersFile.absolute(tape, from: folder), at: fields.place.key("tape"))
        return TapeHandler(
            script: script, durationMilliseconds: try fields.duration("duration"),
            timeoutMilliseconds: timeout)
    }

    private func plain(timeout: Int64?) throws(QueueError) -> SimulateHandler {
        let failures = try fields.count("fail") ?? 0
        let error = try fields.text("error")
        let after = try fields.duration("after")
        let outcome = try outcome(error: error, after: after)
        if after != nil, failures == 0, fields.object["outcome"]?.string != "retry" {
            throw needless("after", without: "\"fail\" or the outcome \"retry\"")
        }
        return SimulateHandler(
            failures: failures, error: error, outcome: outcome, retryAfterMilliseconds: after,
            durationMilliseconds: try fields.duration("duration") ?? 0,
            timeoutMilliseconds: timeout)
    }

    private func outcome(error: String?, after: Int64?) throws(QueueError) -> HandlerOutcome {
        let name = try fields.text("outcome") ?? "success"
        let pause = try fields.duration("for", atLeast: 1)
        if pause != nil, name != "pauseQueue" {
            throw needless("for", without: "the outcome \"pauseQueue\"")
        }
        switch name {
        case "success": return .success(result: nil)
        case "retry": return .retry(afterMilliseconds: after, error: error)
        case "park": return .park(error: error)
        case "giveUp": return .giveUp(error: error)
        case "pauseQueue":
            return .pauseQueue(
                milliseconds: pause ?? CommandExit.pauseMilliseconds, isCounted: false,
                error: error)
        case "offline": return .offline(error: error)
        default:
            let near = Spelling.nearest(to: name, among: Self.outcomes)
            throw fields.place.error(
                "\(fields.place.key("outcome").subject) is \"\(name)\"",
                fix: near.map { "did you mean \"\($0)\"?" }
                    ?? "it must be one of \(Self.outcomes.joined(separator: ", "))")
        }
    }

    private func needless(_ key: String, without needed: String) -> QueueError {
        let subject = fields.place.key(key).subject
        return fields.place.error(
            "\(subject) means nothing without \(needed)", fix: "take it out, or add that")
    }
}

import QueueControl
import QueueModel
import QueueStore

/// A line of `log`: a line of the journal, or the end of an execution.
struct EventLine: Hashable, Sendable {
    /// The number in the journal.
    let sequence: Int64
    /// When it happened.
    let at: Timestamp
    /// The verb, or the outcome of an execution.
    let kind: String
    /// The queue.
    let queue: String?
    /// The task.
    let task: TaskID?
    /// Who did it.
    let by: String
    /// The sentence.
    let text: String

    /// The lines of entries, with their tasks by their names.
    static func all(of entries: [JournalEntry], _ reading: Reading) throws -> [EventLine] {
        let names = try reading.names(of: entries.compactMap(\.task))
        return entries.map { EventLine($0, names: names) }
    }

    /// The line of an entry.
    init(_ entry: JournalEntry, names: TaskNames) {
        switch entry {
        case .event(let event):
            sequence = event.sequence
            at = event.at
            kind = event.kind
            queue = event.queue
            task = event.task
            by = event.by
            text = names.text(event.text)
        case .attempt(let attempt):
            sequence = attempt.endSequence
            at = attempt.endedAt ?? attempt.startedAt
            kind = attempt.outcome?.rawValue ?? "running"
            queue = attempt.queue
            task = attempt.task
            by = "runner \(attempt.runner)"
            text = Self.sentence(attempt, names)
        }
    }

    private static func sentence(_ attempt: AttemptRecord, _ names: TaskNames) -> String {
        let words: [AttemptRecord.Outcome: String] = [
            .success: "succeeded", .retry: "failed", .park: "parked itself",
            .giveUp: "failed for good", .pauseQueue: "paused its queue", .offline: "was offline",
            .lost: "was lost with its runner", .timedOut: "timed out", .cancelled: "was cancelled",
            .stopped: "was stopped", .abandoned: "was abandoned",
        ]
        var text = "\(names.name(attempt.task)) \(attempt.type)"
        text += " " + (attempt.outcome.flatMap { words[$0] } ?? "runs")
        if let end = attempt.endedAt {
            text += " \(DurationText.short(end - attempt.startedAt))"
        }
        if let error = attempt.error { text += "  \(error)" }
        if let consequence = attempt.consequence { text += " → \(names.text(consequence))" }
        return text
    }

    /// The line as JSON.
    var json: JSONValue {
        [
            "sequence": .integer(sequence),
            "at": JSONValue(at),
            "kind": .string(kind),
            "queue": JSONValue(queue),
            "task": JSONValue(task),
            "by": .string(by),
            "text": .string(text),
        ]
    }

    /// The line for people.
    var line: String {
        let place = queue.map { SafeText.visible($0) + "  " } ?? ""
        return "\(ClockText.moment(at))  \(place)\(SafeText.visible(text))"
    }
}

extension JournalEntry {
    /// The task it is about.
    fileprivate var task: TaskID? {
        switch self {
        case .event(let event): event.task
        case .attempt(let attempt): attempt.task
        }
    }
}

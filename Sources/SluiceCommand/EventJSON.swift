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

    /// The line of an entry.
    init(_ entry: JournalEntry) {
        switch entry {
        case .event(let event):
            sequence = event.sequence
            at = event.at
            kind = event.kind
            queue = event.queue
            task = event.task
            by = event.by
            text = event.text
        case .attempt(let attempt):
            sequence = attempt.endSequence
            at = attempt.endedAt ?? attempt.startedAt
            kind = attempt.outcome?.rawValue ?? "running"
            queue = attempt.queue
            task = attempt.task
            by = "runner \(attempt.runner)"
            text = Self.sentence(attempt)
        }
    }

    private static func sentence(_ attempt: AttemptRecord) -> String {
        let words: [AttemptRecord.Outcome: String] = [
            .success: "succeeded", .retry: "failed", .park: "parked itself",
            .giveUp: "failed for good", .pauseQueue: "paused its queue", .offline: "was offline",
            .lost: "was lost with its runner", .timedOut: "timed out", .cancelled: "was cancelled",
            .stopped: "was stopped", .abandoned: "was abandoned",
        ]
        var text = "#\(attempt.task) \(attempt.type)"
        text += " " + (attempt.outcome.flatMap { words[$0] } ?? "runs")
        if let end = attempt.endedAt {
            text += " \(DurationText.short(end - attempt.startedAt))"
        }
        if let error = attempt.error { text += "  \(error)" }
        if let consequence = attempt.consequence { text += " → \(consequence)" }
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

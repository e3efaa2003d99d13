package import SluiceModel
import SluiceStore

/// A line of `log` in words: a line of the journal, the end or begin of an execution, or a task
/// that came.
package struct EventLine: Hashable, Sendable {
    /// The number in the journal; `nil` if only the task's row records the event.
    package let sequence: Int64?
    package let at: Timestamp
    /// The verb, or the outcome of an execution.
    package let kind: String
    package let queue: String?
    package let task: TaskID?
    package let by: String
    package let text: String
    /// The number of tasks in the queue after the task's arrival, or at its start, if known.
    package let inQueue: Int?

    /// Lines in words, with their tasks by their names.
    package static func all(of lines: [LogLine], _ reading: Reading) throws -> [EventLine] {
        let names = try reading.names(of: lines.flatMap(\.entry.tasks))
        return lines.map { EventLine($0, names: names) }
    }

    /// A line in words.
    package init(_ line: LogLine, names: TaskNames) {
        inQueue = line.inQueue
        by = line.entry.by
        switch line.entry {
        case .arrival(let arrived):
            sequence = nil
            at = arrived.createdAt
            kind = "enqueue"
            queue = arrived.queue
            task = arrived.id
            let who = arrived.parent.map { "the handler of \(names.name($0))" } ?? "an app"
            text = "\(names.name(arrived.id)) \(arrived.type) enqueued by \(who)\(line.countWords)"
        case .journal(.event(let event)):
            sequence = event.sequence
            at = event.at
            kind = event.kind
            queue = event.queue
            task = event.task
            text = names.text(of: event) + line.countWords
        case .journal(.attempt(let attempt)):
            sequence = attempt.endSequence
            at = attempt.endedAt ?? attempt.startedAt
            kind = attempt.outcome?.rawValue ?? "running"
            queue = attempt.queue
            task = attempt.task
            text = Self.sentence(attempt, names)
        case .begin(let attempt):
            sequence = nil
            at = attempt.startedAt
            kind = "started"
            queue = attempt.queue
            task = attempt.task
            text =
                "\(names.name(attempt.task)) \(attempt.type) \(attempt.beginWords)"
                + line.countWords
        }
    }

    private static func sentence(_ attempt: AttemptRecord, _ names: TaskNames) -> String {
        "\(names.name(attempt.task)) \(attempt.type) "
            + names.text(AttemptText(attempt).sentence)
    }
}

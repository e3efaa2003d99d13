package import SluiceModel
import SluiceStore

/// The contents of a task's report (G7).
package struct TaskReport {
    /// How many lines of the journal a report has of a task.
    package static let journalLimit = 100

    /// The task, its payload, result, attempts and queue.
    package var detail: TaskDetail
    /// The edits of its payload, oldest first.
    package var changes: [PayloadChange]
    /// The task and the starts before it, each with its blockers.
    package var chain: [TaskLine]
    /// The effects of past and coming faults.
    package var faults: [String]
    /// The newest lines of the journal about it, oldest first.
    package var journal: [LogLine]
    /// The attached runners that its attempts name.
    package var runners: [ProcessRecord]

    /// The last two attempts; nil if there are not two.
    package var lastTwo: (earlier: AttemptRecord, later: AttemptRecord)? {
        guard detail.attempts.count > 1 else { return nil }
        let last = detail.attempts.suffix(2)
        return (last[last.startIndex], last[last.endIndex - 1])
    }

    package func payload(of attempt: AttemptRecord) -> [UInt8] {
        changes.payload(at: attempt.endSequence, current: detail.payload)
    }

    /// The present payload and every kept earlier one.
    package var payloads: [[UInt8]] { [detail.payload] + changes.map(\.before) }
}

extension Reading {
    /// The report of a task. Throws `unknownTask`.
    package func report(of id: TaskID) throws -> TaskReport {
        let detail = try detail(id)
        var query = JournalQuery(limit: TaskReport.journalLimit, withUndo: false)
        query.task = id
        let named = Set(detail.attempts.map(\.runner))
        return TaskReport(
            detail: detail, changes: try payloadChanges(of: id), chain: try why(id),
            faults: try faultSentences(of: id),
            journal: try store.journal(query).map { LogLine(.journal($0)) },
            runners: try processes().filter { named.contains($0.id) })
    }
}

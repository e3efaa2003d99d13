package import SluiceModel
import SluiceStore

/// A task that a session's client has not collected, as `results` shows it (S3).
package struct ResultLine: Hashable, Sendable {
    package var task: QueueTask
    /// How its last execution ended; nil before that.
    package var outcome: AttemptRecord.Outcome?
    /// The fault in the description, as far as it is visible without knowing types.
    package var fault: DescriptionFault?
    /// The payload from the session.
    package var payload: [UInt8]
    /// The handler's result.
    package var result: [UInt8]?
    /// Why a waiting task does not run now; empty if it may start.
    package var blockers: [Blocker] = []
    /// The attempt of a running task, with the progress that its handler reported last.
    package var attempt: AttemptRecord?
}

extension Reading {
    /// The tasks that a session enqueued and has not collected, by number. Reading collects none.
    package func results(session name: String) throws -> [ResultLine] {
        let tasks = try store.awaitedTasks(session: Names.composed(name))
        return try store.entries(tasks).map { entry in
            let last = try store.attempts(of: entry.task.id).last
            var line = ResultLine(
                task: entry.task, outcome: last?.outcome,
                fault: DescriptionFault(payload: entry.payload), payload: entry.payload,
                result: entry.result)
            if entry.task.waiting != nil { line.blockers = try self.line(entry.task.id).blockers }
            if entry.task.running != nil { line.attempt = last }
            return line
        }
    }
}

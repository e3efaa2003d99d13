package import SluiceModel
import SluiceStore

/// A task that a session's client has not collected, as `results` shows it (S3).
package struct ResultLine: Hashable, Sendable {
    /// The task.
    package var task: QueueTask
    /// How its last execution ended; nil before that.
    package var outcome: AttemptRecord.Outcome?
    /// What is wrong with what was handed over, as far as anybody sees who knows no types.
    package var fault: DescriptionFault?
    /// What was handed over.
    package var payload: [UInt8]
    /// What its handler gave back.
    package var result: [UInt8]?
}

extension Reading {
    /// What a session handed over and has not collected, by number; looking takes nothing from it.
    package func results(session name: String) throws -> [ResultLine] {
        let tasks = try store.awaitedTasks(session: Names.composed(name))
        return try store.entries(tasks).map { entry in
            ResultLine(
                task: entry.task, outcome: try store.attempts(of: entry.task.id).last?.outcome,
                fault: DescriptionFault(payload: entry.payload), payload: entry.payload,
                result: entry.result)
        }
    }
}

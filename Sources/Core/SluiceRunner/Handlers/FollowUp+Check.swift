package import SluiceModel
package import SluiceStore

extension FollowUp {
    /// Throws if the follow-up is invalid as far as known before the attempt ends: its names, and
    /// in the parent's queue its depth. The commit checks the rest (A3).
    package func check(after execution: Execution) throws(QueueError) {
        try Names.check(queue, of: "queue")
        var settings = QueueSettings()
        settings.maximumPayloadBytes = .max
        settings.maximumDepth = queue == execution.task.queue ? execution.maximumDepth : .max
        var task = task
        let isLater = delayMilliseconds > 0 || task.notBefore != nil
        task.depth = isLater ? 0 : execution.task.depth + 1
        try task.check(settings, queue: queue)
    }
}

package import SluiceModel
package import SluiceStore

extension FollowUp {
    /// Throws where it can never be after an execution, as far as that is known before its end: its
    /// names, and in its parent's queue its depth. The rest is looked at in the commit (A3).
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

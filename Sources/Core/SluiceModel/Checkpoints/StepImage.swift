/// The changes of a step's two commits, for its undo (G5).
package struct StepImage: Hashable, Sendable {
    /// The number of newest steps to keep.
    package static let kept = 20

    /// The changes of the commit that ended it.
    package struct End: Hashable, Sendable {
        /// The number of the end in the journal.
        package var sequence: Int64
        /// The task as the end left it; nil where the store forgot it with that.
        package var left: QueueTask?
        /// Changes to other tasks: members of groups, and follow-ups.
        package var images: [UndoRecord.TaskImage]
        /// The payload of the task, where the store may forget it since.
        package var payload: [UInt8]?
        /// Whether its end also ended the queue's run.
        package var endsRun = false

        package init(
            sequence: Int64, left: QueueTask?, images: [UndoRecord.TaskImage] = [],
            payload: [UInt8]? = nil
        ) {
            (self.sequence, self.left) = (sequence, left)
            (self.images, self.payload) = (images, payload)
        }
    }
    /// The token of the execution; later ones are larger.
    package var token: Int64
    package var task: QueueTask
    /// The number of the execution.
    package var attempt: Int
    /// The highest number that a task had then: follow-ups have larger ones.
    package var lastTask: TaskID
    /// Its end; nil while it runs.
    package var end: End?
    /// The number in the journal of the verb that took it back.
    package var takenBack: Int64?

    package init(token: Int64, task: QueueTask, attempt: Int, lastTask: TaskID) {
        (self.token, self.task) = (token, task)
        (self.attempt, self.lastTask) = (attempt, lastTask)
    }
}

extension StepImage {
    /// The task as it is now, waiting again as it did before the step. What others did to it since
    /// the step ended stays: all that an execution does not change, and skips, parking and times.
    package func steppedBack(_ current: QueueTask) -> QueueTask {
        var back = current.withoutEdit
        back.state = task.state
        (back.attempts, back.lastError) = (task.attempts, task.lastError)
        (back.losses, back.lossesInSuccession) = (task.losses, task.lossesInSuccession)
        back.offlineInSuccession = task.offlineInSuccession
        back.freshAt = task.freshAt
        guard let now = current.waiting, var waiting = task.waiting else {
            back.state.lingering = current.state.lingering
            return back
        }
        let left = end?.left?.waiting ?? Waiting()
        if now.timer != left.timer { waiting.timer = now.timer }
        if now.skip != left.skip { waiting.skip = now.skip }
        if now.parking != left.parking { waiting.parking = now.parking }
        waiting.lingering = now.lingering
        back.state = .waiting(waiting)
        return back
    }
}

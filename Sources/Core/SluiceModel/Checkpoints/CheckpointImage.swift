/// What something was before it first changed after a checkpoint (G5).
package struct CheckpointImage: Hashable, Sendable {
    /// What an image is of.
    package enum Subject: Hashable, Sendable {
        case task(TaskID)
        case payload(TaskID)
        case result(TaskID)
        case queue(String)
    }
    /// What it was.
    package enum Content: Hashable, Sendable {
        case task(QueueTask)
        case queue(QueueRecord)
        case bytes([UInt8])
        /// It was not there.
        case absent
    }
    /// The number of the newest checkpoint when it changed.
    package var mark: Int64
    /// What it is of.
    package var subject: Subject
    /// What that was.
    package var content: Content

    /// An image of something.
    package init(mark: Int64, subject: Subject, content: Content) {
        (self.mark, self.subject, self.content) = (mark, subject, content)
    }

    /// How many bytes it counts: about what it takes, and the same in every engine.
    package var size: Int64 {
        switch content {
        case .task(let task):
            let texts = [task.lastError, task.label, task.uniqueKey, task.session, task.groupStart]
            return 512 + Int64(texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) })
        case .queue: return 1024
        case .bytes(let bytes): return 64 + Int64(bytes.count)
        case .absent: return 64
        }
    }
}

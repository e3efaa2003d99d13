/// The value of an object before its first change after a checkpoint (G5).
package struct CheckpointImage: Hashable, Sendable {
    /// The kind of object.
    package enum Subject: Hashable, Sendable {
        case task(TaskID)
        case payload(TaskID)
        case result(TaskID)
        case queue(String)
    }
    /// The old value, by the kind of its object.
    package enum Content: Hashable, Sendable {
        case task(QueueTask)
        case queue(QueueRecord)
        case bytes([UInt8])
        /// It was not there.
        case absent
    }
    /// The number of the newest checkpoint when it changed.
    package var mark: Int64
    package var subject: Subject
    /// Its old value.
    package var content: Content

    package init(mark: Int64, subject: Subject, content: Content) {
        (self.mark, self.subject, self.content) = (mark, subject, content)
    }

    /// Its approximate size in bytes, the same in every engine.
    package var size: Int64 {
        switch content {
        case .task(let task):
            let texts = [task.lastError, task.label, task.uniqueKey, task.session, task.groupStart]
            let bytes = texts.reduce(TaskHeaders.bytes(task.headers)) {
                $0 + ($1?.utf8.count ?? 0)
            }
            return 512 + Int64(bytes)
        case .queue: return 1024
        case .bytes(let bytes): return 64 + Int64(bytes.count)
        case .absent: return 64
        }
    }
}

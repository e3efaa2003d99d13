import SluiceFolderStore
import SluiceModel
import SluiceStore

/// An export into a new Customer.io folder. The folder appears under its name when it is complete.
package final class FolderSink: TransferSink {
    /// `folder`.
    package let format = TransferFormat.folder
    private let archive: FolderArchive
    private var queue: String?

    /// Prepares a new folder at `path`. Throws `notLegal` if the path exists.
    package init(path: String) throws {
        try NewPlace.check(path)
        archive = try FolderArchive(path: path)
    }

    /// Adds a task that waits or runs; others have no place in a folder.
    package func add(_ item: TransferItem) throws {
        guard case .task(let item) = item, format.holds(item) else { return }
        let task = item.task.task
        if let queue, queue != task.queue {
            throw QueueError.notLegal(
                "a folder holds one queue, and these are \(queue) and \(task.queue)",
                fix: "name one with --queue")
        }
        queue = task.queue
        try archive.add(
            task, payload: item.task.payload,
            id: TaskOrigin.isUUID(item.task.origin) ? item.task.origin : nil)
    }

    /// Brings the folder to the disk and gives it its name.
    package func finish() throws { try archive.finish() }

    /// Removes the unfinished folder.
    package func cancel() { archive.cancel() }
}

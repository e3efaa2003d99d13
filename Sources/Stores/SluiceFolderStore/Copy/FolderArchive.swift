package import SluiceModel
import SluiceSystem

/// A new folder in the SDK's format, written task by task; it gets its name when it is whole.
package final class FolderArchive {
    private let path: String
    private let folder: UnfinishedFolder
    private let place: FolderPlace
    private let inventory: FileDescriptor
    private var count = 0

    private static let part = "queue"

    /// Prepares a new folder at `path`, which must not exist.
    package init(path: String) throws {
        var name = path
        while name.count > 1, name.hasSuffix("/") { name.removeLast() }
        self.path = name
        let folder = try Self.change { () throws(SystemError) in
            try UnfinishedFolder(for: name)
        }
        let place = FolderPlace(path: "\(folder.path)/\(Self.part)")
        (self.folder, self.place) = (folder, place)
        do {
            inventory = try Self.change { () throws(SystemError) in
                try Files.makeDirectory(place.path)
                try Files.makeDirectory(place.tasksPath)
                return try Files.create(place.inventoryPath)
            }
        } catch {
            folder.remove()
            throw error
        }
    }

    /// Appends a task. `id` is its id in the folder; `nil` makes a new one.
    package func add(_ task: QueueTask, payload: [UInt8], id: String?) throws {
        let id = id ?? FolderID.random()
        guard let path = place.filePath(of: id) else {
            throw QueueError(
                .badValue, "\(id) is no name of a file", fix: "give the task another origin")
        }
        let file = TaskFile(
            id: id, type: task.type, payload: payload, runs: task.attempts, rest: JSONObject(),
            .ios)
        let entry = InventoryEntry(id: id, task: task, .ios).text
        let text = (count == 0 ? "[" : ",") + entry
        try Self.change { () throws(SystemError) in
            try Files.create(path).writeAll(file.bytes ?? [])
            try inventory.writeAll(Array(text.utf8))
        }
        count += 1
    }

    /// Brings all of it to the disk and gives it its name; throws `notLegal` where something has it
    /// by now.
    package func finish() throws {
        let end = count == 0 ? "[]" : "]"
        let isNamed = try Self.change { () throws(SystemError) in
            try inventory.writeAll(Array(end.utf8))
            try Files.syncDisk(of: place.path)
            return try folder.finish(Self.part)
        }
        guard isNamed else {
            throw QueueError.notLegal("\(path) is there already", fix: "name a new folder")
        }
    }

    /// Removes the unfinished folder.
    package func cancel() { folder.remove() }

    private static func change<Value>(
        _ body: () throws(SystemError) -> Value
    ) throws(QueueError) -> Value {
        do {
            return try body()
        } catch {
            throw QueueError(
                error.isFull ? .diskFull : .denied, error.sentence,
                fix: "name a folder in a place that may be written and has room")
        }
    }
}

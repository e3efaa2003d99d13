import Platform
public import QueueModel

/// A new folder in the SDK's format, written task by task; it gets its name when it is whole.
public final class FolderArchive {
    private let path: String
    private let place: FolderPlace
    private let inventory: FileDescriptor
    private var count = 0

    /// A folder that will stand at `path`, where nothing stands yet.
    public init(path: String) throws {
        var name = path
        while name.count > 1, name.hasSuffix("/") { name.removeLast() }
        self.path = name
        place = FolderPlace(path: Files.temporaryName(for: name))
        let place = place
        inventory = try Self.change { () throws(SystemError) in
            try Files.makeDirectory(place.path)
            try Files.makeDirectory(place.tasksPath)
            return try Files.create(place.inventoryPath)
        }
    }

    /// Adds a task behind those before it; `id` is its id in the folder, nil for a new one.
    public func add(_ task: QueueTask, payload: [UInt8], id: String?) throws {
        let id = id ?? FolderID.random()
        guard let path = place.filePath(of: id) else {
            throw QueueError(
                .badValue, "\(id) is no name of a file", fix: "give the task another origin")
        }
        let file = TaskFile(
            id: id, type: task.type, payload: payload, runs: task.attempts, rest: JSONObject())
        let entry = InventoryEntry(id: id, task: task).text
        let text = (count == 0 ? "[" : ",") + entry
        try Self.change { () throws(SystemError) in
            try Files.create(path).writeAll(file.bytes)
            try inventory.writeAll(Array(text.utf8))
        }
        count += 1
    }

    /// Brings all of it to the disk and gives it its name; throws `notLegal` where something has it
    /// by now.
    public func finish() throws {
        let end = count == 0 ? "[]" : "]"
        let isNamed = try Self.change { () throws(SystemError) in
            try inventory.writeAll(Array(end.utf8))
            try Files.syncDisk(of: place.path)
            guard try Files.renameIfNew(place.path, to: path) else { return false }
            try Files.syncFolder(Files.parent(of: path))
            return true
        }
        guard isNamed else {
            throw QueueError.notLegal("\(path) is there already", fix: "name a new folder")
        }
    }

    /// Removes what was written.
    public func cancel() {
        // What cannot be removed says by its name that it is nothing.
        try? Files.removeTree(place.path)
    }

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

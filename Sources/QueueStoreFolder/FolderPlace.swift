import Platform
import QueueModel

/// Where the parts of a folder are, and how they are read without being led elsewhere.
struct FolderPlace: Hashable, Sendable {
    /// The folder, without links on the way.
    let path: String

    static let inventoryLimitBytes = 64 << 20
    static let taskFileLimitBytes = 16 << 20

    var inventoryPath: String { "\(path)/inventory.json" }
    var tasksPath: String { "\(path)/tasks" }
    var databasePath: String { "\(path)/sluice.db" }

    /// The name of the queue: the folder's, or its parent's where it is called `queue` (P6).
    var queueName: String {
        var name = Files.lastName(of: path)
        if name == "queue" { name = Files.lastName(of: Files.parent(of: path)) }
        var fit = String.UnicodeScalarView()
        fit.append(
            contentsOf: name.unicodeScalars.lazy.filter { Names.isValid(String($0)) }
                .prefix(Names.longest))
        return fit.isEmpty || name == "/" ? "queue" : Names.composed(String(fit))
    }

    /// The file of a task; nil for an id that is no safe name of a file.
    func filePath(of id: String) -> String? {
        let isSafe = id.utf8.allSatisfy { $0 >= 32 && $0 != 127 && $0 != UInt8(ascii: "/") }
        guard isSafe, (1...200).contains(id.utf8.count), !id.hasPrefix(".") else { return nil }
        return "\(tasksPath)/\(id)" + (id.hasSuffix(".json") ? "" : ".json")
    }

    /// Reads a regular file whole; nil where there is none.
    func read(_ path: String, limitBytes: Int) throws(FormatError) -> [UInt8]? {
        do {
            guard let named = try Files.status(path, followLinks: false) else { return nil }
            guard named.kind == .file else { throw FormatError("it is \(named.kind.words)") }
            guard named.sizeBytes <= limitBytes else {
                throw FormatError(
                    "it has \(named.sizeBytes) bytes, and at most "
                        + "\(SizeText.compact(limitBytes)) are read")
            }
            let file = try FileDescriptor(opening: path, flags: 0)
            let opened = try file.status()
            guard opened.inode == named.inode, opened.device == named.device else {
                throw FormatError("it was replaced while it was opened")
            }
            return try file.readAll(limitBytes: limitBytes)
        } catch let error as FormatError {
            throw error
        } catch let error as SystemError {
            if error.isMissing { return nil }
            throw FormatError(error.sentence)
        } catch {
            throw FormatError("\(error)")
        }
    }

    /// The inventory, or nil where there is none; what cannot be read is damage (P3).
    func inventory() throws(QueueError) -> Inventory? {
        do {
            guard let bytes = try read(inventoryPath, limitBytes: Self.inventoryLimitBytes) else {
                return nil
            }
            return try Inventory(bytes)
        } catch {
            throw .damagedInventory(inventoryPath, error.message)
        }
    }

    /// The file of the task that an entry names.
    func taskFile(of entry: InventoryEntry) throws(FormatError) -> TaskFile {
        guard let path = filePath(of: entry.id) else {
            throw FormatError("its id is no safe name of a file")
        }
        let bytes: [UInt8]?
        do {
            bytes = try read(path, limitBytes: Self.taskFileLimitBytes)
        } catch {
            throw FormatError("its file: \(error.message)")
        }
        guard let bytes else { throw FormatError("its file is missing") }
        return try TaskFile(bytes, of: entry)
    }

    /// What the system says about a part, links not followed; nil where it is not or cannot be
    /// seen.
    func status(_ path: String) -> FileStatus? {
        do {
            return try Files.status(path, followLinks: false)
        } catch {
            return nil
        }
    }
}

extension FileStatus.Kind {
    /// The kind for sentences: `a symbolic link`.
    var words: String {
        switch self {
        case .file: "a file"
        case .folder: "a folder"
        case .symlink: "a symbolic link"
        case .device: "a device"
        case .fifo: "a named pipe"
        case .socket: "a socket"
        }
    }
}

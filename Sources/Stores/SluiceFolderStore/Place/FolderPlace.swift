import SluiceModel
import SluicePlatform

/// The paths in a folder, and safe reads that do not follow links.
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

    /// Reads a whole regular file at one moment; `nil` if it does not exist.
    func read(_ path: String, limitBytes: Int) throws(FormatError) -> PlainFile? {
        do {
            guard let named = try Files.status(path, followLinks: false) else { return nil }
            guard named.kind == .file else { throw FormatError("it is \(named.kind.words)") }
            let file = try FileDescriptor(readingPlain: path)
            let opened = try file.status()
            guard opened.kind == .file, opened.inode == named.inode,
                opened.device == named.device
            else { throw FormatError("it was replaced while it was opened", isPassing: true) }
            guard opened.sizeBytes <= limitBytes else {
                throw FormatError(
                    "it has \(opened.sizeBytes) bytes, and at most "
                        + "\(SizeText.compact(limitBytes)) are read")
            }
            let bytes = try file.readAll(limitBytes: limitBytes)
            guard try file.status() == opened else {
                throw FormatError("it changed while it was read", isPassing: true)
            }
            return PlainFile(
                bytes: bytes, status: opened, isBeingWritten: file.hasWriter)
        } catch let error as FormatError {
            throw error
        } catch let error as SystemError {
            if error.isMissing { return nil }
            throw FormatError(error.sentence)
        } catch {
            throw FormatError("\(error)")
        }
    }

    /// Reads the task file of an inventory entry.
    func taskFile(of entry: InventoryEntry) throws(FormatError) -> TaskFile {
        guard let path = filePath(of: entry.id) else {
            throw FormatError("its id is no safe name of a file")
        }
        let file: PlainFile?
        do {
            file = try read(path, limitBytes: Self.taskFileLimitBytes)
        } catch {
            throw FormatError("its file: \(error.message)")
        }
        guard let file else { throw FormatError("its file is missing") }
        return try TaskFile(file.bytes, of: entry)
    }

    /// Whether a file of any kind has the path of the task's file.
    func hasFile(of id: String) -> Bool { filePath(of: id).flatMap(status) != nil }

    /// The status of a path, without following links; `nil` if it does not exist or cannot be read.
    func status(_ path: String) -> FileStatus? {
        do {
            return try Files.status(path, followLinks: false)
        } catch {
            return nil
        }
    }
}

/// A regular file as it stood at one moment.
struct PlainFile: Equatable {
    var bytes: [UInt8]
    var status: FileStatus
    /// Whether a program had it open for writing after the read; nil if unknown.
    var isBeingWritten: Bool?
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

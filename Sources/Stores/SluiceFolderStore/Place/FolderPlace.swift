package import SluiceModel
import SluiceSystem

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

/// `inventory.json` as it stood at one moment.
struct InventoryFile: Equatable {
    var inventory: Inventory
    var bytes: [UInt8]
    var status: FileStatus
}

/// Reading the inventory although a program that knows no lock may be writing it.
extension FolderPlace {
    private static let timeoutNanoseconds: UInt64 = 2_000_000_000
    private static let pauseMilliseconds = 2
    private static let doubtMilliseconds = 100

    /// The inventory; `nil` if there is no file. Throws `damagedStore` for unreadable content (P3).
    ///
    /// The SDK writes in place. An incomplete file is read again, for at most 2 s, while a program
    /// has it open for writing or it changes.
    func inventoryFile() throws(QueueError) -> InventoryFile? {
        try inventoryFile(at: inventoryPath, whenStill: false)
    }

    /// A displaced inventory, read after the last program has stopped writing to it.
    func displacedInventory(at path: String) throws(QueueError) -> InventoryFile? {
        try inventoryFile(at: path, whenStill: true)
    }

    private func inventoryFile(
        at path: String, whenStill: Bool
    ) throws(QueueError) -> InventoryFile? {
        let deadline = SystemClock.monotonicNanoseconds() + Self.timeoutNanoseconds
        var (former, repetitions) = (PlainFile?.none, 0)
        while true {
            let isLast = SystemClock.monotonicNanoseconds() >= deadline
            do throws(FormatError) {
                guard let file = try read(path, limitBytes: Self.inventoryLimitBytes) else {
                    return nil
                }
                repetitions = file == former ? repetitions + 1 : 0
                former = file
                if isLast || !(whenStill && file.isBeingWritten ?? false) {
                    let isStill = repetitions >= file.repetitionsWhenStill
                    if let found = try inventory(file, isLast: isLast || isStill) { return found }
                }
            } catch {
                guard error.isPassing, !isLast else {
                    throw .damagedInventory(inventoryPath, error.message)
                }
            }
            pause()
        }
    }

    /// Decodes an inventory; `nil` if it is incomplete and may still become valid.
    private func inventory(
        _ file: PlainFile, isLast: Bool
    ) throws(FormatError) -> InventoryFile? {
        do throws(FormatError) {
            return InventoryFile(
                inventory: try Inventory(file.bytes), bytes: file.bytes, status: file.status)
        } catch {
            if isLast { throw error }
            return nil
        }
    }

    /// Waits briefly for the removal of these files: the SDK removes an entry first and its file
    /// immediately afterwards.
    func awaitRemoval(ofFiles ids: some Collection<String>) {
        let deadline =
            SystemClock.monotonicNanoseconds() + UInt64(Self.doubtMilliseconds) * 1_000_000
        while ids.contains(where: hasFile), SystemClock.monotonicNanoseconds() < deadline {
            pause()
        }
    }

    /// Waits as long as a program may take between the file of a task and its entry.
    func awaitEntries() { pause(Self.doubtMilliseconds) }

    private func pause(_ milliseconds: Int = pauseMilliseconds) {
        // A wait that a signal ends early only looks again sooner.
        _ = try? Poll.wait(fds: [], timeoutMilliseconds: milliseconds)
    }
}

extension PlainFile {
    /// The number of identical reads that make a file count as complete.
    fileprivate var repetitionsWhenStill: Int {
        switch isBeingWritten {
        case true?: .max
        case false?: 1
        case nil: 20
        }
    }
}

/// Temporary files of an interrupted export.
extension FolderPlace {
    /// Temporary and displaced inventories.
    func leftInventories() throws(QueueError) -> [String] {
        try left(in: path, of: [Files.lastName(of: inventoryPath)])
    }

    /// Temporary task files.
    func leftFiles(of names: Set<String>) throws(QueueError) -> [String] {
        try left(in: tasksPath, of: names)
    }

    /// The names of the files of tasks, as far as they may be such.
    func taskFileNames() throws(QueueError) -> [String] {
        try names(in: tasksPath).filter { name in
            name.hasSuffix(".json") && name.utf8.first != UInt8(ascii: ".")
        }
    }

    private func left(in folder: String, of names: Set<String>) throws(QueueError) -> [String] {
        try self.names(in: folder).filter { Self.isTemporary($0, of: names) }
            .map { "\(folder)/\($0)" }
    }

    private func names(in folder: String) throws(QueueError) -> [String] {
        guard status(folder)?.kind == .folder else { return [] }
        do {
            return try Files.list(folder)
        } catch {
            throw QueueError(.denied, error.sentence, fix: "look at the folder \(folder)")
        }
    }

    private static func isTemporary(_ name: String, of names: Set<String>) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts.last == "tmp",
            parts[parts.count - 2].allSatisfy({ $0.isASCII && ($0.isNumber || $0.isLowercase) })
        else { return false }
        return names.contains(parts.dropLast(2).joined(separator: "."))
    }
}

extension QueueError {
    static func noFolder(_ path: String) -> QueueError {
        QueueError(
            .noStore, "there is no folder at \(path)",
            fix: "name a folder with inventory.json, or an SQLite file")
    }

    static func notAFolder(_ path: String, _ kind: FileStatus.Kind) -> QueueError {
        QueueError(
            .notAStore, "\(path) is \(kind.words), no folder",
            fix: "name a folder with inventory.json, or an SQLite file")
    }

    static func noInventory(_ path: String) -> QueueError {
        QueueError(
            .notAStore, "\(path) is a folder without inventory.json",
            fix: "name the folder \"queue\" that the SDK made, or an SQLite file")
    }

    /// The error for a folder that contains no inventory, with the queues found below it.
    fileprivate static func noQueue(_ path: String, _ search: FolderSearch) -> QueueError {
        guard !search.found.isEmpty else { return .emptyContainer(path, search) }
        let cut = search.isCut ? ", where the first \(FolderSearch.limit) names were read" : ""
        let commands = search.found.prefix(8).map { "sluice --store \(ShellWord.quoted($0))" }
        let more = search.found.count > 8 ? " and \(search.found.count - 8) more" : ""
        let count = search.found.count
        return QueueError(
            .notAStore,
            count == 1
                ? "a queue of an SDK is below \(path)\(cut)"
                : "\(count) queues of an SDK are below \(path)\(cut)",
            fix: "open \(count == 1 ? "it" : "one of them"): "
                + commands.joined(separator: ", ") + more)
    }

    /// A folder without an SDK's queue: the searched place, and the place of a queue if any.
    private static func emptyContainer(_ path: String, _ search: FolderSearch) -> QueueError {
        let names =
            search.isCut
            ? "the first \(FolderSearch.limit) names"
            : search.looked == 1 ? "1 name" : "\(search.looked) names"
        let places = "\(names), \(FolderSearch.depth) folders deep at most,"
        let refused = search.unreadable.first.map { first in
            let others = search.unreadable.count - 1
            return "; \(first)\(others > 0 ? " and \(others) more" : "") cannot be read"
        }
        return QueueError(
            .notAStore,
            "\(path) is a folder without inventory.json, and no queue/inventory.json is below it: "
                + "\(places) were looked at\(refused ?? "")",
            fix: "name the SDK's folder, Library/Application Support/io.customer/SITE/queue on iOS "
                + "and files/io.customer/SITE/queue on Android, or an SQLite file, such as "
                + ShellWord.quoted("\(path)/sluice.db"))
    }

    /// An inventory in the keys of another SDK than that of the tasks that `sluice.db` knows.
    static func otherDialect(_ path: String, _ found: FolderDialect) -> QueueError {
        QueueError(
            .damagedStore,
            "\(path) has the keys of the SDK for \(found.name), and the tasks that were known "
                + "have not",
            fix: "open a copy of the folder without its sluice.db")
    }

    static func foreignPart(_ path: String, _ kind: FileStatus.Kind) -> QueueError {
        QueueError(
            .notAStore, "\(path) is \(kind.words), and is not followed",
            fix: "name the folder that the SDK made")
    }

    static func damagedInventory(_ path: String, _ what: String) -> QueueError {
        QueueError(
            .damagedStore, "\(path) is damaged and was left as it is: \(what)",
            fix: "copy the folder away, then fix the file or put an older one in its place")
    }

    static func lostInventory(_ path: String, tasks: Int) -> QueueError {
        QueueError(
            .damagedStore, "\(path) is missing, and \(tasks) tasks were in it",
            fix: "put it back, or a file with [] to give the tasks up")
    }

    static func closedFolder(_ name: String) -> QueueError {
        QueueError(.noStore, "\(name) was closed", fix: "open it again")
    }

    static func movedFolder(_ name: String) -> QueueError {
        QueueError(
            .noStore, "\(name) was removed or replaced while it was open", fix: "open it again")
    }

    /// A change of a file that the system refused.
    static func refusedFile(_ error: SystemError) -> QueueError {
        QueueError(
            error.isFull ? .diskFull : .denied,
            "\(error.sentence); the changes are kept in sluice.db",
            fix: "fix that: the files follow with the next change")
    }
}

extension FolderSearch {
    /// The error for a folder above several possible queues.
    package func error(_ path: String) -> QueueError { .noQueue(path, self) }
}

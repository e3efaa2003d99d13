import SluiceFolderStore
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// A command's requirements for the store that it opens.
struct StoreAccess: Hashable, Sendable {
    /// Refuses every change (D11).
    var isReadOnly = false
    /// Only examines the store: a folder without a database stays so.
    var onlyExamines = false
    var createsIfMissing = false
    /// The durability of a new store's commits (P1).
    var durability = StoreRecord.Durability.full
    /// The role that may own the schema of a store that is made now at a server.
    var schemaOwner: String?
    /// The fixed time of the command for imports of others' changes, by this machine's clock; `nil`
    /// for a command that continues.
    var moment: Timestamp?
}

/// The location of a store, from the form of its name.
enum StorePlace: Hashable, Sendable {
    case sqlite(path: String)
    case folder(path: String)
    case postgres(address: String)

    /// The store that a name means: an address, a folder, or else a file.
    init(_ name: String) {
        if name.hasPrefix("postgres://") || name.hasPrefix("postgresql://") {
            self = .postgres(address: name)
        } else if Files.kind(name) == .folder {
            self = .folder(path: Self.queueFolder(name))
        } else {
            self = .sqlite(path: name)
        }
    }

    /// The SDK's folder that a folder means: itself, or the only one below it (P6).
    private static func queueFolder(_ name: String) -> String {
        guard !FolderStore.isThere(name) else { return name }
        let search = FolderSearch(below: name)
        guard search.found.count == 1, !search.isCut else { return name }
        return search.found[0]
    }

    /// The name of the store that a command means: `--store`, `$SLUICE_STORE`, `./sluice.db`.
    static func name(given: String?, environment: String?) -> String {
        given ?? environment.flatMap { $0.isEmpty ? nil : $0 } ?? "./sluice.db"
    }

    /// Whether it is a database at a server.
    var isServer: Bool {
        if case .postgres = self { return true }
        return false
    }

    /// Whether it is a folder of an SDK's.
    var isFolder: Bool {
        if case .folder = self { return true }
        return false
    }

    /// Whether a folder is there, or a file that begins as one of SQLite does.
    static func isThere(_ path: String) -> Bool {
        guard Files.kind(path) == .file else { return Files.kind(path) == .folder }
        guard let file = try? FileDescriptor(opening: path, flags: 0),
            case .bytes(let bytes)? = try? file.read(atMost: 16)
        else { return false }
        return bytes.starts(with: "SQLite format 3\0".utf8)
    }

    /// Whether both are the same place. A process must not open a file twice: closing one
    /// descriptor releases all locks on the file.
    func isSame(as other: StorePlace) -> Bool {
        guard let one = path, let another = other.path else { return self == other }
        guard let first = try? Files.realPath(one), let second = try? Files.realPath(another) else {
            return one == another
        }
        return first == second
    }

    private var path: String? {
        switch self {
        case .sqlite(let path), .folder(let path): path
        case .postgres: nil
        }
    }

    /// A warning for changes to a folder: the SDK does not lock it (P6).
    static let appHint = "while the app runs on this folder, open it with --read-only"

    /// The name as given; an address or a connection string appears without its password.
    var name: String {
        switch self {
        case .sqlite(let path), .folder(let path): Secrets.hidden(in: path)
        case .postgres(let address): PostgresStore.shownName(address)
        }
    }
}

extension QueueError {
    /// Nothing is at that place.
    static func noStore(_ name: String) -> QueueError {
        let beside = filesBeside(name).map { ": \($0)" } ?? ""
        return QueueError(
            .noStore, "there is no store at \(name)",
            fix: "make one with sluice \(ShellWord.command("init", name)), or name one with "
                + "--store or $SLUICE_STORE\(beside)")
    }

    /// At most three other `.db` files in the folder, as suggestions.
    private static func filesBeside(_ name: String) -> String? {
        let found = (try? Files.list(Files.parent(of: name))) ?? []
        let names = found.filter { $0.hasSuffix(".db") }.sorted()
        guard !names.isEmpty else { return nil }
        let words = names.prefix(3).map(ShellWord.quoted).joined(separator: ", ")
        let more = names.count > 3 ? " and \(names.count - 3) more" : ""
        return "\(words)\(more) \(names.count == 1 ? "is" : "are") there"
    }
}

extension StorePlace {
    /// Opens the store with the engine for its place. No other code chooses an engine. `now` is the
    /// clock for imports of others' changes.
    func open(
        _ access: StoreAccess, now: @escaping @Sendable () -> Timestamp
    ) throws -> any QueueStore {
        let moment = access.moment
        let now: @Sendable () -> Timestamp = { moment ?? now() }
        switch self {
        case .sqlite(let path): return try openFile(path, access, now)
        case .folder(let path): return try openFolder(path, access, now)
        case .postgres(let address):
            return try PostgresStore.open(
                address: address, readOnly: access.isReadOnly,
                createIfMissing: access.createsIfMissing, durability: access.durability,
                schemaOwner: access.schemaOwner, faults: Self.faults)
        }
    }

    private func openFile(
        _ path: String, _ access: StoreAccess, _ now: @escaping @Sendable () -> Timestamp
    ) throws -> any QueueStore {
        guard access.createsIfMissing || Files.exists(path) else { throw QueueError.noStore(path) }
        do {
            return try SQLiteStore.open(
                path: path, readOnly: access.isReadOnly, createIfMissing: access.createsIfMissing,
                durability: access.durability, faults: Self.faults, clock: now)
        } catch {
            guard error.code == .notAStore else { throw error }
            if access.isReadOnly || access.onlyExamines, ZipArchive.isThere(path) {
                return try openArchive(path, now)
            }
            throw ArchiveFile.refusal(of: path) ?? error
        }
    }

    /// Opens the SDK's queue in a zip archive for reading. Its copy lives as long as the store.
    private func openArchive(
        _ path: String, _ now: @escaping @Sendable () -> Timestamp
    ) throws -> any QueueStore {
        let unpacked: UnpackedFolder
        do {
            unpacked = try UnpackedFolder(path)
        } catch let error as ArchiveError {
            throw ArchiveFile.refusal(of: path, because: error.reason)
                ?? QueueError(.notAStore, error.reason, fix: "pack the folder again")
        }
        var options = FolderOptions()
        options.clock = now
        options.name = path
        options.atClose = { unpacked.remove() }
        do {
            return try FolderStore.open(path: unpacked.queue, readOnly: true, options: options)
        } catch {
            unpacked.remove()
            throw error
        }
    }

    /// Kills this process at the change or commit number `SLUICE_TEST_KILL`, to test a crash.
    private static let faults = ProcessIdentity.environment("SLUICE_TEST_KILL").flatMap { Int($0) }
        .map { step in
            let faults = WriteFaults()
            faults.kill(at: step)
            return faults
        }

    private func openFolder(
        _ path: String, _ access: StoreAccess, _ now: @escaping @Sendable () -> Timestamp
    ) throws -> any QueueStore {
        guard FolderStore.isThere(path) else {
            throw FolderSearch(below: path).error(path)
        }
        var options = FolderOptions()
        options.clock = now
        options.databaseFaults = Self.faults
        options.fileFaults = Self.faults
        let isUntouched = access.onlyExamines && !FolderStore.isChanged(path)
        return try FolderStore.open(
            path: path, readOnly: access.isReadOnly || isUntouched, options: options)
    }
}

import SluiceFolderStore
import SluiceModel
import SluicePlatform
import SluicePostgresStore
import SluiceStore

/// What a command wants from the store that it opens.
struct StoreAccess: Hashable, Sendable {
    /// Refuses every change (D11).
    var isReadOnly = false
    /// Looks for what is wrong: a folder that nobody has changed yet stays so.
    var onlyExamines = false
    /// Makes the store where there is none.
    var createsIfMissing = false
    /// How much a commit survives in a store that is made now (P1).
    var durability = StoreRecord.Durability.full
    /// The role that may own the schema of a store that is made now at a server.
    var schemaOwner: String?
    /// The one moment of the command, by this machine's clock, at which others' changes come in;
    /// nil for what goes on.
    var moment: Timestamp?
}

/// Where a store is, by the way in which it is named.
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

    /// Whether both are one place: two openings of one file in a process would be in each other's
    /// way, since whoever closes a file loses all locks on it.
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

    /// What whoever changes a folder must know: its SDK knows no lock (P6).
    static let appHint = "while the app runs on this folder, open it with --read-only"

    /// Its name, as it was given; an address without its password.
    var name: String {
        switch self {
        case .sqlite(let path), .folder(let path): path
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

    /// The files beside it that may be meant, at most three.
    private static func filesBeside(_ name: String) -> String? {
        let found = (try? Files.list(Files.parent(of: name))) ?? []
        let names = found.filter { $0.hasSuffix(".db") }.sorted()
        guard !names.isEmpty else { return nil }
        let words = names.prefix(3).map(ShellWord.quoted).joined(separator: ", ")
        let more = names.count > 3 ? " and \(names.count - 3) more" : ""
        return "\(words)\(more) \(names.count == 1 ? "is" : "are") there"
    }
}

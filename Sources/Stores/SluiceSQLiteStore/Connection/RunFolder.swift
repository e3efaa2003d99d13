import SluiceCSQLite
import SluiceModel
import SluicePlatform

/// The folder beside a store for what its processes have in common on this machine: lock files, and
/// the notice that wakes who watches it.
///
/// A watch on SQLite's own files would wake before the commit can be seen, so the notice is a file
/// of its own, written after each commit.
final class RunFolder: Sendable {
    static let noticeName = "notice"

    let path: String
    private let store: String
    /// The notice, and which file it is: the folder may be removed while the store is in use.
    private let notice: Protected<(file: FileDescriptor, identity: FileStatus.Identity)>
    /// The folder, opened by one who waits: its lock is the turn to ask SQLite.
    private let turn = Protected<FileDescriptor?>(nil)

    static func path(of store: String) -> String { "\(store)-run" }

    /// Makes the folder, for its owner alone, where there is none; throws `denied` where somebody
    /// else could put another in its place (P5).
    init(of store: String) throws(QueueError) {
        path = Self.path(of: store)
        self.store = store
        notice = Protected(try Self.open(path, of: store))
    }

    private static func open(
        _ path: String, of store: String
    ) throws(QueueError) -> (file: FileDescriptor, identity: FileStatus.Identity) {
        do throws(SystemError) {
            try Files.makeDirectory(path, mode: 0o700, ofOwnerOf: store)
        } catch {
            throw SQLiteFailure.error(error, path: store)
        }
        try check(path, of: store)
        mend(path, of: store)
        do throws(SystemError) {
            let file = try FileDescriptor(
                opening: "\(path)/\(noticeName)", flags: csq_open_or_create, mode: 0o600)
            file.giveToOwner(of: store)
            return (file, try file.status().identity)
        } catch {
            throw closed(to: error, path, of: store)
        }
    }

    /// Gives the folder and its files to the store's owner where root left them behind.
    private static func mend(_ path: String, of store: String) {
        guard ProcessIdentity.userID == 0, let names = foreignNames(in: path, of: store) else {
            return
        }
        let flags = csq_read
        for name in names where isOwn(name) {
            try? FileDescriptor(opening: "\(path)/\(name)", flags: flags).giveToOwner(of: store)
        }
        // A folder that holds anything else may be one that was put here.
        if names.allSatisfy(isOwn) {
            try? FileDescriptor(opening: path, flags: flags).giveToOwner(of: store)
        }
    }

    /// The names in a folder that belongs to root while its store does not; nil for any other.
    private static func foreignNames(in path: String, of store: String) -> [String]? {
        guard let file = (try? Files.status(store)) ?? nil, file.ownerID != 0,
            let folder = (try? Files.status(path, followLinks: false)) ?? nil,
            folder.ownerID == 0
        else { return nil }
        return try? Files.list(path)
    }

    private static func isOwn(_ name: String) -> Bool {
        name == noticeName || name == "damaged" || name.hasSuffix(".lock")
    }

    /// What is said where a file of the folder cannot be opened: most often another user made it.
    private static func closed(
        to error: SystemError, _ path: String, of store: String
    ) -> QueueError {
        let notice = (try? Files.status("\(path)/\(noticeName)")) ?? nil
        let folder = (try? Files.status(path)) ?? nil
        guard error.isDenied,
            let owner = [folder, notice].compactMap({ $0?.ownerID }).first(where: {
                $0 != ProcessIdentity.userID
            })
        else { return SQLiteFailure.error(error, path: store) }
        let person = ProcessIdentity.userName(of: owner)
        return refusal(
            "\(path) belongs to \(person), so this user cannot work with \(store)",
            fix: "as \(person): chown -R --reference=\(ShellWord.quoted(store)) "
                + ShellWord.quoted(path))
    }

    /// Throws what `init` would, before a store is made: a refusal leaves nothing behind.
    static func check(before store: String) throws(QueueError) {
        let path = path(of: store)
        if Files.exists(path) {
            try check(path, of: store)
            return
        }
        let above: FileStatus?
        do throws(SystemError) {
            above = try Files.status(Files.parent(of: path))
        } catch {
            throw SQLiteFailure.error(error, path: store)
        }
        try check(above, above: path)
    }

    /// The locks in it say who lives, and its files are written by whoever writes the store: it
    /// must be a folder, no link to one, that nobody but its owner may write, and it must lie in
    /// one in which others can rename only what is theirs.
    private static func check(_ path: String, of store: String) throws(QueueError) {
        let own, above, file: FileStatus?
        do throws(SystemError) {
            own = try Files.status(path, followLinks: false)
            above = try Files.status(Files.parent(of: path))
            file = try Files.status(store)
        } catch {
            throw SQLiteFailure.error(error, path: store)
        }
        guard let own, own.kind == .folder else {
            throw refusal("\(path) is no folder but a link to one", fix: "remove it")
        }
        let owners = [ProcessIdentity.userID, 0] + [file?.ownerID].compactMap { $0 }
        guard owners.contains(own.ownerID) else {
            throw refusal("\(path) belongs to somebody else", fix: "have it removed")
        }
        guard own.mode & othersMayWrite == 0 else {
            throw refusal(
                "others may write into \(path)", fix: "chmod go-w \(ShellWord.quoted(path))")
        }
        try check(above, above: path)
    }

    private static func check(_ above: FileStatus?, above path: String) throws(QueueError) {
        guard let above, above.mode & (everybodyMayWrite | sticky) == everybodyMayWrite
        else { return }
        let folder = Files.parent(of: path)
        throw refusal(
            "everybody may write into \(folder), and so put something else in the place of \(path)",
            fix: "chmod o-w \(ShellWord.quoted(folder)), or keep the store in a folder of your own")
    }

    private static let (othersMayWrite, everybodyMayWrite) = (UInt32(0o022), UInt32(0o002))
    private static let sticky = UInt32(0o1000)

    private static func refusal(_ message: String, fix: String) -> QueueError {
        QueueError(.denied, message, fix: fix)
    }

    /// Wakes every process that watches. A full disk cannot refuse it: the byte has its place since
    /// the first call, and a reader that misses one is woken by the next. Where the folder was
    /// removed it is made again.
    func notify() {
        notice.withLock { notice in
            let named = try? Files.status("\(path)/\(Self.noticeName)", followLinks: false)
            // Where it cannot be made again, those who watch look from time to time.
            if named?.identity != notice.identity, let new = try? Self.open(path, of: store) {
                notice = new
            }
            _ = csq_notify(notice.file.number)
        }
    }
}

/// The locks of SQLite have no queue: whoever waits for one looks now and then, and would hardly
/// find it free between the commits of one who takes it again at once. So whoever waits has a
/// share of the lock on the notice, which the kernel frees when it dies; no byte is written, and
/// nobody is woken. One of those who wait has the turn to look.
extension RunFolder {
    /// What the log of the store is now: it changes with every commit of any program.
    var logStatus: FileStatus? { (try? Files.status("\(store)-wal")) ?? nil }

    /// Takes the turn to ask for SQLite's lock, which is the lock of the folder itself; false while
    /// another process has it. Where the folder cannot be opened everybody asks.
    func takeTurn() -> Bool {
        turn.withLock { turn in
            do throws(SystemError) {
                if turn == nil { turn = try FileDescriptor(opening: path, flags: csq_read) }
                return try turn?.tryLock() ?? true
            } catch {
                return true
            }
        }
    }

    /// Lets others see that this process waits for its turn to write.
    func waitForTurn() {
        // Where it cannot, it waits as any other program does.
        _ = try? notice.withLock { try $0.file.tryShareLock() }
    }

    /// Its turn has come, or it no longer waits.
    func endWait() {
        turn.withLock { $0 = nil }
        notice.withLock { $0.file.unlock() }
    }

    /// Whether another process waits; asked by one that does not wait itself.
    var isWaitedFor: Bool {
        notice.withLock { notice in
            guard let isAlone = try? notice.file.tryLock() else { return false }
            if isAlone { notice.file.unlock() }
            return !isAlone
        }
    }
}

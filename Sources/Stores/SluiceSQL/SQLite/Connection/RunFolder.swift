import SluiceCSQLite
import SluiceModel
import SluiceStore
import SluiceSystem

/// The folder next to a store for the shared files of its processes on this machine: lock files,
/// and the notice that wakes watchers.
///
/// A watch on SQLite's own files would wake before a commit is visible, so the notice is a separate
/// file, written after each commit.
final class RunFolder: Sendable {
    static let noticeName = "notice"

    let path: String
    private let store: String
    /// The notice, and which file it is: the folder may be removed while the store is in use.
    private let notice: Protected<(file: FileDescriptor, identity: FileStatus.Identity)>
    /// The folder, opened by one who waits: its lock is the turn to ask SQLite.
    private let turn = Protected<FileDescriptor?>(nil)

    static func path(of store: String) -> String { "\(store)-run" }

    /// Creates the folder if missing, with access for its owner only. Throws `denied` if another
    /// user could replace it (P5).
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

    /// Gives the folder and its files to the store's owner if root created them.
    private static func mend(_ path: String, of store: String) {
        guard ProcessIdentity.userID == 0, let names = foreignNames(in: path, of: store) else {
            return
        }
        let flags = csq_read
        for name in names where isOwn(name) {
            try? FileDescriptor(opening: "\(path)/\(name)", flags: flags).giveToOwner(of: store)
        }
        // A folder with other files may have been placed here on purpose.
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
        [noticeName, "damaged", OutputFolder.name].contains(name) || name.hasSuffix(".lock")
    }

    /// The error if a file of the folder cannot be opened: usually another user created it.
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

    /// Throws the errors of `init` before a store is created, so that a refusal leaves no files.
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

    /// Locks in the folder show which processes are alive, and writers of the store write its
    /// files. It must be a real folder, writable only by its owner. In the parent folder others may
    /// rename only their own files.
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
            throw refusal("\(path) belongs to another user", fix: "have it removed")
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

    /// Wakes every watching process. A full disk cannot prevent it: the byte exists since the first
    /// call, and a reader that misses one notice wakes on the next. A removed folder is created
    /// again.
    func notify() {
        notice.withLock { notice in
            let named = try? Files.status("\(path)/\(Self.noticeName)", followLinks: false)
            // If this fails, watchers still poll from time to time.
            if named?.identity != notice.identity, let new = try? Self.open(path, of: store) {
                notice = new
            }
            _ = csq_notify(notice.file.number)
        }
    }
}

/// SQLite's locks have no queue: a waiting process polls, and would rarely find the lock free
/// between the commits of a continuous writer. Waiting processes therefore share a lock on the
/// notice, which the kernel releases when they die. It writes no byte and wakes no process. One of
/// the waiting processes has the turn to poll.
extension RunFolder {
    /// The current status of the store's log, which changes with every commit of any program.
    var logStatus: FileStatus? { (try? Files.status("\(store)-wal")) ?? nil }

    /// Takes the turn to ask for SQLite's lock, which is the lock of the folder itself; false while
    /// another process has it. Where the folder cannot be opened everybody asks.
    func acquireTurn() -> Bool {
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
        // On failure it waits like any other program.
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

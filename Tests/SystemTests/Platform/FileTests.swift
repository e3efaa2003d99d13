import SluiceSystem
import Testing

@Suite("Files, locks and watches")
struct FileTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("an atomic write leaves the whole new content with mode 0600 and nothing else")
    func atomicWrite() throws {
        let path = folder.file("a")
        for text in ["first", "second and longer", ""] {
            try Files.writeAtomically(Array(text.utf8), to: path)
            #expect(try Files.read(path, limitBytes: 100) == Array(text.utf8))
        }
        #expect(try Files.list(folder.path) == ["a"])
        #expect(try Files.status(path)?.mode == 0o600)
    }

    @Test("a bound on what is read is kept to the byte")
    func readBound() throws {
        let path = folder.file("a")
        try Files.writeAtomically([1, 2, 3], to: path)
        #expect(try Files.read(path, limitBytes: 3) == [1, 2, 3])
        let refused = SystemError(.read, path: path, reason: .largerThan(bytes: 2))
        #expect(throws: refused) { try Files.read(path, limitBytes: 2) }
        #expect(throws: SystemError.self) { try Files.read("/dev/zero", limitBytes: 1000) }
    }

    @Test("kinds of files are told apart, links on request not followed")
    func kinds() throws {
        try Files.makeDirectory(folder.file("d/e/f"), withParents: true)
        #expect(Files.kind(folder.file("d/e/f")) == .folder)
        #expect(try Files.status(folder.file("d"))?.mode == 0o700)
        #expect(Files.kind("/dev/null") == .device)
        #expect(Files.kind("/proc/self/exe", followLinks: false) == .symlink)
        #expect(Files.kind("/proc/self/exe") == .file)
        #expect(Files.kind(folder.file("missing")) == nil)
        #expect(throws: SystemError.self) { try Files.list(folder.file("missing")) }
        try Files.remove(folder.file("missing"))
        try Files.makeDirectory(folder.file("d"))
    }

    @Test(
        "parts of paths",
        arguments: [
            ("/a/b", "/a", "b"), ("/a", "/", "a"), ("a", ".", "a"), ("a/b/", "a", "b"),
            ("/", "/", ""), ("é/ü", "é", "ü"),
        ])
    func pathParts(path: String, parent: String, name: String) {
        #expect(Files.parent(of: path) == parent)
        #expect(Files.lastName(of: path) == name)
    }

    @Test("A2 a lock keeps every other open file out until it is released")
    func lock() throws {
        let path = folder.file("lock")
        #expect(try FileLock.isHeld(path) == false)
        let lock = try #require(try FileLock.tryLock(path))
        #expect(try FileLock.isHeld(path))
        #expect(try FileLock.tryLock(path) == nil)
        lock.release()
        #expect(try FileLock.isHeld(path) == false)
        #expect(try Files.status(path)?.mode == 0o600)
        try FileLock.tryLock(path)?.removeAndRelease()
        #expect(Files.exists(path) == false)
    }

    @Test("A1 a process shows whether it lives and goes on, for as long as it is asked")
    func sign() throws {
        let path = folder.file("lock")
        #expect(ProcessSign(lockPath: path, processID: 1) == nil)
        let lock = try #require(try FileLock.tryLock(path))
        let child = try ChildProcess.spawn(
            Spawn("sleep", ["99"], environment: ["PATH=/usr/bin:/bin"]))
        let sign = try #require(ProcessSign(lockPath: path, processID: child.processID))
        #expect(sign.lives && !sign.isHalted)
        #expect(try FileLock.tryLock(path) == nil)
        try child.signal(.stop)
        let end = SystemClock.monotonicMilliseconds() + 10_000
        while !sign.isHalted, SystemClock.monotonicMilliseconds() < end {
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 1)
        }
        #expect(sign.isHalted && sign.lives)
        try child.signal(.kill)
        #expect(try Wait.exit(of: child) == .signal(.kill))
        _ = try child.reap()
        lock.release()
        #expect(!sign.isHalted && !sign.lives && !sign.lives)
        // The query leaves no lock.
        #expect(try FileLock.tryLock(path) != nil)
    }

    @Test("A2 a child that inherited a lock holds it until it is dead, whoever started it")
    func inheritedLock() throws {
        let path = folder.file("lock")
        let lock = try #require(try FileLock.tryLock(path))
        let child = try ChildProcess.spawn(
            Spawn(
                "/bin/cat", environment: [], input: .pipe,
                inherited: [Spawn.Inherited(lock.descriptor.number, as: 3)]))
        lock.leaveToChildren()
        #expect(try FileLock.isHeld(path))
        try child.signalGroup(.kill)
        #expect(try Wait.exit(of: child) == .signal(.kill))
        // A child of another test shares our open files until its exec.
        var isHeld = try FileLock.isHeld(path)
        for _ in 0..<400 where isHeld {
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 5)
            isHeld = try FileLock.isHeld(path)
        }
        #expect(isHeld == false)
    }

    @Test("A2 a lock of another process is seen, and is free once that one is killed")
    func lockOfAnother() throws {
        let path = folder.file("lock")
        let child = try ChildProcess.spawn(
            Spawn(
                "flock", [path, "-c", "echo held; cat"],
                environment: ["PATH=/usr/bin:/bin"], input: .pipe))
        #expect(try Wait.line(from: child.output) == "held")
        #expect(try FileLock.isHeld(path))
        #expect(try FileLock.tryLock(path) == nil)
        try child.signalGroup(.kill)
        _ = try Wait.exit(of: child)
        #expect(try child.output?.readAll(limitBytes: 100) == [])
        #expect(try FileLock.tryLock(path) != nil)
    }

    @Test("a watch tells what happens in a folder, then nothing more")
    func watch() throws {
        let watch = try DirectoryWatch(folder.path)
        #expect(try watch.drain() == [])
        try Files.writeAtomically([1], to: folder.file("a"))
        try Files.remove(folder.file("a"))
        let ready = try Poll.wait(
            fds: watch.interests,
            timeoutMilliseconds: Wait.limitMilliseconds)
        // Its own notice, or the instance that all watches share, or both.
        #expect(ready.contains { $0.readable })
        // A child that was just forked may be the last to close the file, whenever that is.
        func drain() throws -> [WatchEvent] {
            try watch.drain().filter { $0.kinds != .closedAfterWrite }
        }
        let events = try drain()
        #expect(events.contains(WatchEvent(folder.path, name: "a", kinds: .movedIn)))
        #expect(events.last == WatchEvent(folder.path, name: "a", kinds: .deleted))
        #expect(try drain() == [])
    }

    @Test("a watch on a file that goes says so")
    func watchedFileGoes() throws {
        try Files.writeAtomically([1], to: folder.file("a"))
        let watch = try DirectoryWatch(folder.file("a"))
        try Files.writeAtomically([2], to: folder.file("a"))
        let events = try watch.drain()
        #expect(events.contains { !$0.kinds.isDisjoint(with: .gone) && $0.name == nil })
        #expect(throws: SystemError.self) { try DirectoryWatch(folder.file("missing")) }
    }
}

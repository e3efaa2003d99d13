import Glibc
import SluiceSystem
import Testing

@Suite("Watches that share one instance")
struct WatchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Whether the user has a free instance, and the number of requests for one.
    private final class Grant: Sendable {
        let isGiven = Protected(false)
        let asked = Protected(0)

        func isLeft() -> Bool {
            asked.withLock { $0 += 1 }
            return isGiven.withLock { $0 }
        }
    }

    private func wait(for watch: DirectoryWatch) throws -> [WatchEvent] {
        let ready = try Poll.wait(
            fds: watch.interests, timeoutMilliseconds: Wait.limitMilliseconds)
        #expect(!ready.isEmpty)
        return try watch.drain()
    }

    @Test("A2 all watches of a process have one instance, and each is told what is its own")
    func shared() throws {
        let grant = Grant()
        grant.isGiven.withLock { $0 = true }
        let instance = WatchInstance { grant.isLeft() }
        try Files.writeAtomically([1], to: folder.file("a"))
        try Files.writeAtomically([1], to: folder.file("b"))
        let names = try DirectoryWatch(folder.path, for: [.created], sharing: instance)
        let file = try DirectoryWatch(folder.file("a"), for: [.modified, .once], sharing: instance)
        let both = try DirectoryWatch(folder.path, for: [.deleted], sharing: instance)
        try both.add(folder.file("b"), for: [.closedAfterWrite])
        #expect(grant.asked.withLock { $0 } == 1)

        let written = try FileDescriptor(opening: folder.file("a"), flags: O_WRONLY)
        try written.writeAll([2])
        try written.writeAll([3])
        written.close()
        try FileDescriptor(opening: folder.file("b"), flags: O_WRONLY).close()
        try Files.remove(folder.file("a"))
        // A read by one watch wakes the others. Each watch receives only the events that it
        // requested.
        let told = try wait(for: both)
        #expect(told.contains(WatchEvent(folder.path, name: "a", kinds: .deleted)))
        #expect(
            told.contains(WatchEvent(folder.file("b"), name: nil, kinds: .closedAfterWrite)))
        #expect(try wait(for: file).filter { $0.kinds.contains(.modified) }.count == 1)
        #expect(try names.drain() == [])
        try Files.makeDirectory(folder.file("c"))
        #expect(try wait(for: names).allSatisfy { $0.kinds.contains(.created) })
    }

    @Test("A2 what is watched no longer is not told, and the last watch gives the instance back")
    func left() throws {
        let grant = Grant()
        grant.isGiven.withLock { $0 = true }
        let instance = WatchInstance { grant.isLeft() }
        do {
            let watch = try DirectoryWatch(folder.path, sharing: instance)
            watch.remove(folder.path)
            try Files.writeAtomically([1], to: folder.file("a"))
            #expect(try watch.drain().allSatisfy { $0.name == nil })
        }
        let again = try DirectoryWatch(folder.path, sharing: instance)
        #expect(grant.asked.withLock { $0 } == 2)
        #expect(again.isNotified)
    }

    @Test("A2 without an instance it looks by the clock, and is told again once there is one")
    func untold() throws {
        let grant = Grant()
        let instance = WatchInstance(lookMilliseconds: 5) { grant.isLeft() }
        let watch = try DirectoryWatch(folder.path, sharing: instance)
        #expect(!watch.isNotified)
        #expect(throws: SystemError.self) {
            try DirectoryWatch(folder.file("missing"), sharing: instance)
        }
        for _ in 0..<3 {
            #expect(try wait(for: watch).contains { $0.kinds.contains(.overflow) })
        }
        #expect(!watch.isNotified)
        grant.isGiven.withLock { $0 = true }
        while !watch.isNotified { #expect(try !wait(for: watch).isEmpty) }
        try Files.makeDirectory(folder.file("new"))
        #expect(try wait(for: watch).contains { $0.name == "new" })
    }
}

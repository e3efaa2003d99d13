import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceSQL

@Suite("The folder with the output of running attempts")
struct OutputFolderTests {
    private func parts(_ store: SQLiteStore) throws -> [String] {
        let folder = try #require(store.runFolder)
        return try OutputFolder(in: folder)?.names() ?? []
    }

    private func link(_ target: String, at path: String) throws {
        let made = try ChildProcess.spawn(
            Spawn("ln", ["-s", target, path], environment: ["PATH=/usr/bin:/bin"]))
        _ = try Poll.wait(fds: [PollInterest(made.pidfd.number)], timeoutMilliseconds: 60_000)
        #expect(try made.reap() == .code(0))
    }

    @Test("A2 the search for dead workers removes their output, and that of detached ones")
    func sweep() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        defer { store.close() }
        let run = try #require(store.runFolder)
        let alive = try Attachment(to: store, role: .runner, now: at(0))
        let left = try Attachment(to: store, role: .runner, now: at(0))
        var record = alive.process
        record.lockName = "dead.lock"
        // A free lock: the process has ended without detaching.
        try Files.writeAtomically([], to: "\(run)/dead.lock")
        let ended = record
        let dead = try store.transactBlocking(at: at(0)) { try $0.attach(ended) }
        let folder = try OutputFolder.made(in: run)
        for process in [alive.process.id, left.process.id, dead.id] {
            let part = OutputFolder.part(process: process, task: 7, attempt: 1)
            try folder.create(part).writeAll(Array("former".utf8))
            try folder.setAside(part)
            try folder.create(part).writeAll(Array("current".utf8))
        }
        try folder.create("notes.txt").writeAll(Array("mine".utf8))
        try left.detach(now: at(1))
        #expect(try parts(store).count == 7)
        try Reaper.reapTheDead(in: store, now: at(2))
        let kept = OutputFolder.part(process: alive.process.id, task: 7, attempt: 1)
        #expect(try parts(store) == [kept, "\(kept).1", "notes.txt"].sorted())
        try alive.detach(now: at(3))
        try Reaper.reapTheDead(in: store, now: at(4))
        #expect(try parts(store) == ["notes.txt"])
    }

    @Test("P5 a folder that is a link, a file, or open to others is refused; nothing is removed")
    func refusals() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        defer { store.close() }
        let run = try #require(store.runFolder)
        let output = "\(run)/\(OutputFolder.name)"
        #expect(try OutputFolder(in: run) == nil)
        #expect(try OutputFolder(in: "\(run)/none") == nil)
        let other = "\(place.folder)/other"
        try Files.makeDirectory(other)
        let part = OutputFolder.part(process: 99, task: 7, attempt: 1)
        try Files.writeAtomically([], to: "\(other)/\(part)")
        let traps: [() throws -> Void] = [
            { try Files.writeAtomically([], to: output) },
            { try link(other, at: output) },
            { try Files.makeDirectory(output, mode: 0o750) },
        ]
        for trap in traps {
            try trap()
            #expect(throws: SystemError.self) { _ = try OutputFolder(in: run) }
            #expect(throws: SystemError.self) { _ = try OutputFolder.made(in: run) }
            try Reaper.reapTheDead(in: store, now: at(1))
            try Files.remove(output)
        }
        #expect(try Files.list(other) == [part])
        // A link to a run folder is no run folder.
        _ = try OutputFolder.made(in: run)
        let detour = "\(place.folder)/detour"
        try link(run, at: detour)
        #expect(throws: SystemError.self) { _ = try OutputFolder(in: detour) }
    }

    @Test("a follower reads each byte once, also of parts that were set aside or removed")
    func follow() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        defer { store.close() }
        let run = try #require(store.runFolder)
        let part = OutputFolder.part(process: 3, task: 7, attempt: 1)
        var follower = OutputFollower(part, in: run)
        #expect(try follower.next() == OutputFollower.News())
        let folder = try OutputFolder.made(in: run)
        func news(_ text: String, isCut: Bool = false) -> OutputFollower.News {
            OutputFollower.News(bytes: Array(text.utf8), isCut: isCut)
        }
        var file = try folder.create(part)
        try file.writeAll(Array("one ".utf8))
        #expect(try follower.next() == news("one "))
        #expect(try follower.next() == news(""))
        try file.writeAll(Array("two ".utf8))
        try folder.setAside(part)
        #expect(try follower.next() == news("two "))
        file = try folder.create(part)
        try file.writeAll(Array("three ".utf8))
        #expect(try follower.next() == news("three "))
        try file.writeAll(Array("four ".utf8))
        try folder.setAside(part)
        file = try folder.create(part)
        try file.writeAll(Array("five ".utf8))
        try folder.setAside(part)
        file = try folder.create(part)
        try file.writeAll(Array("six ".utf8))
        // Two parts came: a third between them would be gone.
        #expect(try follower.next() == news("four five six ", isCut: true))
        for number in 0..<4 {
            try folder.setAside(part)
            file = try folder.create(part)
            try file.writeAll(Array("\(number) ".utf8))
        }
        #expect(try follower.next() == news("2 3 ", isCut: true))
        try file.writeAll(Array("the end".utf8))
        try folder.remove(part)
        #expect(try follower.next() == news("the end"))
        #expect(try follower.next() == news(""))
    }
}

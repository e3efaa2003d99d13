import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceSQL

@Suite("Several processes on one file")
struct ProcessTests {
    @Test("P2 two stores on one file see each other's commits, and watchers are told")
    func two() throws {
        let place = try Place()
        let (first, second) = (try place.openWithQueue(), try place.open())
        let (mine, others) = (Waiter(), Waiter())
        let watches = [
            try first.observe { mine.add() }, try second.observe { others.add() },
        ]
        for number in 1...20 {
            let (seenByMe, seenByOthers) = (mine.count, others.count)
            let (writer, reader) = number % 2 == 0 ? (first, second) : (second, first)
            let id = try writer.writeBlocking { try $0.insertTasks()[0] }
            #expect(try reader.readBlocking { try $0.task(id) } != nil)
            #expect(mine.passes(seenByMe) && others.passes(seenByOthers))
        }
        withExtendedLifetime(watches) {}
        first.close()
        second.close()
    }

    @Test("P2 writers of two stores wait for each other and lose nothing")
    func contention() async throws {
        let place = try Place()
        let stores = [try place.openWithQueue(), try place.open()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                for _ in 0..<100 {
                    group.addTask { try await store.write { _ = try $0.insertTasks() } }
                }
            }
            try await group.waitForAll()
        }
        #expect(try stores[0].readBlocking { try $0.counts(queue: "q")[.waiting] } == 200)
        for store in stores { store.close() }
    }

    @Test("A2 whoever watches is told when a process lets go of its lock")
    func locks() throws {
        let place = try Place()
        let store = try place.open()
        let notices = Waiter()
        let watch = try store.observe { notices.add() }
        let folder = try #require(store.runFolder)
        let lock = try #require(try FileLock.tryLock("\(folder)/lock-1"))
        let before = notices.count
        lock.release()
        #expect(notices.passes(before))
        withExtendedLifetime(watch) {}
        store.close()
    }

    @Test("D11 a watch on a store that was never written begins with its first commit")
    func watchBeforeFolder() throws {
        let place = try Place()
        try place.open().close()
        try Files.removeTree(RunFolder.path(of: place.path))
        let reading = try place.open(readOnly: true)
        let notices = Waiter()
        let watch = try reading.observe { notices.add() }
        let writing = try place.open()
        #expect(notices.passes(0))
        for _ in 0..<3 {
            let before = notices.count
            try writing.writeBlocking { _ = try $0.reserveNumber() }
            #expect(notices.passes(before))
        }
        withExtendedLifetime(watch) {}
        reading.close()
        writing.close()
    }

    @Test("A reader keeps its moment while others commit, and holds nobody up")
    func snapshot() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        let other = try place.open()
        let counts = try store.readBlocking { reader in
            let before = try reader.counts(queue: "q")[.waiting]
            try other.writeBlocking { _ = try $0.insertTasks(5) }
            let after = try reader.lastPosition(queue: "q")
            return (before, after)
        }
        #expect(counts.0 == 0 && counts.1 == 0)
        #expect(try store.readBlocking { try $0.lastPosition(queue: "q") } == 5)
        store.close()
        other.close()
    }

    @Test("P5 the file, its folder and the notice are their owner's alone")
    func modes() throws {
        let place = try Place()
        let store = try place.open()
        let folder = try #require(store.runFolder)
        let modes = try [place.path, "\(place.path)-wal", folder, "\(folder)/notice"].map {
            try Files.status($0)?.mode
        }
        #expect(modes == [0o600, 0o600, 0o700, 0o600])
        store.close()
    }

    @Test("G6 a write that names no moment makes no recorder late")
    func noMoment() throws {
        let place = try Place()
        let (store, other) = (try place.openWithQueue(), try place.open())
        try store.transactBlocking(at: at(0)) { mutation in
            try mutation.beginRecording(by: "ann", recorder: 1)
        }
        try other.writeBlocking { try $0.setImageLimit(1 << 20) }
        for moment in [at(1), at(9)] {
            try store.transactBlocking(at: moment) { mutation in
                try mutation.store.put(QueueRecord(name: "q2", createdAt: moment))
            }
        }
        let record = try store.readBlocking { try $0.storeRecord() }
        #expect(record.recording != nil)
        try store.transactBlocking(at: at(11)) { mutation in
            try mutation.store.put(QueueRecord(name: "q3", createdAt: at(11)))
        }
        #expect(try store.readBlocking { try $0.storeRecord().recording } == nil)
        for store in [store, other] { store.close() }
    }
}

import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceSQL

@Suite("A store's file")
struct UpkeepTests {
    /// A store after the removal of most tasks.
    private func emptied(_ place: Place) throws -> SQLiteStore {
        let store = try place.openWithQueue()
        try store.writeBlocking { writer in
            let payload = [UInt8](repeating: 7, count: 5000)
            let ids = try writer.insertTasks(1000, payload: payload)
            try writer.remove(Array(ids.dropLast(10)))
        }
        return store
    }

    @Test("P3 the room is told by table, and given back while others read and write")
    func compact() throws {
        let place = try Place()
        let store = try emptied(place)
        defer { store.close() }
        let other = try place.open()
        defer { other.close() }
        let upkeep = try #require(store.upkeep)
        let before = try upkeep.room()
        #expect(before.freeBytes > 4_000_000 && before.bytes > before.freeBytes)
        #expect(before.tables.contains { $0.name == "sluice_payload" })
        let tasks = try store.readBlocking { try $0.tasks(Array(991...1000)) }
        let after = try other.readBlocking { reader in
            // Its moment stays as it is.
            let seen = try reader.tasks([1000])
            let after = try upkeep.compact(evenIfLong: false)
            #expect(try reader.tasks([1000]) == seen)
            return after
        }
        #expect(after.freeBytes == 0)
        // The log of what a reader keeps is no part of it.
        #expect(after.bytes < 500_000 && after.logBytes > 0)
        try other.writeBlocking { _ = try $0.insertTasks() }
        _ = try upkeep.compact(evenIfLong: false)
        #expect(try upkeep.room().bytes < 500_000)
        #expect(try store.readBlocking { try $0.tasks(Array(991...1000)) } == tasks)
        #expect(try place.sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test("P3 T4 a file with tables of an application is left to it")
    func foreign() throws {
        let place = try Place()
        let store = try emptied(place)
        defer { store.close() }
        try place.sql("CREATE TABLE app (x)")
        let refused = #expect(throws: QueueError.self) {
            try store.upkeep?.compact(evenIfLong: true)
        }
        #expect(refused?.code == .notLegal && refused?.message.contains("app") == true)
    }

    @Test("T2 P3 counts below 0 are not believed: they are named, and made anew")
    func counts() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        _ = try store.writeBlocking { try $0.insertTasks() }
        store.close()
        try place.sql("UPDATE sluice_tally SET n = n - 2 WHERE queue > 0")
        let again = try place.open()
        defer { again.close() }
        let looks: [@Sendable (any StoreReader) throws -> Void] = [
            { _ = try $0.counts(queue: "q") }, { _ = try $0.counts() },
        ]
        for look in looks {
            let told = #expect(throws: QueueError.self) { try again.readBlocking(look) }
            #expect(told?.code == .damagedStore)
            #expect(told?.message.contains("-1 tasks") == true, "\(String(describing: told))")
        }
        #expect(try again.readBlocking { try $0.problems(.tasks) } != [])
        #expect(
            try again.readBlocking { try $0.problems(.counts) }
                == ["counts of tasks that do not follow from the tasks: 2"])
        #expect(try again.writeBlocking { try $0.rebuildIndexes() } != [])
        #expect(try again.readBlocking { try $0.problems(.counts) } == [])
        #expect(try again.readBlocking { try $0.counts(queue: "q")[.waiting] } == 1)
    }

    @Test("T2 P3 a write that would leave a count below 0 is undone whole")
    func below() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        let ids = try store.writeBlocking { try $0.insertTasks() }
        store.close()
        try place.sql("DELETE FROM sluice_tally WHERE queue > 0")
        let again = try place.open()
        defer { again.close() }
        let told = #expect(throws: QueueError.self) {
            try again.writeBlocking { writer in
                try writer.remove(ids)
                _ = try writer.counts(queue: "q")
            }
        }
        #expect(told?.code == .damagedStore)
        #expect(try again.readBlocking { try $0.tasks(ids).count } == 1)
    }

    @Test("P3 what was found damaged takes no write of any process, until it is whole")
    func mark() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        defer { store.close() }
        let other = try place.open()
        defer { other.close() }
        store.upkeep?.record(damage: "row 1 is missing")
        store.upkeep?.record(damage: "row 2 is missing")
        #expect(other.upkeep?.damage == "row 1 is missing")
        for one in [store, other] {
            let refused = #expect(throws: QueueError.self) {
                try one.writeBlocking { _ = try $0.insertTasks() }
            }
            #expect(refused?.code == .damagedStore)
            #expect(refused?.message.contains("row 1 is missing") == true)
            #expect(try one.readBlocking { try $0.queues().count } == 1)
        }
        other.upkeep?.forgetDamage()
        try store.writeBlocking { _ = try $0.insertTasks() }
        // The word is about a file, not about its place.
        store.upkeep?.record(damage: "row 1 is missing")
        let bytes = try place.bytes()
        try Files.writeAtomically(bytes, to: place.path)
        #expect(store.upkeep?.damage == nil)
    }
}

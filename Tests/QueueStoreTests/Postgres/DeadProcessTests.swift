import Sluice
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceSQL

@Suite("Dead processes, and stores that went", .enabled(if: PostgresServer.isInstalled))
struct DeadProcessTests {
    private func stranger(boot: String) throws -> ProcessRecord {
        ProcessRecord(
            id: 7, role: .runner, host: "h", bootID: boot, pid: 0x3fff_ffff, lockName: "gone.lock",
            attachedAt: at(0))
    }

    @Test("A2 a process of this machine that has ended is dead, although it took its lock along")
    func ended() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let process = try stranger(boot: ProcessIdentity.numberSpace())
        try store.writeBlocking { try $0.put(process) }
        #expect(VitalSigns(of: store).vitality(of: process) == .dead)
        #expect(try Reaper.deadProcesses(in: store).map(\.id) == [7])
        try Reaper.reapTheDead(in: store, now: at(1))
        #expect(try store.readBlocking { try $0.processes() }.isEmpty)
    }

    @Test("A2 of a process elsewhere nothing is known before it beats, or is silent for 30 s")
    func elsewhere() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let process = try stranger(boot: "another")
        let signs = VitalSigns(of: store)
        #expect(signs.vitality(of: process) == .unknown(.elsewhere))
        let heartbeats = try #require(store.heartbeats as? ServerHeartbeats)
        _ = heartbeats.record([7: 1], at: 0)
        #expect(signs.vitality(of: process) == .unknown(.elsewhere))
        _ = heartbeats.record([7: 2], at: 10_000)
        #expect(signs.vitality(of: process) == .alive)
        for instant in [20_000, 30_000, 40_000] as [Int64] {
            _ = heartbeats.record([7: 2], at: instant)
        }
        #expect(signs.vitality(of: process) == .dead)
        let reading = try place.open(readOnly: true)
        defer { reading.close() }
        #expect(VitalSigns(of: reading).vitality(of: process) == .unknown(.elsewhere))
    }

    /// A task whose attempt continues in a child of a dead process.
    private func putOrphan(in store: PostgresStore) throws {
        var task = QueueTask(id: 1, queue: "q", type: "t", position: 1, createdAt: at(0))
        var waiting = Waiting()
        waiting.lingering = Lingering(kind: .orphan, owner: 7, attempt: 1)
        task.state = .waiting(waiting)
        let new = NewTask(task: task, payload: [])
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "q", createdAt: at(0)))
            try writer.insert([new])
        }
    }

    @Test("A2 B12 a search that ends before its commit leaves the lock of the ended child")
    func unfinishedSearch() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        try putOrphan(in: store)
        let name = Reaper.childLockName(process: 7, task: 1, attempt: 1)
        let lock = "\(try #require(store.runFolder))/\(name)"
        try Files.writeAtomically([], to: lock)
        try place.run(
            """
            CREATE FUNCTION \(place.schema).deny() RETURNS trigger LANGUAGE plpgsql AS
            $$BEGIN RAISE EXCEPTION 'no'; END$$;
            CREATE TRIGGER deny BEFORE UPDATE ON \(place.schema).task
            FOR EACH ROW EXECUTE FUNCTION \(place.schema).deny()
            """)
        #expect(throws: QueueError.self) { try Reaper.reapTheDead(in: store, now: at(1)) }
        #expect(Files.exists(lock))
        try place.run("DROP TRIGGER deny ON \(place.schema).task")
        try Reaper.reapTheDead(in: store, now: at(2))
        #expect(!Files.exists(lock))
        #expect(try store.readBlocking { try $0.task(1)?.waiting?.lingering } == nil)
    }

    @Test("A2 B12 doctor names a task whose child may run on another machine, and the way out")
    func doubtfulChild() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        try putOrphan(in: store)
        let control = Control(store: store, person: "ann", now: { at(1) }, chance: { 0 })
        for repairs in [false, true] {
            let found = try control.examine(repairs: repairs)
            #expect(found.problems.count == 1 && !found.isRepaired, "\(found.problems)")
            #expect(found.problems.first?.hasSuffix("if it has, sluice reclaim 1") == true)
        }
        _ = try control.performBlocking(.reclaim([TaskTarget(1, version: 1)]))
        #expect(try control.examine(repairs: false).problems == [])
    }

    @Test("P3 who has a store open writes nothing into one that took its name")
    func replaced() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let process = try stranger(boot: "another")
        try store.writeBlocking { try $0.put(process) }
        let heartbeats = try #require(store.heartbeats as? ServerHeartbeats)
        heartbeats.attached(7, at: 0)
        try heartbeats.beat(try place.connect())
        try place.run("DROP SCHEMA \(place.schema) CASCADE")
        let gone = #expect(throws: QueueError.self) {
            try store.writeBlocking { try $0.removeProcess(7) }
        }
        #expect(gone?.code == .noStore)
        let other = try place.open()
        defer { other.close() }
        try other.writeBlocking { try $0.put(process) }
        let replaced = #expect(throws: QueueError.self) {
            try store.writeBlocking { try $0.removeProcess(7) }
        }
        #expect(replaced?.code == .noStore)
        #expect(replaced?.message.contains("made anew") == true)
        #expect(try other.readBlocking { try $0.processes().map(\.id) } == [7])
        try heartbeats.beat(try place.connect())
        #expect(try place.value(of: "SELECT beat FROM \(place.schema).process") == "0")
    }
}

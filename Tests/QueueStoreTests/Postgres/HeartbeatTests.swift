import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceSQL

@Suite("How processes of other machines are seen to live")
struct HeartbeatTests {
    @Test("A2 who beats lives; a beat that stays the same for 30 s counts as dead, once")
    func ledger() {
        var ledger = HeartbeatLedger()
        var fell: [Bool] = []
        for (instant, heartbeats) in [
            (0, [1: 5, 2: 5]), (14_999, [1: 6, 2: 5]), (29_998, [1: 6, 2: 5]),
        ] as [(Int64, [ProcessID: Int64])] {
            fell.append(ledger.record(heartbeats, at: instant))
        }
        #expect(ledger.missedHeartbeat(of: 1) == nil && ledger.missedHeartbeat(of: 2) == nil)
        fell.append(ledger.record([1: 6, 2: 5, 3: 0], at: 30_000))
        #expect(ledger.missedHeartbeat(of: 1) == nil && ledger.missedHeartbeat(of: 2) == 5)
        #expect(ledger.missedHeartbeat(of: 3) == nil)
        fell.append(ledger.record([1: 7, 2: 5], at: 40_000))
        #expect(ledger.missedHeartbeat(of: 2) == 5)
        fell.append(ledger.record([1: 8, 2: 6], at: 50_000))
        #expect(ledger.missedHeartbeat(of: 2) == nil && ledger.missedHeartbeat(of: 9) == nil)
        #expect(fell == [false, false, false, true, false, false])
    }

    @Test("A2 who could not look for a while calls nobody dead who could not beat meanwhile")
    func blindness() {
        var ledger = HeartbeatLedger()
        var fell = [ledger.record([1: 5], at: 0), ledger.record([1: 5], at: 10_000)]
        // The server was away for a minute, and this one is the first that is back.
        for second in [70, 80, 90] as [Int64] {
            fell.append(ledger.record([1: 5], at: second * 1000))
            #expect(ledger.missedHeartbeat(of: 1) == nil)
        }
        fell.append(ledger.record([1: 5], at: 100_000))
        #expect(ledger.missedHeartbeat(of: 1) == 5)
        #expect(fell == [false, false, false, false, false, true])
    }

    @Test(
        "A2 a process beats for itself alone, and leaves nothing in the journal",
        .enabled(if: PostgresServer.isInstalled))
    func heartbeats() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let own = try Attachment(to: store, role: .console, now: at(1))
        var foreign = own.process
        foreign.id = 99
        foreign.bootID = "another"
        let stranger = foreign
        try store.writeBlocking { try $0.put(stranger) }
        let lines = try store.readBlocking { try $0.journal(JournalQuery(limit: 9)).count }
        let heartbeats = try #require(store.heartbeats as? ServerHeartbeats)
        try heartbeats.beat(try place.connect())
        try heartbeats.beat(try place.connect())
        let found = try place.value(
            of: "SELECT string_agg(id || ':' || beat, ' ' ORDER BY id) FROM \(place.schema).process"
        )
        #expect(found == "\(own.process.id):2 99:0")
        #expect(heartbeats.missedHeartbeat(of: 99) == nil)
        #expect(try store.readBlocking { try $0.journal(JournalQuery(limit: 9)).count } == lines)
        try own.detach(now: at(2))
    }

    @Test(
        "A2 the lease counts from before the beat, and not for a process that was reaped",
        .enabled(if: PostgresServer.isInstalled))
    func lease() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let begun = SystemClock.monotonicMilliseconds()
        let own = try Attachment(to: store, role: .runner, now: at(1))
        let id = own.process.id
        let heartbeats = try #require(store.heartbeats as? ServerHeartbeats)
        let first = try #require(heartbeats.heldUntil(id))
        let lease = HeartbeatLedger.leaseMilliseconds
        #expect(begun + lease <= first)
        #expect(first <= SystemClock.monotonicMilliseconds() + lease)
        heartbeats.attached(id, at: 0)
        try heartbeats.beat(try place.connect())
        #expect(try #require(heartbeats.heldUntil(id)) >= first)
        heartbeats.attached(id, at: 0)
        try store.writeBlocking { try $0.removeProcess(id) }
        try heartbeats.beat(try place.connect())
        #expect(heartbeats.heldUntil(id) == lease)
        try own.attachAgain { $0.isStopping = true }
        #expect(try #require(heartbeats.heldUntil(id)) >= first)
        let found = try store.readBlocking { try $0.processes() }
        #expect(found.map(\.id) == [id] && found.allSatisfy(\.isStopping))
        try own.detach(now: at(2))
        #expect(heartbeats.heldUntil(id) == nil)
    }

    @Test(
        "A2 who beats again before the commit that would reap it is left alone",
        .enabled(if: PostgresServer.isInstalled))
    func late() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let stranger = ProcessRecord(
            id: 7, role: .runner, host: "elsewhere", bootID: "another", pid: 1,
            lockName: "1-x.lock", attachedAt: at(0))
        try store.writeBlocking { try $0.put(stranger) }
        let heartbeats = try #require(store.heartbeats as? ServerHeartbeats)
        for instant in [0, 10_000, 20_000, 30_000] as [Int64] {
            _ = heartbeats.record([7: 0], at: instant)
        }
        try place.run("UPDATE \(place.schema).process SET beat = 1")
        try Reaper.reapTheDead(in: store, now: at(1))
        #expect(try store.readBlocking { try $0.processes().map(\.id) } == [7])
        try place.run("UPDATE \(place.schema).process SET beat = 0")
        try Reaper.reapTheDead(in: store, now: at(1))
        #expect(try store.readBlocking { try $0.processes() }.isEmpty)
    }

    @Test(
        "A2 a process whose lock cannot be seen is not reaped before its beat says so",
        .enabled(if: PostgresServer.isInstalled))
    func foreign() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let stranger = ProcessRecord(
            id: 7, role: .runner, host: "elsewhere", bootID: "another", pid: 1,
            lockName: "1-x.lock", attachedAt: at(0))
        try store.writeBlocking { try $0.put(stranger) }
        #expect(try Reaper.deadProcesses(in: store).isEmpty)
    }

    @Test("P7 a server that is away is asked again a little later each time, and told of at once")
    func backoff() {
        let clock = Protected<Int64>(0)
        let backoff = ReconnectBackoff { clock.withLock { $0 } }
        var asked = 0
        func ask() {
            try? backoff.attempt { () throws(QueueError) in
                asked += 1
                throw QueueError(.serverGone, "away")
            }
        }
        var rests: [Int64] = []
        for _ in 0..<9 {
            ask()
            ask()
            let rest = backoff.rest
            rests.append(rest)
            clock.withLock { $0 += rest }
        }
        #expect(asked == 9)
        #expect(rests == [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
        try? backoff.attempt { () throws(QueueError) in }
        #expect(backoff.rest == 0)
    }
}

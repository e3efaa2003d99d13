import Platform
import PostgresClient
import PostgresHarness
import QueueModel
import QueueStore
import Testing

@testable import QueueStorePostgres

@Suite("How processes of other machines are seen to live")
struct BeatTests {
    @Test("A2 who beats lives; a beat that stays the same for 30 s counts as dead, once")
    func ledger() {
        var ledger = BeatLedger()
        var fell = [ledger.note([1: 5, 2: 5], at: 0), ledger.note([1: 6, 2: 5], at: 29_999)]
        #expect(!ledger.isSilent(1) && !ledger.isSilent(2))
        fell.append(ledger.note([1: 6, 2: 5, 3: 0], at: 30_000))
        #expect(!ledger.isSilent(1) && ledger.isSilent(2) && !ledger.isSilent(3))
        fell.append(ledger.note([1: 7, 2: 5], at: 40_000))
        #expect(ledger.isSilent(2))
        fell.append(ledger.note([1: 8, 2: 6], at: 50_000))
        #expect(!ledger.isSilent(2) && !ledger.isSilent(9))
        #expect(fell == [false, false, true, false, false])
    }

    @Test(
        "A2 a process beats for itself alone, and leaves nothing in the journal",
        .enabled(if: PostgresServer.isInstalled))
    func beats() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let folder = try #require(store.runFolder)
        let own = try Attachment(to: store, role: .console, now: at(1))
        var foreign = own.process
        foreign.id = 99
        foreign.bootID = "another"
        let stranger = foreign
        try store.writeBlocking { try $0.put(stranger) }
        let lines = try store.readBlocking { try $0.journal(JournalQuery(limit: 9)).count }
        let beats = try ServerBeats(
            PostgresSettings(place.server.address), schema: place.schema, runFolder: folder)
        try beats.beat(try place.connect())
        try beats.beat(try place.connect())
        let found = try place.value(
            of: "SELECT string_agg(id || ':' || beat, ' ' ORDER BY id) FROM \(place.schema).process"
        )
        #expect(found == "\(own.process.id):2 99:0")
        #expect(!beats.isSilent(99))
        #expect(try store.readBlocking { try $0.journal(JournalQuery(limit: 9)).count } == lines)
        try own.detach(now: at(2))
    }

    @Test(
        "A2 a process whose lock cannot be seen is not buried before its beat says so",
        .enabled(if: PostgresServer.isInstalled))
    func foreign() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let stranger = ProcessRecord(
            id: 7, role: .runner, host: "elsewhere", bootID: "another", pid: 1,
            lockName: "1-x.lock", attachedAt: at(0))
        try store.writeBlocking { try $0.put(stranger) }
        #expect(try Undertaker.deadProcesses(in: store).isEmpty)
    }

    @Test("P7 a server that is away is asked again a little later each time, and told of at once")
    func patience() {
        let clock = Protected<Int64>(0)
        let patience = ReconnectPatience { clock.withLock { $0 } }
        var asked = 0
        func ask() {
            try? patience.attempt { () throws(QueueError) in
                asked += 1
                throw QueueError(.serverGone, "away")
            }
        }
        var rests: [Int64] = []
        for _ in 0..<9 {
            ask()
            ask()
            let rest = patience.rest
            rests.append(rest)
            clock.withLock { $0 += rest }
        }
        #expect(asked == 9)
        #expect(rests == [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
        try? patience.attempt { () throws(QueueError) in }
        #expect(patience.rest == 0)
    }
}

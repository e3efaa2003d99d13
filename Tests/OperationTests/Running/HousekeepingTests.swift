import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("housekeeping")
struct HousekeepingTests {
    private static let day: Int64 = 86_400_000

    @Test(
        "Q9 finished, given-up and deleted tasks go when their time is over", arguments: Engine.all)
    func times(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0.keepFinished = .milliseconds(1000)
            $0.retentionMilliseconds = 2000
        }
        let ids = try bench.enqueue([request(), request(), request(), request { $0.session = "s" }])
        try bench.perform(.delete([TaskTarget(ids[2])], cancelsRunning: false, members: nil))
        try bench.drain(try bench.attach()) { $0 == ids[1] ? .giveUp(error: "no") : .done }
        func left(after milliseconds: Int64) throws -> [TaskID] {
            bench.pass(milliseconds)
            try bench.act { _ = try $0.housekeep() }
            return try zip(ids, bench.states(ids)).filter { $1 != nil }.map(\.0)
        }
        #expect(try left(after: 1000) == ids)
        #expect(try left(after: 1) == [ids[1], ids[2], ids[3]])
        #expect(try left(after: 1000) == [ids[2], ids[3]])
        #expect(try left(after: 7 * Self.day - 2001) == [ids[2], ids[3]])
        #expect(try left(after: 1) == [ids[3]])
        try bench.perform(.acknowledge([TaskTarget(ids[3])]))
        #expect(try left(after: 0) == [])
    }

    @Test("Q10 a start that holds members is not forgotten", arguments: Engine.all)
    func starts(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue([member(start: "g"), member("g"), member(start: "h")])
        try bench.perform(
            .delete([TaskTarget(ids[0]), TaskTarget(ids[2])], cancelsRunning: false, members: nil))
        bench.pass(8 * Self.day)
        try bench.act { _ = try $0.housekeep() }
        #expect(try bench.states(ids) == [.deleted, .waiting, nil])
        #expect(try bench.wronglyHeld() == [])
    }

    @Test(
        "Q9 the last ones are kept, and what a client has not collected besides",
        arguments: Engine.all)
    func last(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.keepFinished = .last(1) }
        let ids = try bench.enqueue([request { $0.session = "s" }, request(), request()])
        try bench.drain(try bench.attach())
        #expect(try bench.states([ids[0], ids[2]]) == [.succeeded, .succeeded])
    }

    @Test(
        "D9 executions beyond the newest lines go whatever their age, verbs after 7 days alone",
        arguments: Engine.all)
    func executions(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(30)
        try bench.perform(.skip([TaskTarget(ids[0])], forMilliseconds: 1))
        bench.pass(1)
        try bench.drain(try bench.attach())
        bench.pass(1)
        func attempts() throws -> Int {
            try bench.read { store in
                try store.journal(JournalQuery(limit: 10_000)).count {
                    if case .attempt = $0 { true } else { false }
                }
            }
        }
        #expect(try attempts() == 30)
        #expect(try !bench.act { try $0.housekeep(lines: 10) })
        #expect(try attempts() == 10)
        let first = try bench.read { try $0.journal(JournalQuery(limit: 10_000)).first }
        guard case .event(let event)? = first else {
            Issue.record("no verb is left: \(String(describing: first))")
            return
        }
        #expect(event.kind == "skip" || event.kind == "enqueue")
        #expect(try !bench.act { try $0.housekeep() })
        #expect(try attempts() == 10)
    }

    @Test("Q9 a worker forgets, in slices", arguments: Engine.all)
    func runner(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(1200)
        try bench.perform(
            .delete(ids.map { TaskTarget($0) }, cancelsRunning: false, members: nil))
        bench.pass(8 * Self.day)
        #expect(try bench.act { try $0.housekeep() })
        #expect(try !bench.act { try $0.housekeep() })
        #expect(try bench.read { try $0.counts(queue: "q")[.deleted] } == 0)
    }
}

import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceControl

@Suite("Expectations on engines")
struct ExpectationEngineTests {
    private struct TakenBack: Error {}
    /// A limit beyond any wait, even on a busy machine.
    private static let hour: Int64 = 3_600_000
    private static let isLong = ProcessIdentity.environment("SLUICE_SOAK") != nil

    @Test(
        "G7 random expectations over random stores: an engine finds what the value says",
        arguments: Engine.all)
    func engines(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let few = ["memory": 150, "sqlite": 40, "folder": 4, "postgres": 6][engine.name] ?? 0
        var (wrong, held): ([String], Int) = ([], 0)
        let stores = Self.isLong ? few * 100 : few
        for seed in 0..<stores where wrong.count < 5 {
            let world = FilterWorld(seed: seed)
            let found = Protected<(wrong: [String], held: Int)>(([], 0))
            do {
                try bench.store.writeBlocking { writer in
                    try world.put(into: writer)
                    let differences = try Self.differences(writer, world)
                    found.withLock { $0 = differences }
                    throw TakenBack()
                }
            } catch is TakenBack {}
            let differences = found.withLock { $0 }
            wrong += differences.wrong.map { "seed \(seed): \($0)" }
            held += differences.held
        }
        #expect(wrong == [])
        // They are worth asking: many hold, and many do not.
        #expect(held > stores * 4 && held < stores * 16)
    }

    private static func differences(
        _ store: any StoreReader, _ world: FilterWorld
    ) throws -> (wrong: [String], held: Int) {
        var texts = RandomExpectation(world)
        let reading = try Reading(store, now: RandomStore.now)
        let asked = StoreExpectationFacts(reading: reading, since: nil, namesTasks: true)
        let values = ValueFacts(world: world) { try store.naming?.uuid(of: $0) }
        var (found, held): ([String], Int) = ([], 0)
        for _ in 0..<20 {
            let text = texts.next()
            let expectation = try Expectation(text)
            let (answer, expected) = (
                try expectation.verdict(asked), try expectation.verdict(values)
            )
            if answer != expected { found.append("\(text): \(answer), not \(expected)") }
            if answer.held { held += 1 }
        }
        return (found, held)
    }

    private func request(_ text: String, within milliseconds: Int64? = nil) throws -> ExpectRequest
    {
        var request = ExpectRequest(try Expectation(text))
        request.withinMilliseconds = milliseconds
        return request
    }

    private func control(_ bench: Bench) -> Control {
        Control(store: bench.store, person: "ann", now: { bench.now }, chance: { 0.5 })
    }

    @Test(
        "G7 it is woken by the commit that fulfils it, and by a queue that is made",
        arguments: Engine.all)
    func waits(_ engine: Engine) async throws {
        let bench = try Bench(engine)
        let control = control(bench)
        let wanted = try request("count(type:t) == 2 and empty(r)", within: Self.hour)
        async let answer = control.expect(wanted)
        let other = try request("order(q) == [1]", within: Self.hour)
        async let first = control.expect(other)
        try bench.makeQueue()
        try bench.enqueue(1)
        #expect(try await first.held)
        try bench.enqueue(1)
        try bench.makeQueue("r")
        let held = try await answer
        #expect(held.held && held.why.isEmpty && held.milliseconds < Self.hour)
    }

    @Test("G7 a timer that ends holds without a commit", arguments: [Engine.memory, .sqlite])
    func time(_ engine: Engine) async throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let later = OperationTests.request { $0.notBefore = at(50) }
        try bench.enqueue([later])
        #expect(try !control(bench).expectBlocking(request("state(#1) == due")).held)
        let control = Control(
            store: bench.store, person: "ann",
            now: {
                bench.pass(20)
                return bench.now
            }, chance: { 0.5 })
        let answer = try await control.expect(
            request("state(#1) == next or state(#1) == due", within: Self.hour))
        #expect(answer.held && answer.milliseconds < Self.hour)
    }

    @Test("G7 throughout ends with the first commit that breaks it", arguments: Engine.all)
    func throughout(_ engine: Engine) async throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let control = control(bench)
        var wanted = try request("empty(q)", within: 200)
        wanted.isThroughout = true
        #expect(try control.expectBlocking(wanted).held)
        wanted.withinMilliseconds = Self.hour
        let asked = wanted
        async let answer = control.expect(asked)
        try bench.enqueue(1)
        let broken = try await answer
        #expect(!broken.held && broken.actual == "1 waiting and 0 running in q")
        #expect(broken.why.map(\.task.id) == [1])
        #expect(broken.why[0].blockers.map(\.kind) == [.noRunner])
    }

    @Test("G7 a queue that is not there breaks throughout at its first look")
    func throughoutNowhere() throws {
        var wanted = try request("empty(nowhere)", within: 30_000)
        wanted.isThroughout = true
        let (control, asked) = (control(try Bench(.memory)), wanted)
        let time = ContinuousClock().measure {
            #expect(throws: QueueError.self) { try control.expectBlocking(asked) }
        }
        #expect(time < .seconds(15))
    }

    @Test("G7 ran counts since a moment what lies before many other lines of the journal")
    func ranBehindOthers() throws {
        let bench = try Bench(.memory)
        try bench.makeQueue()
        try bench.enqueue(1)
        try bench.drain(bench.attach())
        bench.pass(1)
        let moment = bench.now
        try bench.act { mutation in
            let line = JournalEvent(
                at: moment, kind: "k", queue: "q", task: nil, by: "ann", text: "t")
            try mutation.store.append(Array(repeating: line, count: 1001))
        }
        var wanted = try request("ran(type:t) == 1")
        wanted.since = .moment(.at(at(0)))
        #expect(try control(bench).expectBlocking(wanted).held)
    }

    @Test(
        "G7 what has gone is known by its attempts, ran counts since a moment",
        arguments: Engine.all)
    func gone(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        try bench.enqueue(2)
        let runner = try bench.attach()
        try bench.settle(try #require(try bench.claim(runner).first), .fail)
        bench.pass(2000)
        let middle = bench.now
        bench.pass(1)
        try bench.drain(runner)
        let control = control(bench)
        func holds(_ text: String, since: Timestamp? = nil) throws -> Bool {
            var wanted = try request(text)
            wanted.since = since.map { .moment(.at($0)) }
            return try control.expectBlocking(wanted).held
        }
        #expect(try holds("empty(q) and state(#1) == succeeded and attempts(#1) == 2"))
        #expect(try holds("ran(type:t) == 3 and ran(id:1) == 2 and ran(error:no) == 1"))
        #expect(try holds("ran(queue:q) == 2", since: middle))
        // An attempt that ended at that moment is not before it.
        #expect(try holds("ran(queue:q) == 2", since: bench.now))
        #expect(try holds("ran(queue:q) == 0", since: bench.now + 1))
        #expect(try !holds("state(#9) != succeeded") && !holds("payload(#1).x != 1"))
        #expect(throws: QueueError.self) { try holds("empty(Q)") }
    }
}

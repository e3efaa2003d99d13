import SluiceControl
import SluiceModel
import SluiceStore
import Testing

extension Bench {
    /// Changes the clock of the store.
    @discardableResult
    func clock(_ change: ClockRequest.Change, by person: String = "ann") throws -> Answer {
        try perform(.setClock(ClockRequest(change)), by: person)
    }

    /// The clock and its next event.
    func clockFacts(queue: String? = nil) throws -> ClockFacts {
        let now = now
        return try read { try Reading($0, now: now).clock(queue: queue) }
    }
}

/// The clock of a store. Only waiting depends on it.
@Suite("the clock of a store")
struct ClockTests {
    private static let week: Int64 = 7 * 86_400_000

    private static func bench(_ engine: Engine) throws -> (bench: Bench, runner: ProcessID) {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0.concurrency = 8
            $0.attemptLimit = nil
            $0.retry = .exponential(
                baseMilliseconds: 60_000, factor: 2, capMilliseconds: Self.week, jitter: 0)
        }
        return (bench, try bench.attach())
    }

    @Test("G3 clock next goes exactly to each retry of a week", arguments: Engine.all)
    func retries(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let id = try bench.enqueue([request("x")])[0]
        try bench.clock(.freeze)
        for failure in 1...13 {
            let claimed = try #require(bench.claim(runner).first, "attempt \(failure)")
            #expect(claimed.task.id == id)
            try bench.settle(claimed, .fail)
            #expect(try bench.claim(runner).isEmpty)
            let until = try #require(bench.task(id).waiting?.timer?.until)
            let facts = try bench.clockFacts()
            #expect(facts.next?.at == until && facts.next?.kind == .retry)
            #expect(facts.next?.task == id)
            let answer = try bench.clock(.next(queue: nil))
            #expect(answer.clock?.now == until)
            #expect(answer.consequences == ["that is the retry of #\(id) x in q"])
        }
        // Days by the clock of the store, no moment in real time.
        #expect(try bench.clockFacts().offsetMilliseconds > Self.week / 2)
        let attempts = try bench.read { try $0.attempts(of: id) }
        #expect(attempts.allSatisfy { $0.startedAt == bench.now && $0.endedAt == bench.now })
        #expect(try bench.events().allSatisfy { $0.at == bench.now })
        #expect(try bench.claim(runner).first?.task.running?.since == bench.now)
    }

    @Test(
        "G3 a clock that stands lets nothing come due; one that goes on does", arguments: Engine.all
    )
    func frozen(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let id = try bench.enqueue([request("x") { $0.notBefore = at(1000) }])[0]
        try bench.clock(.freeze)
        bench.pass(3_600_000)
        #expect(try bench.claim(runner).isEmpty)
        #expect(try bench.display(id) == .delayed && bench.blockers(id) == [.notBefore])
        try bench.clock(.rate(10))
        bench.pass(99)
        #expect(try bench.claim(runner).isEmpty)
        bench.pass(1)
        #expect(try bench.claim(runner).map(\.task.id) == [id])
    }

    @Test(
        "G3 clock next goes to the second moment of a task whose first has passed",
        arguments: Engine.all)
    func secondMoment(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let id = try bench.enqueue([request("x") { $0.notBefore = at(5000) }])[0]
        try bench.perform(.skip([TaskTarget(id)], forMilliseconds: 1000))
        try bench.clock(.freeze)
        for (kind, wait) in [(ComingMoment.Kind.skip, Int64(1000)), (.notBefore, 5000)] {
            #expect(try bench.clockFacts().next?.kind == kind)
            #expect(try bench.clock(.next(queue: nil)).clock?.now == at(wait))
        }
        #expect(try bench.claim(runner).map(\.task.id) == [id])
    }

    @Test("G3 createdAt, skips, pauses and expiry are in its time", arguments: Engine.all)
    func kinds(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        try bench.clock(.move(Self.week))
        let start = bench.now + Self.week
        let ids = try bench.enqueue([
            request("skipped"), request("short") { $0.expiresAt = start + 3000 }, request("last"),
        ])
        #expect(try bench.task(ids[0]).createdAt == start)
        try bench.perform(.skip([TaskTarget(ids[0])], forMilliseconds: 1000))
        var pause = PauseRequest(.queue("q"))
        pause.forMilliseconds = 2000
        try bench.perform(.pause(pause))
        try bench.clock(.freeze)
        let expected: [(ComingMoment.Kind, Int64)] = [
            (.skip, 1000), (.pause, 2000), (.expiry, 3000),
        ]
        for (kind, wait) in expected {
            let next = try #require(bench.clockFacts(queue: "q").next)
            #expect(next.kind == kind && next.at == start + wait)
            try bench.clock(.next(queue: "q"))
        }
        #expect(try bench.clockFacts().next == nil)
        #expect(try bench.display(ids[1]) == .failed)
        #expect(try bench.claim(runner, slots: 8).map(\.task.id) == [ids[0], ids[2]])
        // Ended tasks use real time, so that they are kept as long as the settings say.
        guard case .failed(let failure) = try bench.task(ids[1]).state else {
            Issue.record("it did not expire")
            return
        }
        #expect(failure.at == bench.now)
    }

    @Test("G3 Q4 a batch begins by its time", arguments: Engine.all)
    func batches(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.start = .batched(count: 10, delayMilliseconds: 30_000) }
        let runner = try bench.attach()
        try bench.clock(.move(Self.week))
        try bench.clock(.freeze)
        let id = try bench.enqueue([request("x")])[0]
        #expect(try bench.claim(runner).isEmpty)
        let next = try #require(bench.clockFacts().next)
        #expect(next.kind == .run && next.at == bench.now + Self.week + 30_000)
        try bench.clock(.next(queue: "q"))
        #expect(try bench.claim(runner).map(\.task.id) == [id])
    }

    @Test("G3 what has passed stays passed where the clock goes back", arguments: Engine.all)
    func back(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let ids = try bench.enqueue([
            request("soon") { $0.notBefore = at(1000) },
            request("late") { $0.notBefore = at(9_000_000) },
            request("gone") { $0.expiresAt = at(1000) },
        ])
        for place in [PauseRequest(.queue("q")), PauseRequest(.store)] {
            var pause = place
            pause.forMilliseconds = 1000
            try bench.perform(.pause(pause))
        }
        try bench.clock(.move(3_600_000))
        #expect(try bench.display(ids[0]) != .delayed)
        try bench.clock(.move(-3_600_000))
        #expect(try bench.clockFacts().setting == nil)
        #expect(try bench.display(ids[1]) == .delayed && bench.display(ids[2]) == .failed)
        #expect(try bench.claim(runner, slots: 8).map(\.task.id) == [ids[0]])
    }

    @Test("G3 D9 undo resets the clock and nothing else, and redo sets it", arguments: Engine.all)
    func undo(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let ids = try bench.enqueue([
            request("x") { $0.notBefore = at(1000) }, request("y") { $0.notBefore = at(2000) },
        ])
        let event = try #require(bench.clock(.move(1500)).undo)
        #expect(try bench.claim(runner, slots: 8).map(\.task.id) == [ids[0]])
        try bench.perform(.undo(event: event))
        #expect(try bench.clockFacts().setting == nil)
        #expect(try bench.states(ids) == [.running, .waiting])
        try bench.perform(.redo)
        #expect(try bench.clockFacts().time == .offset(1500))
        // A later setting by another person stays.
        try bench.clock(.freeze, by: "bea")
        #expect(try bench.refusal(.undo(event: nil)) == .changed)
        let lines = try bench.events().filter { $0.kind == "clock" }.map(\.by)
        #expect(lines == ["ann", "bea"])
    }

    @Test("G3 leases, stuck, breakpoints, faults and what is kept go by the real time")
    func real() throws {
        let (bench, runner) = try Self.bench(.memory)
        try bench.makeQueue { $0.stuckAfterMilliseconds = 60_000 }
        let id = try bench.enqueue([request("x")])[0]
        try bench.perform(stop("type:y"))
        try bench.perform(fault("type:y"))
        _ = try bench.claim(runner)
        try bench.clock(.move(Self.week))
        #expect(try bench.display(id) == .running)
        #expect(try bench.read { try Reading($0, now: at(0)).breakpoints().count } == 1)
        #expect(try bench.read { try Reading($0, now: at(0)).faults().count } == 1)
        try bench.act { _ = try $0.housekeep() }
        #expect(try !bench.events().isEmpty)
        bench.pass(60_001)
        #expect(try bench.display(id) == .stuck)
    }

    @Test(
        "G3 a stop at a breakpoint ends in real time, whatever the clock shows",
        arguments: Engine.all)
    func stops(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let id = try bench.enqueue([request("x")])[0]
        try bench.perform(stop("type:x") { $0.forMilliseconds = 60_000 })
        #expect(try bench.claim(runner).isEmpty)
        try bench.clock(.move(Self.week))
        #expect(try bench.claim(runner).isEmpty)
        #expect(try bench.blockers(id).contains(.queuePaused))
        #expect(try bench.refusal(.setClock(ClockRequest(.next(queue: nil)))) == .notLegal)
        try bench.clock(.freeze)
        bench.pass(60_000)
        #expect(try bench.claim(runner).map(\.task.id) == [id])
    }

    @Test("G3 what no clock can show is refused, and nothing is changed", arguments: Engine.all)
    func refused(_ engine: Engine) throws {
        let (bench, _) = try Self.bench(engine)
        let before = try bench.read { try $0.storeRecord() }
        let wrong: [ClockRequest.Change] = [
            .move(-1), .move(.max), .set(at(-1)), .set(StoreTime.last + 1), .rate(0.001),
            .rate(1001), .rate(.nan),
        ]
        for change in wrong {
            #expect(try bench.refusal(.setClock(ClockRequest(change))) == .badValue, "\(change)")
        }
        #expect(try bench.refusal(.setClock(ClockRequest(.next(queue: nil)))) == .notLegal)
        #expect(
            try bench.refusal(.setClock(ClockRequest(.next(queue: "none")))) == .unknownQueue)
        #expect(try bench.read { try $0.storeRecord() } == before)
        #expect(try !bench.events().contains { $0.kind == "clock" })
        try bench.clock(.set(StoreTime.last))
        #expect(try bench.clockFacts().now == StoreTime.last)
        try bench.clock(.real)
        #expect(try bench.clockFacts().setting == nil)
    }

    @Test(
        "G8 G3 a protected store lets its clock go back to the real time alone",
        arguments: Engine.all)
    func protected(_ engine: Engine) throws {
        let (bench, _) = try Self.bench(engine)
        try bench.clock(.freeze)
        let event = try #require(bench.clock(.real).undo)
        try bench.clock(.move(1000))
        #expect(
            try bench.perform(.protect).consequences.contains(
                "the clock is still set: sluice clock real"))
        for change: ClockRequest.Change in [.freeze, .move(1), .rate(2), .set(at(5))] {
            #expect(try bench.refusal(.setClock(ClockRequest(change))) == .protected)
        }
        try bench.clock(.real)
        #expect(try bench.refusal(.undo(event: event)) == .protected)
        #expect(try bench.clockFacts().setting == nil)
    }

    @Test("G3 P4 the first clock names attached programs that do not read it")
    func older() throws {
        let (bench, runner) = try Self.bench(.memory)
        try bench.act { mutation in
            var process = try #require(mutation.store.processes().first { $0.id == runner })
            process.readsClock = false
            try mutation.store.put(process)
        }
        var wanted = ClockRequest(.freeze)
        #expect(try bench.refusal(.setClock(wanted)) == .notLegal)
        wanted.endsOlder = true
        try bench.perform(.setClock(wanted))
        #expect(try bench.clockFacts().time == .frozen(at: at(0)))
    }

    @Test(
        "G3 F ages and waits of filters are in its time, changes in real time",
        arguments: Engine.all)
    func filters(_ engine: Engine) throws {
        let (bench, _) = try Self.bench(engine)
        try bench.enqueue([request("x") { $0.notBefore = at(10_000_000) }])
        try bench.clock(.move(7_200_000))
        func count(_ text: String) throws -> Int {
            let now = bench.now
            return try bench.read { store in
                let reading = try Reading(store, now: now)
                return try reading.targets(
                    in: [store.requireQueue("q")], sections: [.waiting],
                    matching: TaskFilter(text)
                ).count
            }
        }
        #expect(try count("age>1h") == 1 && count("due<1h") == 1 && count("changed<1s") == 1)
    }
}

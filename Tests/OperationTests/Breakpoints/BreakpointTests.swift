import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// A breakpoint on what a filter matches.
func stop(
    _ filter: String, _ change: (inout BreakRequest) -> Void = { _ in }
) throws -> Verb {
    var request = BreakRequest(try TaskFilter(filter))
    change(&request)
    return .setBreakpoint(request)
}

@Suite("breakpoints")
struct BreakpointTests {
    private static func bench(
        _ engine: Engine, _ change: @escaping @Sendable (inout QueueSettings) -> Void = { _ in }
    ) throws -> (bench: Bench, runner: ProcessID) {
        let bench = try Bench(engine)
        try bench.makeQueue("q", change)
        return (bench, try bench.attach())
    }

    @Test(
        "G1 a claim gives what comes before the hit and nothing behind it", arguments: Engine.all)
    func before(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine) { $0.concurrency = 8 }
        let ids = try bench.enqueue([request("a"), request("b"), request("x"), request("c")])
        try bench.perform(stop("type:x"))
        let first = try bench.claim(runner, slots: 8)
        #expect(first.map(\.task.id) == Array(ids[..<2]))
        let pause = try #require(bench.record().pauses.first)
        #expect(pause.cause == .breakpoint && pause.by == "breakpoint 1")
        #expect(pause.hits.map(\.task) == [ids[2]] && pause.until == at(3_600_000))
        // The task is not parked and does not change.
        #expect(try bench.task(ids[2]).version == 1)
        #expect(try bench.blockers(ids[2]).first == .queuePaused)
        #expect(try bench.claim(runner, slots: 8).isEmpty)
        let line = try #require(bench.events().last)
        #expect(line.kind == "breakpoint" && line.task == ids[2])
        #expect(line.text == "breakpoint 1 stopped q before #\(ids[2]) x")
        // Running tasks finish, and the pause remains.
        for claimed in first { try bench.settle(claimed) }
        #expect(try bench.claim(runner, slots: 8).isEmpty)
        let answer = try bench.perform(.goOn(queue: "q"))
        #expect(answer.endedPauses.map(\.cause) == [.breakpoint])
        #expect(try bench.drain(runner) == Array(ids[2...]))
    }

    /// The ways to continue after a hit.
    enum Way: CaseIterable, Sendable { case goOn, resume, run }

    @Test(
        "G1 a pass holds for the next start of that task alone",
        arguments: Case.all(Way.allCases))
    func passes(_ test: Case<Way>) throws {
        let (bench, runner) = try Self.bench(test.engine) { $0.retry = .fixed(milliseconds: 0) }
        let ids = try bench.enqueue([request("x"), request("x")])
        try bench.perform(stop("type:x"))
        #expect(try bench.claim(runner).isEmpty)
        func goOn() throws {
            switch test.value {
            case .goOn: try bench.perform(.goOn(queue: "q"))
            case .resume: try bench.perform(.resume(.queue("q")))
            case .run: try bench.perform(.run(queue: "q", limit: nil))
            }
        }
        try goOn()
        let first = try #require(bench.claim(runner).first)
        #expect(first.task.id == ids[0])
        try bench.settle(first, .fail)
        // The breakpoint stops its next start and the other task again.
        #expect(try bench.claim(runner).isEmpty)
        let hits = try bench.record().hits(at: bench.now).filter { !$0.isPassed }
        #expect(hits.count == 1)
        try goOn()
        #expect(try bench.claim(runner).count == 1)
        let breakpoints = try bench.read { try $0.storeRecord().breakpoints }
        #expect(breakpoints.all.map(\.hits) == [2] && breakpoints.all.map(\.passes) == [[]])
    }

    @Test("G1 all breakpoints that match in one commit make one stop", arguments: Engine.all)
    func oneStop(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let id = try bench.enqueue([request("x")])[0]
        for filter in ["type:x", "queue:q", "id:\(id)"] { try bench.perform(stop(filter)) }
        try bench.perform(stop("type:y"))
        #expect(try bench.claim(runner).isEmpty)
        let pauses = try bench.record().pauses
        #expect(pauses.count == 1 && pauses[0].hits.map(\.breakpoint) == [1, 2, 3])
        #expect(pauses[0].by == "breakpoints 1, 2 and 3")
        try bench.perform(.goOn(queue: "q"))
        #expect(try bench.drain(runner) == [id])
    }

    /// Outcomes of an attempt, and the breakpoints of `after` and `on failure` that stop after
    /// each.
    private static let outcomes: [(ending: Ending, stops: [Int64])] = [
        (.handler(.done), [1]), (.handler(.fail), [1, 2]), (.lost, [1, 2]),
        (.handler(.giveUp(error: "no")), [1, 2]), (.stopped(.timedOut), [1, 2]),
        (.handler(.pauseQueue(milliseconds: 20, isCounted: true, error: "no")), [1, 2]),
        (.handler(.park(error: nil)), [1]), (.handler(.offline(error: nil)), [1]),
        (.stopped(.cancelled), [1]),
    ]

    @Test(
        "G1 after and on failure stop behind the task and are both named, also where it has gone",
        arguments: Case.all(Array(outcomes.indices)))
    func behind(_ test: Case<Int>) throws {
        let row = Self.outcomes[test.value]
        let (bench, runner) = try Self.bench(test.engine) { $0.concurrency = 2 }
        let ids = try bench.enqueue([request("x"), request("y"), request("z")])
        try bench.perform(stop("type:x payload.a=1 or type:x") { $0.moment = .after })
        try bench.perform(stop("type:x") { $0.moment = .onFailure })
        let claimed = try bench.claim(runner, slots: 2)
        #expect(claimed.count == 2)
        try bench.settle(claimed[0], row.ending)
        #expect(try bench.record().hits(at: bench.now).map(\.breakpoint) == row.stops)
        let pause = try bench.record().pauses.first { $0.cause == .breakpoint }
        #expect(pause?.by == (row.stops == [1] ? "breakpoint 1" : "breakpoints 1 and 2"))
        #expect(try bench.claim(runner, slots: 2).isEmpty)
        // The other running task finishes.
        try bench.settle(claimed[1])
        #expect(try bench.claim(runner, slots: 2).isEmpty)
        try bench.perform(.resume(.queue("q")))
        #expect(try bench.claim(runner, slots: 2).contains { $0.task.id == ids[2] })
    }

    @Test("G1 on failure asks the error of that failure", arguments: Engine.all)
    func error(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let ids = try bench.enqueue(2)
        try bench.perform(stop("error:refused") { $0.moment = .onFailure })
        let end = { (error: String) in HandlerOutcome.giveUp(error: error) }
        try bench.settle(try bench.claimOne(runner), end("timeout"))
        #expect(try bench.record().pauses.isEmpty)
        try bench.settle(try bench.claimOne(runner), end("connection Refused"))
        let pause = try #require(bench.record().pauses.first)
        #expect(pause.hits.map(\.task) == [ids[1]])
        #expect(pause.reason == "after the failure of #\(ids[1]) t")
    }

    @Test("G1 --at-hit, --times and --log", arguments: Engine.all)
    func counts(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let ids = try bench.enqueue(5)
        try bench.perform(stop("queue:q") { ($0.atHit, $0.times) = (3, 1) })
        try bench.perform(stop("queue:q") { $0.isLog = true })
        #expect(try bench.drain(runner) == Array(ids[..<2]))
        #expect(try bench.record().pauses[0].hits.map(\.task) == [ids[2]])
        // It has no stops left, and its pause remains until a person continues.
        #expect(try bench.read { try $0.storeRecord().breakpoints.all.map(\.number) } == [1, 2])
        try bench.perform(.goOn(queue: "q"))
        #expect(try bench.read { try $0.storeRecord().breakpoints.all.map(\.number) } == [2])
        #expect(try bench.drain(runner) == Array(ids[2...]))
        let lines = try bench.events().filter { $0.kind == "breakpoint" }.map(\.text)
        #expect(lines.filter { $0.hasPrefix("breakpoint 2 passed before") }.count == 5)
        #expect(try bench.read { try $0.storeRecord().breakpoints.all.map(\.hits) } == [5])
    }

    @Test("G1 a pause ends with its breakpoint: its time, its removal", arguments: Engine.all)
    func ends(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let ids = try bench.enqueue(3)
        try bench.perform(stop("id:\(ids[0])") { $0.forMilliseconds = 100 })
        #expect(try bench.claim(runner).isEmpty)
        bench.pass(99)
        #expect(try bench.claim(runner).isEmpty)
        bench.pass(1)
        #expect(try bench.drain(runner, limit: 1) == [ids[0]])
        try bench.perform(stop("id:\(ids[1])") { $0.forMilliseconds = nil })
        try bench.perform(stop("queue:q"))
        #expect(try bench.claim(runner).isEmpty)
        try bench.perform(.removeBreakpoints(.numbers([3])))
        #expect(try bench.claim(runner).isEmpty)
        let answer = try bench.perform(.removeBreakpoints(.all))
        #expect(answer.consequences == ["q is not stopped by it any more"])
        #expect(try bench.record().pauses.isEmpty)
        #expect(try bench.drain(runner) == Array(ids[1...]))
    }

    /// The next reader of an expired breakpoint.
    enum Look: CaseIterable, Sendable { case verb, housekeeping, another }

    @Test(
        "G1 its end by its time, or when it is used up, has a line in the journal",
        arguments: Case.all(Look.allCases))
    func endsAreTold(_ test: Case<Look>) throws {
        let (bench, runner) = try Self.bench(test.engine)
        try bench.enqueue([request("a"), request("x"), request("a")])
        try bench.perform(stop("type:never") { $0.forMilliseconds = 100 })
        try bench.perform(stop("type:x") { ($0.times, $0.forMilliseconds) = (1, nil) })
        bench.pass(250)
        switch test.value {
        case .verb: try bench.perform(.pause(PauseRequest(.queue("q"))))
        case .housekeeping: try bench.act { _ = try $0.housekeep() }
        case .another: try bench.perform(stop("type:other"))
        }
        func ends() throws -> [JournalEvent] {
            try bench.events().filter { $0.kind == "breakEnd" }
        }
        let line = try #require(ends().last)
        #expect(line.by == "sluice" && line.at == at(250))
        #expect(
            line.text
                == "breakpoint 1 has ended: its time was over at \(TimeText.rfc3339(at(100)))")
        #expect(try bench.read { try $0.storeRecord().breakpoints[1] } == nil)
        try bench.perform(.resume(.queue("q")))
        #expect(try bench.drain(runner).count == 1)
        #expect(try ends().count == 1)
        try bench.perform(.goOn(queue: "q"))
        #expect(
            try ends().dropFirst().map(\.text)
                == ["breakpoint 2 has ended: it was met as often as it was to be"])
    }

    @Test("G1 a stop is as old as its own hit, not as the pause", arguments: Engine.all)
    func age(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine) { $0.concurrency = 2 }
        let ids = try bench.enqueue(3)
        try bench.perform(stop("type:t") { $0.moment = .onFailure })
        let claimed = try bench.claim(runner, slots: 2)
        try bench.settle(claimed[0], .fail)
        bench.pass(113_000)
        try bench.settle(claimed[1], .fail)
        bench.pass(1000)
        let now = bench.now
        let text = try bench.read {
            try Reading($0, now: now).line(ids[2]).blockers.first { $0.kind == .queuePaused }?.text
        }
        #expect(
            text
                == "breakpoint 1 stopped the queue q after the failure of #\(ids[1]) t, 1s ago, "
                + "ends in 58m 6s")
        let pause = try #require(bench.record().pauses.first)
        #expect(pause.since == at(0) && pause.hits.map(\.at) == [at(0), at(113_000)])
    }

    @Test(
        "G1 A2 one that a process set ends with it, and so does its pause",
        arguments: Case.all([false, true]))
    func owner(_ test: Case<Bool>) throws {
        let (bench, runner) = try Self.bench(test.engine)
        let ids = try bench.enqueue(2)
        let console = try bench.attach(types: [])
        try bench.perform(stop("queue:q") { $0.owner = console })
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        try bench.perform(.resume(.queue("q")))
        #expect(try bench.claim(runner).isEmpty)
        try bench.act { mutation in
            if test.value {
                _ = try mutation.reap(console)
            } else {
                _ = try mutation.detach(console)
            }
        }
        #expect(try bench.read { try $0.storeRecord().breakpoints.isEmpty })
        #expect(try bench.record().pauses.isEmpty && bench.drain(runner) == ids)
        #expect(try bench.events().contains { $0.kind == "breakRemove" })
    }

    @Test("G1 one that is used up stays while it holds a queue", arguments: Engine.all)
    func usedUp(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let id = try bench.enqueue([request("x")])[0]
        try bench.perform(stop("type:x") { $0.times = 1 })
        #expect(try bench.claim(runner).isEmpty)
        try bench.act { _ = try $0.housekeep() }
        try bench.perform(stop("type:other"))
        #expect(try !bench.events().contains { $0.kind == "breakEnd" })
        try bench.perform(.removeBreakpoints(.numbers([1])))
        #expect(try bench.drain(runner) == [id])
    }

    @Test("G1 D9 a removal is not undone behind its time, nor without its process")
    func undoneLate() throws {
        let (bench, _) = try Self.bench(.memory)
        let console = try bench.attach(types: [])
        try bench.perform(stop("queue:q") { $0.forMilliseconds = 100 })
        try bench.perform(.removeBreakpoints(.all))
        bench.pass(100)
        #expect(try bench.refusal(.undo(event: nil)) == .notLegal)
        try bench.perform(stop("queue:q") { $0.owner = console })
        try bench.perform(.removeBreakpoints(.all))
        try bench.act { _ = try $0.detach(console) }
        #expect(try bench.refusal(.undo(event: nil)) == .notLegal)
        #expect(try bench.read { try $0.storeRecord().breakpoints.isEmpty })
    }

    @Test("G1 D9 setting and removing are undone, and redone", arguments: Engine.all)
    func undo(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        try bench.enqueue(1)
        func numbers() throws -> [Int64] {
            try bench.read { try $0.storeRecord().breakpoints.all.map(\.number) }
        }
        try bench.perform(stop("queue:q"))
        #expect(try bench.claim(runner).isEmpty)
        try bench.perform(.undo(event: nil))
        #expect(try numbers() == [] && bench.record().pauses.isEmpty)
        try bench.perform(.redo)
        #expect(try numbers() == [1])
        try bench.perform(.removeBreakpoints(.numbers([1])))
        #expect(try numbers() == [])
        try bench.perform(.undo(event: nil))
        #expect(try numbers() == [1])
        // A number is never given twice.
        try bench.perform(.removeBreakpoints(.all))
        try bench.perform(stop("queue:q"))
        #expect(try numbers() == [2])
        #expect(try bench.refusal(.removeBreakpoints(.numbers([1]))) == .badValue)
        #expect(try bench.refusal(stop("state:failed")) == .badFilter)
        #expect(try numbers() == [2])
    }

    @Test(
        "G1 D4 where another pause holds, going on opens a run to the next hit",
        arguments: Engine.all)
    func goesOnPaused(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let ids = try bench.enqueue([request("x"), request("a"), request("x"), request("a")])
        try bench.perform(stop("type:x"))
        #expect(try bench.claim(runner).isEmpty)
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        #expect(try bench.perform(.goOn(queue: "q")).run != nil)
        #expect(try bench.drain(runner) == Array(ids[..<2]))
        #expect(try Set(bench.record().pauses.map(\.cause)) == [.person, .breakpoint])
        try bench.perform(.goOn(queue: "q"))
        #expect(try bench.drain(runner) == Array(ids[2...]))
        #expect(try bench.record().pauses.map(\.cause) == [.person])
    }

    @Test("G1 an attached program of before breakpoints is named first", arguments: Engine.all)
    func older(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        try bench.act { mutation in
            var process = try #require(mutation.store.processes().first { $0.id == runner })
            process.stopsAtBreakpoints = false
            try mutation.store.put(process)
        }
        #expect(try bench.refusal(stop("queue:q")) == .notLegal)
        #expect(try bench.read { try $0.storeRecord().breakpoints.isEmpty })
        try bench.perform(stop("queue:q") { $0.endsOlder = true })
    }

    @Test("N3 the forecast says before which start a breakpoint stops", arguments: Engine.all)
    func forecast(_ engine: Engine) throws {
        let (bench, _) = try Self.bench(engine)
        try bench.enqueue([request("a"), request("x"), request("x")])
        try bench.perform(stop("type:x") { $0.atHit = 2 })
        let now = bench.now
        let lines = try bench.read {
            try Reading($0, now: now).forecast(queue: "q", limit: 9).lines
        }
        #expect(lines.map(\.breakpoint) == [nil, nil, 1])
    }
}

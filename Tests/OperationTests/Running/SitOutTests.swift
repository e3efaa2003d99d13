import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// Members of a failed start in a queue with `skipRun` (Q10).
@Suite("members that sit out a run")
struct SitOutTests {
    /// A queue of the preset that runs at 3 fresh tasks or 100 ms after the first, and one runner.
    private func open(_ engine: Engine) throws -> (Bench, ProcessID) {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0 = QueueSettings.preset(named: "customer-io") ?? $0
            $0.start = .batched(count: 3, delayMilliseconds: 100)
        }
        return (bench, try bench.attach())
    }

    private func delete(_ id: TaskID, _ bench: Bench) throws -> Answer {
        try bench.perform(.delete([TaskTarget(id)], cancelsRunning: false, members: nil))
    }

    @Test(
        "CIO-89 CIO-108 Q10 members of a start given up sit out the run, late ones too",
        arguments: Engine.all)
    func sitOut(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let ids = try bench.enqueue([
            member(start: "g"), member("g", start: "h"), member("h"), request(),
        ])
        var late: [TaskID] = []
        var reasons: [Blocker] = []
        let ran = try bench.drain(runner) { id in
            guard id == ids[3] else { return .giveUp(error: "400") }
            late = (try? bench.enqueue([member("g"), request()])) ?? []
            let now = bench.now
            // Tasks that arrived by now are not fresh after the run.
            bench.pass(1)
            reasons =
                (try? bench.read { try Reading($0, now: now).line(ids[1]).blockers }) ?? []
            return .done
        }
        #expect(ran == [ids[0], ids[3], late[1]])
        #expect(reasons.map(\.kind).contains(.groupStart))
        #expect(
            reasons.contains {
                $0.text.hasSuffix("held by #\(ids[0]) t, which was given up, until the run ends")
            })
        #expect(try bench.record().run == nil)
        #expect(try [ids[1], late[0]].map { try bench.task($0).isHeld } == [false, false])
        #expect(try bench.task(ids[2]).isHeld && bench.wronglyHeld() == [])
        bench.pass(100)
        #expect(try bench.drain(runner) == [ids[1], ids[2], late[0]])
    }

    @Test("Q10 with no run open there is none to sit out", arguments: Engine.all)
    func noRun(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let ids = try bench.enqueue([member(start: "g"), member("g")])
        #expect(try delete(ids[0], bench).consequences == ["1 member of g are free"])
        #expect(try !bench.task(ids[1]).isHeld && bench.wronglyHeld() == [])
        bench.pass(100)
        #expect(try bench.drain(runner) == [ids[1]])
    }

    @Test(
        "Q10 D9 a start deleted in a run is brought back by undo, in the run and after it",
        arguments: Case.all([true, false]))
    func undo(_ test: Case<Bool>) throws {
        let (bench, runner) = try open(test.engine)
        let ids = try bench.enqueue([request(), member(start: "g"), member("g")])
        let first = try bench.claimOne(runner)
        #expect(
            try delete(ids[1], bench).consequences
                == ["1 member of g sit out the run that is open"])
        #expect(try bench.task(ids[2]).isHeld)
        if test.value { try bench.perform(.undo(event: nil)) }
        try bench.settle(first)
        if test.value {
            #expect(try bench.drain(runner) == [ids[1], ids[2]])
        } else {
            #expect(try bench.record().run == nil && !bench.task(ids[2]).isHeld)
            try bench.perform(.undo(event: nil))
            #expect(try bench.task(ids[2]).isHeld && bench.wronglyHeld() == [])
        }
    }

    @Test("Q10 retry of the start in the run lets it hold again itself", arguments: Engine.all)
    func retried(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let ids = try bench.enqueue([member(start: "g"), member("g"), request()])
        try bench.settle(try bench.claimOne(runner), .giveUp(error: "400"))
        try bench.perform(.retry([TaskTarget(ids[0])]))
        #expect(try bench.drain(runner) == [ids[0], ids[1], ids[2]])
        #expect(try bench.wronglyHeld() == [])
    }
}

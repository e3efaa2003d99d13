import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceControl

@Suite("steps and runs at breakpoints")
struct StoppedStepTests {
    @Test(
        "G1 D3 a step takes the task of the hit first, and asks no breakpoint before a task",
        arguments: Engine.all)
    func stepsOver(_ engine: Engine) throws {
        let stepper = try Stepper(engine) { $0.order = .priority }
        let bench = stepper.bench
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        let ids = try bench.enqueue([request("a"), request("x"), request("x")])
        try bench.perform(stop("type:x"))
        try bench.perform(.resume(.queue("q")))
        try bench.wait { try bench.record().stoppedBefore(at: bench.now)?.task == ids[1] }
        // One that came since and would be first is not taken instead.
        let urgent = try bench.enqueue([request("a") { $0.priority = 9 }])[0]
        let first = try stepper.step()
        #expect(first.stepped.map(\.id) == [ids[1]] && first.stop == nil)
        #expect(try stepper.step().stepped.map(\.id) == [urgent])
        #expect(try stepper.step().stepped.map(\.id) == [ids[2]])
        #expect(try bench.record().pauses.map(\.cause) == [.breakpoint])
        try stepper.end()
        #expect(stepper.calls.all == [ids[0], ids[1], urgent, ids[2]])
    }

    @Test("G1 D3 a breakpoint behind a task stops a step's too", arguments: Engine.all)
    func behindStep(_ engine: Engine) throws {
        let stepper = try Stepper(engine) { _ in }
        try stepper.pause()
        let ids = try stepper.bench.enqueue([request("x"), request("x")])
        try stepper.bench.perform(stop("type:x") { $0.moment = .after })
        // The step that hits a breakpoint is the last of several.
        for id in ids {
            let answer = try stepper.step(5)
            #expect(answer.stepped.map(\.id) == [id] && answer.stop?.task == id)
        }
        // A step marks its hit as passed, so the pause does not grow.
        #expect(try stepper.bench.record().pauses.last?.hits.count == 1)
        try stepper.end()
    }

    @Test("G1 D4 run returns at a hit, and the next one goes on from it", arguments: Engine.all)
    func runReturns(_ engine: Engine) throws {
        let stepper = try Stepper(engine) { _ in }
        try stepper.pause()
        let bench = stepper.bench
        let ids = try bench.enqueue([request("a"), request("x"), request("a"), request("x")])
        try bench.perform(stop("type:x"))
        let control = bench.control()
        for part in [[ids[0]], [ids[1], ids[2]], [ids[3]]] {
            let run = try control.openRunBlocking("q")
            let answer = try control.endBlocking(of: run)
            #expect(answer.stepped.map(\.id) == part)
            #expect(answer.stop?.task == (part == [ids[3]] ? nil : part.last.map { $0 + 1 }))
        }
        try stepper.end()
    }

    @Test("G1 D4 a run that goes step by step stops in all its lanes", arguments: Engine.all)
    func flagSets(_ engine: Engine) throws {
        let stepper = try Stepper(engine, onlyPermits: true) { $0.concurrency = 3 }
        try stepper.pause()
        let bench = stepper.bench
        let ids = try bench.enqueue([request("a"), request("x"), request("c")])
        try bench.perform(stop("type:x"))
        func step() throws -> [TaskID] {
            try bench.control().stepBlocking(
                .queue("q", count: 1), issuer: stepper.issuer, isRun: true
            ).stepped.map(\.id)
        }
        _ = try bench.control().openRunBlocking("q")
        #expect(try step() == [ids[0]])
        for _ in 1...3 { #expect(try step() == []) }
        _ = try bench.control().openRunBlocking("q")
        #expect(try [step(), step()] == [[ids[1]], [ids[2]]])
        try stepper.end()
    }

    @Test("G1 A1 many workers race for the task: one hit, one execution", arguments: Engine.large)
    func race(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 16 }
        let calls = CallLog()
        try bench.perform(stop("type:x"))
        let runners = try (0..<6).map { _ in
            let runner = try Runner(
                store: bench.store, types: nil,
                handlers: { _ in
                    InstantHandler { execution in
                        calls.add(execution.task.id)
                        return .done
                    }
                }, options: RunnerOptions(), now: { bench.now })
            try runner.start()
            return runner
        }
        for round in 1...10 {
            let ids = try bench.enqueue([request("a"), request("x"), request("a")])
            try bench.wait { try bench.record().stoppedBefore(at: bench.now)?.task == ids[1] }
            let hits = try bench.read { try $0.storeRecord().breakpoints.all[0].hits }
            #expect(hits == round)
            #expect(!calls.all.contains(ids[1]) && !calls.all.contains(ids[2]))
            try bench.perform(.goOn(queue: "q"))
            try bench.wait { try bench.read { try $0.counts(queue: "q")[.waiting] == 0 } }
        }
        for runner in runners { runner.stop(isUrgent: false) }
        for runner in runners { runner.wait() }
        #expect(calls.all.count == 30 && Set(calls.all).count == 30)
        #expect(try bench.events().filter { $0.kind == "breakpoint" }.count == 10)
    }
}

extension Bench {
    /// Waits for commits until something holds, for at most half a minute.
    func wait(until condition: () throws -> Bool) throws {
        let gate = NoticeGate()
        let observation = try store.observe { gate.open() }
        defer { withExtendedLifetime(observation) {} }
        let end = SystemClock.monotonicNanoseconds() + 30_000_000_000
        while try !condition() {
            guard SystemClock.monotonicNanoseconds() < end else {
                throw QueueError(.storeBusy, "it did not come about in time")
            }
            gate.wait(until: end)
        }
    }
}

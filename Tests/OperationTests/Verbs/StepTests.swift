import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceStore
import Testing

@Suite("steps")
struct StepTests {
    private static let starts: [StartMode] = [
        .continuous, .manual, .batched(count: 9, delayMilliseconds: 60_000),
    ]

    @Test(
        "D3 a step in a paused queue executes exactly one task, and says what is next",
        arguments: Case.all(starts))
    func exactlyOne(_ test: Case<StartMode>) throws {
        let stepper = try Stepper(test.engine) { $0.start = test.value }
        try stepper.pause()
        let ids = try stepper.bench.enqueue(5)
        let first = try stepper.step()
        #expect(first.stepped.map(\.id) == [ids[0]])
        #expect(first.stepped[0].isSuccess && first.next == ids[1])
        #expect(first.run?.isOpen == (test.value == .continuous ? nil : true))
        let more = try stepper.step(3)
        #expect(more.stepped.map(\.id) == Array(ids[1...3]))
        let last = try stepper.step(9)
        #expect(last.stepped.map(\.id) == [ids[4]])
        if test.value != .continuous {
            #expect(last.run == RunReport(isOpen: false, attempted: 5, left: 0))
        }
        let none = try stepper.step()
        #expect(none.stepped == [] && none.next == nil)
        #expect(try stepper.bench.record().run == nil)
        try stepper.end()
        #expect(stepper.calls.all == ids)
    }

    @Test(
        "D3 steps go through the run, a failed task is passed over",
        arguments: Case.all([StartMode.manual, .batched(count: 9, delayMilliseconds: 60_000)]))
    func throughTheRun(_ test: Case<StartMode>) throws {
        let stepper = try Stepper(test.engine, outcome: { _ in .fail }) { $0.start = test.value }
        try stepper.pause()
        let ids = try stepper.bench.enqueue(2)
        #expect(try stepper.step().stepped.map(\.id) == [ids[0]])
        let second = try stepper.step(5)
        #expect(second.stepped.map(\.id) == [ids[1]])
        #expect(second.run == RunReport(isOpen: false, attempted: 2, left: 2))
        #expect(try stepper.step().stepped.map(\.id) == [ids[0]])
        try stepper.end()
    }

    @Test(
        "D3 a step in a queue that waits by itself executes exactly one too",
        arguments: Case.all([StartMode.manual, .batched(count: 9, delayMilliseconds: 60_000)]))
    func notPaused(_ test: Case<StartMode>) throws {
        let stepper = try Stepper(test.engine) { $0.start = test.value }
        let ids = try stepper.bench.enqueue(4)
        let first = try stepper.step()
        #expect(first.stepped.map(\.id) == [ids[0]])
        #expect(first.run == RunReport(isOpen: true, attempted: 1, left: 3))
        #expect(try stepper.step().stepped.map(\.id) == [ids[1]])
        #expect(try stepper.bench.waiting() == Array(ids[2...]))
        try stepper.end()
        #expect(stepper.calls.all == Array(ids[..<2]))
    }

    @Test(
        "D3 D9 a step stands in the log with who stepped, and redo goes on after it",
        arguments: Engine.all)
    func person(_ engine: Engine) throws {
        let stepper = try Stepper(engine) { _ in }
        try stepper.pause()
        let ids = try stepper.bench.enqueue(3)
        _ = try stepper.bench.control("bob").performBlocking(
            .skip([TaskTarget(ids[2])], forMilliseconds: nil))
        _ = try stepper.bench.control("bob").performBlocking(.undo(event: nil))
        let other = try Attachment(
            to: stepper.bench.store, role: .command, now: stepper.bench.now)
        _ = try stepper.bench.control("bob").stepBlocking(
            .queue("q", count: 2), issuer: other)
        let events = try stepper.bench.store.readBlocking { store in
            try store.journal(JournalQuery(limit: 99, withUndo: false)).compactMap { entry in
                if case .event(let event) = entry, event.kind == "step" { event } else { nil }
            }
        }
        #expect(events.map(\.task) == [ids[0], ids[1]])
        #expect(events.map(\.text) == ids[..<2].map { "#\($0) stepped by bob" })
        #expect(events.allSatisfy { $0.by == "bob" && $0.queue == "q" })
        _ = try stepper.bench.control("bob").performBlocking(.redo)
        #expect(try stepper.bench.task(ids[2]).waiting?.skip != nil)
        try stepper.end()
    }

    @Test("D3 step TASK passes the order, B7 and B10, and nothing else", arguments: Engine.all)
    func named(_ engine: Engine) throws {
        let stepper = try Stepper(
            engine, types: ["t"], outcome: { $0.number == 1 ? .fail : .done }
        ) {
            $0.afterFailure = .block
            $0.start = .manual
            $0.attemptLimit = nil
        }
        try stepper.pause()
        let ids = try stepper.bench.enqueue([
            request(), request(), member(start: "g"), member("g"), request("other"),
            request { $0.notBefore = at(5) },
        ])
        #expect(try stepper.step(task: ids[1]).stepped.map(\.id) == [ids[1]])
        #expect(try stepper.step(task: ids[1]).stepped.map(\.outcome) == [.success])
        let refused: [(TaskID, QueueError.Code)] = [
            (ids[3], .notLegal), (ids[4], .noHandler), (ids[5], .notLegal), (ids[1], .unknownTask),
        ]
        for (id, code) in refused {
            #expect(throws: Coded(code)) { try coded { try stepper.step(task: id) } }
        }
        stepper.bench.pass(5)
        #expect(try stepper.step(task: ids[5]).stepped.count == 1)
        try stepper.end()
    }

    @Test("D3 refused while the queue starts tasks automatically", arguments: Engine.all)
    func refused(_ engine: Engine) throws {
        let stepper = try Stepper(engine) { _ in }
        #expect(throws: Coded(.notLegal)) { try coded { try stepper.step() } }
        #expect(throws: Coded(.unknownQueue)) {
            try coded { try stepper.step(in: "none") }
        }
        try stepper.end()
        // Without a worker the step is accepted and reports the missing worker.
        try stepper.bench.enqueue(1)
        let answer = try stepper.stepAlone()
        #expect(answer.stepped == [] && answer.blockers.map(\.kind) == [.noRunner])
    }

    @Test("D3 an empty step names the reasons of the task that is next", arguments: Engine.all)
    func reasons(_ engine: Engine) throws {
        let stepper = try Stepper(engine) { _ in }
        try stepper.end()
        let bench = stepper.bench
        try stepper.pause()
        let ids = try bench.enqueue([request(), request { $0.notBefore = at(5) }])
        try bench.perform(.skip([TaskTarget(bench.task(ids[0]))]))
        #expect(try stepper.stepAlone().blockers.map(\.kind) == [.skipped, .noRunner])
        bench.pass(5)
        #expect(try stepper.stepAlone().blockers.map(\.kind) == [.noRunner])
    }

    @Test(
        "D3 a worker for permits alone executes what is stepped and nothing else",
        arguments: Engine.all)
    func onlyPermits(_ engine: Engine) throws {
        let stepper = try Stepper(engine, onlyPermits: true) { _ in }
        let ids = try stepper.bench.enqueue(3)
        try stepper.bench.enqueue(2, to: "other")
        #expect(try stepper.step(2).stepped.map(\.id) == Array(ids[..<2]))
        try stepper.end()
        #expect(stepper.calls.all == Array(ids[..<2]))
    }

    @Test("D3 a step that names its worker is executed by that one alone", arguments: Engine.large)
    func byOneRunner(_ engine: Engine) throws {
        let stepper = try Stepper(engine, types: ["t"], onlyPermits: true) { _ in }
        try stepper.pause()
        // A worker that is there takes any type, and would come first.
        try stepper.bench.attach()
        let ids = try stepper.bench.enqueue([request("other"), request()])
        let control = stepper.bench.control()
        func step(_ request: StepRequest) throws -> [TaskID] {
            try control.stepBlocking(request, issuer: stepper.issuer, host: stepper.runner.id)
                .stepped.map(\.id)
        }
        #expect(try step(.task(TaskTarget(ids[1]))) == [ids[1]])
        #expect(stepper.calls.all == [ids[1]])
        #expect(throws: Coded(.noHandler)) {
            try coded { try step(.task(TaskTarget(ids[0]))) }
        }
        let more = try stepper.bench.enqueue(1)
        #expect(try step(.queue("q", count: 1)) == more)
        // An engine with process locks detects the dead worker by now.
        if engine.name == "memory" {
            try stepper.bench.perform(.resume(.queue("q")))
            #expect(throws: Coded(.notLegal)) { try coded { try step(.queue("q", count: 1)) } }
        }
        try stepper.end()
    }

    /// The change of a task between the permit and its claim.
    enum Change: CaseIterable, Sendable { case none, skipped, held, issuerGone, paused }

    @Test(
        "D3 a permit dies with its issuer, or when something else comes in between",
        arguments: Case.all(Change.allCases))
    func permitDies(_ test: Case<Change>) throws {
        let bench = try Bench(test.engine)
        try bench.makeQueue()
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        let ids = try bench.enqueue([member(start: "g"), member("g")])
        try bench.perform(.delete([TaskTarget(ids[0])], cancelsRunning: false, members: .release))
        let runner = try bench.attach()
        let issuer = try bench.attach(types: [])
        let version = try bench.task(ids[1]).version
        try bench.act { mutation in
            try mutation.store.put(
                Permit(
                    id: try mutation.store.reserveNumber(), task: ids[1], version: version,
                    queue: "q", issuer: issuer, runner: runner))
        }
        switch test.value {
        case .none: break
        case .skipped: try bench.perform(.skip([TaskTarget(ids[1])], forMilliseconds: nil))
        case .held: try bench.perform(.undelete([TaskTarget(ids[0])]))
        case .issuerGone: try bench.act { try $0.reap(issuer) }
        case .paused: try bench.perform(.pause(PauseRequest(.store)))
        }
        let isTaken = test.value == .none || test.value == .paused
        let claimed = try bench.claim(runner)
        #expect(claimed.map(\.task.id) == (isTaken ? [ids[1]] : []))
        #expect(claimed.allSatisfy { $0.task.running?.isStep == true })
        #expect(try bench.read { try $0.permits() } == [])
    }
}

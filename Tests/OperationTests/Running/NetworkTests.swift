import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import Testing

/// A network with the state that a test sets.
private final class ToldNetwork: NetworkSource {
    private struct State {
        var tell: (@Sendable (NetworkState) -> Void)?
        var asked = 0
    }
    private let first: NetworkState
    private let answer: NetworkState?
    private let state = Protected(State())

    init(_ first: NetworkState, answer: NetworkState? = nil) {
        (self.first, self.answer) = (first, answer)
    }

    var asked: Int { state.withLock { $0.asked } }
    var isListening: Bool { state.withLock { $0.tell != nil } }

    func tell(_ new: NetworkState) { state.withLock { $0.tell }?(new) }

    func start(_ tell: @escaping @Sendable (NetworkState) -> Void) -> NetworkState {
        state.withLock { $0.tell = tell }
        return first
    }

    func ask() {
        state.withLock { $0.asked += 1 }
        if let answer { tell(answer) }
    }

    func stop() { state.withLock { $0.tell = nil } }
}

private let needing: EnqueueRequest = request { $0.requires = [.network] }

@Suite("the network of each worker", .timeLimit(.minutes(10)))
struct NetworkTests {
    private func bench(_ engine: Engine, _ requests: [EnqueueRequest]) throws -> (Bench, [TaskID]) {
        let bench = try Bench(engine)
        try bench.makeQueue()
        return (bench, try bench.enqueue(requests))
    }

    /// Runs a real runner until `handle` stops it. Returns the executed tasks, in order.
    private func run(
        _ bench: Bench, _ network: ToldNetwork, onTrouble: @escaping @Sendable () -> Void = {},
        _ handle: @escaping @Sendable (Execution) -> (outcome: HandlerOutcome, isLast: Bool)
    ) throws -> [TaskID] {
        let calls = CallLog()
        let stop = Protected<Runner?>(nil)
        let handler = InstantHandler { execution in
            calls.add(execution.task.id)
            let (outcome, isLast) = handle(execution)
            if isLast { stop.withLock { $0 }?.stop() }
            return outcome
        }
        let runner = try Runner(
            store: bench.store, types: nil, handlers: { _ in handler }, network: network,
            now: { bench.now },
            onEvent: { if case .troubled = $0 { onTrouble() } })
        stop.withLock { $0 = runner }
        try runner.start()
        runner.wait()
        stop.withLock { $0 = nil }
        return calls.all
    }

    @Test(
        "B6 IDJ-14 an offline worker passes over what needs the network, and runs it once back",
        arguments: Engine.all)
    func backOnline(_ engine: Engine) throws {
        let (bench, ids) = try bench(engine, [needing, request()])
        let network = ToldNetwork(.noRoute)
        let seen = Protected<[String]>([])
        let ran = try run(bench, network) { execution in
            guard execution.task.id == ids[1] else { return (.done, true) }
            let blockers = try? bench.read { store in
                let task = try store.requireTask(ids[0])
                return task.blockers(in: try store.eligibility(of: task, now: at(0)))
            }
            seen.withLock { $0 = (blockers ?? []).filter { $0.kind == .requirement }.map(\.text) }
            network.tell(.online)
            return (.done, false)
        }
        #expect(ran == [ids[1], ids[0]])
        let text = "is offline: no route leads into the world"
        #expect(seen.withLock { $0 }.count == 1)
        #expect(seen.withLock { $0 }.allSatisfy { $0.hasSuffix(text) })
        #expect(!network.isListening)
    }

    @Test(
        "B6 IDJ-26 a network that goes while tasks run holds back only those that need it",
        arguments: Engine.all)
    func goesOffline(_ engine: Engine) throws {
        let (bench, ids) = try bench(engine, [needing, needing, request(), request()])
        let network = ToldNetwork(.online)
        let ran = try run(bench, network) { execution in
            if execution.task.id == ids[0] { network.tell(.noAnswer) }
            if execution.task.id == ids[2] { network.tell(.online) }
            return (.done, execution.task.id == ids[3])
        }
        #expect(ran == [ids[0], ids[2], ids[1], ids[3]])
    }

    @Test(
        "A3 IDJ-26 a handler that found no network has it measured, and that frees the others",
        arguments: Engine.all)
    func asked(_ engine: Engine) throws {
        let (bench, ids) = try bench(engine, [needing, needing])
        let network = ToldNetwork(.online, answer: .online)
        let ran = try run(bench, network) { execution in
            execution.task.id == ids[0] ? (.offline(error: "no route"), false) : (.done, true)
        }
        #expect(ran == ids)
        #expect(network.asked == 1)
        let task = try bench.task(ids[0])
        #expect(task.attempts == 0 && task.executions == 1 && task.waiting != nil)
    }

    @Test("B6 P2 what was measured is written when the store takes it again", arguments: Engine.all)
    func fullDisk(_ engine: Engine) throws {
        let (bench, ids) = try bench(engine, [needing, request()])
        let network = ToldNetwork(.noRoute)
        let faults = bench.faults
        let ran = try run(bench, network, onTrouble: { faults.fail(from: nil) }) { execution in
            guard execution.task.id == ids[1] else { return (.done, true) }
            faults.fail(from: 1)
            network.tell(.online)
            return (.done, false)
        }
        #expect(ran.contains(ids[0]))
        #expect(try bench.states(ids) == [nil, nil])
    }

    @Test(
        "B6 each worker counts for itself, what a person forced wins, and why names who is offline",
        arguments: Engine.all)
    func each(_ engine: Engine) throws {
        let (bench, ids) = try bench(engine, [needing, request()])
        let (first, second) = (try bench.attach(), try bench.attach())
        try bench.act { try $0.setNetwork(.noRoute, of: first) }
        #expect(try bench.blockers(ids[0]) == [])
        #expect(try bench.claim(first).map(\.task.id) == [ids[1]])
        try bench.act { try $0.setNetwork(.noAnswer, of: second) }
        #expect(try bench.blockers(ids[0]).last == .requirement)
        let texts = try bench.read { store in
            let task = try store.requireTask(ids[0])
            return task.blockers(in: try store.eligibility(of: task, now: at(0))).map(\.text)
        }
        #expect(
            texts.first == "it needs the network, and all 2 workers for it are offline: "
                + "\(first), no route leads into the world; "
                + "\(second), its probe address does not answer")
        try bench.makeQueue("r")
        let other = try bench.enqueue([needing], to: "r")
        try bench.perform(.network(forced: true))
        #expect(try bench.claim(first, inFlight: 1).map(\.task.id) == other)
        // Its tasks wait again, and only the other runner remains.
        try bench.act { try $0.detach(first) }
        try bench.act { try $0.setNetwork(.online, of: second) }
        try bench.perform(.network(forced: false))
        #expect(try bench.claim(second, slots: 8).map(\.task.id) == [ids[1]])
        try bench.perform(.network(forced: nil))
        #expect(try bench.claim(second, slots: 8).map(\.task.id) == other)
    }

    @Test(
        "B6 IDJ-32 a person forces the network of one queue, against the store's too",
        arguments: Engine.all)
    func ofOneQueue(_ engine: Engine) throws {
        let (bench, ids) = try bench(engine, [needing, request()])
        try bench.makeQueue("r")
        let other = try bench.enqueue([needing], to: "r")
        let runner = try bench.attach()
        try bench.perform(.network(forced: false, queue: "q"))
        let now = bench.now
        let blocker = try bench.read { try Reading($0, now: now).line(ids[0]).blockers.first }
        #expect(blocker?.kind == .requirement)
        #expect(blocker?.text == "the network was forced off for q")
        #expect(blocker?.fix == .network(forced: nil, queue: "q"))
        #expect(try bench.blockers(other[0]) == [])
        #expect(try bench.claim(runner, slots: 8).map(\.task.id) == [ids[1]] + other)
        let due = try bench.read { store in
            try Reading(store, now: now).overview(store.requireQueue("q")).due
        }
        #expect(due == 0)
        try bench.perform(.undo(event: nil))
        #expect(try bench.record().settings.forcedNetwork == nil)
        try bench.perform(.network(forced: false))
        #expect(try bench.blockers(ids[0]).contains(.requirement))
        try bench.perform(.network(forced: true, queue: "q"))
        #expect(try bench.blockers(ids[0]).contains(.requirement) == false)
        try bench.perform(.setQueue("q", [.preset(.delayedJob)]))
        #expect(try bench.record().settings.forcedNetwork == true)
        let answer = try bench.perform(.network(forced: nil, queue: "q"))
        #expect(answer.consequences == ["it is forced off for every queue"])
        #expect(try bench.refusal(.network(forced: true, queue: "none")) == .unknownQueue)
    }

    @Test("D3 B6 a step asks what was forced before it asks its worker", arguments: Engine.all)
    func steps(_ engine: Engine) throws {
        let stepper = try Stepper(engine) { _ in }
        try stepper.pause()
        let bench = stepper.bench
        let ids = try bench.enqueue([needing])
        let runner = stepper.runner.id
        try bench.act { try $0.setNetwork(.noRoute, of: runner) }
        #expect(throws: Coded(.notLegal)) { try coded { try stepper.step(task: ids[0]) } }
        #expect(try stepper.step().stepped.isEmpty)
        try bench.perform(.network(forced: true))
        #expect(try stepper.step(task: ids[0]).stepped.map(\.id) == ids)
        try stepper.end()
    }

    @Test("B6 the journal has a line for each change that was measured", arguments: Engine.all)
    func journal(_ engine: Engine) throws {
        let (bench, _) = try bench(engine, [])
        let runner = try bench.attach()
        let states: [NetworkState] = [.online, .noRoute, .noRoute, .noAnswer, .online, .online]
        for state in states { try bench.act { try $0.setNetwork(state, of: runner) } }
        let entries = try bench.read { try $0.journal(JournalQuery(limit: 10)) }
        let texts = entries.compactMap { entry -> String? in
            if case .event(let event) = entry, event.kind == "network" { event.text } else { nil }
        }
        #expect(
            texts == [
                "worker \(runner) is offline: no route leads into the world",
                "worker \(runner) is offline: its probe address does not answer",
                "worker \(runner) has a network again",
            ])
    }

    @Test("A3 B6 that there is a network takes back what a handler said", arguments: Engine.all)
    func takesBack(_ engine: Engine) throws {
        let (bench, ids) = try bench(engine, [needing, needing])
        let runner = try bench.attach()
        try bench.settle(try bench.claimOne(runner), .offline(error: "no route"))
        #expect(try bench.blockers(ids[1]) == [.requirement])
        try bench.act { try $0.setNetwork(.noRoute, of: runner) }
        bench.pass(30_000)
        #expect(try bench.blockers(ids[1]) == [.requirement])
        try bench.act { try $0.setNetwork(.online, of: runner) }
        #expect(try bench.blockers(ids[1]) == [])
    }
}

import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import Testing

@Suite("offers of free slots")
struct OfferTests {
    @Test(
        "A1 what comes in is claimed for an idle worker in the same commit, and begins once",
        arguments: Engine.offering)
    func handsOver(_ engine: Engine) throws {
        let scene = try OfferScene(engine)
        let ids = try scene.bench.enqueue(1)
        #expect(try scene.owners(ids) == [scene.runner])
        let runner = scene.runner
        let seen = try scene.bench.read { try $0.dispatched(to: runner) }
        #expect(seen.map(\.task.id) == ids && seen.first?.ownNumber == 1)
        #expect(seen.first?.payload == Array("{}".utf8))
        #expect(try scene.offer(1, inFlight: 1, begun: Set(ids)) == [])
        #expect(try scene.slotOffers().map(\.handed) == [[]])
        // Had it not begun, the claim would have given it.
        let next = try scene.bench.enqueue(1)
        #expect(try scene.offer(1, inFlight: 1) == next)
        try scene.bench.settle(seen[0], .done)
        #expect(try scene.bench.states(ids) == [nil])
    }

    @Test("A1 no more is handed over than slots are free", arguments: Engine.offering)
    func bounded(_ engine: Engine) throws {
        let scene = try OfferScene(engine)
        let ids = try scene.bench.enqueue(1) + scene.bench.enqueue(2)
        #expect(try scene.owners(ids) == [scene.runner, scene.runner, nil])
        #expect(try scene.offer(2) == Array(ids.prefix(2)))
        #expect(try scene.slotOffers() == [])
        #expect(try scene.bench.enqueue(1).count == 1)
        #expect(try scene.slotOffers() == [])
    }

    @Test(
        "A2 nothing is handed over to a worker that is not seen to live, and the dead leave nothing"
    )
    func dead() throws {
        let scene = try OfferScene(.sqlite)
        // A row without a lock holder.
        let gone = try scene.bench.attach()
        var request = ClaimRequest(runner: gone, freeSlots: 8, inFlight: 0)
        request.isOffering = true
        try scene.bench.claim(request)
        #expect(try scene.slotOffers().map(\.process) == [scene.runner, gone])
        let ids = try scene.bench.enqueue(3)
        #expect(try scene.owners(ids) == [scene.runner, scene.runner, nil])
        // It dies before it begins: like any claim of a dead runner it is lost, and waits again.
        let runner = scene.runner
        let settled = try scene.bench.act { try $0.reap(runner) }
        #expect(settled.map(\.attempt?.outcome) == [.lost, .lost])
        #expect(try scene.owners(ids) == [nil, nil, nil])
        #expect(try scene.slotOffers().map(\.process) == [gone])
    }

    @Test(
        "A6 a worker that stops gives back what it has not begun, not counted",
        arguments: Engine.offering)
    func stops(_ engine: Engine) throws {
        let scene = try OfferScene(engine)
        let ids = try scene.bench.enqueue(2)
        let runner = scene.runner
        let settled = try scene.bench.act {
            try $0.announceStop(of: runner, begun: [ids[0]])
        }
        #expect(settled.map(\.id) == [ids[1]])
        #expect(try scene.owners(ids) == [runner, nil])
        #expect(try scene.bench.task(ids[1]).attempts == 0)
        let late = try scene.bench.enqueue(1)
        #expect(try scene.owners(late) == [nil])
        #expect(try scene.slotOffers() == [])
    }

    @Test(
        "B1 Q5 D3 an offer passes no pause, no higher queue and no permit",
        arguments: Engine.offering)
    func rules(_ engine: Engine) throws {
        let scene = try OfferScene(engine)
        let bench = scene.bench
        try bench.makeQueue("high") { $0.priority = 5 }
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        #expect(try scene.owners(try bench.enqueue(1)) == [nil])
        try bench.perform(.resume(.queue("q")))
        #expect(try scene.offer(2).count == 1)
        // It serves a queue of a higher priority: of the lower one nothing is handed over.
        #expect(try scene.owners(try bench.enqueue(1)) == [nil])
        #expect(try scene.owners(try bench.enqueue(1, to: "high")) == [scene.runner])
        #expect(try scene.offer(0, inFlight: 2) == [3])
    }

    @Test("Q5 another order of the queues ends every offer", arguments: Engine.offering)
    func reordered(_ engine: Engine) throws {
        let scene = try OfferScene(engine)
        try scene.bench.makeQueue("other")
        try scene.bench.act { mutation in
            try mutation.changeQueue("other") { $0.settings.priority = 3 }
        }
        #expect(try scene.slotOffers().map(\.slots) == [0])
        #expect(try scene.owners(try scene.bench.enqueue(1)) == [nil])
    }

    @Test("D3 a worker that a permit names claims by itself", arguments: Engine.offering)
    func permitted(_ engine: Engine) throws {
        let scene = try OfferScene(engine)
        let (bench, runner) = (scene.bench, scene.runner)
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        let waiting = try bench.enqueue(1)[0]
        try bench.act { mutation in
            let task = try mutation.store.requireTask(waiting)
            try mutation.store.put(
                Permit(
                    id: 99, task: waiting, version: task.version, queue: "q", issuer: runner,
                    runner: runner))
        }
        try bench.makeQueue("free")
        #expect(try scene.owners(try bench.enqueue(1, to: "free")) == [nil])
    }

    @Test("A1 a real worker begins what was handed over to it while it slept")
    func real() throws {
        let bench = try Bench(.sqlite)
        try bench.makeQueue()
        let gate = Gate()
        let handler = ToldHandler { _, _ in
            gate.open("started")
            return nil
        }
        let runner = try Runner(
            store: bench.store, types: nil, handlers: { _ in handler }, now: { bench.now })
        let store = bench.store
        let observation = try store.observe {
            let isOffered = try? store.readBlocking { try !$0.slotOffers().isEmpty }
            if isOffered == true { gate.open("offered") }
        }
        try runner.start()
        gate.wait(for: "offered")
        withExtendedLifetime(observation) {}
        let id = try bench.enqueue(1)[0]
        #expect(try bench.task(id).running?.owner == runner.id)
        gate.wait(for: "started")
        runner.stop(isUrgent: true)
        runner.wait()
        #expect(handler.log == ["start 1"])
        #expect(try bench.task(id).waiting != nil)
        #expect(try bench.read { try $0.slotOffers() } == [])
    }
}

/// Named events for a test to wait for.
private final class Gate: Sendable {
    private let lock = Lock()
    private let change: Condition
    private let opened = Protected<Set<String>>([])

    init() { change = Condition(lock) }

    func open(_ name: String) {
        lock.withLock {
            opened.withLock { _ = $0.insert(name) }
            change.broadcast()
        }
    }

    func wait(for name: String) {
        lock.withLock { while !opened.withLock({ $0.contains(name) }) { change.wait() } }
    }
}

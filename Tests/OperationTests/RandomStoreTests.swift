import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

/// Thrown to roll back a write after its checks.
private struct TakenBack: Error {}

/// A blocker without its text, because a snapshot knows fewer words.
private struct Reason: Hashable, Sendable {
    var kind: Blocker.Kind
    var cause: String?
    var task: TaskID?

    init(_ blocker: Blocker) {
        kind = blocker.kind
        cause = blocker.cause
        task = blocker.task
    }
}

@Suite("random stores")
struct RandomStoreTests {
    /// The number of seeds in memory: `RANDOM_STORES` (100,000 in `make simulate`), or some
    /// hundreds to thousands. A database gets one for every forty.
    private static let asked = ProcessIdentity.environment("RANDOM_STORES").flatMap { Int($0) }

    private static func slices(_ count: Int) -> [Case<Range<Int>>] {
        let memory = stride(from: 0, to: count, by: 1000).map {
            Case(engine: .memory, value: $0..<min(count, $0 + 1000))
        }
        let database = stride(from: 0, to: count / 40, by: 500).map {
            Case(engine: .sqlite, value: $0..<min(count / 40, $0 + 500))
        }
        return memory + database
    }

    /// Looks at one random store after the other inside writes that are taken back.
    private func each(
        _ test: Case<Range<Int>>, withPermits: Bool, withDebugger: Bool = false,
        _ body: @escaping @Sendable (any StoreWriter, RandomStore) throws -> String?
    ) throws -> [String] {
        let bench = try Bench(test.engine)
        var found: [String] = []
        for seed in test.value where found.count < 5 {
            let world = RandomStore(
                seed: seed, withPermits: withPermits, withDebugger: withDebugger)
            let wrong = Protected<String?>(nil)
            do {
                try bench.store.writeBlocking { writer in
                    try world.put(into: writer)
                    let problem = try body(writer, world)
                    wrong.withLock { $0 = problem }
                    throw TakenBack()
                }
            } catch is TakenBack {}
            if let problem = wrong.withLock({ $0 }) { found.append("seed \(seed): \(problem)") }
        }
        return found
    }

    @Test(
        "N1 T2 an engine's answers are those of the pure rules", arguments: slices(asked ?? 5000))
    func answers(_ test: Case<Range<Int>>) throws {
        let found = try each(test, withPermits: true) { store, world in
            try Self.difference(store, world.snapshot)
        }
        #expect(found == [])
    }

    @Test(
        "N1 A1 a claim takes the first eligible task of the pure rules",
        arguments: slices(asked ?? 2500))
    func claims(_ test: Case<Range<Int>>) throws {
        let found = try each(test, withPermits: false) { store, world in
            try Self.wrongClaim(store, world)
        }
        #expect(found == [])
    }

    @Test("removing what why names makes the task run", arguments: slices(asked ?? 500))
    func why(_ test: Case<Range<Int>>) throws {
        for withDebugger in [false, true] {
            let found = try each(test, withPermits: false, withDebugger: withDebugger) {
                store, world in
                guard let task = world.tasks.first(where: { $0.waiting != nil }) else { return nil }
                let way = Removal(store, task.id, at: world.real)
                return try way.run().map { "#\(task.id): \($0) \(world)" }
            }
            #expect(found == [])
        }
    }

    @Test(
        "while one of what why names is left, no worker takes the task",
        arguments: slices(asked ?? 600))
    func allButOne(_ test: Case<Range<Int>>) throws {
        for withDebugger in [false, true] {
            let found = try each(test, withPermits: false, withDebugger: withDebugger) {
                store, world in
                // With pending wakes, the engine's index of groups may be outdated.
                guard world.queue.wakes.isEmpty,
                    let task = world.tasks.first(where: { $0.waiting != nil })
                else { return nil }
                let way = Removal(store, task.id, at: world.real)
                return try way.run(keepingOne: world.tasks.count &+ Int(task.position))
                    .map { "#\(task.id): \($0) \(world)" }
            }
            #expect(found == [])
        }
    }

    @Test(
        "N3 what forecast names is what workers start, in that order, at those moments",
        arguments: slices(asked ?? 600))
    func forecasts(_ test: Case<Range<Int>>) throws {
        let found = try each(test, withPermits: false, withDebugger: true) { store, world in
            var trial = ForecastTrial(store, world)
            return try trial.run()
        }
        #expect(found == [])
    }

    /// A start in a random store whose end is tested; `nil` without one.
    private static func start(in world: RandomStore) -> QueueTask? {
        guard world.queue.wakes.isEmpty else { return nil }
        return world.tasks.first { $0.groupStart != nil && $0.endedAt == nil }
    }

    private static let seedsWithStart = (0..<400).filter {
        start(in: RandomStore(seed: $0, withPermits: false)) != nil
    }

    @Test(
        "T2 in slices or at once, the end of a start comes to the same", arguments: seedsWithStart)
    func converging(_ seed: Int) throws {
        let world = RandomStore(seed: seed, withPermits: false)
        let start = try #require(Self.start(in: world))
        let ends = try [1, 2, Mutation.membersAtOnce].map { membersAtOnce in
            var refusals: [String] = []
            let bench = try Bench(.memory, membersAtOnce: membersAtOnce)
            try bench.store.writeBlocking { try world.put(into: $0) }
            for members in [StartFailurePolicy.release, .hold, .giveUp] {
                let verbs: [Verb] = [
                    .delete([TaskTarget(start.id)], cancelsRunning: true, members: members),
                    .undelete([TaskTarget(start.id)]),
                ]
                for verb in verbs {
                    let code = try bench.refusal(verb)
                    refusals.append("\(verb.name): \(code?.rawValue ?? "done")")
                    try bench.workOffAll()
                }
            }
            #expect(refusals.contains("delete: done"))
            // The rule does not specify the start whose end settles the member.
            return try refusals
                + bench.snapshot().tasks.sorted { $0.id < $1.id }.map {
                    "#\($0.id) \($0.state.name)\($0.waitFlags.contains(.held) ? " held" : "")"
                }
        }
        #expect(ends[0] == ends[2])
        #expect(ends[1] == ends[2])
    }

    /// The difference between a store's answer and the pure rules.
    static func difference(
        _ store: any StoreReader, _ snapshot: Snapshot
    ) throws -> String? {
        let (queue, now) = (snapshot.queue, snapshot.now)
        guard try store.head(of: queue, now: now)?.id == snapshot.head?.id else { return "head" }
        let full = snapshot.fullTypes
        for task in snapshot.waitingInOrder {
            let place = try store.eligibility(of: task, now: now)
            let expected = snapshot.blockers(of: task)
            guard task.blockers(in: place).map(Reason.init) == expected.map(Reason.init) else {
                return "blockers of #\(task.id)"
            }
        }
        let runners = snapshot.processes.filter { $0.role == .runner && !$0.isStopping }
        for runner in runners {
            let expected = snapshot.waitingInOrder.filter { task in
                !full.contains(task.type)
                    && snapshot.blockers(of: task, for: runner).allSatisfy {
                        Snapshot.hiddenOfNext.contains($0.kind)
                    }
            }
            let found = try store.eligible(queue, for: [runner], now: now, limit: 20)
            guard found.map(\.id) == expected.map(\.id) else { return "eligible \(runner.id)" }
            let first = try store.eligible(queue, for: [runner], now: now, limit: 1)
            guard first.map(\.id) == expected.prefix(1).map(\.id) else { return "first" }
            if let problem = try crowded(store, queue, runner, expected.map(\.id), now: now) {
                return problem
            }
        }
        return try store.nextTask(of: queue, now: now)?.id == snapshot.next?.id ? nil : "next"
    }

    /// If more tasks are due than a query lists, its answer equals the full one or its beginning.
    private static func crowded(
        _ store: any StoreReader, _ queue: QueueRecord, _ runner: ProcessRecord,
        _ expected: [TaskID], now: Timestamp
    ) throws -> String? {
        for limit in [1, 2, 20] {
            for rows in [1, Int.max] {
                let bounds = DueBounds(moved: 1, listed: 0, rows: rows)
                let found = try store.eligible(
                    queue, for: [runner], now: now, limit: limit, bounds: bounds
                ).map(\.id)
                let isWhole = found.count == min(limit, expected.count)
                guard found == Array(expected.prefix(found.count)), isWhole || rows == 1
                else { return "crowded \(limit) of \(rows) for \(runner.id)" }
            }
        }
        return nil
    }

    private static func wrongClaim(
        _ store: any StoreWriter, _ world: RandomStore
    ) throws -> String? {
        for runner in world.processes
        where runner.role == .runner && !runner.isStopping && !runner.takesOnlyPermits {
            let bounds =
                world.tasks.count.isMultiple(of: 2)
                ? .claim : DueBounds(moved: 1, listed: 0, rows: .max)
            return try store.transact(at: RandomStore.now, bounds: bounds) { mutation in
                try mutation.expireTasks()
                var snapshot = world.snapshot
                snapshot.tasks = try store.tasks(world.tasks.map(\.id))
                snapshot.queue = try mutation.queue("q")
                if !snapshot.queue.goesOnByItself,
                    let begin = try store.ownRunBegin(of: snapshot.queue, now: snapshot.now),
                    begin <= snapshot.now
                {
                    snapshot.queue.run = snapshot.queue.run ?? Run(number: 2, since: snapshot.now)
                    snapshot.queue.run?.limit = nil
                }
                let serves = runner.queues?.contains("q") ?? true
                let expected = serves ? snapshot.next(for: runner)?.id : nil
                let claimed = try mutation.claim(
                    ClaimRequest(runner: runner.id, freeSlots: 1, inFlight: 0))
                guard claimed.first?.task.id == expected else {
                    return "worker \(runner.id) took \(claimed.first?.task.id ?? 0), not "
                        + "\(expected ?? 0) \(world)"
                }
                return nil
            }
        }
        return nil
    }
}

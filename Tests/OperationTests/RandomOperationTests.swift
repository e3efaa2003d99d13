import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@Suite("random operations")
struct RandomOperationTests {
    private static let seeds: [Case<Range<Int>>] =
        (0..<8).map { Case(engine: .memory, value: $0 * 8..<($0 + 1) * 8) }
        + [Case(engine: .sqlite, value: 0..<6), Case(engine: .folder, value: 0..<2)]

    @Test("T2 what the operations keep is what the rules say, after each of them", arguments: seeds)
    func invariants(_ test: Case<Range<Int>>) throws {
        for seed in test.value {
            // In every other one members follow their starts one by one, so that much is under way.
            let bench = try Bench(test.engine, membersAtOnce: seed % 2 == 0 ? 1 : 1000)
            var operation = try RandomOperation(bench, seed: seed)
            for turn in 0..<70 {
                try operation.next()
                for queue in ["q", "r"] {
                    var wrong = try Self.wrong(bench, queue)
                    let snapshot = try bench.snapshot(queue)
                    if let difference = try bench.read({
                        try RandomStoreTests.difference($0, snapshot)
                    }) {
                        wrong.append(difference)
                    }
                    #expect(wrong == [], "seed \(seed), operation \(turn), \(queue)")
                    guard wrong == [] else { return }
                }
            }
        }
    }

    @Test("principle 1 the same operations leave the same in every engine", arguments: 100..<110)
    func sameEverywhere(_ seed: Int) throws {
        var dumps: [Dump] = []
        for engine in Engine.all {
            let bench = try Bench(engine)
            var operation = try RandomOperation(bench, seed: seed)
            for _ in 0..<80 { try operation.next() }
            var dump = try bench.dump()
            (dump.store.identity, dump.store.durability) = ("", .normal)
            dumps.append(dump)
        }
        for other in dumps.dropFirst() { #expect(dumps[0].differences(from: other) == []) }
    }

    @Test(
        "P7 reads that come with the beginning of a commit follow what the commit changes",
        .enabled(if: PostgresServer.isInstalled), arguments: 200..<212)
    func readAhead(_ seed: Int) throws {
        var dumps: [Dump] = []
        for engine in [Engine.memory, .postgres] {
            let bench = try Bench(engine)
            var operation = try RandomOperation(bench, seed: seed)
            var random = SeededRandom(seed: seed)
            for _ in 0..<120 {
                bench.expected.withLock { $0 = Self.reads(&random, now: bench.now) }
                try operation.next()
            }
            var dump = try bench.dump()
            (dump.store.identity, dump.store.durability) = ("", .normal)
            dumps.append(dump)
        }
        #expect(dumps[0].differences(from: dumps[1]) == [])
    }

    /// Random reads, some with limits that cut an answer.
    private static func reads(_ random: inout SeededRandom, now: Timestamp) -> ExpectedReads {
        var reads = ExpectedReads()
        reads.add((0..<random.below(4)).map { _ in TaskID(1 + random.below(60)) })
        for queue in ["q", "r", "none"] {
            reads.add(.finished(of: queue), limit: random.below(4))
            let page = TaskQuery(queue: queue, waitFlags: .ready, limit: 0)
            reads.add(.page(page), limit: random.below(4))
            reads.add(.timers(queue: queue, through: now), limit: random.below(3))
        }
        reads.add(.expiring(), limit: random.below(3))
        return reads
    }

    /// The violated invariants of a queue.
    static func wrong(_ bench: Bench, _ queue: String) throws -> [String] {
        var found: [String] = []
        let snapshot = try bench.snapshot(queue)
        let held = try bench.wronglyHeld(queue)
        if !held.isEmpty { found.append("held column of \(held)") }
        let positions = snapshot.tasks.map(\.position)
        if Set(positions).count < positions.count { found.append("a position is used twice") }
        let keys = snapshot.tasks.filter { $0.waiting != nil }.compactMap { task in
            task.uniqueKey.map { "\(task.type) \($0)" }
        }
        if Set(keys).count < keys.count { found.append("a unique key waits twice") }
        if snapshot.queue.run == nil,
            snapshot.tasks.contains(where: { $0.waiting?.attemptedInRun == true })
        {
            found.append("a mark without a run")
        }
        for task in snapshot.tasks {
            guard let parking = task.waiting?.parking, parking.cause == .editing else { continue }
            let lease = snapshot.processes.first { $0.id == parking.owner }?.editing
            if lease?.holds(task) != true { found.append("#\(task.id) is edited by nobody") }
        }
        let running = snapshot.tasks.filter { $0.running != nil }.count
        if running > snapshot.queue.settings.concurrency { found.append("\(running) run") }
        return found
    }
}

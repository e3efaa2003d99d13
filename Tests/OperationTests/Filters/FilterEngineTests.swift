import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

/// Thrown to roll back a write after its checks.
private struct TakenBack: Error {}

extension ListSection {
    /// Tasks in the running order.
    static func order(_ tasks: [QueueTask], _ order: QueueOrder) -> [QueueTask] {
        allCases.flatMap { section in
            tasks.filter { $0.state.name == section.state }.sorted {
                $0.orderKey(order) < $1.orderKey(order)
            }
        }
    }
}

@Suite("Filters on engines")
struct FilterEngineTests {
    private static let filtersEach = 20
    private static let isLong = ProcessIdentity.environment("SLUICE_SOAK") != nil

    /// The number of random stores per engine, each with twenty filters. `SLUICE_SOAK=1` runs
    /// 100,000 filters.
    private static let slices: [Case<Range<Int>>] = Engine.all.flatMap { engine in
        let few = ["memory": 200, "sqlite": 60, "folder": 6, "postgres": 8][engine.name] ?? 0
        let count = isLong ? 100_000 / filtersEach : few
        return stride(from: 0, to: count, by: 250).map {
            Case(engine: engine, value: $0..<min(count, $0 + 250))
        }
    }

    @Test(
        "F random filters over random stores: an engine finds what the value says",
        arguments: slices)
    func engines(_ test: Case<Range<Int>>) throws {
        let bench = try Bench(test.engine)
        var wrong: [String] = []
        for seed in test.value where wrong.count < 5 {
            let world = FilterWorld(seed: seed)
            let found = Protected<[String]>([])
            do {
                try bench.store.writeBlocking { writer in
                    try world.put(into: writer)
                    let differences = try Self.differences(writer, world)
                    found.withLock { $0 = differences }
                    throw TakenBack()
                }
            } catch is TakenBack {}
            wrong += found.withLock { $0 }.map { "seed \(seed): \($0)" }
        }
        #expect(wrong == [])
    }

    @Test(
        "F a task of two groups is found by words of which each means another one",
        arguments: Case.all(
            ["group:g,h group:h,i", "group:g group:i", "group:h,g group:i,h"], on: Engine.all))
    func groups(_ test: Case<String>) throws {
        let bench = try Bench(test.engine)
        let id = try bench.enqueue(
            [
                request("a") { ($0.groupStart, $0.groupMembers) = ("g", ["i"]) },
                request("a") { $0.groupMembers = ["h"] }, request("a") { $0.groupStart = "g" },
            ], to: "q")[0]
        let found = try bench.read { store in
            try Reading(store, now: at(0)).targets(
                in: [store.requireQueue("q")], sections: ListSection.allCases,
                matching: TaskFilter(test.value)
            ).map(\.id)
        }
        #expect(found.contains(id))
        #expect(found.count == (test.value == "group:g group:i" ? 1 : 2))
    }

    private static func differences(
        _ store: any StoreReader, _ world: FilterWorld
    ) throws -> [String] {
        var filters = RandomFilter(world.world.random)
        let reading = try Reading(store, now: RandomStore.now)
        let queue = try store.requireQueue("q")
        var found: [String] = []
        for _ in 0..<filtersEach {
            let text = filters.next()
            let filter = try TaskFilter(text)
            guard try TaskFilter(filter.description) == filter else {
                found.append("\(text) is written as \(filter)")
                continue
            }
            let expected = try world.answer(filter) { try store.naming?.uuid(of: $0) }
            let answer = try reading.targets(
                in: [queue], sections: ListSection.allCases, matching: filter
            ).map(\.id)
            if answer != expected { found.append("\(text): \(answer), not \(expected)") }
        }
        return found
    }
}

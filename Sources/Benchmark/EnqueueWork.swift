import Platform
import QueueStore
import QueueStoreSQLite

/// W1 and W2: tasks into a store, durable when the call returns.
struct EnqueueWork: Work {
    static let rows = ["W1", "W2"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        var one = Figure(
            id: "W1", title: "enqueue, one commit each, 1 producer", unit: "tasks/s",
            goal: .atLeast(0.85))
        var many = Figure(
            id: "W1", title: "enqueue, one commit each, 64 producers", unit: "tasks/s",
            goal: .atLeast(12))
        for _ in 0..<bench.repetitions {
            let count = bench.amount(4000)
            let bare = try raw(.bare, count: count, each: 1)
            let own = try raw(.own, count: count, each: 1)
            one.samples.append(
                Figure.Sample(value: try producers(1, each: count), bare: bare, own: own))
            many.samples.append(
                Figure.Sample(
                    value: try producers(64, each: bench.amount(64_000) / 64 + 1), bare: bare,
                    own: own))
        }
        try tell(one)
        try tell(many)
        for size in [10_000, 100_000] { try tell(try bulk(size)) }
    }

    private func bulk(_ size: Int) throws -> Figure {
        var figure = Figure(
            id: "W2", title: "enqueue \(size) in one commit", unit: "tasks/s", goal: .atLeast(0.5))
        let size = bench.amount(size)
        for _ in 0..<bench.repetitions {
            let bare = try raw(.bare, count: size, each: size)
            let own = try raw(.own, count: size, each: size)
            let (store, path) = try bench.newStore()
            let requests = (0..<size).map { _ in Workbench.request() }
            let time = try Workbench.seconds {
                try Workbench.enqueue(requests, to: "q", store)
            }
            store.close()
            try Workbench.prove(path, waiting: size)
            figure.samples.append(
                Figure.Sample(value: Double(size) / time, bare: bare, own: own))
        }
        return figure
    }

    private func raw(_ tables: RawLoop.Tables, count: Int, each: Int) throws -> Double {
        let loop = try bench.raw(tables)
        defer { loop.close() }
        return try loop.insert(first: 1, count: count, each: each)
    }

    /// So many threads, each enqueuing one task after the other.
    private func producers(_ number: Int, each: Int) throws -> Double {
        let (store, path) = try bench.newStore()
        let time = try Self.seconds(number, each: each, store)
        store.close()
        try Workbench.prove(path, waiting: number * each)
        return Double(number * each) / time
    }

    /// How long so many threads take for so many tasks each.
    static func seconds(_ number: Int, each: Int, _ store: any QueueStore) throws -> Double {
        let failures = Protected<[String]>([])
        let time = try Workbench.seconds {
            let threads = try (0..<number).map { _ in
                try Thread(name: "producer") {
                    do {
                        for _ in 0..<each {
                            try Workbench.enqueue([Workbench.request()], to: "q", store)
                        }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
            }
            for thread in threads { thread.join() }
        }
        if let failure = failures.withLock({ $0.first }) {
            throw Workbench.Untrue(description: failure)
        }
        return time
    }
}

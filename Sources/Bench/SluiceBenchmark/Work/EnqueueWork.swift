import SluiceSQL
import SluiceStore
import SluiceSystem

/// W1: tasks into a store one by one, each durable when its call returns.
struct EnqueueWork: Work {
    static let rows = ["W1"]
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
            let bare = try bench.inserted(.bare, count: count, each: 1)
            let own = try bench.inserted(.own, count: count, each: 1)
            one.samples.append(
                Figure.Sample(value: try producers(1, each: count), bare: bare, own: own))
            many.samples.append(
                Figure.Sample(
                    value: try producers(64, each: bench.amount(64_000) / 64 + 1), bare: bare,
                    own: own))
        }
        try tell(one)
        try tell(many)
    }

    /// The rate of some threads that each enqueue one task after the other.
    private func producers(_ number: Int, each: Int) throws -> Double {
        let (store, path) = try bench.newStore()
        let time = try Self.seconds(number, each: each, store)
        store.close()
        try Workbench.prove(path, waiting: number * each)
        return Double(number * each) / time
    }

    /// The seconds for some threads to enqueue `each` tasks each.
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

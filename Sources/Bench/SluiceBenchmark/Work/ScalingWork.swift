import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// W10: several workers compared with one, and `async` calls compared with blocking ones.
struct ScalingWork: Work {
    static let rows = ["W10"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        try tell(try workers(8, slots: 64, goal: 0.9))
        try tell(try raw(8, inFlight: 64))
        try tell(try workers(4, slots: 16, goal: 1))
        try tell(try raw(4, inFlight: 16))
        try tell(try handlers())
        try tell(try producers())
    }

    private func workers(_ number: Int, slots: Int, goal: Double) throws -> Figure {
        var figure = Figure(
            id: "W10", title: "drain 100000, \(number) workers of \(slots) slots",
            unit: "tasks/s", goal: .atLeast(goal))
        figure.base = "1 worker of \(slots) slots"
        for _ in 0..<bench.repetitions {
            let one = try drain(workers: 1, slots: slots)
            let many = try drain(workers: number, slots: slots)
            figure.samples.append(Figure.Sample(value: many, bare: one))
        }
        return figure
    }

    /// The same by the raw loop.
    private func raw(_ number: Int, inFlight: Int) throws -> Figure {
        let tables = RawLoop.Tables.own
        var figure = Figure(
            id: "W10", title: "the same in C, \(tables.name)", unit: "tasks/s")
        figure.base = "1 process with \(inFlight) in hand"
        let count = bench.amount(100_000)
        for _ in 0..<bench.repetitions {
            let rates = try [1, number].map { processes in
                let loop = try bench.raw(tables)
                defer { loop.close() }
                _ = try loop.insert(first: 1, count: count, each: count)
                let time = try Worker.together(
                    processes, ["__raw", loop.path, tables.name, "\(inFlight)"])
                return Double(count) / time
            }
            figure.samples.append(Figure.Sample(value: rates[1], bare: rates[0]))
        }
        return figure
    }

    private func handlers() throws -> Figure {
        var figure = Figure(
            id: "W10", title: "drain 100000, 1 worker of 64 slots, an async handler",
            unit: "tasks/s", goal: .atLeast(0.9))
        figure.base = "a handler that reports at once"
        for _ in 0..<bench.repetitions {
            let bare = try drain(workers: 1, slots: 64)
            let async = try drain(workers: 1, slots: 64, words: ["async"])
            figure.samples.append(Figure.Sample(value: async, bare: bare))
        }
        return figure
    }

    private func drain(workers: Int, slots: Int, words: [String] = []) throws -> Double {
        let count = bench.amount(100_000)
        let (store, path) = try bench.newStore([.concurrency(workers * slots)])
        try Workbench.enqueue((0..<count).map { _ in Workbench.request() }, to: "q", store)
        store.close()
        let time = try Worker.together(workers, ["__worker", path, "\(slots)"] + words)
        try Workbench.prove(path, waiting: 0)
        return Double(count) / time
    }

    /// One producer that awaits each of its commits.
    private func producers() throws -> Figure {
        var figure = Figure(
            id: "W10", title: "enqueue with await, one commit each, 1 producer", unit: "tasks/s",
            goal: .atLeast(0.9))
        figure.base = "the call that blocks"
        let count = bench.amount(4000)
        for _ in 0..<bench.repetitions {
            let blocking = try enqueued(count) { store in
                for _ in 0..<count {
                    try Workbench.enqueue([Workbench.request()], to: "q", store)
                }
            }
            let awaiting = try enqueued(count) { store in
                let end = Promise<Void>()
                Task {
                    do {
                        for _ in 0..<count {
                            try await store.transact(at: Workbench.now()) { mutation in
                                _ = try mutation.enqueue([Workbench.request()], to: "q")
                            }
                        }
                        end.resolve(.success(()))
                    } catch { end.resolve(.failure(error)) }
                }
                try end.wait()
            }
            figure.samples.append(Figure.Sample(value: awaiting, bare: blocking))
        }
        return figure
    }

    private func enqueued(_ count: Int, _ body: (any QueueStore) throws -> Void) throws -> Double {
        let (store, path) = try bench.newStore()
        let time = try Workbench.seconds { try body(store) }
        store.close()
        try Workbench.prove(path, waiting: count)
        return Double(count) / time
    }
}

import SluiceSQL

/// W2: many tasks in one enqueue, durable when the call returns.
struct BulkWork: Work {
    static let rows = ["W2"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        for size in [10_000, 100_000] { try tell(try bulk(size)) }
    }

    private func bulk(_ size: Int) throws -> Figure {
        var figure = Figure(
            id: "W2", title: "enqueue \(size) in one commit", unit: "tasks/s", goal: .atLeast(0.5))
        let size = bench.amount(size)
        for _ in 0..<bench.repetitions {
            let bare = try bench.inserted(.bare, count: size, each: size)
            let own = try bench.inserted(.own, count: size, each: size)
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
}

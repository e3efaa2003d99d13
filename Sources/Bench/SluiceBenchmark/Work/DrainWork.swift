import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceSQL
import SluiceStore
import SluiceSystem

/// W3: a queue of no-op tasks worked off, each claim durable before its start, each completion
/// durable before it is reported.
struct DrainWork: Work {
    static let rows = ["W3"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        try tell(
            try drain(
                "concurrency 64 advance, last 100 kept", workers: 1, slots: 64,
                [.concurrency(64), .keepFinished(.last(100))], count: 100_000, goal: 10))
        for workers in [1, 2] {
            try tell(
                try drain(
                    "concurrency 64 advance", workers: workers, slots: 64,
                    [.concurrency(64)], count: 100_000, goal: 10))
            try tell(
                try drain(
                    "concurrency 1 block", workers: workers, slots: 1,
                    [.concurrency(1), .afterFailure(.block)], count: 10_000, goal: 1.3))
        }
    }

    private func drain(
        _ kind: String, workers: Int, slots: Int, _ settings: [SettingChange], count: Int,
        goal: Double
    ) throws -> Figure {
        let title = "drain \(count), \(workers == 1 ? "1 worker" : "\(workers) workers"), \(kind)"
        var figure = Figure(id: "W3", title: title, unit: "tasks/s", goal: .atLeast(goal))
        let count = bench.amount(count)
        for _ in 0..<bench.repetitions {
            let bare = try raw(.bare, workers: workers)
            let own = try raw(.own, workers: workers)
            let (store, path) = try bench.newStore(settings)
            try Workbench.enqueue(
                (0..<count).map { _ in Workbench.request() }, to: "q", store)
            store.close()
            let time = try Worker.together(workers, ["__worker", path, "\(slots)"])
            try Workbench.prove(path, waiting: 0)
            figure.samples.append(
                Figure.Sample(value: Double(count) / time, bare: bare, own: own))
        }
        return figure
    }

    private func raw(_ tables: RawLoop.Tables, workers: Int) throws -> Double {
        let count = bench.amount(10_000)
        let loop = try bench.raw(tables)
        _ = try loop.insert(first: 1, count: count, each: count)
        defer { loop.close() }
        guard workers > 1 else { return try loop.drain(limit: count) }
        let time = try Worker.together(workers, ["__raw", loop.path, tables.name])
        return Double(count) / time
    }
}

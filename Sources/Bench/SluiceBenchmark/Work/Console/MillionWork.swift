import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// W5: the same work with 1,000,000 waiting tasks, as a ratio to 1,000.
struct MillionWork: Work {
    static let rows = ["W5"]
    let bench: Workbench
    /// The number of waiting tasks that a drain processes.
    private var drained: Int { bench.amount(20_000) }

    init(bench: Workbench) { self.bench = bench }

    func measure(_ tell: (Figure) throws -> Void) throws {
        for shape in Workbench.Shape.allCases {
            let many = try bench.filled(bench.amount(1_000_000), shape)
            let few = try bench.filled(1000, shape)
            let some = try bench.filled(1000 + drained, shape)
            let parts = parts()
            var figures = parts.map { figure($0, shape) }
            for _ in 0..<bench.repetitions {
                // One part adds few tasks to a million, so the next part can use the same copy.
                let copy = try bench.copy(of: many)
                for (index, part) in parts.enumerated() {
                    let small = try bench.copy(of: part.drains ? some : few)
                    let base = try part.measure(small)
                    figures[index].samples.append(
                        Figure.Sample(value: try part.measure(copy), bare: base))
                    try Files.remove(small)
                }
                try Files.remove(copy)
            }
            for path in [many, few, some] { try Files.remove(path) }
            for figure in figures { try tell(figure) }
        }
    }

    private func figure(_ part: Part, _ shape: Workbench.Shape) -> Figure {
        var figure = Figure(
            id: "W5", title: "\(part.title), 1,000,000 waiting \(shape.title)",
            unit: part.isTime ? "ms" : "tasks/s",
            goal: part.isTime ? .atMost(1.15) : .atLeast(0.85))
        figure.base = "the same where 1,000 wait"
        return figure
    }

    private struct Part {
        var title: String
        var isTime = false
        var drains = false
        var measure: (String) throws -> Double
    }

    private func parts() -> [Part] {
        [
            Part(title: "W1, 1 producer") { try producers(1, each: bench.amount(1000), $0) },
            Part(title: "W1, 64 producers") { path in
                try producers(64, each: bench.amount(16_000) / 64 + 1, path)
            },
            Part(title: "W2, 10,000 in one commit", measure: bulk),
            Part(title: "W3, 1 worker of 64", drains: true, measure: drain),
            Part(title: "W4, p50", isTime: true, measure: wake),
        ]
    }

    /// Does something that adds tasks, and looks whether they are there.
    private func adding(
        _ count: Int, to path: String, _ body: (SQLiteStore) throws -> Double
    ) throws -> Double {
        let before = try Workbench.waiting(at: path)
        let store = try SQLiteStore.open(path: path)
        let time = try body(store)
        store.close()
        guard try Workbench.waiting(at: path) == before + count else {
            throw Workbench.Untrue(description: "\(path) does not hold what was reported")
        }
        return Double(count) / time
    }

    private func producers(_ number: Int, each: Int, _ path: String) throws -> Double {
        try adding(number * each, to: path) { store in
            try EnqueueWork.seconds(number, each: each, store)
        }
    }

    private func bulk(_ path: String) throws -> Double {
        let requests = Array(repeating: Workbench.request(), count: bench.amount(10_000))
        return try adding(requests.count, to: path) { store in
            try Workbench.seconds { try Workbench.enqueue(requests, to: "q", store) }
        }
    }

    private func drain(_ path: String) throws -> Double {
        let before = try Workbench.waiting(at: path)
        let time = try Worker.together(1, ["__worker", path, "64", "\(drained)"])
        let settled = before - (try Workbench.waiting(at: path))
        guard settled >= drained else {
            throw Workbench.Untrue(description: "\(settled) of \(drained) were settled")
        }
        return Double(settled) / time
    }

    /// The worker is idle in a store with paused queues.
    private func wake(_ path: String) throws -> Double {
        let store = try SQLiteStore.open(path: path)
        let names = try store.readBlocking { try $0.queues().map(\.name) }
        for name in names {
            try Workbench.control(store).performBlocking(.pause(PauseRequest(.queue(name))))
        }
        return try WakeWork.times(
            count: bench.amount(200), queue: "beside", store, path
        ).percentile(50)
    }
}

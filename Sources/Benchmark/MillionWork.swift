import Platform
import QueueControl
import QueueModel
import QueueStore
import QueueStoreSQLite

/// W5: the same work where 1,000,000 tasks wait, as a ratio to where 1,000 do.
struct MillionWork: Work {
    static let rows = ["W5"]
    let bench: Workbench
    /// What a drain works off of those that wait.
    private var drained: Int { bench.amount(20_000) }

    init(bench: Workbench) { self.bench = bench }

    func measure(_ tell: (Figure) throws -> Void) throws {
        for shape in Workbench.Shape.allCases {
            let many = try bench.filled(bench.amount(1_000_000), shape)
            let few = try bench.filled(1000, shape)
            let some = try bench.filled(1000 + drained, shape)
            for part in parts(shape) {
                var figure = Figure(
                    id: "W5", title: "\(part.title), 1,000,000 waiting \(shape.title)",
                    unit: part.isTime ? "ms" : "tasks/s",
                    goal: part.isTime ? .atMost(1.15) : .atLeast(0.85))
                figure.base = "the same where 1,000 wait"
                for _ in 0..<bench.repetitions {
                    let base = try part.measure(part.drains ? some : few)
                    figure.samples.append(
                        Figure.Sample(value: try part.measure(many), bare: base))
                }
                try tell(figure)
            }
            for path in [many, few, some] { try Files.remove(path) }
        }
    }

    private struct Part {
        var title: String
        var isTime = false
        var drains = false
        var measure: (String) throws -> Double
    }

    private func parts(_ shape: Workbench.Shape) -> [Part] {
        [
            Part(title: "W1, 1 producer") { try producers(1, each: bench.amount(1000), $0) },
            Part(title: "W1, 64 producers") { path in
                try producers(64, each: bench.amount(16_000) / 64 + 1, path)
            },
            Part(title: "W2, 10,000 in one commit") { path in
                let requests = Array(repeating: Workbench.request(), count: bench.amount(10_000))
                return try onCopy(path) { store, _ in
                    let time = try Workbench.seconds {
                        try Workbench.enqueue(requests, to: "q", store)
                    }
                    return (Double(requests.count) / time, requests.count)
                }
            },
            Part(title: "W3, 1 worker of 64", drains: true, measure: drain),
            Part(title: "W4, p50", isTime: true) { path in
                let copy = try bench.copy(of: path)
                defer { try? Files.remove(copy) }
                let store = try SQLiteStore.open(path: copy)
                let names = try store.readBlocking { try $0.queues().map(\.name) }
                for name in names {
                    try Workbench.control(store).performBlocking(.pause(PauseRequest(.queue(name))))
                }
                return try WakeWork.times(
                    count: bench.amount(200), queue: "beside", store, copy
                ).percentile(50)
            },
        ]
    }

    /// Does something that adds tasks on a copy, and looks whether they are there.
    private func onCopy(
        _ path: String, _ body: (SQLiteStore, String) throws -> (value: Double, added: Int)
    ) throws -> Double {
        let copy = try bench.copy(of: path)
        defer { try? Files.remove(copy) }
        let before = try Workbench.waiting(at: copy)
        let store = try SQLiteStore.open(path: copy)
        let (value, added) = try body(store, copy)
        store.close()
        guard try Workbench.waiting(at: copy) == before + added else {
            throw Workbench.Untrue(description: "\(copy) does not hold what was reported")
        }
        return value
    }

    private func producers(_ number: Int, each: Int, _ path: String) throws -> Double {
        try onCopy(path) { store, _ in
            let time = try EnqueueWork.seconds(number, each: each, store)
            return (Double(number * each) / time, number * each)
        }
    }

    private func drain(_ path: String) throws -> Double {
        let copy = try bench.copy(of: path)
        defer { try? Files.remove(copy) }
        let before = try Workbench.waiting(at: copy)
        let time = try Worker.together(1, ["__worker", copy, "64", "\(drained)"])
        let settled = before - (try Workbench.waiting(at: copy))
        guard settled >= drained else {
            throw Workbench.Untrue(description: "\(settled) of \(drained) were settled")
        }
        return Double(settled) / time
    }
}

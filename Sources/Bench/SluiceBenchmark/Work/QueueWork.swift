import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// W8: the same work with 10,000 empty queues and with one. Measures a list of all queues, and the
/// time to the console's first display.
struct QueueWork: Work {
    static let rows = ["W8"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        let sluice = try bench.programs().sluice
        var wake = figure("enqueue to start, p50", "ms", .atMost(1.3))
        var drain = figure("drain by 1 worker of 64", "tasks/s", .atLeast(0.85))
        let list = ["list", "q", "--json"]
        let step = ["step", "q", "--handlers", try handlers(), "--json"]
        var programs = [
            (words: list, figure: figure("sluice list q, start to end", "ms", .atMost(1.3))),
            (words: step, figure: figure("sluice step q, start to end", "ms", .atMost(1.3))),
            (words: ["queues", "--json"], figure: figure("sluice queues", "ms", .atMost(60))),
        ]
        programs[2].figure.goalIsOfValue = true
        var screen = figure("console, start to the first rows", "ms", .atMost(30))
        screen.goalIsOfValue = true
        for _ in 0..<bench.repetitions {
            let (few, many) = (try store(queues: 1), try store(queues: bench.amount(10_000)))
            let times = try [many, few].map { path in
                try WakeWork.times(
                    count: bench.amount(200), queue: "q", SQLiteStore.open(path: path), path
                ).percentile(50)
            }
            wake.samples.append(Figure.Sample(value: times[0], bare: times[1]))
            let rates = try [many, few].map(drained)
            drain.samples.append(Figure.Sample(value: rates[0], bare: rates[1]))
            for path in [many, few] {
                let store = try SQLiteStore.open(path: path)
                try Workbench.enqueue(
                    Array(repeating: Workbench.request(), count: 20), to: "q", store)
                store.close()
            }
            for index in programs.indices {
                let times = try [many, few].map { path in
                    try (0..<5).map { _ in
                        try ProgramWork.run(sluice, programs[index].words + ["--store", path])
                    }.percentile(50)
                }
                programs[index].figure.samples.append(
                    Figure.Sample(value: times[0], bare: times[1]))
            }
            for _ in 0..<3 {
                let times = try [many, few].map { path in
                    try Screen(sluice, ["--store", path, "--read-only"]).wait(for: "beside")
                }
                screen.samples.append(Figure.Sample(value: times[0], bare: times[1]))
            }
            for path in [many, few] { try Files.remove(path) }
        }
        for figure in [wake, drain, screen] + programs.map(\.figure) { try tell(figure) }
    }

    private func figure(_ title: String, _ unit: String, _ goal: Figure.Goal) -> Figure {
        var figure = Figure(id: "W8", title: "\(title), 10,000 queues", unit: unit, goal: goal)
        figure.base = "the same with 1 queue"
        return figure
    }

    private func handlers() throws -> String {
        let path = "\(bench.folder)/handlers.json"
        let text = #"{"handlers":{"*":{"command":["true"]}}}"#
        try Files.writeAtomically(Array(text.utf8), to: path)
        return path
    }

    /// A store with some queues that each had a task, and one queue without any.
    private func store(queues: Int) throws -> String {
        let (store, path) = try bench.newStore([.concurrency(64)])
        defer { store.close() }
        let now = Workbench.now()
        for first in stride(from: 0, to: queues, by: 1000) {
            try store.transactBlocking(at: now) { mutation in
                for number in first..<min(first + 1000, queues) {
                    _ = try mutation.enqueue([Workbench.request()], to: "beside\(number)")
                }
            }
        }
        try Worker.drain(store, slots: 64, limit: .max)
        return path
    }

    private func drained(_ path: String) throws -> Double {
        let count = bench.amount(20_000)
        let store = try SQLiteStore.open(path: path)
        try Workbench.enqueue(Array(repeating: Workbench.request(), count: count), to: "q", store)
        store.close()
        let time = try Worker.together(1, ["__worker", path, "64"])
        guard try Workbench.waiting(at: path) == 0 else {
            throw Workbench.Untrue(description: "\(path) was not worked off")
        }
        return Double(count) / time
    }
}

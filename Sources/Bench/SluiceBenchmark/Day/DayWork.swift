import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem

/// A day in compressed time: tasks arrive with a daily pattern, four workers process them, and
/// samples record growth throughout.
struct DayWork {
    private struct Sample {
        var milliseconds: UInt64
        var ended: Int
        var storeBytes: Int64
        var workersKiB: Int
        var serverKiB: Int
    }

    private let tasks: Int
    private let engine: String
    private let folder: String

    /// Runs a day, or one of its child processes.
    static func serve(_ words: [String]) throws {
        switch words.first {
        case "__day-worker" where words.count == 3:
            try DayProcess.work(words[1], testimony: words[2])
        case "__day-producer" where words.count == 4:
            try DayProcess.produce(
                words[1], tasks: Int(words[2]) ?? 0, half: Int(words[3]) ?? 0)
        default: try run(Array(words.dropFirst()))
        }
    }

    /// `sluice-bench day [TASKS] [ENGINE…]`.
    private static func run(_ words: [String]) throws {
        var rest = words[...]
        var tasks = 5_000_000
        if let count = rest.first.flatMap({ Int($0) }), count > 0, count < 1 << 29 {
            (tasks, rest) = (count, rest.dropFirst())
        }
        let engines = rest.isEmpty ? ["sqlite", "postgres"] : Array(rest)
        for engine in engines where !["sqlite", "postgres"].contains(engine) {
            throw Workbench.Untrue(description: "usage: day [TASKS] [sqlite] [postgres]")
        }
        try Standard.write(
            "a day of \(NumberText.grouped(tasks)) tasks, \(DayPlan.workers) workers of "
                + "\(DayPlan.slots) slots\n" + line("", ["first 5 %", "middle", "last 5 %"]))
        for engine in engines {
            let folder = try Files.makeTemporaryDirectory(prefix: "sluice-day-")
            defer { try? Files.removeTree(folder) }
            try DayWork(tasks: tasks, engine: engine, folder: folder).live()
        }
    }

    private init(tasks: Int, engine: String, folder: String) {
        (self.tasks, self.engine, self.folder) = (tasks, engine, folder)
    }

    private func live() throws {
        let place = try DayStore(engine, in: folder)
        let store = try DayStore.open(place.place, creates: true)
        defer { store.close() }
        for (name, settings) in DayPlan.queues {
            try Workbench.control(store).performBlocking(.setQueue(name, settings))
        }
        let notes = (0..<DayPlan.workers).map { "\(folder)/notes-\($0)" }
        let workers = try notes.map { try start(["__day-worker", place.place, $0], .pipe) }
        let producers = try (0..<2).map {
            try start(["__day-producer", place.place, "\(tasks)", "\($0)"], .null)
        }
        let samples = try watch(store, place, notes, workers: workers, producers: producers)
        var longest = 0
        for child in producers {
            let text = try child.output?.readAll(limitBytes: 1 << 10) ?? []
            longest = max(longest, Int(String(decoding: text.dropLast(), as: UTF8.self)) ?? 0)
            guard try child.reap() == .code(0) else { throw failure("a producer") }
        }
        for child in workers {
            child.input?.close()
            _ = try Poll.wait(
                fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 60_000)
            guard try child.reap() == .code(0) else { throw failure("a worker") }
        }
        let executions = try DayWitness.judge(notes, tasks: tasks)
        guard try DayProcess.waiting(store) == 0 else { throw failure("the store") }
        try print(samples, longestMilliseconds: longest, executions)
    }

    private func start(_ words: [String], _ input: Spawn.Stream) throws -> ChildProcess {
        try ChildProcess.spawn(
            Spawn(
                try ProcessIdentity.executablePath(), words,
                environment: ProcessIdentity.environment(), input: input, output: .pipe,
                errors: .descriptor(2)))
    }

    private func failure(_ what: String) -> Workbench.Untrue {
        Workbench.Untrue(description: "\(engine): \(what) did not come to its end in order")
    }

    /// Looks at everything until all tasks have come and gone.
    private func watch(
        _ store: any QueueStore, _ place: DayStore, _ notes: [String], workers: [ChildProcess],
        producers: [ChildProcess]
    ) throws -> [Sample] {
        let start = SystemClock.monotonicNanoseconds()
        var samples: [Sample] = []
        while true {
            let isProducing = try !producers.allSatisfy { child in
                try !Poll.wait(
                    fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 0
                ).isEmpty
            }
            let isDone = try !isProducing && DayProcess.waiting(store) == 0
            let gone = try workers.contains { child in
                try !Poll.wait(
                    fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 0
                ).isEmpty
            }
            guard !gone else { throw failure("a worker") }
            // The size of the workers' records so far, to the nearest page of their buffers.
            let written = notes.reduce(Int64(0)) {
                $0 + ((try? Files.status($1))?.sizeBytes ?? 0)
            }
            samples.append(
                Sample(
                    milliseconds: (SystemClock.monotonicNanoseconds() - start) / 1_000_000,
                    ended: isDone ? tasks : min(tasks, Int(written / 4)),
                    storeBytes: place.sizeBytes(),
                    workersKiB: workers.reduce(0) {
                        $0 + DayStore.memoryKiB(of: $1.processID)
                    }, serverKiB: place.serverKiB()))
            if isDone { return samples }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 250)
        }
    }

    private func print(
        _ samples: [Sample], longestMilliseconds: Int, _ executions: Int
    ) throws {
        let parts = [0.0...0.05, 0.475...0.525, 0.95...1.0]
        let places = parts.map { part in
            samples.filter { part.contains(Double($0.ended) / Double(tasks)) }
        }
        let rates = parts.map { part -> String in
            let from = samples.last { Double($0.ended) <= part.lowerBound * Double(tasks) }
            let to = samples.first { Double($0.ended) >= part.upperBound * Double(tasks) }
            guard let from, let to, to.milliseconds > from.milliseconds else { return "-" }
            let spent = Int(to.milliseconds - from.milliseconds)
            return NumberText.grouped((to.ended - from.ended) * 1000 / spent)
        }
        func row(_ name: String, _ value: (Sample) -> Int) -> String {
            Self.line(
                "  \(name)",
                places.map { $0.map(value).max().map(NumberText.grouped) ?? "-" })
        }
        let seconds = Double(samples.last?.milliseconds ?? 0) / 1000
        var text = "\(engine): \(Figure.short(seconds)) s\n"
        text += Self.line("  tasks/s", rates)
        text += row("store, MiB") { Int($0.storeBytes >> 20) }
        text += row("workers, MiB") { $0.workersKiB >> 10 }
        if engine == "postgres" { text += row("server, MiB") { $0.serverKiB >> 10 } }
        text += "  longest commit of a producer: \(longestMilliseconds) ms\n"
        text +=
            "  \(NumberText.grouped(executions)) executions; nothing lost, nothing ended twice\n"
        try Standard.write(text)
    }

    private static func line(_ name: String, _ words: [String]) -> String {
        let blank = { (count: Int) in String(repeating: " ", count: max(0, count)) }
        return name + blank(18 - name.count)
            + words.map { blank(12 - $0.count) + $0 }.joined() + "\n"
    }
}

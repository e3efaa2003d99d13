import Platform
import QueueControl
import QueueModel
import QueueRunner
import QueueStore
import QueueStoreSQLite

/// W3: a queue of no-op tasks worked off, each claim durable before its start, each completion
/// durable before it is reported.
struct DrainWork {
    let bench: Workbench

    func figures() throws -> [Figure] {
        try [1, 2].flatMap { workers in
            [
                try drain(
                    "concurrency 64 advance", workers: workers, slots: 64,
                    [.concurrency(64)], count: 100_000, goal: 10),
                try drain(
                    "concurrency 1 block", workers: workers, slots: 1,
                    [.concurrency(1), .afterFailure(.block)], count: 10_000, goal: 1.3),
            ]
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

/// A process of this program that works a store off.
enum Worker {
    private struct Noop: TaskHandler {
        struct Done: RunningExecution {
            func stop() {}
            func kill() {}
        }

        func start(_ execution: Execution, report: any ExecutionReport) -> any RunningExecution {
            report.finish(.success(result: nil))
            return Done()
        }
    }

    /// Starts so many and waits for them all; gives the seconds that it took.
    static func together(_ number: Int, _ words: [String]) throws -> Double {
        let own = try ProcessIdentity.executablePath()
        return try Workbench.seconds {
            let children = try (0..<number).map { _ in
                try ChildProcess.spawn(
                    Spawn(own, words, environment: ProcessIdentity.environment()))
            }
            for child in children {
                _ = try Poll.wait(
                    fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 600_000)
                guard try child.reap() == .code(0) else {
                    throw Workbench.Untrue(description: "a worker failed: \(words)")
                }
            }
        }
    }

    /// Works a store off with a runner.
    static func drain(_ path: String, slots: Int) throws {
        let store = try SQLiteStore.open(path: path)
        var options = RunnerOptions()
        options.slots = slots
        options.endsWhenEmpty = true
        let runner = try Runner(
            store: store, types: nil, handlers: { _ in Noop() }, options: options)
        try runner.start()
        runner.wait()
        store.close()
    }

    /// Works a file off with the raw loop.
    static func drainRaw(_ path: String, tables name: String) throws {
        let tables = name == RawLoop.Tables.own.name ? RawLoop.Tables.own : .bare
        let loop = try RawLoop(existing: path, tables: tables)
        _ = try loop.drain(limit: .max)
        loop.close()
    }
}

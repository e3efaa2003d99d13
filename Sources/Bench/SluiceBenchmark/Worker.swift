import SluiceCRawLoop
import SluiceModel
import SluiceRunner
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTestSupport

/// A process of this program that works a store off.
enum Worker {
    /// Counts its tasks and requests the end after `limit`.
    private final class Noop: TaskHandler {
        struct Done: RunningExecution {
            func stop() {}
            func kill() {}
        }
        private let left: Protected<Int>
        private let enough: @Sendable () -> Void

        init(limit: Int, enough: @escaping @Sendable () -> Void) {
            left = Protected(limit)
            self.enough = enough
        }

        func start(_ execution: Execution, report: any ExecutionReport) -> any RunningExecution {
            report.finish(.success(result: nil))
            let isLast = left.withLock { left in
                left -= 1
                return left == 0
            }
            if isLast { enough() }
            return Done()
        }
    }

    /// Runs some processes and returns the seconds until all have ended.
    static func together(_ number: Int, _ words: [String]) throws -> Double {
        try Workbench.seconds {
            for child in try start(number, words) { try end(child, words) }
        }
    }

    /// Starts some processes of this program.
    static func start(_ number: Int, _ words: [String]) throws -> [ChildProcess] {
        let own = try ProcessIdentity.executablePath()
        return try (0..<number).map { _ in
            try ChildProcess.spawn(
                Spawn(
                    own, words, environment: ProcessIdentity.environment(), output: .descriptor(1),
                    errors: .descriptor(2)))
        }
    }

    /// Waits for one of them; gives the processor time that it took, in ticks of 10 ms.
    @discardableResult
    static func end(_ child: ChildProcess, _ words: [String]) throws -> Int {
        _ = try Poll.wait(
            fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 600_000)
        let ticks = try ProcessUse.ticks(of: child.processID)
        guard try child.reap() == .code(0) else {
            throw Workbench.Untrue(description: "a worker failed: \(words)")
        }
        return ticks
    }

    /// Works a store off with a runner, all of it or at least `limit` tasks.
    static func drain(
        _ path: String, slots: Int, limit: Int, isAsync: Bool = false
    ) throws {
        let store = try SQLiteStore.open(path: path)
        try drain(store, slots: slots, limit: limit, isAsync: isAsync)
        store.close()
    }

    /// The same with a store of any engine.
    static func drain(
        _ store: any QueueStore, slots: Int, limit: Int, isAsync: Bool = false
    ) throws {
        var options = RunnerOptions()
        options.slots = slots
        options.endsWhenEmpty = true
        let runner = Protected<Runner?>(nil)
        let handler: any TaskHandler =
            isAsync
            ? AsyncHandler { _, _ in .success(result: nil) }
            : Noop(limit: limit) { runner.withLock { $0 }?.stop() }
        let made = try Runner(
            store: store, types: nil, handlers: { _ in handler }, options: options)
        runner.withLock { $0 = made }
        try made.start()
        made.wait()
    }

    /// Drains a file with the raw loop; with `inFlight`, by minimal commits.
    static func drainRaw(_ path: String, tables name: String, inFlight: Int? = nil) throws {
        let tables = name == RawLoop.Tables.own.name ? RawLoop.Tables.own : .bare
        let loop = try RawLoop(existing: path, tables: tables)
        let turns = inFlight.map { raw_turns(in_hand: Int64($0), queues: 1) }
        _ = try loop.drain(limit: .max, turns: turns)
        loop.close()
    }
}

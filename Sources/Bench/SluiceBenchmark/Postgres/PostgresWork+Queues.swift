import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTestSupport

/// Many queues with little to do each, and many tasks with nothing to do now.
extension PostgresWork {
    private static let producers = 8

    /// Many queues with one task a second each, and their workers.
    struct Crowd {
        var queues = 1000
        var workers = 4
        var slots = 64
        var seconds: Int
    }

    /// One task a second in each of 1,000 queues. Measures milliseconds from the planned arrival to
    /// the start.
    func manyQueues(_ server: PostgresServer) throws -> [Figure] {
        let crowd = Crowd(seconds: max(2, bench.amount(20)))
        let title =
            "a task a second in each of \(crowd.queues) queues, \(crowd.workers) workers of "
            + "\(crowd.slots) slots, moment to start"
        var half = figure("\(title), p50", "ms")
        var late = figure("\(title), p99", "ms", .atMost(1000))
        for _ in 0..<bench.repetitions {
            let (store, address) = try Self.store(server)
            let lags = try Self.lags(store, address, crowd)
            store.close()
            half.samples.append(Figure.Sample(value: lags.percentile(50)))
            late.samples.append(Figure.Sample(value: lags.percentile(99)))
        }
        return [half, late]
    }

    private static func lags(
        _ store: PostgresStore, _ address: String, _ crowd: Crowd
    ) throws -> [Double] {
        for number in 0..<crowd.queues {
            try Workbench.control(store).performBlocking(.setQueue("q\(number)", []))
        }
        let lags = Protected(Lags())
        let children = try workers(address, crowd, lags)
        defer {
            lags.withLock { $0.areAll = true }
            for child in children { end(child) }
        }
        let begin = SystemClock.monotonicNanoseconds() + 100_000_000
        let threads = try (0..<producers).map { first in
            try Thread(name: "producer") { try? produce(store, first, crowd, from: begin) }
        }
        for thread in threads { thread.join() }
        let total = crowd.seconds * crowd.queues
        let end = SystemClock.monotonicMilliseconds() + 120_000
        while lags.withLock({ $0.values.count }) < total {
            guard SystemClock.monotonicMilliseconds() < end else {
                throw Workbench.Untrue(description: "tasks did not start")
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 10)
        }
        return lags.withLock { $0.values }
    }

    /// The delays reported by workers, and whether they suffice.
    private struct Lags {
        var values: [Double] = []
        var areAll = false
    }

    /// Starts them; `lags` collects their reports.
    private static func workers(
        _ address: String, _ crowd: Crowd, _ lags: Protected<Lags>
    ) throws -> [ChildProcess] {
        let own = try ProcessIdentity.executablePath()
        return try (0..<crowd.workers).map { _ in
            let child = try ChildProcess.spawn(
                Spawn(
                    own, ["__pg-lags\(crowd.slots)", address],
                    environment: ProcessIdentity.environment(), output: .pipe))
            guard let output = child.output else { return child }
            var reader = MomentReader(output)
            // The worker has attached.
            _ = try reader.next()
            _ = try Thread(name: "reader") { [reader] in
                var reader = reader
                // A slow process may report nothing for long.
                while !lags.withLock({ $0.areAll }) {
                    guard let lag = try? reader.next() else { continue }
                    lags.withLock { $0.values.append(Double(lag) / 1e6) }
                }
            }
            return child
        }
    }

    private static func end(_ child: ChildProcess) {
        _ = try? child.signal(.kill)
        _ = try? Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 5000)
        _ = try? child.reap()
    }

    /// Hands each task over at its moment, or as soon after it as the store lets it.
    private static func produce(
        _ store: PostgresStore, _ first: Int, _ crowd: Crowd, from begin: UInt64
    ) throws {
        for second in 0..<crowd.seconds {
            for number in stride(from: first, to: crowd.queues, by: producers) {
                let place = UInt64(number) * 1_000_000_000 / UInt64(crowd.queues)
                let moment = begin + UInt64(second) * 1_000_000_000 + place
                let now = SystemClock.monotonicNanoseconds()
                if now < moment {
                    _ = try Poll.wait(
                        fds: [], timeoutMilliseconds: Int((moment - now) / 1_000_000))
                }
                let request = EnqueueRequest(type: "t", payload: Array("\(moment)".utf8))
                try Workbench.enqueue([request], to: "q\(number)", store)
            }
        }
    }

    /// How many transactions 100,000 waiting tasks and an idle worker cost the server in 30 s.
    func idle(_ server: PostgresServer) throws -> Figure {
        var figure = figure("transactions in 30 s with 100000 waiting and an idle worker", "")
        figure.base = "none"
        let (store, address) = try Self.store(server)
        let later = Timestamp(milliseconds: SystemClock.nowMilliseconds() + 86_400_000)
        var request = Workbench.request()
        request.notBefore = later
        let requests = Array(repeating: request, count: 10_000)
        for _ in 0..<10 { try Workbench.enqueue(requests, to: "q", store) }
        store.close()
        let own = try ProcessIdentity.executablePath()
        let child = try ChildProcess.spawn(
            Spawn(
                own, ["__pg-starts", address], environment: ProcessIdentity.environment(),
                output: .pipe))
        guard let output = child.output else { return figure }
        var reader = MomentReader(output)
        _ = try reader.next()
        // The server's background work is not part of the measurement.
        try server.run("ALTER SYSTEM SET autovacuum = off")
        try server.run("SELECT pg_reload_conf()")
        _ = try Poll.wait(fds: [], timeoutMilliseconds: 12_000)
        let before = try transactions(server)
        _ = try Poll.wait(fds: [], timeoutMilliseconds: 30_000)
        figure.samples.append(Figure.Sample(value: try transactions(server) - before))
        try server.run("ALTER SYSTEM RESET autovacuum")
        try server.run("SELECT pg_reload_conf()")
        try child.signal(.kill)
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 5000)
        _ = try child.reap()
        return figure
    }

    /// The number of transactions in all databases except the queried one.
    private func transactions(_ server: PostgresServer) throws -> Double {
        let sql =
            "SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database "
            + "WHERE datname <> 'postgres'"
        return Double(try server.value(of: sql)) ?? 0
    }
}

/// A handler that writes how long after the moment in its payload it starts, in nanoseconds.
struct LagHandler: TaskHandler {
    func start(_ execution: Execution, report: any ExecutionReport) -> any RunningExecution {
        let moment = UInt64(String(decoding: execution.payload, as: UTF8.self)) ?? 0
        let lag = SystemClock.monotonicNanoseconds() - moment
        try? Standard.write("\(lag)\n", to: .output)
        report.finish(.success(result: nil))
        return MomentHandler.Done()
    }
}

import SluiceModel
import SluiceRunner
import SluiceSQL
import SluiceStore
import SluiceSystem

/// W4: from before an enqueue in one process to the start of the handler in an idle worker.
struct WakeWork: Work {
    static let rows = ["W4"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        var half = Figure(
            id: "W4", title: "enqueue to start in an idle worker, p50", unit: "ms",
            goal: .atMost(0.7))
        var late = Figure(
            id: "W4", title: "enqueue to start, p99 (ratio to the loop's p50)", unit: "ms",
            goal: .atMost(3))
        for _ in 0..<bench.repetitions {
            let count = bench.amount(400)
            let bare = try raw(.bare, count: count)
            let own = try raw(.own, count: count)
            let (store, path) = try bench.newStore()
            let times = try Self.times(count: count, queue: "q", store, path)
            half.samples.append(
                Figure.Sample(value: times.percentile(50), bare: bare, own: own))
            late.samples.append(
                Figure.Sample(value: times.percentile(99), bare: bare, own: own))
        }
        try tell(half)
        try tell(late)
    }

    private func raw(_ tables: RawLoop.Tables, count: Int) throws -> Double {
        let loop = try bench.raw(tables)
        defer { loop.close() }
        return try loop.wake(first: 1, count: count).percentile(50)
    }

    /// Milliseconds from each enqueue to its start by an idle worker; closes the store.
    static func times(
        count: Int, queue: String, _ store: any QueueStore, _ path: String,
        word: String = "__starts"
    ) throws -> [Double] {
        let own = try ProcessIdentity.executablePath()
        let child = try ChildProcess.spawn(
            Spawn(
                own, [word, path], environment: ProcessIdentity.environment(),
                output: .pipe))
        guard let output = child.output else { return [] }
        var reader = MomentReader(output)
        _ = try reader.next()
        var times: [Double] = []
        for _ in 0..<count {
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 5)
            let before = SystemClock.monotonicNanoseconds()
            try Workbench.enqueue([Workbench.request()], to: queue, store)
            times.append(Double(try reader.next() - before) / 1e6)
        }
        try child.signal(.kill)
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 5000)
        _ = try child.reap()
        store.close()
        return times
    }
}

/// Moments that a worker writes, one on a line.
struct MomentReader {
    private let source: FileDescriptor
    private var bytes: [UInt8] = []

    init(_ source: FileDescriptor) { self.source = source }

    /// The next moment; throws where none comes for so long, or the other end is closed.
    mutating func next(withinMilliseconds limit: Int? = 10_000) throws -> UInt64 {
        while true {
            if let end = bytes.firstIndex(of: 10) {
                let text = String(decoding: bytes[..<end], as: UTF8.self)
                bytes.removeSubrange(...end)
                if let moment = UInt64(text) { return moment }
            }
            _ = try Poll.wait(
                fds: [PollInterest(source.number)], timeoutMilliseconds: limit)
            guard case .bytes(let more) = try source.read(atMost: 4096) else {
                throw Workbench.Untrue(description: "the worker said nothing")
            }
            bytes += more
        }
    }

    /// The remaining numbers, until the other end closes.
    mutating func rest() throws -> [UInt64] {
        var numbers: [UInt64] = []
        while case .bytes(let more) = try source.read(atMost: 4096) { bytes += more }
        while bytes.contains(10) { numbers.append(try next()) }
        return numbers
    }
}

/// A handler that writes the time of its start.
struct MomentHandler: TaskHandler {
    struct Done: RunningExecution {
        func stop() {}
        func kill() {}
    }

    func start(_ execution: Execution, report: any ExecutionReport) -> any RunningExecution {
        try? Standard.write("\(SystemClock.monotonicNanoseconds())\n", to: .output)
        report.finish(.success(result: nil))
        return Done()
    }

    /// Works forever; writes one time after its attach.
    static func serve(_ path: String) throws {
        try serve(SQLiteStore.open(path: path))
    }

    /// The same with a store of any engine.
    static func serve(
        _ store: any QueueStore, by handler: any TaskHandler = MomentHandler(), slots: Int = 8
    ) throws {
        var options = RunnerOptions()
        options.slots = slots
        let runner = try Runner(
            store: store, types: nil, handlers: { _ in handler }, options: options)
        try runner.start()
        try Standard.write("0\n", to: .output)
        runner.wait()
    }
}

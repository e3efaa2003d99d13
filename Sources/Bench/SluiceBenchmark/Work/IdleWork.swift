import SluiceModel
import SluiceRunner
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTestSupport

/// W6: what a worker costs that has nothing to do, and what the library costs an app.
struct IdleWork: Work {
    static let rows = ["W6"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        var memory = Figure(
            id: "W6", title: "idle worker, memory", unit: "MB", goal: .atMost(20))
        var processor = Figure(
            id: "W6", title: "idle worker, processor", unit: "ms/s", goal: .atMost(0))
        var wakes = Figure(
            id: "W6", title: "idle worker, wake-ups", unit: "1/s", goal: .atMost(0))
        var app = Figure(
            id: "W6", title: "library in an app, more memory than without it", unit: "MB",
            goal: .within(8))
        app.base = "the app without it"
        for _ in 0..<bench.repetitions {
            let (store, path) = try bench.newStore()
            store.close()
            let rest = try Self.rest(["__idle", path], seconds: bench.divisor == 1 ? 5 : 2)
            memory.samples.append(Figure.Sample(value: rest.megabytes))
            processor.samples.append(Figure.Sample(value: rest.millisecondsPerSecond))
            wakes.samples.append(Figure.Sample(value: rest.wakesPerSecond))
            let without = try Self.rest(["__app"], seconds: 0)
            let with = try Self.rest(["__app", path], seconds: 0)
            app.samples.append(Figure.Sample(value: with.megabytes, bare: without.megabytes))
        }
        for figure in [memory, processor, wakes, app] { try tell(figure) }
    }

    /// Starts this program, lets it come to rest and looks at it for a while.
    private static func rest(_ words: [String], seconds: Int) throws -> Rest {
        let child = try ChildProcess.spawn(
            Spawn(
                try ProcessIdentity.executablePath(), words,
                environment: ProcessIdentity.environment(), output: .pipe))
        guard let output = child.output else {
            throw Workbench.Untrue(description: "\(words) has no output")
        }
        var reader = MomentReader(output)
        _ = try reader.next()
        defer {
            _ = try? child.signal(.kill)
            _ = try? Poll.wait(
                fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 5000)
            _ = try? child.reap()
        }
        return try Rest(of: child.processID, seconds: seconds)
    }
}

/// The resources of an idle process.
struct Rest {
    var megabytes: Double
    var millisecondsPerSecond = 0.0
    var wakesPerSecond = 0.0

    /// Waits until the process is idle, then measures for some seconds. A start may take long on a
    /// busy host, so it waits up to ten seconds.
    init(of process: Int32, seconds: Int) throws {
        var before = try ProcessUse(of: process)
        for _ in 0..<10 {
            let former = before
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 1000)
            before = try ProcessUse(of: process)
            if before.wakes == former.wakes { break }
        }
        if seconds > 0 { _ = try Poll.wait(fds: [], timeoutMilliseconds: seconds * 1000) }
        let after = try ProcessUse(of: process)
        megabytes = Double(after.residentKiB) / 1024
        guard seconds > 0 else { return }
        // A tick of the kernel is ten milliseconds.
        millisecondsPerSecond = Double(after.ticks - before.ticks) * 10 / Double(seconds)
        wakesPerSecond = Double(after.wakes - before.wakes) / Double(seconds)
    }
}

enum IdleProgram {
    /// A worker of an empty store.
    static func rest(_ path: String?) throws {
        guard let path else { return }
        let store = try SQLiteStore.open(path: path)
        let runner = try Runner(store: store, types: nil, handlers: { _ in MomentHandler() })
        try runner.start()
        try Standard.write("0\n", to: .output)
        runner.wait()
    }

    /// An app that has enqueued some tasks and works them off; without a path the same app without
    /// the library.
    static func app(_ path: String?) throws {
        guard let path else {
            try Standard.write("0\n", to: .output)
            _ = try Poll.wait(fds: [], timeoutMilliseconds: nil)
            return
        }
        let store = try SQLiteStore.open(path: path)
        let requests = Array(repeating: Workbench.request(), count: 100)
        try Workbench.enqueue(requests, to: "q", store)
        try rest(path)
    }
}

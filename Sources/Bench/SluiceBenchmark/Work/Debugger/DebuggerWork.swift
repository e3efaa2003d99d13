import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTestSupport

/// D: the debugger's cost for workers. Alternates drains of a plain store with drains under
/// breakpoints and faults without matches, a frozen clock, or a recording.
struct DebuggerWork: Work {
    static let rows = ["D"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        for (title, verbs) in try settings() {
            var figure = Figure(
                id: "D", title: "drain with \(title), processor time of a task", unit: "µs",
                goal: .atMost(1.2))
            figure.base = "the same with nothing set"
            for _ in 0..<bench.repetitions {
                let bare = try drain([]).microseconds
                let own = try drain(verbs).microseconds
                figure.samples.append(Figure.Sample(value: own, bare: bare))
            }
            try tell(figure)
        }
        try measureRecording(tell)
        try DebuggedStoreWork(bench: bench).measure(tell)
        try FilterWork(bench: bench).measure(tell)
        try TapeWork(bench: bench).measure(tell)
    }

    /// The debugger settings by name; no breakpoint or fault matches a task.
    private func settings() throws -> [(title: String, verbs: [Verb])] {
        func breaks(_ filter: (Int) -> String) throws -> [Verb] {
            try (1...100).map { .setBreakpoint(BreakRequest(try TaskFilter(filter($0)))) }
        }
        let types = try breaks { "type:other\($0)" }
        let faults = try (1...20).map { number in
            Verb.setFault(FaultRequest(try TaskFilter("type:other\(number)"), .fail(nil)))
        }
        return [
            ("100 breakpoints by type", types),
            ("100 breakpoints by payload", try breaks { "payload.user.id=-\($0)" }),
            ("100 breakpoints by attempts", try breaks { "attempts>\($0)" }),
            ("20 faults by type", faults),
            ("100 breakpoints and 20 faults", types + faults),
            ("a clock that stands", [.setClock(ClockRequest(.freeze))]),
        ]
    }

    private func measureRecording(_ tell: (Figure) throws -> Void) throws {
        var speed = Figure(
            id: "D", title: "drain beside a recording", unit: "tasks/s", goal: .atLeast(0.8))
        var time = Figure(
            id: "D", title: "drain beside a recording, processor time of a task", unit: "µs")
        (speed.base, time.base) = ("the same without one", "the same without one")
        for _ in 0..<bench.repetitions {
            let bare = try drain([])
            let own = try drain([], isRecorded: true)
            speed.samples.append(Figure.Sample(value: own.rate, bare: bare.rate))
            time.samples.append(Figure.Sample(value: own.microseconds, bare: bare.microseconds))
        }
        try tell(speed)
        try tell(time)
    }

    /// Drains a store after these verbs; returns tasks per second, and the worker's processor time
    /// per task.
    private func drain(
        _ verbs: [Verb], isRecorded: Bool = false
    ) throws -> (rate: Double, microseconds: Double) {
        let count = bench.amount(100_000)
        let (store, path) = try bench.newStore([.concurrency(64)])
        let recorder = isRecorded ? try record(store, path) : nil
        let requests = (1...count).map { number in
            EnqueueRequest(
                type: "t",
                payload: Array("{\"user\":{\"id\":\(number)},\"name\":\"kim\"}".utf8))
        }
        try Workbench.enqueue(requests, to: "q", store)
        for verb in verbs { try Workbench.control(store).performBlocking(verb) }
        if isRecorded { try wait(for: store) { try $0.recorded(limit: 1).isEmpty } }
        store.close()
        var ticks = 0
        let seconds = try Workbench.seconds {
            let words = ["__worker", path, "64"]
            for child in try Worker.start(1, words) { ticks += try Worker.end(child, words) }
        }
        if let recorder {
            try recorder.signal(.terminate)
            try Worker.end(recorder, ["record"])
            try Files.remove("\(path).tape")
        }
        try Workbench.prove(path, waiting: 0)
        try Files.remove(path)
        return (Double(count) / seconds, Double(ticks) * 10_000 / Double(count))
    }

    private func record(_ store: SQLiteStore, _ path: String) throws -> ChildProcess {
        let recorder = try ChildProcess.spawn(
            Spawn(
                try bench.programs().sluice, ["record", "\(path).tape", "--store", path],
                environment: ProcessIdentity.environment(), output: .null, errors: .null))
        try wait(for: store) { try $0.storeRecord().recording != nil }
        return recorder
    }

    private func wait(
        for store: SQLiteStore, _ isSo: @escaping @Sendable (any StoreReader) throws -> Bool
    ) throws {
        for _ in 0..<12_000 {
            if try store.readBlocking(isSo) { return }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 5)
        }
        throw Workbench.Untrue(description: "\(store.name) was not recorded within a minute")
    }
}

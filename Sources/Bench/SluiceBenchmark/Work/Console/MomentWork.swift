import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// W7: many tasks due at one moment, compared with 1,000.
struct MomentWork: Work {
    static let rows = ["W7"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        var start = Figure(
            id: "W7", title: "1,000,000 due at once: first start after their moment", unit: "ms",
            goal: .atMost(50))
        var wait = Figure(
            id: "W7", title: "1,000,000 due at once: another's longest wait for a commit",
            unit: "ms", goal: .atMost(50))
        for index in [0, 1] {
            let base = "the same where 1,000 are"
            if index == 0 { start.base = base } else { wait.base = base }
        }
        (start.goalIsOfValue, wait.goalIsOfValue) = (true, true)
        for _ in 0..<bench.repetitions {
            let few = try look(1000)
            let many = try look(bench.amount(1_000_000))
            start.samples.append(Figure.Sample(value: many.start, bare: few.start))
            wait.samples.append(Figure.Sample(value: many.wait, bare: few.wait))
        }
        try tell(start)
        try tell(wait)
    }

    /// The milliseconds from the moment to the first start. Also the longest commit of another
    /// process, from before the moment until 2 s after it.
    private func look(_ count: Int) throws -> (start: Double, wait: Double) {
        let (store, path) = try bench.newStore([.concurrency(8)])
        let moment = Workbench.now() + 2000 + Int64(count) / 20
        try fill(store, count, moment)
        guard Workbench.now() + 500 < moment else {
            throw Workbench.Untrue(description: "\(count) tasks took longer than their moment")
        }
        let own = try ProcessIdentity.executablePath()
        let child = try ChildProcess.spawn(
            Spawn(
                own, ["__starts", path], environment: ProcessIdentity.environment(), output: .pipe))
        guard let output = child.output else { return (0, 0) }
        let first = Protected<UInt64?>(nil)
        let reading = try Thread(name: "starts") {
            var reader = MomentReader(output)
            _ = try? reader.next()
            while let start = try? reader.next(withinMilliseconds: nil) {
                first.withLock { $0 = $0 ?? start }
            }
        }
        let due =
            SystemClock.monotonicNanoseconds()
            + UInt64(max(0, moment - Workbench.now())) * 1_000_000
        let longest = try waits(until: due + 2_000_000_000, from: due - 200_000_000, store)
        try child.signal(.kill)
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 5000)
        _ = try child.reap()
        reading.join()
        store.close()
        try Files.remove(path)
        guard let start = first.withLock({ $0 }) else {
            throw Workbench.Untrue(description: "nothing of \(count) started within 2 s")
        }
        return (Double(Int64(start) - Int64(due)) / 1e6, longest)
    }

    private func fill(_ store: SQLiteStore, _ count: Int, _ moment: Timestamp) throws {
        for first in stride(from: 0, to: count, by: 10_000) {
            var request = Workbench.request()
            request.notBefore = moment
            let size = min(10_000, count - first)
            try Workbench.enqueue(Array(repeating: request, count: size), to: "q", store)
        }
    }

    private func waits(
        until end: UInt64, from begin: UInt64, _ store: SQLiteStore
    ) throws -> Double {
        var longest: UInt64 = 0
        while true {
            let before = SystemClock.monotonicNanoseconds()
            guard before < end else { return Double(longest) / 1e6 }
            if before >= begin {
                // It never starts, so every start belongs to a due task.
                var request = Workbench.request()
                request.notBefore = Workbench.now() + 86_400_000
                try Workbench.enqueue([request], to: "beside", store)
                longest = max(longest, SystemClock.monotonicNanoseconds() - before)
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 2)
        }
    }
}

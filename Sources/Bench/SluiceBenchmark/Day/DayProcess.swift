import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem

/// The processes of a day: producers and workers.
enum DayProcess {
    /// Works a store until standard input ends. Records each execution in four bytes: the task's
    /// number and the handler's outcome.
    static func work(_ place: String, testimony: String) throws {
        let store = try DayStore.open(place)
        let witness = try DayWitness(testimony)
        var options = RunnerOptions()
        options.slots = DayPlan.slots
        options.housekeepingMilliseconds /= DayPlan.squeeze
        let runner = try Runner(
            store: store, types: nil, handlers: { _ in DayHandler(witness: witness) },
            options: options)
        try runner.start()
        _ = try Standard.readAll(limitBytes: 16)
        runner.stop()
        runner.wait()
        try witness.end()
        store.close()
    }

    /// Enqueues the tasks of one of two producers; waits while the backlog exceeds the hour's
    /// limit.
    static func produce(_ place: String, tasks: Int, half: Int) throws {
        let store = try DayStore.open(place)
        let plan = DayPlan(tasks: tasks)
        let batches = (tasks + DayPlan.batch - 1) / DayPlan.batch
        var longest: UInt64 = 0
        for batch in stride(from: half, to: batches, by: 2) {
            let limit = plan.backlog(at: Double(batch) / Double(batches))
            while try waiting(store) >= limit {
                _ = try Poll.wait(fds: [], timeoutMilliseconds: 20)
            }
            let now = Workbench.now()
            let numbers = batch * DayPlan.batch..<min(tasks, (batch + 1) * DayPlan.batch)
            let requests = numbers.map { DayPlan.request($0, at: now) }
            let start = SystemClock.monotonicNanoseconds()
            try Workbench.enqueue(requests, to: DayPlan.queue(ofBatch: batch), store)
            longest = max(longest, SystemClock.monotonicNanoseconds() - start)
        }
        store.close()
        try Standard.write("\(longest / 1_000_000)\n", to: .output)
    }

    static func waiting(_ store: any QueueStore) throws -> Int {
        try store.readBlocking { reader in
            try DayPlan.queues.reduce(0) { sum, queue in
                let counts = try reader.counts(queue: queue.name)
                return sum + counts[.waiting] + counts[.running]
            }
        }
    }
}

/// A handler that returns immediately with the planned outcome of its task.
private struct DayHandler: TaskHandler {
    struct Done: RunningExecution {
        func stop() {}
        func kill() {}
    }

    let witness: DayWitness

    func start(_ execution: Execution, report: any ExecutionReport) -> any RunningExecution {
        let digits = execution.payload.filter { (48...57).contains($0) }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
        let outcome = DayPlan.outcome(of: number, execution: execution.number)
        witness.note(number, outcome)
        report.finish(outcome)
        return Done()
    }
}

/// Records executions outside the store.
final class DayWitness: Sendable {
    private struct Notes {
        var file: FileDescriptor
        var bytes: [UInt8] = []
        var failure: SystemError?
    }

    private let notes: Protected<Notes>
    private static let bufferBytes = 1 << 12

    init(_ path: String) throws { notes = Protected(Notes(file: try Files.create(path))) }

    func note(_ number: Int, _ outcome: HandlerOutcome) {
        let code: UInt32 =
            switch outcome {
            case .success: 1
            case .giveUp: 2
            default: 3
            }
        let word = UInt32(number) << 2 | code
        notes.withLock { notes in
            for shift in stride(from: 0, to: 32, by: 8) {
                notes.bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(shift)))
            }
            guard notes.bytes.count >= Self.bufferBytes else { return }
            Self.write(&notes)
        }
    }

    func end() throws {
        let failure = notes.withLock { notes -> SystemError? in
            Self.write(&notes)
            return notes.failure
        }
        if let failure { throw failure }
    }

    private static func write(_ notes: inout Notes) {
        do throws(SystemError) {
            try notes.file.writeAll(notes.bytes)
        } catch {
            notes.failure = error
        }
        notes.bytes.removeAll(keepingCapacity: true)
    }

    /// Whether every task was settled exactly once, by what all workers wrote down; throws with
    /// the first that was not.
    static func judge(_ paths: [String], tasks: Int) throws -> Int {
        var ends = [UInt8](repeating: 0, count: tasks)
        var executions = 0
        for path in paths {
            let bytes = try Files.read(path, limitBytes: 1 << 28)
            for place in stride(from: 0, to: bytes.count - 3, by: 4) {
                let word = (0..<4).reduce(UInt32(0)) {
                    $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1)
                }
                let number = Int(word >> 2)
                executions += 1
                guard number < tasks else {
                    throw Workbench.Untrue(description: "an unknown task ran: \(number)")
                }
                if word & 3 < 3 { ends[number] &+= 1 }
            }
        }
        if let lost = ends.firstIndex(of: 0) {
            throw Workbench.Untrue(description: "task \(lost) was lost")
        }
        if let twice = ends.firstIndex(where: { $0 > 1 }) {
            throw Workbench.Untrue(description: "task \(twice) ended \(ends[twice]) times")
        }
        return executions
    }
}

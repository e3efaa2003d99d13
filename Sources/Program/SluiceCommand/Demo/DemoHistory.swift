import SluiceModel
import SluiceStore

/// The hour before the scene: rates, durations and outcomes of each queue, and ten failed tasks. It
/// applies the rules at simulated times.
struct DemoHistory {
    /// A task with its attempts.
    private struct Entry {
        var queue: String
        var request: EnqueueRequest
        var attempts: [Attempt]
    }
    /// When an attempt began, in milliseconds back from the scene, how long it took, and its error;
    /// one without an error succeeds.
    private struct Attempt {
        var before: Int64
        var duration: Int64
        var error: String?
    }
    private var entries: [Entry] = []

    /// Adds a queue's activity in a range of seconds before the scene: about one task every `every`
    /// seconds. One task in `failing` fails first.
    mutating func add(
        _ queue: String, _ tasks: [(type: String, payload: JSONValue)],
        secondsAgo: ClosedRange<Int64>,
        every: Int64, milliseconds: ClosedRange<Int64>, failing: Int, error: String,
        _ random: inout SeededGenerator
    ) {
        var moment = secondsAgo.upperBound * 1000
        while moment > secondsAgo.lowerBound * 1000 {
            let task = tasks[Int.random(in: 0..<tasks.count, using: &random)]
            let request = EnqueueRequest(type: task.type, payload: task.payload.bytes)
            let duration = Int64.random(in: milliseconds, using: &random)
            var attempts = [Attempt(before: moment, duration: duration)]
            if Int.random(in: 0..<failing, using: &random) == 0 {
                // It ends before the second one begins.
                let first = Attempt(
                    before: moment + max(25_000, duration * 2), duration: duration * 2,
                    error: error)
                attempts.insert(first, at: 0)
            }
            entries.append(Entry(queue: queue, request: request, attempts: attempts))
            moment -= Int64.random(in: every * 400...every * 1600, using: &random)
        }
    }

    /// Adds a task that failed `secondsAgo` before the scene, after its third attempt.
    mutating func addFailed(
        _ queue: String, _ type: String, _ payload: JSONValue, _ error: String, secondsAgo: Int64
    ) {
        var request = EnqueueRequest(type: type, payload: payload.bytes)
        request.attemptLimit = 3
        let attempts = (0..<3).map { number in
            Attempt(
                before: (secondsAgo + 150 - 60 * number) * 1000, duration: 30_000, error: error)
        }
        entries.append(Entry(queue: queue, request: request, attempts: attempts))
    }

    /// Lets it all happen, in the order of the ends.
    func happen(in store: any StoreWriter, before now: Timestamp) throws {
        let all = entries.enumerated().flatMap { place, entry in
            entry.attempts.map { (place: place, attempt: $0) }
        }.sorted { left, right in
            let (one, other) = (left.attempt, right.attempt)
            return (one.duration - one.before, left.place)
                < (other.duration - other.before, right.place)
        }
        let runner = ProcessRecord.gone(try store.reserveNumber())
        var ids: [Int: TaskID] = [:]
        for (place, attempt) in all {
            let entry = entries[place]
            let begin = now + -attempt.before
            let lease = try store.transact(at: begin) { mutation -> (TaskID, Int64)? in
                let id =
                    try ids[place] ?? mutation.enqueue([entry.request], to: entry.queue).ids.first
                guard let id, let task = try mutation.store.task(id) else { return nil }
                ids[place] = id
                let claimed = try mutation.start(task, runner: runner, isStep: false)
                return claimed.task.running.map { (id, $0.token) }
            }
            guard let (id, token) = lease else { continue }
            let outcome: HandlerOutcome =
                attempt.error.map { .retry(afterMilliseconds: nil, error: $0) }
                ?? .success(result: nil)
            _ = try store.transact(at: begin + attempt.duration) { mutation in
                try mutation.settle([
                    Completion(task: id, token: token, ending: .handler(outcome))
                ])
            }
        }
    }
}

extension ProcessRecord {
    /// The record of a former process for earlier attempts.
    fileprivate static func gone(_ id: ProcessID) -> ProcessRecord {
        ProcessRecord(
            id: id, role: .runner, host: "desk", bootID: "", pid: 0, lockName: "",
            attachedAt: Timestamp(milliseconds: 0))
    }
}

import SluiceModel
import SluiceStore

/// What ran in the hour before the scene: rates, durations and outcomes, the last hour of each
/// queue and ten tasks that were given up. It goes by the rules, at its own moments.
struct DemoHistory {
    /// A task that came, was attempted and ended.
    struct Entry {
        var queue: String
        var request: EnqueueRequest
        /// Milliseconds from the scene back to the begin of each attempt, how long it took, and
        /// its error; the last one without an error succeeds.
        var attempts: [(before: Int64, duration: Int64, error: String?)]
    }
    private(set) var entries: [Entry] = []

    /// Adds what a queue did from so many seconds before the scene until so many: a task each
    /// `every` seconds or so, one in `failing` with a failure first.
    mutating func add(
        _ queue: String, _ tasks: [(type: String, payload: JSONValue)],
        secondsAgo: ClosedRange<Int64>,
        every: Int64, milliseconds: ClosedRange<Int64>, failing: Int, error: String,
        _ random: inout SeededGenerator
    ) {
        var moment = secondsAgo.upperBound * 1000
        while moment > secondsAgo.lowerBound * 1000 {
            let task = tasks[Int.random(in: 0..<tasks.count, using: &random)]
            var request = EnqueueRequest(type: task.type, payload: task.payload.bytes)
            request.label = "before"
            let duration = Int64.random(in: milliseconds, using: &random)
            var attempts: [(before: Int64, duration: Int64, error: String?)] = []
            if Int.random(in: 0..<failing, using: &random) == 0 {
                attempts.append((moment + 25_000, duration * 2, error))
            }
            attempts.append((moment, duration, nil))
            entries.append(Entry(queue: queue, request: request, attempts: attempts))
            moment -= Int64.random(in: every * 400...every * 1600, using: &random)
        }
    }

    /// Adds a task that was given up so many seconds before the scene, after its third attempt.
    mutating func addFailed(
        _ queue: String, _ type: String, _ payload: JSONValue, _ error: String, secondsAgo: Int64
    ) {
        var request = EnqueueRequest(type: type, payload: payload.bytes)
        request.attemptLimit = 3
        let attempts = (0..<3).map { number in
            (before: (secondsAgo + 150 - 60 * number) * 1000, duration: Int64(30_000), error: error)
        }
        entries.append(
            Entry(
                queue: queue, request: request,
                attempts: attempts.map { ($0.before, $0.duration, $0.error) }))
    }

    /// Lets it all happen, in the order of the ends.
    func happen(in store: any StoreWriter, before now: Timestamp) throws {
        let ends = entries.indices.flatMap { entry in
            entries[entry].attempts.indices.map { (entry: entry, attempt: $0) }
        }.sorted { left, right in
            let (one, other) = (
                entries[left.entry].attempts[left.attempt],
                entries[right.entry].attempts[right.attempt]
            )
            return (other.before - other.duration, left.entry)
                < (one.before - one.duration, right.entry)
        }
        var ids: [Int: TaskID] = [:]
        for end in ends {
            let (entry, attempt) = (entries[end.entry], entries[end.entry].attempts[end.attempt])
            let begin = now + -attempt.before
            let lease = try store.transact(at: begin) { mutation -> (TaskID, Int64)? in
                let id =
                    try ids[end.entry]
                    ?? mutation.enqueue([entry.request], to: entry.queue).ids
                    .first
                guard let id, let task = try mutation.store.task(id) else { return nil }
                ids[end.entry] = id
                let claimed = try mutation.start(task, runner: Self.runner, isStep: false)
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

    /// Whoever ran it is gone.
    private static let runner = ProcessRecord(
        id: 0, role: .runner, host: "desk", bootID: "", pid: 0, lockName: "",
        attachedAt: Timestamp(milliseconds: 0))
}

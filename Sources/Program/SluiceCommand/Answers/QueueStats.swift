import SluiceControl
import SluiceModel
import SluiceStore

/// Counts, rates and times of one queue in the last hour, as `stats` shows them.
struct QueueStats: Hashable, Sendable {
    static let windowMilliseconds: Int64 = 3_600_000
    let name: String
    /// How many tasks it holds.
    let counts: QueueCounts
    /// The number of running tasks that have lost their runner (A2).
    let lost: Int
    /// Executions that ended in the window.
    let attempts: Int
    /// The number of successful attempts in the window.
    let succeeded: Int
    /// How long they took.
    private let durations: DurationTally

    /// The figures of a queue at one moment.
    init(_ queue: QueueRecord, reading: Reading) throws {
        name = queue.name
        counts = try reading.store.counts(queue: queue.name)
        lost = try reading.lostTasks(of: queue.name, counts)
        let ended = try reading.store.endedCounts(
            .attempts, queue: queue.name, since: reading.now + -Self.windowMilliseconds)
        var (all, succeeded, durations) = (0, 0, DurationTally())
        for end in ended {
            guard case .attempts(let outcome, let duration) = end.what else { continue }
            all += end.total
            if outcome == .succeeded { succeeded += end.total }
            durations.add(end.total, duration)
        }
        (attempts, self.succeeded, self.durations) = (all, succeeded, durations)
    }

    /// An element of `stats`.
    var json: JSONValue {
        [
            "name": .string(name),
            "counts": QueueJSON.counts(counts, lost: lost),
            "attempts": JSONValue(attempts),
            "attemptsCapped": .bool(false),
            "succeeded": JSONValue(succeeded),
            "notSucceeded": JSONValue(attempts - succeeded),
            "p50Milliseconds": JSONValue(durations.percentile(0.5)),
            "p95Milliseconds": JSONValue(durations.percentile(0.95)),
        ]
    }

    static func lines(_ stats: [QueueStats], width: Int?) -> [String] {
        guard !stats.isEmpty else { return ["no queue yet"] }
        return TextTable<QueueStats>([
            .words("LAST HOUR", limit: 40) { $0.name },
            .numbers("WAITS") { "\($0.counts[.waiting] + $0.lost)" },
            .numbers("RUNS") { "\($0.counts[.running] - $0.lost)" },
            .numbers("FAILED") { "\($0.counts[.failed])" },
            .numbers("ATTEMPTS") { "\($0.attempts)" },
            .numbers("OK") { "\($0.succeeded)" },
            .numbers("NOT OK") { "\($0.attempts - $0.succeeded)" },
            .numbers("P50") { $0.durations.percentile(0.5).map(DurationText.about) ?? "-" },
            .numbers("P95") { $0.durations.percentile(0.95).map(DurationText.about) ?? "-" },
        ]).lines(stats, width)
    }
}

import SluiceControl
import SluiceModel
import SluiceStore

/// Counts, rates and times of one queue in the last hour, as `stats` shows them.
struct QueueStats: Hashable, Sendable {
    /// How far back executions are looked at.
    static let windowMilliseconds: Int64 = 3_600_000
    /// How many executions are looked at (K6).
    static let attemptLimit = 10_000

    /// The queue.
    let name: String
    /// How many tasks it holds.
    let counts: QueueCounts
    /// Executions that ended in the window.
    let attempts: Int
    /// Those of them that succeeded.
    let succeeded: Int
    /// How long executions took, sorted.
    private let durations: [Int64]

    /// The figures of a queue at one moment.
    init(_ queue: QueueRecord, reading: Reading) throws {
        name = queue.name
        counts = try reading.store.counts(queue: queue.name)
        let ended = try reading.store.endedAttempts(
            queue: queue.name, since: reading.now + -Self.windowMilliseconds,
            limit: Self.attemptLimit)
        attempts = ended.count
        succeeded = ended.count { $0.outcome == .success }
        durations = ended.compactMap { end in end.endedAt.map { $0 - end.startedAt } }.sorted()
    }

    /// The duration that this part of the executions did not exceed.
    private func percentile(_ part: Double) -> Int64? {
        guard !durations.isEmpty else { return nil }
        return durations[min(durations.count - 1, Int(Double(durations.count) * part))]
    }

    /// An element of `stats`.
    var json: JSONValue {
        [
            "name": .string(name),
            "counts": QueueJSON.counts(counts),
            "attempts": JSONValue(attempts),
            "attemptsCapped": .bool(attempts == Self.attemptLimit),
            "succeeded": JSONValue(succeeded),
            "notSucceeded": JSONValue(attempts - succeeded),
            "p50Milliseconds": JSONValue(percentile(0.5)),
            "p95Milliseconds": JSONValue(percentile(0.95)),
        ]
    }

    /// The queues as a table.
    static func lines(_ stats: [QueueStats], width: Int?) -> [String] {
        guard !stats.isEmpty else { return ["no queue yet"] }
        var table = TextTable([
            .words("LAST HOUR", limit: 40), .numbers("WAITS"), .numbers("RUNS"),
            .numbers("FAILED"), .numbers("ATTEMPTS"), .numbers("OK"), .numbers("NOT OK"),
            .numbers("P50"), .numbers("P95"),
        ])
        table.rows = stats.map { queue in
            [
                queue.name, "\(queue.counts[.waiting])", "\(queue.counts[.running])",
                "\(queue.counts[.failed])", "\(queue.attempts)", "\(queue.succeeded)",
                "\(queue.attempts - queue.succeeded)",
                queue.percentile(0.5).map(DurationText.short) ?? "-",
                queue.percentile(0.95).map(DurationText.short) ?? "-",
            ]
        }
        return table.lines(width)
    }
}

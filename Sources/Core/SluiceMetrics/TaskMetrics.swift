public import SluiceModel
import SluicePlatform
package import SluiceRunner
import SluiceStore

/// Counts of a process's runners by queue and type, since its first event.
public struct TaskMetrics: Hashable, Sendable {
    /// A queue and a type in it.
    public struct Kind: Hashable, Sendable, Comparable {
        /// The queue.
        public var queue: String
        /// The type.
        public var type: String

        /// A type in a queue.
        public init(queue: String, type: String) { (self.queue, self.type) = (queue, type) }

        /// By queue, then by type.
        public static func < (left: Kind, right: Kind) -> Bool {
            (left.queue, left.type) < (right.queue, right.type)
        }
    }
    /// The counts of one kind.
    public struct Figures: Hashable, Sendable {
        /// How many attempts began.
        public var started = 0
        /// How many attempts ended, by how.
        public var ended: [AttemptRecord.Outcome: Int] = [:]
        /// How long tasks had been due when they began.
        public var latency = MetricHistogram()
        /// How long attempts took.
        public var duration = MetricHistogram()

        /// Nothing yet.
        package init() {}
    }
    /// The maximum number of separate kinds; later ones share one entry.
    package static let kindLimit = 1_000
    /// The queue and type of that shared entry.
    package static let others = "(others)"

    /// The figures by kind.
    public private(set) var figures: [Kind: Figures] = [:]

    /// Nothing was done yet.
    package init() {}

    /// The counts of a kind; zeros if it has no events.
    public subscript(queue: String, type: String) -> Figures {
        figures[Kind(queue: queue, type: type)] ?? Figures()
    }

    /// Counts an event; says whether it counted anything.
    @discardableResult
    package mutating func record(_ event: RunnerEvent) -> Bool {
        switch event {
        case .started(let execution):
            change(execution.task.queue, execution.task.type) { figures in
                figures.started += 1
                guard let due = execution.dueMilliseconds else { return }
                figures.latency.add(milliseconds: due)
            }
            return true
        case .settled(let settled):
            guard let attempt = settled.attempt, let outcome = attempt.outcome else { return false }
            change(settled.queue, settled.type) { figures in
                figures.ended[outcome, default: 0] += 1
                guard let ended = attempt.endedAt else { return }
                figures.duration.add(milliseconds: max(0, ended - attempt.startedAt))
            }
            return true
        case .attached, .troubled, .told, .ended: return false
        }
    }

    private mutating func change(
        _ queue: String, _ type: String, _ body: (inout Figures) -> Void
    ) {
        var kind = Kind(queue: queue, type: type)
        if figures[kind] == nil, figures.count >= Self.kindLimit {
            kind = Kind(queue: Self.others, type: Self.others)
        }
        body(&figures[kind, default: Figures()])
    }

    /// The families of a format, whose names begin with `sluice_worker_`.
    package var families: [MetricFamily] {
        let all = figures.sorted { $0.key < $1.key }
        func histograms(_ path: KeyPath<Figures, MetricHistogram>) -> [MetricSeries] {
            all.map { kind, figures in
                let labels: KeyValuePairs = ["queue": kind.queue, "type": kind.type]
                return MetricSeries(labels, .histogram(figures[keyPath: path]))
            }
        }
        let started = all.map { kind, figures in
            MetricSeries(["queue": kind.queue, "type": kind.type], .number(figures.started))
        }
        let ended = all.flatMap { kind, figures in
            figures.ended.sorted { $0.key.rawValue < $1.key.rawValue }.map { outcome, count in
                MetricSeries(
                    ["queue": kind.queue, "type": kind.type, "outcome": outcome.rawValue],
                    .number(count))
            }
        }
        return [
            MetricFamily(
                "sluice_worker_attempts_started", .counter, help: "Attempts that began here.",
                started),
            MetricFamily(
                "sluice_worker_attempts_ended", .counter, help: "Attempts that ended, by how.",
                ended),
            MetricFamily(
                "sluice_worker_latency_seconds", .histogram, unit: "seconds",
                help: "From when a task was due until an attempt began.", histograms(\.latency)),
            MetricFamily(
                "sluice_worker_duration_seconds", .histogram, unit: "seconds",
                help: "How long attempts took.", histograms(\.duration)),
        ]
    }
}

/// Counts the metrics of a process; its runners may report from any thread.
package final class TaskMeter: Sendable {
    private struct State: Sendable {
        var metrics = TaskMetrics()
        var readers: [Int: AsyncStream<TaskMetrics>.Continuation] = [:]
        var last = 0
    }

    private let state = Protected(State())

    /// Creates a meter without counts.
    package init() {}

    /// The counts so far.
    package var metrics: TaskMetrics { state.withLock { $0.metrics } }

    /// Counts an event of a runner.
    package func record(_ event: RunnerEvent) {
        state.withLock { state in
            guard state.metrics.record(event) else { return }
            for reader in state.readers.values { reader.yield(state.metrics) }
        }
    }

    /// The counts, now and after each change. A slow reader receives only the newest.
    package func updates() -> AsyncStream<TaskMetrics> {
        let (stream, reader) = AsyncStream<TaskMetrics>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let key = state.withLock { state in
            state.last += 1
            state.readers[state.last] = reader
            reader.yield(state.metrics)
            return state.last
        }
        reader.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.readers.removeValue(forKey: key) }
        }
        return stream
    }
}

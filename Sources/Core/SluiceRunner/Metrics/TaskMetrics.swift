public import SluiceModel
package import SluiceStore
import SluiceSystem

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

extension QueueStore {
    /// The store's metrics at a moment, without runners whose processes have died.
    package func metricFamilies(at real: Timestamp) throws -> [MetricFamily] {
        let signs = VitalSigns(of: self)
        return try readBlocking { reader in
            try reader.metricFamilies(at: real, gone: reader.processes().filter(signs.isDead))
        }
    }
}

extension StoreReader {
    /// The store's metrics, in families whose names begin with `sluice_`; `real` is the real time.
    ///
    /// Ends of attempts cover the last hour, as far as the store keeps counts by queue. Each worker
    /// counts by type (`TaskMetrics`). Tasks of the dead runners in `gone` count as waiting (A2).
    package func metricFamilies(
        at real: Timestamp, gone: [ProcessRecord] = []
    ) throws -> [MetricFamily] {
        let record = try storeRecord()
        let now = record.time.time(at: real)
        let queues = try queues(.all).map(\.record).sorted { $0.name < $1.name }
        let runners = try processes().filter { process in
            process.role == .runner && !process.takesOnlyPermits
                && !gone.contains { $0.id == process.id }
        }
        return try taskFamilies(gone: gone) + [
            try oldestFamily(of: queues.map(\.name), at: now),
            MetricFamily(
                "sluice_queue_paused", .gauge,
                help: "Whether work of the queue is paused.",
                queues.map { queue in
                    let isPaused =
                        queue.isPaused(at: now, real: real)
                        || record.pauses.contains { $0.direction.stopsWork && $0.isActive(at: now) }
                    return MetricSeries(["queue": queue.name], .number(isPaused ? 1 : 0))
                }),
            MetricFamily(
                "sluice_runners", .gauge, help: "Attached workers.",
                [MetricSeries([:], .number(runners.count))]),
            MetricFamily(
                "sluice_runner_slots", .gauge, help: "How many tasks they run at a time.",
                [MetricSeries([:], .number(runners.reduce(0) { $0 + $1.slots }))]),
            MetricFamily(
                "sluice_build_info", .gauge, help: "The version of the program; always 1.",
                [MetricSeries(["version": Release.version], .number(1))]),
        ] + endFamilies(of: queues.map(\.name), at: real)
    }

    /// A queue without a waiting task has no series.
    private func oldestFamily(of queues: [String], at now: Timestamp) throws -> MetricFamily {
        let series = try queues.compactMap { queue -> MetricSeries? in
            let first = TaskQuery(queue: queue, state: .waiting, limit: 1)
            guard let task = try tasks(matching: first).first else { return nil }
            let seconds = max(0, now - task.createdAt) / 1000
            return MetricSeries(["queue": queue], .number(Int(seconds)))
        }
        return MetricFamily(
            "sluice_oldest_waiting_seconds", .gauge, unit: "seconds",
            help: "Age of the first waiting task of the queue.", series)
    }

    private func taskFamilies(gone: [ProcessRecord]) throws -> [MetricFamily] {
        let counts = try typeCounts().sorted { ($0.queue, $0.type) < ($1.queue, $1.type) }
        var lost: [[String]: Int] = [:]
        for process in gone {
            for task in try tasksRun(by: process.id) {
                lost[[task.queue, task.type], default: 0] += 1
            }
        }
        func series(_ path: KeyPath<TypeCount, Int>, lostCountAs sign: Int) -> [MetricSeries] {
            counts.map {
                let count = $0[keyPath: path] + sign * lost[[$0.queue, $0.type], default: 0]
                return MetricSeries(["queue": $0.queue, "type": $0.type], .number(count))
            }
        }
        let failed = Dictionary(grouping: try failureCounts(queue: nil)) { [$0.queue, $0.type] }
            .sorted { ($0.key[0], $0.key[1]) < ($1.key[0], $1.key[1]) }
        return [
            MetricFamily(
                "sluice_tasks_waiting", .gauge, help: "Waiting tasks.",
                series(\.waiting, lostCountAs: 1)),
            MetricFamily(
                "sluice_tasks_running", .gauge, help: "Tasks that run.",
                series(\.running, lostCountAs: -1)),
            MetricFamily(
                "sluice_tasks_failed", .gauge, help: "Tasks that failed and are kept.",
                failed.map { key, counts in
                    MetricSeries(
                        ["queue": key[0], "type": key[1]],
                        .number(counts.reduce(0) { $0 + $1.count }))
                }),
        ]
    }

    private func endFamilies(of queues: [String], at real: Timestamp) throws -> [MetricFamily] {
        var (ended, durations): ([MetricSeries], [MetricSeries]) = ([], [])
        let minutes = Int64(MetricWindow.minutes - 1)
        let since = real + -minutes * EndedCounts.minuteMilliseconds
        for queue in queues {
            var outcomes: [EndedOutcome: Int] = [:]
            var histogram = MetricHistogram()
            for counts in try endedCounts(.attempts, queue: queue, since: since) {
                guard case .attempts(let outcome, let duration) = counts.what else { continue }
                outcomes[outcome, default: 0] += counts.total
                histogram.add(milliseconds: duration.milliseconds, times: counts.total)
            }
            guard !outcomes.isEmpty else { continue }
            for outcome in EndedOutcome.allCases {
                ended.append(
                    MetricSeries(
                        ["queue": queue, "outcome": "\(outcome)"], .number(outcomes[outcome] ?? 0)))
            }
            durations.append(MetricSeries(["queue": queue], .histogram(histogram)))
        }
        return [
            MetricFamily(
                "sluice_hour_attempts", .gauge, help: "Attempts that ended in the last hour.",
                ended),
            MetricFamily(
                "sluice_hour_duration_seconds", .gaugeHistogram, unit: "seconds",
                help: "How long they took, at most a quarter more than it was.", durations),
        ]
    }
}

/// How far back a store's own figures go.
enum MetricWindow {
    /// The number of minutes, including the present one.
    static let minutes = 60
}

public import QueueModel
import QueueStore

/// A time that something waits for, as `timers` and view 3 show it.
public struct TimerLine: Hashable, Sendable {
    /// What ends or begins then.
    public enum Kind: String, Hashable, Sendable {
        case retry, notBefore, pause, run
    }
    /// The task, where it is one's.
    public var id: TaskID?
    /// The queue.
    public var queue: String
    /// The moment.
    public var at: Timestamp
    /// Since when it counts down.
    public var since: Timestamp
    /// What it is.
    public var kind: Kind
    /// The execution that comes next.
    public var attempt: Int?
    /// How many there may be.
    public var attemptLimit: Int?
}

/// One coming start, as `forecast` shows it (N3).
public struct ForecastLine: Hashable, Sendable {
    /// The task.
    public var id: TaskID
    /// Its type.
    public var type: String
    /// When it is expected; nil where something must be removed first.
    public var at: Timestamp?
    /// How many waiting tasks its failure would hold back.
    public var holdsBack: Int
}

extension Reading {
    /// How many timers are read (K6).
    public static let timerLimit = 10_000

    /// Every timer: retries, own not-before times, ends of pauses, next runs; the soonest first.
    public func timers(queue: String? = nil, limit: Int = 100) throws -> [TimerLine] {
        var lines: [TimerLine] = []
        let queues = try store.queues().filter { queue == nil || $0.name == queue }
        let limits = Dictionary(
            uniqueKeysWithValues: queues.map { ($0.name, $0.settings.attemptLimit) })
        for record in queues {
            for pause in record.activePauses(at: now) {
                guard let until = pause.until else { continue }
                lines.append(
                    TimerLine(queue: record.name, at: until, since: pause.since, kind: .pause))
            }
            let facts = try store.batchFacts(record, now: now)
            if let run = record.nextRun(facts, now: now), run > now, !record.isPaused(at: now) {
                let since = facts.firstFresh ?? record.lastRunEnd ?? now
                lines.append(TimerLine(queue: record.name, at: run, since: since, kind: .run))
            }
        }
        // Those that have passed wait for the next write of their queue, and are due.
        let passed = TimerCursor(at: now, id: .max)
        for task in try store.timers(queue: queue, after: passed, limit: limit) {
            guard let timer = task.waiting?.timer, timer.until > now else { continue }
            lines.append(
                TimerLine(
                    id: task.id, queue: task.queue, at: timer.until, since: timer.since,
                    kind: timer.cause == .retry ? .retry : .notBefore,
                    attempt: task.attempts + 1,
                    attemptLimit: task.attemptLimit ?? (limits[task.queue] ?? nil)))
        }
        return Array(lines.sorted { ($0.at, $0.id ?? 0) < ($1.at, $1.id ?? 0) }.prefix(limit))
    }

    /// The coming starts of a queue, in order, with what the failure of each would hold back (N3).
    /// Tasks that are due come first in the queue's order, then those that wait for a time, by it.
    public func forecast(queue name: String, limit: Int) throws -> (
        lines: [ForecastLine], more: Bool
    ) {
        let queue = try store.requireQueue(name)
        let page = try list(queue: name, sections: [.waiting], limit: limit * 4)
        let isStill = try overview(queue).pauses.contains { $0.direction.stopsWork }
        var due: [ForecastLine] = []
        var timed: [ForecastLine] = []
        for line in page {
            let holds = try heldBack(by: line.task)
            func start(_ at: Timestamp?) -> ForecastLine {
                ForecastLine(
                    id: line.task.id, type: line.task.type, at: isStill ? nil : at,
                    holdsBack: holds)
            }
            switch line.display {
            case .next, .due: due.append(start(now))
            case .retrying, .delayed: timed.append(start(line.task.waiting?.timer?.until))
            case .heldByGroup, .blocked: due.append(start(nil))
            default: break
            }
        }
        let all = due + timed.sorted { ($0.at ?? now) < ($1.at ?? now) }
        return (Array(all.prefix(limit)), all.count > limit)
    }

    /// What `heldBack` counts to.
    static let heldBackLimit = 10_000

    /// How many waiting members a start would hold back, counted to 10,000.
    public func heldBack(by task: QueueTask) throws -> Int {
        guard let group = task.groupStart else { return 0 }
        return try store.countWaitingMembers(
            queue: task.queue, group: group, after: task.position,
            limit: Self.heldBackLimit)
    }
}

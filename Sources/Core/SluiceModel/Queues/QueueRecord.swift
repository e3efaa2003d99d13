/// A queue as the store keeps it: settings, pauses, the open run, and what the next run needs.
package struct QueueRecord: Hashable, Sendable {
    /// The name, unique in the store.
    package var name: String
    /// Shared, because most queues of a store have the same settings.
    package var sharedSettings: SharedSettings
    /// At most one pause for each cause (D1).
    package var pauses: [Pause] = []
    /// The run that is open, if one is (Q4).
    package var run: Run?
    /// When the last run ended; what came later is fresh.
    package var lastRunEnd: Timestamp?
    /// Runs in succession that attempted something without one success.
    package var barrenRuns = 0
    /// Until when the starts so far are paid for by the rate, in microseconds of the store's clock
    /// (Q13); nil before the first start under a rate.
    package var paidUp: Int64?
    /// The same for each key of a rate that counts by keys, as far as it is not over.
    package var paidKeys = PaidKeys()
    /// The pending work of ended starts for their members (T2).
    package var wakes: [GroupWake] = []
    package var createdAt: Timestamp
    /// Grows with every change of settings, pauses and runs (T1).
    package var version: Int64 = 1

    package init(name: String, settings: QueueSettings = QueueSettings(), createdAt: Timestamp) {
        self.name = name
        sharedSettings = SharedSettings(settings)
        self.createdAt = createdAt
    }

    /// A new queue that shares the settings of another queue.
    package init(name: String, sharingSettingsOf other: QueueRecord, createdAt: Timestamp) {
        self.name = name
        sharedSettings = other.sharedSettings
        self.createdAt = createdAt
    }

    @inlinable package var settings: QueueSettings {
        _read { yield sharedSettings.value }
        _modify {
            var changed = sharedSettings.value
            defer { sharedSettings = SharedSettings(changed) }
            yield &changed
        }
    }
}

/// The settings of queues. They never change, so a read of one of them copies none.
package final class SharedSettings: Sendable {
    package let value: QueueSettings

    package init(_ value: QueueSettings) { self.value = value }
}

extension SharedSettings: Hashable {
    package static func == (left: SharedSettings, right: SharedSettings) -> Bool {
        left === right || left.value == right.value
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// One reason why a queue, or the store, starts nothing or takes nothing (D1).
public struct Pause: Hashable, Sendable {
    package enum Cause: String, Hashable, Sendable, CaseIterable {
        case person, handler, required, breakpoint, store
        /// An app for its own life: it ends with the app's process.
        case app
        /// Another store is getting the queue, or it came from there and is not whole yet (D13).
        case moving
        /// Another store has the queue: there its tasks run, and here they do not (D13).
        case moved
    }
    /// Which way it stops.
    public enum Direction: String, Hashable, Sendable, CaseIterable {
        case work, enqueues, both

        package var stopsWork: Bool { self != .enqueues }
        package var stopsEnqueues: Bool { self != .work }
    }
    /// The cause; `store` for a pause of the whole store.
    package var cause: Cause
    /// Who did it: a person, or a task's reference.
    public var by: String
    /// Why, in their words.
    public var reason: String?
    /// Since when.
    public var since: Timestamp
    /// Its own end; nil until `resume`.
    public var until: Timestamp?
    /// Which way it stops.
    public var direction: Direction
    /// The identity of the other store, where the cause is `moving` or `moved`.
    package var otherStore: String?
    /// The attached process with which it ends, where the cause is `app`.
    package var owner: ProcessID?
    package var isOfStore: Bool
    /// The hits of breakpoints that stopped the queue. The pause ends with the last of them (G1).
    package var hits: [BreakpointHit] = []

    package init(
        cause: Cause, by: String, reason: String?, since: Timestamp, until: Timestamp? = nil,
        direction: Direction = .work
    ) {
        self.cause = cause
        self.by = by
        self.reason = reason
        self.since = since
        self.until = until
        self.direction = direction
        isOfStore = cause == .store
    }

    /// Whether it ends later than it was to last: the clock was ahead when it was set, by more than
    /// a minute.
    package func isBeyondRule(at now: Timestamp) -> Bool {
        guard let until, cause != .breakpoint else { return false }
        return until > now && since - now > 60_000
    }

    /// Whether a second pause is one with this: of the same cause, and of the same app.
    package func isSame(as other: Pause) -> Bool { cause == other.cause && owner == other.owner }

    /// Whether it still applies at `now`, by the store's clock. A timed pause ends automatically. A
    /// breakpoint's pause ends in real time (G3).
    package func isActive(at now: Timestamp, real: Timestamp? = nil) -> Bool {
        let moment = cause == .breakpoint ? real ?? now : now
        return until.map { $0 > moment } ?? true
    }

    /// Joined with a second pause of the same cause: never shorter, never narrower (D1).
    package func joined(with second: Pause) -> Pause {
        if cause == .breakpoint {
            let rest = hits.filter { hit in
                !hit.isPassed && !second.hits.contains { $0.isSame(as: hit) }
            }
            return with(hits: rest + second.hits) ?? self
        }
        var joined = self
        if let ends = until, let later = second.until {
            joined.until = max(ends, later)
        } else {
            joined.until = nil
        }
        if second.direction != direction { joined.direction = .both }
        joined.reason = reason ?? second.reason
        return joined
    }
}

/// One pass of a batched or manual queue over its tasks (Q4).
package struct Run: Hashable, Sendable {
    package var number: Int64
    package var since: Timestamp
    /// How many executions it made.
    package var attempted = 0
    package var hadSuccess = false
    /// Its end, if a person opened it. `nil` if it opened automatically or by a step, or a pause
    /// stopped it since.
    package var limit: RunLimit?
    /// The starts that failed permanently in it and whose members wait until it ends (Q10).
    package var sitOuts: [TaskID] = []

    package init(number: Int64, since: Timestamp, limit: RunLimit? = nil) {
        self.number = number
        self.since = since
        self.limit = limit
    }
}

/// How far `run` goes (D4).
public enum RunLimit: Hashable, Sendable {
    case task(TaskID)
    case count(Int)
    case time(Timestamp)

    /// As far as there is something to attempt.
    package static let toItsEnd = RunLimit.count(.max)
    /// No automatic progress: only steps advance it.
    package static let stepsOnly = RunLimit.count(0)
}

extension Run {
    /// Whether a person opened it. It then continues through pauses that existed at its beginning,
    /// until a later pause stops it (D4).
    package var isAsked: Bool { limit.map { $0 != .stepsOnly } ?? false }

    /// Whether it has gone as far as it shall; the end of a named task is a count from its claim
    /// on.
    package func isSpent(at now: Timestamp) -> Bool {
        switch limit {
        case .count(let count): attempted >= count
        case .time(let moment): now >= moment
        case .task, nil: false
        }
    }
}

extension QueueRecord {
    /// The pauses that hold at `now`.
    package func activePauses(at now: Timestamp, real: Timestamp? = nil) -> [Pause] {
        pauses.filter { $0.isActive(at: now, real: real) }
    }

    /// Whether runs let runners start work. True if the queue needs no run, or if the open run is
    /// not left to steps (D3). A manual queue needs a person's run.
    package var goesOnByItself: Bool {
        guard let run else { return settings.start == .continuous }
        return settings.start == .manual ? run.isAsked : run.limit != .stepsOnly
    }

    /// Whether pauses, its own or the store's, keep runners from starting anything in it (B1, D4).
    package func isStopped(
        at now: Timestamp, real: Timestamp? = nil, storePauses: [Pause]
    ) -> Bool {
        guard run?.isAsked != true else { return false }
        return isPaused(at: now, real: real)
            || storePauses.contains { $0.direction.stopsWork && $0.isActive(at: now) }
    }

    /// The pause that says that another store has the queue, gets it or gives it (D13).
    package var move: Pause? { pauses.first { [.moving, .moved].contains($0.cause) } }

    /// Throws `notLegal` if the queue has moved, because its tasks would execute twice (D13).
    package func refuseElsewhere() throws(QueueError) {
        guard let move else { return }
        throw .notLegal(
            "\(name) is \(move.reason ?? move.cause.rawValue)",
            fix: "look there; sluice \(ShellWord.command("resume", name)) makes it work here again")
    }

    /// The present effect of a start's failure on its members. Without an open run, `skipRun` means
    /// `release` (Q10).
    package var whenStartFailsNow: StartFailurePolicy {
        let policy = settings.whenStartFails
        return policy == .skipRun && run == nil ? .release : policy
    }

    /// The network as a person forced it for this queue, else for the store (B6).
    package func forcedNetwork(else store: Bool?) -> Bool? { settings.forcedNetwork ?? store }

    /// Whether its own pauses stop work at `now`.
    package func isPaused(at now: Timestamp, real: Timestamp? = nil) -> Bool {
        pauses.contains { $0.direction.stopsWork && $0.isActive(at: now, real: real) }
    }
}

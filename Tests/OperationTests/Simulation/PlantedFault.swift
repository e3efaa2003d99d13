import SluiceModel
import SluiceStore

/// One rule broken on purpose. The commit also writes the effect of a faulty operation, or the
/// world performs the wrong action.
enum PlantedFault: String, CaseIterable, Sendable {
    /// Accepts a completion with any token (A1).
    case tokenUnchecked
    /// Reaps a live process (A2).
    case livingBuried
    /// Acknowledges a commit but loses it (P1).
    case commitLost
    /// The wait of a retry is forgotten (B3, Q7).
    case retryTimerForgotten
    /// A not-before of the task's own is forgotten (B3).
    case notBeforeForgotten
    /// The mark of a run is forgotten (B10).
    case runMarkForgotten
    /// Tasks are ordered by the time of their last change, newest first, not by position (N1).
    case orderedByTime
    /// A pause is forgotten (B1, D1).
    case pauseForgotten
    /// Forgets a start's hold on its members (B5).
    case groupForgotten
    /// A skip is forgotten (B4).
    case skipForgotten
    /// Forgets the concurrency limit (B8).
    case concurrencyForgotten
    /// Counted attempts are forgotten (Q7).
    case attemptsForgotten
    /// Makes a parked task due (B11).
    case parkingForgotten
    /// A task that ended in failure waits again (T2).
    case failureForgotten
    /// A breakpoint is forgotten (G1).
    case breakpointForgotten
    /// Forgets a breakpoint's pause of a queue (G1).
    case stopForgotten
    /// Lets a task pass a breakpoint permanently after one stop (G1).
    case passKept
    /// A fault is forgotten (G2).
    case faultForgotten
    /// How many attempts a fault took is forgotten (G2).
    case faultUncounted
    /// Injects a fault into tasks outside its filter (G2).
    case faultUnfiltered
    /// Injects the newest of several faults, not the oldest (G2).
    case faultNewestFirst
    /// Forgets the store's clock, so that waits use real time (G3).
    case clockForgotten
    /// Lets a stopped clock run (G3).
    case clockGoesOn
    /// Runs a clock with a rate at real speed (G3).
    case clockRateForgotten

    /// Leaves in a commit what the faulty operation would have left.
    func spoil(_ store: any StoreWriter) throws {
        switch self {
        case .tokenUnchecked, .livingBuried, .commitLost: return
        case .pauseForgotten: try forgetPauses(store)
        case .stopForgotten:
            try changeQueues(store) { $0.pauses.removeAll { $0.cause == .breakpoint } }
        case .breakpointForgotten, .passKept, .faultForgotten, .faultUncounted, .faultUnfiltered,
            .faultNewestFirst, .clockForgotten, .clockGoesOn, .clockRateForgotten:
            let before = try store.storeRecord()
            var record = before
            try spoil(&record)
            if record != before { try store.put(record) }
        case .concurrencyForgotten:
            try changeQueues(store) { $0.settings.concurrency = 4 }
        default:
            for name in World.queues {
                for state in [TaskState.Name.waiting, .failed] {
                    let tasks = try store.tasks(
                        matching: TaskQuery(queue: name, state: state, limit: 100))
                    let spoiled = tasks.map(spoiled)
                    let changed = zip(tasks, spoiled).filter { $0 != $1 }.map(\.1)
                    if !changed.isEmpty { try store.update(changed) }
                }
            }
        }
    }

    /// Spoils the debugger's data in the store's row.
    private func spoil(_ record: inout StoreRecord) throws {
        switch self {
        case .breakpointForgotten: record.breakpoints.all = []
        case .passKept:
            for index in record.breakpoints.all.indices {
                let breakpoint = record.breakpoints.all[index]
                for case .id(let ranges, _) in breakpoint.filter.expression.terms
                where breakpoint.hits > 0 {
                    record.breakpoints.all[index].passes = ranges.map(\.lowerBound)
                }
            }
        case .faultForgotten: record.faults.all = []
        case .faultUncounted:
            for index in record.faults.all.indices { record.faults.all[index].applied = 0 }
        case .faultUnfiltered:
            record.faults.all = try record.faults.all.map { fault in
                var wide = try Fault(
                    number: fault.number, filter: TaskFilter("attempts>=0"), kind: fault.kind,
                    limit: fault.limit, by: fault.by)
                (wide.matches, wide.applied) = (fault.matches, fault.applied)
                return wide
            }
        case .faultNewestFirst: record.faults.all.sort { $0.number > $1.number }
        case .clockForgotten: record.clock = nil
        case .clockGoesOn:
            guard let set = record.clock, case .frozen(let time) = set.time else { break }
            record.clock?.time = .rate(10, from: time, since: set.since)
        case .clockRateForgotten:
            guard case .rate(_, let from, let since) = record.clock?.time else { break }
            record.clock?.time = .offset(from - since)
        default: break
        }
    }

    private func spoiled(_ task: QueueTask) -> QueueTask {
        var task = task
        if case .failed = task.state, self == .failureForgotten { task.state = .waiting(Waiting()) }
        guard var waiting = task.waiting else { return task }
        switch self {
        case .retryTimerForgotten where waiting.timer?.cause == .retry: waiting.timer = nil
        case .notBeforeForgotten where waiting.timer?.cause == .notBefore: waiting.timer = nil
        case .runMarkForgotten: waiting.attemptedInRun = false
        case .skipForgotten: waiting.skip = nil
        case .parkingForgotten: waiting.parking = nil
        case .groupForgotten: task.isHeld = false
        case .attemptsForgotten: task.attempts = 0
        case .orderedByTime: task.position = 10_000_000_000_000 - task.updatedAt.milliseconds
        default: break
        }
        task.state = .waiting(waiting)
        return task
    }

    private func forgetPauses(_ store: any StoreWriter) throws {
        try changeQueues(store) { $0.pauses = [] }
        var record = try store.storeRecord()
        guard !record.pauses.isEmpty else { return }
        record.pauses = []
        try store.put(record)
    }

    private func changeQueues(
        _ store: any StoreWriter, _ change: (inout QueueRecord) -> Void
    ) throws {
        for before in try store.queues() {
            var queue = before
            change(&queue)
            if queue != before { try store.put(queue) }
        }
    }
}

/// Rolls back a commit but acknowledges it.
struct LostCommit<Value: Sendable>: Error {
    var value: Value
}

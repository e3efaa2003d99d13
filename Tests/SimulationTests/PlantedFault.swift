import SluiceModel
import SluiceStore

/// One rule broken on purpose: what a faulty operation would leave behind is put into the store in
/// the commit that it belongs to, or is done by the world instead of the right thing.
enum PlantedFault: String, CaseIterable, Sendable {
    /// A completion is taken whatever its token says (A1).
    case tokenUnchecked
    /// Somebody reaps a process that lives (A2).
    case livingBuried
    /// A commit is acknowledged and is not there (P1).
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
    /// What a start holds back is forgotten (B5).
    case groupForgotten
    /// A skip is forgotten (B4).
    case skipForgotten
    /// The limit of what runs at once is forgotten (B8).
    case concurrencyForgotten
    /// Counted attempts are forgotten (Q7).
    case attemptsForgotten
    /// What its handler or a person parked is due (B11).
    case parkingForgotten
    /// A task that ended in failure waits again (T2).
    case failureForgotten
    /// A breakpoint is forgotten (G1).
    case breakpointForgotten
    /// A fault is forgotten (G2).
    case faultForgotten
    /// How many attempts a fault took is forgotten (G2).
    case faultUncounted

    /// Leaves in a commit what the faulty operation would have left.
    func spoil(_ store: any StoreWriter) throws {
        switch self {
        case .tokenUnchecked, .livingBuried, .commitLost: return
        case .pauseForgotten: try forgetPauses(store)
        case .breakpointForgotten:
            var record = try store.storeRecord()
            record.breakpoints.all = []
            try store.put(record)
        case .faultForgotten: try changeFaults(store) { $0 = [] }
        case .faultUncounted:
            try changeFaults(store) { faults in
                for index in faults.indices { faults[index].applied = 0 }
            }
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

    private func changeFaults(
        _ store: any StoreWriter, _ change: (inout [Fault]) -> Void
    ) throws {
        var record = try store.storeRecord()
        change(&record.faults.all)
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

/// Undoes a commit that is acknowledged all the same.
struct LostCommit<Value: Sendable>: Error {
    var value: Value
}

import SluiceModel

/// Everything that the rules read about one queue at one moment, as plain values: the reference
/// against which every engine is held (N1).
struct Snapshot: Hashable, Sendable {
    var queue: QueueRecord
    var tasks: [QueueTask]
    var storePauses: [Pause] = []
    var forcedNetwork: Bool?
    var processes: [ProcessRecord] = []
    /// The tasks that a permit names.
    var permitted: Set<TaskID> = []
    /// The keys of tasks for a rate that counts by keys.
    var rateKeys: [TaskID: RateKey] = [:]
    var now: Timestamp

    /// A queue with its tasks at a moment.
    init(queue: QueueRecord, tasks: [QueueTask], now: Timestamp) {
        self.queue = queue
        self.tasks = tasks
        self.now = now
    }

    /// The waiting tasks in the queue's order.
    var waitingInOrder: [QueueTask] {
        tasks.filter { $0.waiting != nil }.sorted {
            OrderKey($0, order: queue.settings.order) < OrderKey($1, order: queue.settings.order)
        }
    }

    /// The first start by position that holds `task` (B5, N2): it comes earlier and is unfinished,
    /// or ended with the policy `hold`. An expired start counts as failed by the queue's policy
    /// (Q8).
    func holder(of task: QueueTask) -> QueueTask? {
        tasks.filter { start in
            guard let group = start.groupStart, start.id != task.id,
                task.groupMembers.contains(group), start.position < task.position
            else { return false }
            return start.holdsMembers && !start.isReleased(at: now, in: queue)
        }.min { $0.position < $1.position }
    }

    /// The task that holds a `block` queue (B7), or nil.
    var head: QueueTask? {
        guard queue.settings.afterFailure == .block else { return nil }
        return waitingInOrder.first { task in
            guard let waiting = task.waiting, holder(of: task) == nil,
                queue.barrier(before: task) == nil,
                !task.isExpired(at: now, settings: queue.settings),
                !(waiting.skip.map { $0.until.map { $0 > now } ?? true } ?? false)
            else { return false }
            guard let timer = waiting.timer, timer.until > now else { return true }
            return timer.cause == .retry || waiting.parking != nil
        }
    }

    /// The eligibility context of `task`.
    func eligibility(of task: QueueTask) -> EligibilityContext {
        var place = EligibilityContext(queue: queue, now: now)
        place.storePauses = storePauses
        place.forcedNetwork = forcedNetwork
        place.processes = processes
        place.holder = holder(of: task)
        place.head = head
        place.running = tasks.filter { $0.running != nil }
        place.running += tasks.filter { $0.waiting?.isOrphaned == true }.sorted { $0.id < $1.id }
        place.hasPermit = permitted.contains(task.id)
        place.rateKey = rateKeys[task.id]
        return place
    }

    /// Every blocker of a task (section 4), for one runner or for any.
    func blockers(of task: QueueTask, for runner: ProcessRecord? = nil) -> [Blocker] {
        task.blockers(in: eligibility(of: task), for: runner)
    }

    /// The first eligible task in the queue's order (N1).
    func next(for runner: ProcessRecord? = nil) -> QueueTask? {
        waitingInOrder.first { blockers(of: $0, for: runner).isEmpty }
    }
}

/// The reference for what starts next, from values alone.
extension Snapshot {
    /// The blockers that do not change which task is next.
    static let hiddenOfNext: Set<Blocker.Kind> = [.queuePaused, .noRun, .noSlot, .rate]

    /// The types whose concurrency limit is reached (Q14).
    var fullTypes: Set<String> {
        let taken = tasks.filter { $0.running != nil || $0.waiting?.isOrphaned == true }
        return Set(
            queue.settings.types.compactMap { type, own in
                own.concurrency.flatMap { limit in
                    taken.count { $0.type == type } >= limit ? type : nil
                }
            })
    }

    /// The task that starts next; `nil` if none can.
    var next: QueueTask? {
        let full = fullTypes
        let hasNoRunner = !processes.contains { $0.isWorking }
        var plain = self
        plain.permitted = []
        let able = plain.waitingInOrder.filter { task in
            !full.contains(task.type)
                && plain.blockers(of: task).allSatisfy {
                    Self.hiddenOfNext.contains($0.kind) || $0.kind == .noRunner && hasNoRunner
                }
        }
        // A rate of the queue delays all tasks; with one for each key another goes first.
        return able.first { task in
            queue.settings.rate?.per == nil
                || !plain.blockers(of: task).contains { $0.kind == .rate }
        } ?? able.first
    }
}

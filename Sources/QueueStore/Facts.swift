public import QueueModel

/// What the rules ask about a task, found by indexes; equal to what a `Snapshot` finds by looking
/// at every task (N1).
extension StoreReader {
    /// Everything that decides about one task now.
    public func surroundings(
        of task: QueueTask, now: Timestamp, runner: ProcessRecord? = nil
    ) throws -> Surroundings {
        var place = try surroundings(ofQueue: try requireQueue(task.queue), now: now)
        place.holder = try holder(of: task, in: place.queue, now: now)
        place.hasPermit = try permits().contains {
            $0.task == task.id && $0.version == task.version
        }
        return place
    }

    /// What is the same for every task of a queue.
    public func surroundings(ofQueue queue: QueueRecord, now: Timestamp) throws -> Surroundings {
        var place = Surroundings(queue: queue, now: now)
        let record = try storeRecord()
        place.storePauses = record.pauses
        place.forcedNetwork = record.forcedNetwork
        place.processes = try processes()
        place.head = try head(of: queue, now: now)
        place.running = try tasks(
            matching: TaskQuery(
                queue: queue.name, state: .running, limit: queue.settings.concurrency + 1))
        if case .batched(let count, _) = queue.settings.start, queue.run == nil {
            let facts = try batchFacts(queue, now: now)
            place.nextRun = queue.nextRun(facts, now: now)
            place.missingToThreshold = max(0, count - facts.freshCount)
        }
        return place
    }

    /// The first start that holds a task (B5); a start that has expired counts as failed (Q8).
    public func holder(
        of task: QueueTask, in queue: QueueRecord, now: Timestamp
    ) throws -> QueueTask? {
        var first: QueueTask?
        for group in task.groupMembers {
            var end = task.position
            var found: QueueTask?
            // Expired starts are few: the next sweep ends them.
            while let id = try holdingStart(queue: task.queue, group: group, before: end),
                let start = try self.task(id)
            {
                let isReleased =
                    start.isExpired(at: now, settings: queue.settings)
                    && queue.settings.whenStartFails != .hold
                if !isReleased, start.id != task.id {
                    found = start
                    break
                }
                guard start.position < end else { break }
                end = start.position
            }
            if let found, found.position < first?.position ?? .max { first = found }
        }
        return first
    }

    /// The task that holds a `block` queue (B7), or nil.
    public func head(of queue: QueueRecord, now: Timestamp) throws -> QueueTask? {
        guard queue.settings.afterFailure == .block else { return nil }
        let lanes = try counts(queue: queue.name).lanes.filter { $0.value > 0 }.keys
        var heads: [QueueTask] = []
        for lane in lanes where lane.holdsBlockQueue {
            heads += try tasks(matching: TaskQuery(queue: queue.name, lane: lane, limit: 1))
        }
        heads += try tasksToWake(queue: queue.name, now: now, limit: 10_000)
            .map { $0.awake(at: now) }.filter { $0.lane.holdsBlockQueue }
        return heads.filter { !$0.isExpired(at: now, settings: queue.settings) }
            .min { $0.orderKey(queue.settings.order) < $1.orderKey(queue.settings.order) }
    }

    /// The first tasks in the queue's order that a runner may take, or any of several may, with
    /// pauses, slots and the open run left to the caller; `lonely` asks as if somebody handled
    /// every type.
    public func eligible(
        _ queue: QueueRecord, for runners: [ProcessRecord], lonely: Bool = false,
        now: Timestamp, limit: Int
    ) throws -> [QueueTask] {
        let store = try storeRecord()
        func isOffline(_ runner: ProcessRecord?) -> Bool {
            store.forcedNetwork.map { !$0 } ?? (runner?.isOffline(at: now) ?? false)
        }
        if queue.settings.afterFailure == .block {
            guard let head = try head(of: queue, now: now), head.lane == .ready else { return [] }
            let able = runners.contains {
                $0.handles(type: head.type, queue: queue.name)
                    && (head.requires.isEmpty || !isOffline($0))
            }
            let alone = lonely && (head.requires.isEmpty || !isOffline(nil))
            return able || alone ? [head] : []
        }
        var found: [QueueTask] = []
        if lonely { found = try ready(queue, types: nil, isOffline(nil), now, limit) }
        for runner in runners where runner.queues?.contains(queue.name) ?? true {
            guard runner.role == .runner, !runner.isStopping else { continue }
            found += try ready(queue, types: runner.types, isOffline(runner), now, limit)
        }
        return merged(found, queue.settings.order, limit)
    }

    private func ready(
        _ queue: QueueRecord, types: [String]?, _ isOffline: Bool, _ now: Timestamp, _ limit: Int
    ) throws -> [QueueTask] {
        var query = TaskQuery(queue: queue.name, lane: .ready, limit: limit)
        query.types = types
        query.isOffline = isOffline
        var found = try tasks(matching: query)
        found += try tasksToWake(queue: queue.name, now: now, limit: 10_000)
            .map { $0.awake(at: now) }.filter { $0.lane == .ready && query.matches($0) }
        return merged(
            found.filter { !$0.isExpired(at: now, settings: queue.settings) },
            queue.settings.order, limit)
    }

    private func merged(_ tasks: [QueueTask], _ order: QueueOrder, _ limit: Int) -> [QueueTask] {
        var seen: Set<TaskID> = []
        let sorted = tasks.filter { seen.insert($0.id).inserted }
            .sorted { $0.orderKey(order) < $1.orderKey(order) }
        return Array(sorted.prefix(limit))
    }

    /// The next task of a queue for any attached runner (N1), pauses, slots and run left out: what
    /// the screen marks.
    public func nextTask(of queue: QueueRecord, now: Timestamp) throws -> QueueTask? {
        let runners = try processes().filter { $0.role == .runner && !$0.isStopping }
        return try eligible(queue, for: runners, lonely: runners.isEmpty, now: now, limit: 1).first
    }

    /// What decides about the next run of a batched queue (Q4).
    public func batchFacts(_ queue: QueueRecord, now: Timestamp) throws -> BatchFacts {
        guard case .batched(let count, _) = queue.settings.start else {
            return BatchFacts(
                freshCount: 0, firstFresh: nil, hasLeftOvers: false, earliestTimer: nil)
        }
        let fresh = try fresh(
            queue: queue.name, since: queue.lastRunEnd, now: now, limit: count)
        let ready = try counts(queue: queue.name).lanes[.ready] ?? 0
        let timer = try timers(queue: queue.name, after: nil, limit: 1).first?.wakesAt
        return BatchFacts(
            freshCount: fresh.count, firstFresh: fresh.first,
            hasLeftOvers: queue.lastRunEnd != nil && ready > 0, earliestTimer: timer)
    }
}

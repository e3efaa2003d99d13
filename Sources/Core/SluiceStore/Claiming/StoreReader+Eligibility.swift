package import SluiceModel

/// The facts about a task, from indexes. They equal those of `Snapshot`, the reference of the
/// tests, which scans every task (N1).
extension StoreReader {
    /// Everything that decides about one task now, by the clock of the store; `real` is the moment
    /// in real time, if that is another (G3).
    package func eligibility(
        of task: QueueTask, now: Timestamp, real: Timestamp? = nil
    ) throws -> EligibilityContext {
        var place = try eligibility(
            ofQueue: try requireQueue(task.queue), now: now, real: real)
        place.holder = try holder(of: task, in: place.queue, now: now)
        place.hasPermit = try permits().contains {
            $0.task == task.id && $0.version == task.version
        }
        place.rateKey = try rateKey(of: task, in: place.queue)
        return place
    }

    /// The facts common to every task of a queue.
    package func eligibility(
        ofQueue queue: QueueRecord, now: Timestamp, real: Timestamp? = nil
    ) throws -> EligibilityContext {
        var place = EligibilityContext(queue: try named(queue), now: now)
        place.real = real ?? now
        let record = try storeRecord()
        place.storePauses = record.pauses
        place.forcedNetwork = record.forcedNetwork
        place.processes = try processes()
        place.head = try head(of: queue, now: now)
        let most = queue.settings.limitsTypes ? Int.max : queue.settings.concurrency + 1
        place.running = try tasks(
            matching: TaskQuery(queue: queue.name, state: .running, limit: most))
        place.running += try orphaned(in: queue.name)
        if case .batched(let count, _) = queue.settings.start, !queue.goesOnByItself {
            let facts = try batchFacts(queue, now: now)
            var closed = queue
            closed.run = nil
            place.nextRun = closed.nextRun(facts, now: now)
            if queue.run == nil { place.missingToThreshold = max(0, count - facts.freshCount) }
        }
        return place
    }

    /// The number of taken slots: running tasks, and attempts that continue without a runner (Q2,
    /// B12).
    package func slotsTaken(in queue: String) throws -> Int {
        try counts(queue: queue)[.running] + orphaned(in: queue).count
    }

    /// The free places of each type of a queue with a concurrency of its own (Q14).
    package func typePlaces(in queue: QueueRecord) throws -> [String: Int] {
        guard queue.settings.limitsTypes else { return [:] }
        let running = TaskQuery(queue: queue.name, state: .running, limit: .max)
        return queue.settings.typePlaces(
            besides: try tasks(matching: running) + orphaned(in: queue.name))
    }

    /// The waiting tasks of a queue with an attempt that continues without a runner.
    package func orphaned(in queue: String) throws -> [QueueTask] {
        let flagSets = try counts(queue: queue).waitingByFlags.filter { $0.value > 0 }.keys
        return try flagSets.filter { $0.contains(.lingering) }.flatMap { waitFlags in
            try tasks(matching: TaskQuery(queue: queue, waitFlags: waitFlags, limit: 1000))
        }.filter { $0.waiting?.isOrphaned == true }.sorted { $0.id < $1.id }
    }

    /// The first start that holds a task (B5); a start that has expired counts as failed (Q8).
    package func holder(
        of task: QueueTask, in queue: QueueRecord, now: Timestamp
    ) throws -> QueueTask? {
        var first: QueueTask?
        for group in task.groupMembers {
            guard let start = try holder(of: group, before: task.position, in: queue, now: now),
                start.position < first?.position ?? .max
            else { continue }
            first = start
        }
        return first
    }

    private func holder(
        of group: String, before position: Int64, in queue: QueueRecord, now: Timestamp
    ) throws -> QueueTask? {
        // Few starts here have expired, because the next sweep ends them.
        var last = Int64.min
        while let start = try first(
            .holdingStarts(queue: queue.name, group: group, after: last, before: position))
        {
            guard start.isReleased(at: now, in: queue) else { return start }
            last = start.position
        }
        return nil
    }

    /// The first tasks of a question in order that have not expired; `planned` where its first page
    /// was read.
    private func alive(
        _ query: TaskQuery, in queue: QueueRecord, now: Timestamp, _ planned: PlannedPage? = nil
    ) throws -> [QueueTask] {
        var page = query
        var found: [QueueTask] = []
        var tasks: [QueueTask]
        if let planned, planned.isBeginning(of: query) {
            (page, tasks) = (planned.query, planned.tasks)
        } else {
            tasks = try self.tasks(matching: page)
        }
        while true {
            found += tasks.filter { !$0.isExpired(at: now, settings: queue.settings) }
            guard found.count < query.limit, tasks.count == page.limit, let last = tasks.last
            else { return found }
            page.after = last.orderKey(queue.settings.order)
            page.limit = max(query.limit, 1000)
            tasks = try self.tasks(matching: page)
        }
    }

    /// The task that holds a `block` queue (B7), or nil.
    package func head(
        of queue: QueueRecord, now: Timestamp, bounds: DueBounds = .reading
    ) throws -> QueueTask? {
        guard queue.settings.afterFailure == .block else { return nil }
        let isAlive = { (task: QueueTask) in
            !task.isExpired(at: now, settings: queue.settings)
        }
        let dueTasks = try dueTasks(in: queue, now: now, bounds).first(
            1, of: queue, in: self, where: { !$0.holdsBlockQueue && $0.awake.holdsBlockQueue }
        ) { $0.waitFlags.holdsBlockQueue && isAlive($0) }
        var heads = dueTasks.tasks
        let flagSets = try counts(queue: queue.name).waitingByFlags.filter { $0.value > 0 }.keys
        // Who holds the queue asleep holds it awake as well.
        for waitFlags in flagSets where waitFlags.holdsBlockQueue {
            let query = TaskQuery(queue: queue.name, waitFlags: waitFlags, limit: 1)
            heads += try alive(query, in: queue, now: now).map { $0.awake(at: now) }
        }
        let head = heads.min {
            $0.orderKey(queue.settings.order) < $1.orderKey(queue.settings.order)
        }
        return head.flatMap { queue.barrier(before: $0) == nil && dueTasks.decides($0) ? $0 : nil }
    }

    /// The first tasks, in queue order, that any of these runners may take. The caller checks
    /// pauses, the queue's slots and the open run. `assumesRunner` assumes a handler for every
    /// type. Excludes types without a free place, and tasks with an undecided position (`bounds`).
    package func eligible(
        _ queue: QueueRecord, for runners: [ProcessRecord], assumesRunner: Bool = false,
        now: Timestamp, limit: Int, bounds: DueBounds = .reading, planned: PlannedPage? = nil
    ) throws -> [QueueTask] {
        let forced = queue.forcedNetwork(else: try storeRecord().forcedNetwork)
        let isForcedOff = forced == false
        let full = try typePlaces(in: queue).filter { $0.value <= 0 }.keys.sorted()
        if queue.settings.afterFailure == .block {
            guard let head = try head(of: queue, now: now, bounds: bounds),
                head.waitFlags == .ready, !full.contains(head.type)
            else { return [] }
            let able = runners.contains {
                $0.handles(type: head.type, queue: queue.name)
                    && $0.meets(head.requires, forced: forced, at: now)
            }
            let alone = assumesRunner && (head.requires.isEmpty || !isForcedOff)
            return able || alone ? [head] : []
        }
        let dueTasks = try dueTasks(in: queue, now: now, bounds)
        var query = TaskQuery(queue: queue.name, waitFlags: .ready, limit: limit)
        query.withoutTypes = full
        var found = DueTasks.First(order: queue.settings.order)
        var pages = 0
        func add(_ runner: ProcessRecord?) throws {
            query.types = runner.flatMap { $0.types(in: queue.name) }
            query.isOffline =
                runner.map { !$0.meets([.network], forced: forced, at: now) } ?? isForcedOff
            found.tasks += try alive(query, in: queue, now: now, planned)
            found.add(
                try dueTasks.first(limit, of: queue, in: self, where: { $0.awake == .ready }) {
                    query.matches($0) && !$0.isExpired(at: now, settings: queue.settings)
                })
            pages += 1
        }
        if assumesRunner { try add(nil) }
        for runner in runners where runner.serves(queue.name) {
            guard runner.role == .runner, !runner.isStopping else { continue }
            try add(runner)
        }
        // The result of one query is already in order unless tasks have become due.
        let isInOrder = pages == 1 && dueTasks.isEmpty
        let tasks = isInOrder ? found.tasks : merged(found.tasks, in: queue)
        return Array(
            tasks.lazy.filter { queue.barrier(before: $0) == nil && found.decides($0) }
                .prefix(limit))
    }

    /// The tasks of several pages in the queue's order, each once.
    private func merged(_ tasks: [QueueTask], in queue: QueueRecord) -> [QueueTask] {
        var seen: Set<TaskID> = []
        return tasks.filter { seen.insert($0.id).inserted }
            .map { (key: $0.orderKey(queue.settings.order), task: $0) }
            .sorted { $0.key < $1.key }
            .map(\.task)
    }

    /// The next task of a queue for any attached runner (N1), pauses, slots and run left out: what
    /// the screen marks.
    package func nextTask(of queue: QueueRecord, now: Timestamp) throws -> QueueTask? {
        try nextTask(of: queue, among: try processes(), now: now)
    }

    /// The next task of a queue for any of some processes.
    package func nextTask(
        of queue: QueueRecord, among processes: [ProcessRecord], now: Timestamp
    ) throws -> QueueTask? {
        let runners = processes.filter(\.isWorking)
        if let per = queue.settings.rate?.per,
            let first = try startable(
                queue, per: per, for: runners, assumesRunner: runners.isEmpty, now: now, limit: 1
            ).tasks.first
        {
            return first
        }
        return try eligible(queue, for: runners, assumesRunner: runners.isEmpty, now: now, limit: 1)
            .first
    }

    /// The facts that decide the next run of a batched queue (Q4).
    package func batchFacts(_ queue: QueueRecord, now: Timestamp) throws -> BatchFacts {
        var facts = BatchFacts(
            freshCount: 0, firstFresh: nil, hasLeftOvers: false, earliestTimer: nil)
        guard case .batched(let count, _) = queue.settings.start else { return facts }
        // A clock that was set back makes fresh what came since, and not only later.
        let since = queue.lastRunEnd.flatMap { $0 <= now ? $0 : nil }
        let fresh = try fresh(queue: queue.name, since: since, now: now, limit: count)
        facts.freshCount = fresh.count
        facts.firstFresh = fresh.first
        // Timers that have passed already count as fresh or left over.
        let passed = TimerCursor(at: now, id: .max)
        facts.earliestTimer =
            try tasks(.timers(queue: queue.name, after: passed), limit: 1).first?.wakesAt
        guard fresh.count < count else { return facts }
        // The limit is one more than the fresh tasks, so that the page includes a left-over task if
        // one exists.
        let query = TaskQuery(queue: queue.name, waitFlags: .ready, limit: fresh.count + 1)
        let isLeftOver = { (task: QueueTask) in !task.isFresh(since: since, now: now) }
        let dueTasks = try dueTasks(in: queue, now: now, .reading).first(
            1, of: queue, in: self, where: { $0.awake == .ready }
        ) { $0.waitFlags == .ready && isLeftOver($0) }
        facts.hasLeftOvers =
            try !dueTasks.tasks.isEmpty || tasks(matching: query).contains(where: isLeftOver)
        if !facts.hasLeftOvers, let retry = try earliestRetry(queue: queue.name, after: passed) {
            facts.hasLeftOvers = true
            facts.earliestRetry = retry
        }
        return facts
    }

    private func earliestRetry(queue: String, after passed: TimerCursor) throws -> Timestamp? {
        guard try counts(queue: queue).waiting(in: .retrying) > 0 else { return nil }
        let timed = try tasks(.timers(queue: queue, after: passed), limit: 1000)
        return timed.first { $0.waiting?.timer?.cause == .retry }?.waiting?.timer?.until
    }
}

/// The first page of ready tasks in a queue, read in one query with other queues.
package struct PlannedPage: Hashable, Sendable {
    var query: TaskQuery
    var tasks: [QueueTask]

    /// Whether a question begins with this page.
    func isBeginning(of other: TaskQuery) -> Bool {
        var wanted = query
        wanted.limit = other.limit
        return wanted == other
    }
}

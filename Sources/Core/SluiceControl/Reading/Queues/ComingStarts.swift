import SluiceModel
import SluiceStore

/// Predicts when a queue's waiting tasks start (N3). It evaluates the rules at each future moment
/// as if each execution ended immediately.
///
/// It does not predict durations: a task held by a due task has no time.
struct ComingStarts {
    /// One task on its way.
    struct Start {
        let line: TaskLine
        /// Its place in the queue's order.
        let place: Int
        /// When its blockers end, not counting group, order and run; `nil` without a known end.
        var ready: Timestamp?
        /// The blocker to remove before it can start.
        var lasting: Blocker?
        var holders: Set<TaskID> = []
        /// Its key for a rate that counts by keys.
        var key: RateKey?
        /// When it starts if the due tasks end immediately.
        var at: Timestamp?
        /// The blocker of unknown duration: a due task that holds it.
        var unforeseen: Blocker?
        /// Whether it expires, or is given up with its start, before it can start.
        var isGone = false

        var task: QueueTask { line.task }
        /// The expected start; `nil` if unknown.
        var expected: Timestamp? { unforeseen == nil ? at : nil }
        /// The reason for an unknown start.
        var blocker: Blocker? { expected == nil ? unforeseen ?? lasting : nil }
        var isWaiting: Bool { at == nil && !isGone }

        func blocker(_ kind: Blocker.Kind) -> Blocker {
            line.blockers.first { $0.kind == kind } ?? Blocker(kind, text: "")
        }
    }

    let reading: Reading
    var queue: QueueRecord
    var starts: [Start] = []
    private let hasNoRunner: Bool
    /// Whether the queue begins runs automatically and no run is open at first.
    private let foreseesRuns: Bool
    private var order: [Int] = []

    /// Creates a prediction from the first tasks in the queue's order.
    init(_ reading: Reading, _ queue: QueueRecord, _ lines: [TaskLine]) throws {
        (self.reading, self.queue) = (reading, queue)
        if case .batched = queue.settings.start, queue.run == nil {
            foreseesRuns = true
        } else {
            foreseesRuns = false
        }
        hasNoRunner = try !reading.processes().contains(where: \.isWorking)
        for line in lines { try add(line) }
        // Starts later in the queue may hold some of these tasks, so add them.
        var known = Set(starts.map(\.task.id))
        var index = 0
        while index < starts.count, starts.count < 2 * lines.count {
            for id in starts[index].holders where known.insert(id).inserted {
                let line = try reading.line(id)
                if line.task.waiting != nil { try add(line) }
            }
            index += 1
        }
        goOn()
    }

    var now: Timestamp { reading.now }

    /// Whether the queue begins runs automatically and no run is open.
    var startsRuns: Bool { foreseesRuns && queue.run == nil }

    /// The tasks that start, in order, and those without a start.
    func inOrder() -> (coming: [Start], rest: [Start]) {
        (order.map { starts[$0] }, starts.filter(\.isWaiting))
    }

    /// Adds a task with its present blockers.
    private mutating func add(_ line: TaskLine) throws {
        var start = Start(line: line, place: starts.count, ready: now)
        start.key = try reading.store.rateKey(of: line.task, in: queue)
        for blocker in line.blockers {
            switch blocker.kind {
            // The end of running tasks and the arrival of a worker are unknown. Lost slots have no
            // end.
            case .noSlot where blocker.cause == nil: continue
            // The simulation evaluates the rate limit at each moment.
            case .headOfQueue, .rate: continue
            case .noRunner where hasNoRunner: continue
            case .noRun where startsRuns: continue
            case .groupStart where blocker.task != nil: try hold(&start)
            default:
                let until = storeTime(ofEnd: blocker)
                if until == nil, start.lasting == nil { start.lasting = blocker }
                start.ready = start.ready.flatMap { ready in until.map { max(ready, $0) } }
            }
        }
        starts.append(start)
    }

    /// Finds all starts that hold a member: its blocker names the first.
    private func hold(_ member: inout Start) throws {
        for group in member.task.groupMembers {
            let selection = TaskSelection.holdingStarts(
                queue: queue.name, group: group, after: .min, before: member.task.position)
            for holder in try reading.store.tasks(selection, limit: 20)
            where !holder.isReleased(at: now, in: queue) {
                member.holders.insert(holder.id)
            }
        }
    }

    /// When a blocker ends by the store's clock; `nil` without an end, or if it ends in real time
    /// while the clock is frozen.
    private func storeTime(ofEnd blocker: Blocker) -> Timestamp? {
        guard blocker.kind == .queuePaused, blocker.cause == Pause.Cause.breakpoint.rawValue,
            let until = blocker.until
        else { return blocker.until }
        return reading.storeTime(ofReal: until)
    }

    /// Advances from moment to moment until nothing more happens automatically.
    private mutating func goOn() {
        var moment = now
        for _ in 0..<(4 * starts.count + 4) {
            drop(at: moment)
            endRunIfDone(at: moment)
            openRunIfDue(at: moment)
            if !startsRuns, next(at: moment) != nil {
                while let index = next(at: moment) { start(index, at: moment) }
                continue
            }
            let later =
                starts.filter(\.isWaiting).flatMap(moments)
                + keyMoments(after: moment)
                + [nextRun(at: moment), queue.rateOpens(after: moment)].compactMap { $0 }
            guard let next = later.filter({ $0 > moment }).min() else { break }
            moment = next
        }
        for index in starts.indices where starts[index].isWaiting && starts[index].lasting == nil {
            let kind: Blocker.Kind =
                !starts[index].holders.isEmpty
                ? .groupStart : queue.settings.afterFailure == .block ? .headOfQueue : .noRun
            starts[index].lasting = starts[index].blocker(kind)
        }
    }

    /// Opens a run that is due and has an eligible task, also one that waits for the rate.
    private mutating func openRunIfDue(at moment: Timestamp) {
        guard let begin = nextRun(at: moment), begin <= moment,
            next(at: moment, ignoresRate: true) != nil
        else { return }
        queue.run = Run(number: 0, since: moment)
    }

    /// Ends a foreseen run without an eligible task. A task that waits for the rate keeps it open.
    private mutating func endRunIfDone(at moment: Timestamp) {
        guard foreseesRuns, let run = queue.run, next(at: moment, ignoresRate: true) == nil
        else { return }
        (queue.run, queue.lastRunEnd) = (nil, moment)
        if run.attempted > 0 { queue.barrenRuns = 0 }
        for index in starts.indices { starts[index].holders.subtract(run.sitOuts) }
    }

    /// The moments when a task's blockers may change.
    private func moments(_ start: Start) -> [Timestamp] {
        let waiting = start.task.waiting
        return [waiting?.timer?.until, waiting?.skip?.until, start.task.expiresAt, start.ready]
            .compactMap { $0 }
    }

    /// When the rate lets the waiting keys start.
    private func keyMoments(after moment: Timestamp) -> [Timestamp] {
        guard queue.settings.rate?.per != nil else { return [] }
        let keys = Set(starts.filter(\.isWaiting).compactMap(\.key))
        return keys.compactMap { queue.rateOpens(for: $0, after: moment) }
    }

    /// The first that may start at a moment; in a strict queue the head alone may.
    private func next(at moment: Timestamp, ignoresRate: Bool = false) -> Int? {
        guard ignoresRate || queue.rateOpens(after: moment) == nil else { return nil }
        let isStrict = queue.settings.afterFailure == .block
        let first = starts.indices.first { index in
            guard starts[index].isWaiting, starts[index].holders.isEmpty else { return false }
            return isStrict
                ? isHead(starts[index].task, at: moment)
                : isReady(starts[index], at: moment, ignoresRate)
        }
        return first.flatMap { isReady(starts[$0], at: moment, ignoresRate) ? $0 : nil }
    }

    private func isReady(_ start: Start, at moment: Timestamp, _ ignoresRate: Bool) -> Bool {
        guard start.lasting == nil, let ready = start.ready, ready <= moment else { return false }
        return ignoresRate
            || start.key.map { queue.rateOpens(for: $0, after: moment) == nil } ?? true
    }

    /// Whether a task that nothing holds is the head of a strict queue where it comes first (B7).
    private func isHead(_ task: QueueTask, at moment: Timestamp) -> Bool {
        guard let waiting = task.awake(at: moment).waiting, waiting.skip == nil else {
            return false
        }
        return waiting.timer?.cause != .notBefore || waiting.parking != nil
    }

    private mutating func start(_ index: Int, at moment: Timestamp) {
        let isFirst = order.isEmpty
        if moment <= now, queue.settings.afterFailure == .block, !isFirst {
            starts[index].unforeseen = starts[index].blocker(.headOfQueue)
        }
        starts[index].at = moment
        queue.recordStart(of: starts[index].key, at: moment)
        queue.run?.attempted += 1
        order.append(index)
        let isOpen = moment <= now || starts[index].unforeseen != nil
        let id = starts[index].task.id
        for member in starts.indices where starts[member].holders.remove(id) != nil && isOpen {
            starts[member].unforeseen = starts[member].blocker(.groupStart)
        }
    }

    /// Drops expired tasks and gives up their members (Q8, Q10).
    private mutating func drop(at moment: Timestamp) {
        var gone = starts.indices.filter {
            starts[$0].isWaiting
                && starts[$0].task.isExpired(at: moment, settings: queue.settings)
        }
        while let index = gone.popLast() {
            starts[index].isGone = true
            let id = starts[index].task.id
            for member in starts.indices
            where starts[member].isWaiting && starts[member].holders.remove(id) != nil {
                switch queue.whenStartFailsNow {
                case .hold: starts[member].holders.insert(id)
                case .giveUp: gone.append(member)
                case .skipRun where foreseesRuns:
                    starts[member].holders.insert(id)
                    queue.run?.sitOuts.append(id)
                case .release, .skipRun: break
                }
            }
        }
    }

    /// When the next automatic run begins, given the waiting tasks (Q4).
    private func nextRun(at moment: Timestamp) -> Timestamp? {
        guard startsRuns else { return nil }
        let tasks = starts.filter(\.isWaiting).map { start -> QueueTask in
            var task = start.task.awake(at: moment)
            task.isHeld = !start.holders.isEmpty
            return task
        }
        let since = queue.lastRunEnd.flatMap { $0 <= moment ? $0 : nil }
        let fresh = tasks.filter { $0.isFresh(since: since, now: moment) }
        let retries = tasks.compactMap { task in
            task.waiting?.timer.flatMap { $0.cause == .retry ? $0.until : nil }
        }
        let isLeft = tasks.contains {
            $0.waitFlags == .ready && !$0.isFresh(since: since, now: moment)
        }
        let facts = BatchFacts(
            freshCount: fresh.count, firstFresh: fresh.map(\.freshAt).min(),
            hasLeftOvers: isLeft || !retries.isEmpty,
            earliestTimer: tasks.compactMap(\.wakesAt).min(),
            earliestRetry: isLeft ? nil : retries.min())
        return queue.nextRun(facts, now: moment)
    }
}

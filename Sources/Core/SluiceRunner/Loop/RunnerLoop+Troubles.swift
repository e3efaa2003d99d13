import SluiceModel
import SluiceStore

/// Errors of the store and their consequences.
extension RunnerLoop {
    /// Does something at the store, where there still is one.
    func attempt(_ body: () throws -> Void, orElse: () -> Void = {}) {
        guard loss == nil else { return }
        do {
            try body()
        } catch {
            trouble(error)
            orElse()
        }
    }

    @discardableResult
    func trouble(_ error: any Error) -> QueueError {
        agenda.failed()
        let told = error as? QueueError ?? QueueError(.denied, String(describing: error))
        if told != toldTrouble { runner.onEvent(.troubled(told.ofRunner)) }
        toldTrouble = told
        if told.endsRunner || told.code == .damagedStore && runner.store.upkeep != nil {
            lose(told)
        } else if told.saysNotSo {
            doubt()
        }
        return told
    }

    /// Reports that a task could not start because this process lacks a resource; the same lack at
    /// most once a minute.
    func tellLack(_ reason: String, _ milliseconds: Int64) {
        if let told = toldLack, told.reason == reason, instant - told.at < 60_000 { return }
        toldLack = (reason, instant)
        runner.onEvent(
            .troubled(
                QueueError(
                    .denied,
                    "a task could not begin here: \(reason); it waits again, no attempt is "
                        + "counted, and this worker takes nothing for "
                        + "\(DurationText.compact(milliseconds))",
                    fix: "give this process more of it (ulimit -a), or fewer --slots")))
    }

    /// The store is lost permanently: results cannot be written.
    private func lose(_ error: QueueError) {
        guard loss == nil else { return }
        loss = error
        runner.fail(error)
        (unsettled, unreleased) = ([], [])
        agenda.giveUp()
        pending.append(.stop(isUrgent: true))
    }

    /// Handles visible work that a claim did not get. Other runners may have been faster; after
    /// repeated failures it checks the tasks for damage.
    func doubt() {
        doubts += 1
        if doubts < Self.doubtLimit {
            agenda.retry(at: instant + 50 << Int64(doubts))
        } else if doubts % Self.doubtCycle == Self.doubtLimit {
            loseIfDamaged()
        }
    }

    private static let doubtLimit = 4
    private static let doubtCycle = 64

    /// Whether tasks and indexes contradict each other: then nothing more is read or written.
    @discardableResult
    private func loseIfDamaged() -> Bool {
        attempt {
            let store = runner.store
            guard let found = try store.readBlocking({ try $0.problems(.tasks) }).first else {
                return
            }
            store.upkeep?.record(damage: found)
            throw QueueError.damaged(store.name, found)
        }
        return loss != nil
    }

    /// Ends the runner if no work is left. A damaged store could show this wrongly, so it first
    /// checks the tasks.
    func endIfEmpty() {
        guard machine.executions.isEmpty, unsettled.isEmpty else { return }
        let (id, now) = (attachment.process.id, runner.now())
        attempt {
            let store = runner.store
            let read = {
                try store.readBlocking {
                    try RunnerPoll($0, runner: id, now: now, wantsWork: true, inFlight: 0)
                }
            }
            var look = try read()
            if look.hasInbox {
                // Remaining rows wait until a person corrects or deletes them.
                guard collectInbox() else { return }
                look = try read()
                if look.hasWork { return self.look() }
            }
            if !look.handed.isEmpty { return self.look() }
            // An orphan on this machine blocks tasks only while it runs.
            if look.hasOrphans, agenda.expectsDeath { return }
            guard !look.hasWork, !look.hasWakes, look.nextMoment == nil,
                try !waitsForOthers(id, at: now), !loseIfDamaged()
            else { return }
            pending.append(.stop(isUrgent: false))
        }
    }

    /// Whether a task that the runner could take waits for other processes: a process that may be
    /// dead holds it, or others use its slot. Ends cause a notice; the death of a process on
    /// another machine shows in its heartbeat, read each second.
    private func waitsForOthers(_ id: ProcessID, at real: Timestamp) throws -> Bool {
        let store = runner.store
        let signs = VitalSigns(of: store)
        let others = try store.readBlocking { try OthersWork($0, besides: id, at: real) }
        let isHeld = others.holders.contains { holder in
            switch signs.vitality(of: holder) {
            case .dead: true
            case .unknown(.elsewhere): store.isShared
            case .alive, .unknown(.closedLock): false
            }
        }
        guard isHeld || others.holdPlaces else { return false }
        agenda.wantReap(at: instant)
        if store.isShared { agenda.retry(at: instant + Self.othersPause) }
        return true
    }

    private static let othersPause: Int64 = 1000
}

/// The running tasks of other processes in the queues that a runner serves.
private struct OthersWork {
    /// The processes that run tasks which this runner handles.
    var holders: [ProcessRecord] = []
    /// Whether something that the runner would take waits for a place that they have.
    var holdPlaces = false

    init(_ store: any StoreReader, besides id: ProcessID, at real: Timestamp) throws {
        let processes = try store.processes()
        guard let runner = processes.first(where: { $0.id == id }) else { return }
        holders = try processes.filter { process in
            guard process.id != id else { return false }
            return try store.tasksRun(by: process.id).contains {
                runner.handles(type: $0.type, queue: $0.queue)
            }
        }
        guard !holders.isEmpty else { return }
        let record = try store.storeRecord()
        let now = record.time.time(at: real)
        for queue in try store.queues(.inUse([])).map(\.record)
        where runner.serves(queue.name) && queue.goesOnByItself
            && !queue.isStopped(at: now, real: real, storePauses: record.pauses)
        {
            guard try store.slotsTaken(in: queue.name) >= queue.settings.concurrency,
                try !store.eligible(queue, for: [runner], now: now, limit: 1).isEmpty
            else { continue }
            holdPlaces = true
            return
        }
    }
}

extension QueueError {
    /// Whether it says that a task or queue differs from the state that was read.
    fileprivate var saysNotSo: Bool {
        [.notLegal, .unknownTask, .unknownQueue, .changed, .uniqueTaken].contains(code)
    }
}

/// The reads that a commit of the runner performs first.
extension RunnerLoop {
    /// The ended and the expiring tasks. The queues of the last claim add their next tasks, and the
    /// finished tasks that their limits remove. The executions of `late` may end before the commit
    /// takes its lock.
    func expectedReads(
        _ completions: [Completion], _ claim: ClaimRequest?, _ late: LateEnds?
    ) -> ExpectedReads {
        var reads = ExpectedReads()
        // A file answers each read as quickly as all of them together.
        guard let late else { return reads }
        reads.add(completions.map(\.task) + late.expected.map(\.task))
        let ends = completions.count + late.expected.count
        var process = attachment.process
        runner.servedRow.put(into: &process)
        for queue in claimedQueues {
            reads.add(.finished(of: queue), limit: ends)
            guard let claim, !runner.options.takesOnlyPermits else { continue }
            let limit = claim.freeSlots + late.expected.count
            var query = TaskQuery(queue: queue, waitFlags: .ready, limit: limit)
            query.types = process.types(in: queue)
            reads.add(.page(query), limit: limit)
        }
        if claim != nil { reads.add(.expiring(), limit: 1) }
        // A busy worker finds rows by its looks.
        if completions.isEmpty, agenda.polls.isFed { reads.addInbox() }
        if !machine.executions.isEmpty { reads.addLeases(of: process.id) }
        return reads
    }

    /// The ends that may come before a commit at a server takes its lock; `nil` for a file, which
    /// takes its lock in microseconds.
    func lateEnds() -> LateEnds? {
        runner.store.isShared ? LateEnds(machine.oldest(lateAllowance.count), at: instant) : nil
    }

    /// Adds the attempts that ended since the commit began. It runs on the thread of the commit's
    /// body, and the runner's thread waits. Ends that need more than this commit stay for later.
    private func take(_ late: LateEnds) {
        late.lockedAt = instant
        let ends = runner.inbox.takeEnds(of: late.expected)
        if runner.inbox.hasEnds { late.isExceeded = true }
        for (key, end) in ends {
            if let completion = machine.settleLate(key, end, instant: instant) {
                late.completions.append(completion)
            } else {
                pending.append(.ended(key, end))
            }
        }
    }

    /// The result of a commit, with the requests to stop the runner's other attempts.
    typealias Gain = (
        claimed: [Claimed], settled: [Settled], stops: [ExecutionKey: StopCause]
    )

    /// Settles and claims in one commit, at the time when the commit takes the lock. At a server
    /// a look is a round trip, so the commit also reads the requests to stop attempts.
    func settle(
        _ completions: [Completion], _ claim: ClaimRequest?, _ late: LateEnds?
    ) throws -> Gain {
        let folder = runner.store.runFolder
        let reads = expectedReads(completions, claim, late)
        return try runner.store.writeBlocking(expecting: reads) { [self] store in
            var (ends, request) = (completions, claim)
            var stops: [ExecutionKey: StopCause] = [:]
            if let late {
                if !machine.executions.isEmpty {
                    stops = try store.stopRequests(to: attachment.process.id)
                }
                take(late)
                ends += late.completions
                if claim != nil, !late.completions.isEmpty { request = machine.claimRequest() }
            }
            return try store.transact(at: runner.now()) { mutation in
                let settled = try mutation.settle(ends) {
                    Reaper.remains(of: $0, $1, folder: folder)
                }
                return (try request.map { try mutation.claim($0) } ?? [], settled, stops)
            }
        }
    }

    /// Waits for more ends while other workers have the lock anyway. Returns whether the store
    /// changed.
    func gather(_ inputs: inout [RunnerInput]) -> Bool {
        guard gathering.isUsed, pending.isEmpty else { return false }
        var (isNoticed, until) = (false, instant)
        until += gathering.milliseconds(at: until) ?? 0
        while EndGathering.mayWait(with: inputs, of: machine.executions.count), instant < until {
            let more = runner.inbox.take(sleepMilliseconds: until - instant)
            inputs += more.inputs
            isNoticed = isNoticed || more.isNoticed
        }
        return isNoticed
    }

    /// Learns from a commit at a server.
    func record(_ late: LateEnds, _ stops: [ExecutionKey: StopCause]) {
        late.endedAt = instant
        lateAllowance.record(late, slots: slots)
        gathering.record(late)
        agenda.polls.hears(at: instant)
        if !stops.isEmpty { pending.append(.stops(stops)) }
    }

    /// The queues of some tasks, up to the number worth reading ahead.
    static func queues(of claimed: [Claimed]) -> [String] {
        var names: [String] = []
        for name in claimed.lazy.map(\.task.queue) where !names.contains(name) {
            names.append(name)
            if names.count == expectedQueues { break }
        }
        return names
    }

    private static let expectedQueues = 16
}

extension QueueError {
    /// The error in the words of a runner, which repeats a write by itself.
    fileprivate var ofRunner: QueueError {
        guard code == .diskFull else { return self }
        return QueueError(code, message, fix: "make room; the worker repeats it")
    }
}

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
        if told != toldTrouble { runner.onEvent(.troubled(told)) }
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

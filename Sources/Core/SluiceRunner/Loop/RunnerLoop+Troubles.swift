import SluiceModel
import SluiceStore

/// What goes wrong at the store, and what follows from it.
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

    /// The store is gone for good: results have no place to go to.
    private func lose(_ error: QueueError) {
        guard loss == nil else { return }
        loss = error
        runner.fail(error)
        (unsettled, unreleased) = ([], [])
        agenda.giveUp()
        pending.append(.stop(isUrgent: true))
    }

    /// Work was found that cannot be taken. Others may have been quicker; where that is so again
    /// and again, the tasks are looked at as they lie.
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
            store.upkeep?.note(damage: found)
            throw QueueError.damaged(store.name, found)
        }
        return loss != nil
    }

    /// Ends where nothing is left to run. Counts and indexes could say so of a damaged store, so
    /// the tasks themselves are asked before that.
    func endIfEmpty() {
        guard machine.executions.isEmpty, unsettled.isEmpty else { return }
        let (id, now) = (attachment.process.id, runner.now())
        attempt {
            let store = runner.store
            let read = {
                try store.readBlocking {
                    try RunnerPoll($0, runner: id, now: now, wantsWork: true, inHand: 0)
                }
            }
            var look = try read()
            if look.hasInbox {
                // What is still there after that is held by somebody who mends or deletes it.
                guard takeInInbox() else { return }
                look = try read()
                if look.hasWork { return self.look() }
            }
            if !look.handed.isEmpty { return self.look() }
            // An orphan of this machine holds tasks up only as long as it goes on.
            if look.hasOrphans, agenda.expectsDeath { return }
            guard !look.hasWork, !look.hasWakes, look.nextMoment == nil, !loseIfDamaged() else {
                return
            }
            pending.append(.stop(isUrgent: false))
        }
    }
}

extension QueueError {
    /// Whether it says that tasks or queues are not what they were found to be.
    fileprivate var saysNotSo: Bool {
        [.notLegal, .unknownTask, .unknownQueue, .changed, .uniqueTaken].contains(code)
    }
}

import SluiceModel
import SluiceStore

/// Claims of an idle runner without a poll (A1).
extension RunnerLoop {
    var slots: Int { runner.options.slots }

    /// Takes handed-over tasks. At a server, which has no hand-over, claims instead; the poll
    /// follows.
    func claimImmediately() {
        guard runner.store.heartbeats != nil else { return claimDispatched() }
        guard agenda.polls.mayClaim(at: instant) else { return }
        agenda.polls.look(at: instant)
        pending.append(.offered)
    }

    /// Reads only its own tasks that have not started, so that they start without delay.
    private func claimDispatched() {
        let id = attachment.process.id
        attempt {
            let handed = try runner.store.readBlocking { try $0.dispatched(to: id) }
            guard !handed.isEmpty else { return }
            pending.append(.handed(handed))
            agenda.polls.found(handed.count, of: slots)
        }
    }

    /// Stops claiming; handed-over tasks that have not started become free for others.
    func announceStop(begun: Set<TaskID>) {
        let (id, now) = (attachment.process.id, runner.now())
        attempt {
            let settled = try runner.store.transactBlocking(at: now) { mutation in
                let settled = try mutation.announceStop(of: id, begun: begun)
                return settled
            }
            for task in settled { runner.onEvent(.settled(task)) }
        }
    }
}

/// Wakes: the rest of a start's end for its members (T2).
extension RunnerLoop {
    /// Processes one slice in its own commit, so that others can write in between.
    func workOffWakes() {
        let (now, members) = (runner.now(), batch.members)
        attempt {
            batch.took(
                nanoseconds: try runner.store.writeBlocking { store in
                    try store.workOffWakes(at: now, members: members)
                })
            look()
        } orElse: {
            agenda.retryLater(at: instant)
        }
    }
}

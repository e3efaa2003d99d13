import SluiceModel
import SluiceStore

/// What a runner that rests takes before it looks at the store (A1).
extension RunnerLoop {
    var slots: Int { runner.options.slots }

    /// What was handed over to it; or, where nobody hands over, what a claim finds: the look comes
    /// after that.
    func takeAtOnce() {
        guard runner.store.heartbeats != nil else { return takeDispatched() }
        guard agenda.polls.mayClaim(at: instant) else { return }
        agenda.polls.look(at: instant)
        pending.append(.offered)
    }

    /// Reads what it owns and has not begun, and nothing else: it starts before anything is looked
    /// at that could hold it up.
    private func takeDispatched() {
        let id = attachment.process.id
        attempt {
            let handed = try runner.store.readBlocking { try $0.dispatched(to: id) }
            guard !handed.isEmpty else { return }
            pending.append(.handed(handed))
            agenda.polls.found(handed.count, of: slots)
        }
    }

    /// Takes nothing more; what was handed over and has not begun is free for others.
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

/// What the ends of starts left to do for their members (T2).
extension RunnerLoop {
    /// One slice in a commit of its own: others write in between.
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

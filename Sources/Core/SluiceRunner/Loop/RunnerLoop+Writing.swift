import SluiceModel
import SluiceStore
import SluiceSystem

/// Writes of a runner other than claims and settles.
extension RunnerLoop {
    /// Writes that abandoned executions came to their end; like a result it is kept until a commit
    /// holds it.
    func release(_ ended: [(task: TaskID, attempt: Int)]) {
        guard loss == nil, !ended.isEmpty else { return }
        let now = runner.now()
        do {
            try runner.store.transactBlocking(at: now) { mutation in
                for one in ended { try mutation.release(one.task, attempt: one.attempt) }
            }
        } catch {
            trouble(error)
            unreleased += ended
            agenda.retryLater(at: instant)
        }
    }

    func write(_ progress: [ExecutionKey: AttemptProgress]) {
        guard !progress.isEmpty else { return }
        attempt {
            try runner.store.writeBlocking { store in
                for (key, told) in progress {
                    guard let task = try store.task(key.task), let lease = task.running,
                        lease.token == key.token
                    else { continue }
                    var record = AttemptRecord(task: task, lease)
                    record.fraction = told.fraction
                    record.progressText = told.text
                    record.log = told.log
                    record.childPID = told.childPID
                    record.childStartTime = told.childStartTime
                    try store.put([record])
                }
            }
        }
    }

    /// Writes what the network is; the newest is kept until a commit holds it.
    func write(_ network: NetworkState) {
        (unwrittenNetwork, self.network) = (network, network)
        let (id, now) = (attachment.process.id, runner.now())
        attempt {
            try runner.store.transactBlocking(at: now) { try $0.setNetwork(network, of: id) }
            unwrittenNetwork = nil
            look()
        } orElse: {
            agenda.retryLater(at: instant)
        }
    }
}

/// The locks that show other processes which are alive: the runner's own lock, and the locks of its
/// commands (A2).
extension RunnerLoop {
    /// Takes the runner's lock again after its file was removed or replaced. The lease in the store
    /// stays valid, so no process treats the runner as dead. Without the lock no task starts, and
    /// running attempts get a stop request.
    func keepLock() {
        guard loss == nil else { return }
        do {
            guard let path = try attachment.keepLock() else { return }
            let told = QueueError(
                .changed, "the lock file \(path) was removed or replaced, and is made anew",
                fix: "do not touch the files next to a store in use")
            runner.onEvent(.troubled(told))
            if isLockLost { pending.append(.lease(isHeld: true)) }
            isLockLost = false
        } catch {
            trouble(error)
            if !isLockLost { pending.append(.lease(isHeld: false)) }
            isLockLost = true
            agenda.retryLater(at: instant)
        }
    }

    /// Handles a settled attempt: removes the lock of its command, unless a process of it
    /// continues.
    func tell(_ settled: Settled) {
        if settled.isOrphaned {
            agenda.wantReap(at: instant)
        } else if let attempt = settled.attempt {
            removeChildLock(of: attempt)
        }
        runner.onEvent(.settled(settled))
    }

    /// Removes the lock file of an ended child. A success without a child has none.
    private func removeChildLock(of attempt: AttemptRecord) {
        guard attempt.childPID != nil || attempt.outcome != .success,
            let folder = runner.store.runFolder
        else { return }
        let name = Reaper.childLockName(
            process: attachment.process.id, task: attempt.task, attempt: attempt.number)
        if Files.exists("\(folder)/\(name)") { try? Files.remove("\(folder)/\(name)") }
    }
}

/// The part of a runner's row about its handlers.
struct ServedRow: Hashable, Sendable {
    /// The types it handles; nil for every type.
    var types: [String]?
    var brokers: [QueueBroker]
    /// The queues that two of them claim; the runner takes no task from these.
    var contested: [ContestedQueue] = []

    func put(into process: inout ProcessRecord) {
        (process.types, process.brokers, process.contested) = (types, brokers, contested)
    }
}

/// The queues that a runner meets.
extension RunnerLoop {
    /// Lets the brokers' predicates choose among new queues, and writes the served queues to the
    /// runner's row. A queue that two brokers claim is reported once and not served (YTQ-18).
    func meetQueues() throws {
        if runner.choosesQueues {
            let names = try runner.store.readBlocking {
                try $0.queues(.inUse([])).map(\.record.name)
            }
            runner.meet(names)
        }
        let row = runner.servedRow
        guard row != writtenRow else { return }
        let id = attachment.process.id
        try runner.store.writeBlocking { store in
            guard var process = try store.processes().first(where: { $0.id == id }) else { return }
            row.put(into: &process)
            try store.put(process)
        }
        for contest in row.contested where !writtenRow.contested.contains(contest) {
            runner.onEvent(.troubled(contest.error))
        }
        writtenRow = row
    }

    /// The error for a task that the runner was handed without having a handler for it.
    func lacksHandler(for task: QueueTask) -> String {
        runner.servedRow.contested.first { $0.queue == task.queue }?.words
            ?? "this worker has no handler for \(task.type)"
    }
}

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

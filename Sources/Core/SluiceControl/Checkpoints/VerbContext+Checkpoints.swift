import SluiceModel
import SluiceStore

/// Taking and removing checkpoints, and putting the store back to one (G5).
extension VerbContext {
    func takeCheckpoint(_ request: CheckpointRequest) throws {
        try DebuggerPart.checkpoints.refuseOlder(
            among: store.processes(), isAgreed: request.endsOlder)
        let known = try store.storeRecord().checkpoints
        let name = request.name ?? known.freeName
        try Checkpoint.check(name: name)
        guard known[name] == nil else {
            throw QueueError(
                .badName, "there is a checkpoint \"\(name)\" already",
                fix: "sluice \(ShellWord.command("checkpoint remove", name)) ends it")
        }
        var undo = UndoRecord()
        undo.checkpoints = [.init(taken: known.last + 1, name: name)]
        let sequence = try journal(
            "checkpoint", queue: nil, "checkpoint \(name) taken by \(person)", undo: undo)
        answer.checkpoints = [try mutation.take(checkpoint: name, by: person, sequence: sequence)]
    }

    func removeCheckpoints(_ names: [String]) throws {
        let known = try store.storeRecord().checkpoints
        let removed = try names.map { try known.named($0) }
        try store.removeCheckpoints(Set(removed.map(\.number)))
        let left = try store.storeRecord().checkpoints
        answer.checkpoints = left.all
        answer.consequences = removed.compactMap { left.loss(of: $0, endedAt: .max) }
        var undo = UndoRecord()
        if answer.consequences.count < removed.count {
            undo.checkpoints = removed.map { .init(ended: $0) }
        }
        let what = WordList.and(removed.map(\.name))
        try journal(
            "checkpointRemove", queue: nil,
            "checkpoint\(removed.count == 1 ? "" : "s") \(what) removed by \(person)", undo: undo)
    }

    /// Undoes a verb on checkpoints: removes those it set, and restores those it removed if their
    /// images exist.
    func restoreCheckpoints(_ record: UndoRecord, of target: JournalEvent) throws {
        var refused: [QueueError] = []
        for image in record.checkpoints {
            do {
                checkpointImages.append(try revert(image, of: target))
            } catch let error as QueueError where error.isRefusal {
                refused.append(error)
            }
        }
        guard checkpointImages.isEmpty, let error = refused.first else {
            answer.consequences += refused.map(\.message)
            return
        }
        throw error
    }

    private func revert(
        _ image: UndoRecord.CheckpointImage, of target: JournalEvent
    ) throws -> UndoRecord.CheckpointImage {
        let known = try store.storeRecord().checkpoints
        guard let ended = image.before else {
            guard let taken = known.all.first(where: { $0.number == image.number }) else {
                throw QueueError(
                    .changed, "checkpoint \(image.name) has ended since",
                    fix: "sluice log shows how")
            }
            try store.removeCheckpoints([taken.number])
            return .init(ended: taken)
        }
        if let loss = known.loss(of: ended, endedAt: target.sequence) {
            throw QueueError.notLegal(
                loss, fix: "sluice \(ShellWord.command("checkpoint", ended.name)) takes a new one")
        }
        guard known[ended.name] == nil else {
            throw QueueError(
                .changed, "there is another checkpoint \(ended.name) by now",
                fix: "sluice \(ShellWord.command("checkpoint remove", ended.name)) ends it")
        }
        try store.bringBack(ended)
        return .init(taken: ended.number, name: ended.name)
    }

    /// Restores the store to a checkpoint in this commit, and lists the executions since.
    func restore(_ name: String) throws {
        try refuseProtected("restores")
        let checkpoint = try store.storeRecord().checkpoints.named(name)
        let effects = try store.executions(after: checkpoint.sequence)
        let restored = try mutation.restore(to: checkpoint, by: person)
        let schedules = try restoreSchedules(of: checkpoint)
        let count = restored.count + schedules.count
        answer.restored = RestoreReport(name: name, changed: count, effects: effects)
        answer.changed = (restored.putBack + restored.trashed).sorted()
        guard count > 0 || !mutation.undo.isEmpty else {
            answer.summary = "nothing differs from checkpoint \(name)"
            return
        }
        answer.consequences = restored.sentences
        if !schedules.isEmpty {
            answer.consequences.append(.again("schedule", schedules.map(\.name)))
        }
        var record = mutation.undo
        record.results = restored.undo.results
        record.queues = restored.undo.queues
        record.storePausesBefore = restored.undo.storePausesBefore
        record.network = restored.undo.network
        record.madeQueues = restored.undo.madeQueues
        record.schedules = schedules
        try journal("restore", queue: nil, "\(name) restored by \(person)", undo: record)
    }

    /// Undoes a restore's changes to everything except tasks. Keeps the replaced values for the
    /// next undo.
    func restoreImages(_ record: UndoRecord) throws {
        for name in record.madeQueues where try store.queue(named: name) != nil {
            answer.consequences.append(
                "\(name) was deleted before the restore and stays: sluice "
                    + "\(ShellWord.command("queue delete", name)) forgets it with its trash")
        }
        for image in record.queues { try restore(image) }
        for image in record.results.reversed() where try store.task(image.number) != nil {
            restoreImages.results.append(
                .init(number: image.number, before: try store.result(of: image.number)))
            try store.setResult(image.before, of: image.number)
        }
        guard let network = record.network else { return }
        var store = try self.store.storeRecord()
        restoreImages.network = .init(forced: store.forcedNetwork)
        store.forcedNetwork = network.forced
        store.version += 1
        try self.store.put(store)
    }

    private func restore(_ image: UndoRecord.QueueImage) throws {
        let current = try mutation.queue(image.before.name)
        guard current.version == image.versionAfter else {
            throw QueueError(
                .changed, "\(current.name) changed since", fix: "sluice log shows how")
        }
        let pauses = try living(image.before.pauses)
        try mutation.changeQueue(current.name) { queue in
            let version = queue.version
            queue = image.before
            (queue.version, queue.pauses) = (version, pauses)
        }
        restoreImages.queues.append(
            .init(before: current, versionAfter: try mutation.queue(current.name).version))
    }
}

extension Restored {
    /// The sentences of the answer.
    fileprivate var sentences: [String] {
        var said: [String] = []
        func say(_ count: Int, _ one: String, _ many: String) {
            guard count > 0 else { return }
            said.append("\(NumberText.tasks(count)) \(count == 1 ? one : many)")
        }
        say(putBack.count, "is restored", "are restored")
        say(trashed.count, "that came since is in the trash", "that came since are in the trash")
        if !queues.isEmpty { said.append(.again("queue", queues.sorted())) }
        if isStoreChanged {
            said.append("the pauses of the store and its network are restored")
        }
        return said
    }
}

extension String {
    /// The sentence that some items of a kind have their old values again.
    fileprivate static func again(_ what: String, _ names: [String]) -> String {
        let isOne = names.count == 1
        return "\(what)\(isOne ? "" : "s") \(WordList.and(names)) "
            + (isOne ? "is restored" : "are restored")
    }
}

extension StoreReader {
    /// The executions that ended after one journal sequence number and before another, oldest
    /// first.
    func executions(after sequence: Int64, before end: Int64 = .max) throws -> [AttemptRecord] {
        var query = JournalQuery(limit: 1000, withUndo: false)
        query.after = sequence
        query.before = end
        var found: [AttemptRecord] = []
        while true {
            let page = try journal(query)
            for case .attempt(let attempt) in page { found.append(attempt) }
            guard let last = page.last, page.count == query.limit else { return found }
            query.after = last.sequence
        }
    }
}

import SluiceModel
import SluiceStore

/// Puts the store back to a checkpoint (G5).
package struct RestoreVerb: StoreVerb {
    package let name: String

    package var verbName: String { "restore" }
    package var caution: VerbCaution { .ofConsequences }
    package var question: String? { "restore \(name)?" }
    package var answers: AnswerPart { .restore }

    package func command(in text: CommandText) -> String {
        ShellWord.command("restore", name, " --yes")
    }

    /// Restores the store to a checkpoint in this commit, and lists the executions since.
    package func perform(in context: VerbContext) throws {
        try context.refuseProtected("restores")
        let checkpoint = try context.store.storeRecord().checkpoints.named(name)
        let effects = try context.store.executions(after: checkpoint.sequence)
        let restored = try context.mutation.restore(to: checkpoint, by: context.person)
        let schedules = try context.restoreSchedules(of: checkpoint)
        let count = restored.count + schedules.count
        context.answer.restored = RestoreReport(name: name, changed: count, effects: effects)
        context.answer.changed = (restored.putBack + restored.trashed).sorted()
        guard count > 0 || !context.mutation.undo.isEmpty else {
            context.answer.summary = "nothing differs from checkpoint \(name)"
            return
        }
        context.answer.consequences = restored.sentences
        if !schedules.isEmpty {
            context.answer.consequences.append(.again("schedule", schedules.map(\.name)))
        }
        var record = context.mutation.undo
        record.results = restored.undo.results
        record.queues = restored.undo.queues
        record.storePausesBefore = restored.undo.storePausesBefore
        record.network = restored.undo.network
        record.madeQueues = restored.undo.madeQueues
        record.schedules = schedules
        try context.journal(
            "restore", queue: nil, "\(name) restored by \(context.person)", undo: record)
    }
}

extension Verb {
    /// Puts the store back to a checkpoint of this name.
    public static func restore(_ name: String) -> Verb { Verb(RestoreVerb(name: name)) }
}

extension TakingBack {
    /// Undoes a restore's changes to everything except tasks. Keeps the replaced values for the
    /// next undo.
    func restoreImages(_ record: UndoRecord) throws {
        for name in record.madeQueues where try context.store.queue(named: name) != nil {
            context.answer.consequences.append(
                "\(name) was deleted before the restore and stays: sluice "
                    + "\(ShellWord.command("queue delete", name)) forgets it with its trash")
        }
        for image in record.queues { try restore(image) }
        for image in record.results.reversed() where try context.store.task(image.number) != nil {
            context.images.results.append(
                .init(number: image.number, before: try context.store.result(of: image.number)))
            try context.store.setResult(image.before, of: image.number)
        }
        guard let network = record.network else { return }
        var kept = try context.store.storeRecord()
        context.images.network = .init(forced: kept.forcedNetwork)
        kept.forcedNetwork = network.forced
        kept.version += 1
        try context.store.put(kept)
    }

    private func restore(_ image: UndoRecord.QueueImage) throws {
        let current = try context.mutation.queue(image.before.name)
        guard current.version == image.versionAfter else {
            throw QueueError(
                .changed, "\(current.name) changed since", fix: "sluice log shows how")
        }
        let pauses = try living(image.before.pauses)
        try context.mutation.changeQueue(current.name) { queue in
            let version = queue.version
            queue = image.before
            (queue.version, queue.pauses) = (version, pauses)
        }
        context.images.queues.append(
            .init(before: current, versionAfter: try context.mutation.queue(current.name).version))
    }
}

extension Restored {
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

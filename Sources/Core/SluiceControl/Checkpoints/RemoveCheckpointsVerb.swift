import SluiceModel
import SluiceStore

/// Removes checkpoints (G5).
struct RemoveCheckpointsVerb: StoreVerb {
    let names: [String]

    var verbName: String { "checkpoint remove" }
    var answers: AnswerPart { .checkpoints }

    func command(in text: CommandText) -> String {
        (["checkpoint remove"] + names.map(ShellWord.quoted)).joined(separator: " ")
    }

    func perform(in context: VerbContext) throws {
        let known = try context.store.storeRecord().checkpoints
        let removed = try names.map { try known.named($0) }
        try context.store.removeCheckpoints(Set(removed.map(\.number)))
        let left = try context.store.storeRecord().checkpoints
        context.answer.checkpoints = left.all
        context.answer.consequences = removed.compactMap { left.loss(of: $0, endedAt: .max) }
        var undo = UndoRecord()
        if context.answer.consequences.count < removed.count {
            undo.checkpoints = removed.map { .init(ended: $0) }
        }
        let what = WordList.and(removed.map(\.name))
        try context.journal(
            "checkpointRemove", queue: nil,
            "checkpoint\(removed.count == 1 ? "" : "s") \(what) removed by \(context.person)",
            undo: undo)
    }
}

extension Verb {
    /// Forgets checkpoints of these names.
    public static func removeCheckpoints(_ names: [String]) -> Verb {
        Verb(RemoveCheckpointsVerb(names: names))
    }
}

extension TakingBack {
    /// Undoes a verb on checkpoints: removes those it set, and restores those it removed if their
    /// images exist.
    func restoreCheckpoints(_ record: UndoRecord, of target: JournalEvent) throws {
        var refused: [QueueError] = []
        for image in record.checkpoints {
            do {
                context.images.checkpoints.append(try revert(image, of: target))
            } catch let error as QueueError where error.isRefusal {
                refused.append(error)
            }
        }
        guard context.images.checkpoints.isEmpty, let error = refused.first else {
            context.answer.consequences += refused.map(\.message)
            return
        }
        throw error
    }

    private func revert(
        _ image: UndoRecord.CheckpointImage, of target: JournalEvent
    ) throws -> UndoRecord.CheckpointImage {
        let known = try context.store.storeRecord().checkpoints
        guard let ended = image.before else {
            guard let taken = known.all.first(where: { $0.number == image.number }) else {
                throw QueueError(
                    .changed, "checkpoint \(image.name) has ended since",
                    fix: "sluice log shows how")
            }
            try context.store.removeCheckpoints([taken.number])
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
        try context.store.bringBack(ended)
        return .init(taken: ended.number, name: ended.name)
    }
}

extension Action.ID {
    package static let removeCheckpoints = Self("removeCheckpoints")
}

extension Action {
    static let removeCheckpoints = Action(
        .removeCheckpoints, .store, "remove checkpoint", "forget checkpoints",
        Command("checkpoint remove", "NAME…", [.text("NAME")], changes: true)
    ) { words throws(QueueError) in
        guard !words.values.isEmpty else {
            throw .usage("NAME, a checkpoint, is missing", of: words.command)
        }
        return .removeCheckpoints(words.values)
    }
}

import SluiceModel
import SluiceStore

/// Removes faults (G2).
struct RemoveFaultsVerb: StoreVerb {
    let selection: NumberSelection

    var verbName: String { "fault remove" }
    var answers: AnswerPart { .faults }

    func command(in text: CommandText) -> String { selection.command("fault") }

    func perform(in context: VerbContext) throws {
        let known = try context.store.storeRecord().faults.all.map(\.number)
        let numbers = try selection.numbers(among: known, "fault")
        let removed = try context.mutation.removeFaults(Set(numbers))
        guard !removed.isEmpty else {
            context.answer.summary = "there is no fault"
            return
        }
        context.answer.faults = try context.store.storeRecord().faults.all
        var undo = UndoRecord()
        undo.faults = removed.map { .init(number: $0.number, before: $0) }
        let what = WordList.and(removed.map { "\($0.number)" })
        try context.journal(
            "faultRemove", queue: nil,
            "fault\(removed.count == 1 ? "" : "s") \(what) removed by \(context.person)", undo: undo
        )
    }
}

extension Verb {
    /// Removes faults.
    public static func removeFaults(_ selection: NumberSelection) -> Verb {
        Verb(RemoveFaultsVerb(selection: selection))
    }
}

extension TakingBack {
    /// Undoes a verb on faults: removes those it set, and sets again those it removed unless they
    /// expired. Injected faults remain.
    func restoreFaults(_ record: UndoRecord) throws {
        guard !record.faults.isEmpty else { return }
        for image in record.faults {
            if let before = image.before {
                try context.refuseProtected("faults")
                guard try context.mutation.restore(before) else { continue }
                context.images.faults.append(.init(number: image.number, before: nil))
            } else {
                let removed = try context.mutation.removeFaults([image.number])
                context.images.faults += removed.map { .init(number: $0.number, before: $0) }
            }
        }
        guard context.images.faults.isEmpty else { return }
        let what = WordList.and(record.faults.map { "\($0.number)" })
        throw QueueError.notLegal("fault \(what) ended since")
    }
}

extension Action.ID {
    package static let removeFaults = Self("removeFaults")
}

extension Action {
    static let removeFaults = Action(
        .removeFaults, .store, "remove fault", "remove faults",
        Command(
            "fault remove", "N… | --all", [.number],
            options: [Command.Option("--all", .flag, "every fault")], changes: true)
    ) { words throws(QueueError) in
        .removeFaults(try NumberSelection(words, of: "fault"))
    }
}

import SluiceModel
import SluiceStore

/// Removes breakpoints (G1).
struct RemoveBreaksVerb: StoreVerb {
    let selection: NumberSelection

    var verbName: String { "break remove" }
    var answers: AnswerPart { .breakpoints }

    func command(in text: CommandText) -> String { selection.command("break") }

    func perform(in context: VerbContext) throws {
        let known = try context.store.storeRecord().breakpoints.all.map(\.number)
        let numbers = try selection.numbers(among: known, "breakpoint")
        let (removed, resumed) = try context.mutation.removeBreakpoints(Set(numbers))
        guard !removed.isEmpty else {
            context.answer.summary = "there is no breakpoint"
            return
        }
        context.answer.breakpoints = try context.store.storeRecord().breakpoints.all
        let whom = removed.count == 1 ? "it" : "them"
        context.answer.consequences = resumed.map { "\($0) is not stopped by \(whom) any more" }
        var undo = UndoRecord()
        undo.breakpoints = removed.map { .init(number: $0.number, before: $0) }
        let what = WordList.and(removed.map { "\($0.number)" })
        try context.journal(
            "breakRemove", queue: nil,
            "breakpoint\(removed.count == 1 ? "" : "s") \(what) removed by \(context.person)",
            undo: undo)
    }
}

extension Verb {
    /// Removes breakpoints.
    public static func removeBreakpoints(_ selection: NumberSelection) -> Verb {
        Verb(RemoveBreaksVerb(selection: selection))
    }
}

extension TakingBack {
    /// Undoes a verb on breakpoints: removes those it set, and sets again those it removed. Skips
    /// breakpoints that have expired or whose console has ended.
    func restoreBreakpoints(_ record: UndoRecord) throws {
        guard !record.breakpoints.isEmpty else { return }
        let attached = Set(try context.store.processes().map(\.id))
        for image in record.breakpoints {
            if let before = image.before {
                if before.until == nil { try context.refuseProtected("breakpoints without an end") }
                guard before.owner.map(attached.contains) ?? true,
                    try context.mutation.restore(before)
                else { continue }
                context.images.breakpoints.append(.init(number: image.number, before: nil))
            } else {
                let removed = try context.mutation.removeBreakpoints([image.number]).removed
                context.images.breakpoints += removed.map { .init(number: $0.number, before: $0) }
            }
        }
        guard context.images.breakpoints.isEmpty else { return }
        let what = WordList.and(record.breakpoints.map { "\($0.number)" })
        throw QueueError.notLegal("breakpoint \(what) ended since")
    }
}

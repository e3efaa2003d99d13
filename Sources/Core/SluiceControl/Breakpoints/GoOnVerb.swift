import SluiceModel
import SluiceStore

/// Continues past the breakpoint that stopped a queue (G1).
package struct GoOnVerb: StoreVerb {
    package let queue: String

    package var verbName: String { "resume" }
    package var answers: AnswerPart { .pauses(.queue(queue)) }

    package func command(in text: CommandText) -> String {
        ShellWord.command("resume", queue, " --breakpoints")
    }

    /// Ends the pause of breakpoints alone; where another one holds, a run goes to the next stop or
    /// to its end.
    package func perform(in context: VerbContext) throws {
        let name = queue
        let ended = try context.mutation.endStop(of: name)
        let queue = try context.mutation.queue(name)
        let pauses = (try context.store.storeRecord().pauses + queue.pauses).filter {
            $0.direction.stopsWork && $0.isActive(at: context.now, real: context.real)
        }
        guard pauses.isEmpty else { return try RunVerb(queue: name).perform(in: context) }
        context.answer.endedPauses = ended
        guard let first = ended.first else {
            context.answer.summary = "no breakpoint stops \(name)"
            return
        }
        try context.journal(
            "resume", queue: name, "\(name) continues past \(first.by) by \(context.person)",
            undo: nil)
    }
}

extension Verb {
    /// Continues past the breakpoint that stopped a queue.
    public static func goOn(queue: String) -> Verb { Verb(GoOnVerb(queue: queue)) }
}

import SluiceModel
import SluiceStore

/// Ends the pauses of a queue or of the store (D2).
package struct ResumeVerb: StoreVerb {
    package let scope: VerbScope

    package var verbName: String { "resume" }
    package var answers: AnswerPart { .pauses(scope) }

    package func command(in text: CommandText) -> String { scope.command("resume") }

    package func perform(in context: VerbContext) throws {
        switch scope {
        case .queue(let name):
            let queue = try context.mutation.queue(name)
            context.answer.endedPauses = queue.activePauses(at: context.now, real: context.real)
            try context.mutation.changeQueue(name) { $0.pauses = [] }
            try context.mutation.forgetSpentBreakpoints()
            context.answer.pauses = try context.store.storeRecord().pauses.filter {
                $0.isActive(at: context.now)
            }
            if !context.answer.pauses.isEmpty {
                context.answer.consequences.append(
                    "the store is still paused: sluice resume --all ends that")
            }
            guard !context.answer.endedPauses.isEmpty else {
                context.answer.summary = "\(name) was not paused"
                return
            }
            let causes = context.answer.endedPauses.map { "\($0.cause.rawValue) (\($0.by))" }
            try context.journal(
                "resume", queue: name,
                "\(name) resumed by \(context.person), ended: \(causes.joined(separator: ", "))",
                undo: try context.mutation.undoRecord(withQueue: name))
            context.answer.endedPauses = try context.answer.endedPauses.map(context.store.named)
        case .store:
            var record = try context.store.storeRecord()
            var undo = UndoRecord()
            undo.storePausesBefore = record.pauses
            context.answer.endedPauses = record.pauses.filter { $0.isActive(at: context.now) }
            guard !context.answer.endedPauses.isEmpty else {
                context.answer.summary = "the store was not paused"
                return
            }
            record.pauses = []
            record.version += 1
            try context.store.put(record)
            let others = try context.store.queues().filter {
                $0.isPaused(at: context.now, real: context.real)
            }.map(\.name)
            if !others.isEmpty {
                let names = others.prefix(5).joined(separator: ", ")
                let more = others.count > 5 ? " and \(others.count - 5) more" : ""
                context.answer.consequences.append("paused by themselves still: \(names)\(more)")
            }
            let what = others.isEmpty ? "all queues resumed" : "the pause of all queues ended"
            try context.journal("resume", queue: nil, "\(what) by \(context.person)", undo: undo)
        }
    }
}

extension Verb {
    /// Ends the pauses of a queue or of the store.
    public static func resume(_ scope: VerbScope) -> Verb { Verb(ResumeVerb(scope: scope)) }
}

extension Action.ID {
    package static let resume = Self("resume")
}

extension Action {
    static let resume = Action(
        .resume, key: "r", .queue, "resume", "end every pause of the queue",
        Command(
            "resume", "QUEUE | --all", [.queue],
            options: [
                Command.Option("--all", .flag, "the pause of the whole store"),
                Command.Option(
                    "--breakpoints", .flag, "continue past a breakpoint; other pauses stay"),
            ],
            changes: true)
    ) { words throws(QueueError) in
        guard words.has("--breakpoints") else { return .resume(try VerbScope(words)) }
        guard !words.has("--all") else {
            throw .usage("--breakpoints is about one QUEUE", of: words.command)
        }
        return .goOn(queue: try words.oneQueue())
    }
}

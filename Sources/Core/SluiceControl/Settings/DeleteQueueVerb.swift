import SluiceModel
import SluiceStore

struct DeleteQueueVerb: StoreVerb {
    let queue: String
    let evenWithTasks: Bool
    var storeName: String?

    var verbName: String { "queue delete" }
    var canBeUndone: Bool { false }
    var question: String? { "delete the queue \(queue)?" }

    func asksForStoreName(tasks: Int) -> Bool { true }

    func command(in text: CommandText) -> String {
        ShellWord.command(
            "queue delete", queue,
            (evenWithTasks ? " --yes" : "") + CommandText.option(storeName))
    }

    func perform(in context: VerbContext) throws {
        let name = queue
        _ = try context.mutation.queue(name)
        let counts = try context.store.counts(queue: name)
        if counts[.running] > 0 {
            let run = counts[.running] == 1 ? "runs" : "run"
            throw QueueError.notLegal(
                "\(NumberText.tasks(counts[.running])) of \(name) \(run)",
                fix: "pause it with --now first")
        }
        if counts[.waiting] > 0, !evenWithTasks {
            let wait = counts[.waiting] == 1 ? "waits" : "wait"
            throw QueueError.notLegal(
                "\(NumberText.tasks(counts[.waiting])) \(wait) in \(name)",
                fix: "sluice \(ShellWord.command("queue delete", name, " --yes")) forgets them too")
        }
        try context.store.removeQueue(named: name)
        context.answer.consequences += try Reading(context.store, now: context.real).breakpoints()
            .filter { $0.filter.queue == name }
            .map { kept in
                "\(kept.name) stays, and watches a new queue of that name: "
                    + "sluice break remove \(kept.number) removes it"
            }
        try context.journal(
            "queueDelete", queue: name, "\(name) deleted by \(context.person)", undo: nil)
    }
}

extension Verb {
    /// Forgets a queue.
    public static func deleteQueue(
        _ queue: String, evenWithTasks: Bool, storeName: String? = nil
    ) -> Verb {
        Verb(DeleteQueueVerb(queue: queue, evenWithTasks: evenWithTasks, storeName: storeName))
    }
}

extension Action.ID {
    package static let deleteQueue = Self("deleteQueue")
}

extension Action {
    static let deleteQueue = Action(
        .deleteQueue, .queue, "delete queue", "forget a queue",
        Command(
            "queue delete", "NAME", [.queue],
            options: [
                Command.Option("--yes", .flag, "even with the tasks that wait in it"),
                Command.storeName,
            ],
            changes: true)
    ) { words throws(QueueError) in
        .deleteQueue(
            try words.oneQueue(), evenWithTasks: words.has("--yes"),
            storeName: words.text("--store-name"))
    }
}

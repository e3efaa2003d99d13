import SluiceModel

/// Short makers, so that the table below reads as a table.
private typealias Option = Command.Option

private func tasks(_ name: String, _ arguments: String = "TASK…", _ options: [Option] = [])
    -> Command
{
    Command(name, arguments, [.task], options: options, changes: true, takesFilter: true)
}

extension Action {
    /// The one table of actions. What is not built is not in it.
    public static let all: [Action] = driving + changing + looking + program + commands

    /// An action by its name.
    public static func named(_ id: ID) -> Action? { byName[id] }

    /// The action of a key of the console.
    public static func of(key: String) -> Action? { byKey[key] }

    private static let byName = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
    private static let byKey = Dictionary(
        all.compactMap { action in action.key.map { ($0, action) } }
    ) { first, _ in first }

    private static let driving: [Action] = [
        Action(
            .step, key: "s", .queue, "step", "run exactly one task although the queue is paused",
            Command(
                "step", "QUEUE | --task TASK", [.queue],
                options: [
                    Option("-n", .number, "how many, one after the other"),
                    Option("--task", .task, "exactly this task, out of its order"),
                    Option("--handlers", .file, "run it here with these handlers"),
                    Option("--check", .flag, "exit 1 when the execution did not succeed"),
                ], changes: true)),
        Action(.stepTask, key: "S", .task, "step this", "run exactly this task, out of its order"),
        Action(
            .run, key: "c", .queue, "run", "open a run: each task is attempted at most once",
            Command(
                "run", "QUEUE", [.queue],
                options: [
                    Option(
                        "--until", .text("'task #12' | 'count 5' | 'time +1m'"),
                        "where to stop"),
                    Option("--handlers", .file, "run the tasks here with these handlers"),
                ], changes: true)),
        Action(
            .pause, key: "p", .queue, "pause", "start nothing more; what runs, finishes",
            Command(
                "pause", "QUEUE | --all", [.queue],
                options: [
                    Option("--all", .flag, "the whole store"),
                    Option("--reason", .text("R"), "why, for everybody who looks"),
                    Option("--for", .duration, "resume by itself after this"),
                    Option(
                        "--direction", .choice(["work", "enqueues", "both"]), "what it stops"),
                    Option("--now", .flag, "tell what runs to stop; it waits again"),
                ], changes: true)),
        Action(
            .pauseWithReason, key: "P", .queue, "pause, why", "pause with a reason and a time"),
        Action(
            .resume, key: "r", .queue, "resume", "end every pause of the queue",
            Command(
                "resume", "QUEUE | --all", [.queue],
                options: [Option("--all", .flag, "the pause of the whole store")],
                changes: true)),
    ]

    private static let over = Option(
        "--over", .duration, "spread: due one after the other, evenly over this time")
    private static let members = Option(
        "--members", .choice(StartFailurePolicy.allCases.map(\.rawValue)),
        "what becomes of a start's members")

    private static let changing: [Action] = [
        Action(
            .skip, key: "x", .task, "skip", "go on without it, until it is taken back in",
            tasks("skip", "TASK…", [Option("--for", .duration, "take it back in after this")])),
        Action(.unskip, .task, "unskip", "take a skipped task back in", tasks("unskip")),
        Action(
            .delete, key: "d", .task, "delete", "to the trash; undelete brings it back",
            tasks(
                "delete", "TASK…",
                [Option("--cancel", .flag, "also one that runs"), members])),
        Action(.undelete, .task, "undelete", "bring it back from the trash", tasks("undelete")),
        Action(
            .retry, key: "R", .task, "retry", "due now: no timer, parking or skip",
            tasks("retry", "TASK…", [over])),
        Action(
            .postpone, key: "t", .task, "postpone", "not before a time",
            tasks("postpone", "TASK… TIME", [over])),
        Action(
            .priority, .task, "priority", "larger runs first (order priority)",
            tasks("priority", "TASK… N")),
        Action(.raisePriority, key: "+", .task, "priority +", "one more; in view 7 the queue's"),
        Action(.lowerPriority, key: "-", .task, "priority -", "one less; in view 7 the queue's"),
        Action(
            .move, key: "m", .task, "move", "another place in the order, or another queue",
            Command(
                "move", "TASK", [.task],
                options: [
                    Option("--before", .task, "before this one"),
                    Option("--after", .task, "after this one"),
                    Option("--first", .flag, "first of all"),
                    Option("--last", .flag, "last of all"),
                    Option("--queue", .queue, "into another queue"),
                ], changes: true, takesFilter: true)),
        Action(
            .edit, key: "e", .task, "edit", "payload and fields",
            Command(
                "edit", "TASK", [.task],
                options: [
                    Option("--payload", .bytes("P"), "the new payload"),
                    Option("--payload-file", .file, "the new payload from a file, or -"),
                    Option(
                        "--set", .text("FIELD=VALUE"),
                        "type, priority, sortKey, label, attempts, expires, requires, required"),
                ], changes: true, takesFilter: true)),
        Action(
            .duplicate, key: "D", .task, "duplicate", "once more, at the end", tasks("duplicate")),
        Action(
            .cancel, .task, "cancel", "tell a running task to stop; it is parked",
            tasks("cancel")),
        Action(
            .reclaim, .task, "reclaim", "take a task from an owner that you know to be dead",
            tasks("reclaim")),
        Action(
            .acknowledge, .task, "acknowledge", "its result was collected, its session knows",
            tasks("acknowledge")),
        Action(
            .enqueue, key: "i", .queue, "enqueue", "a new task",
            Command(
                "enqueue", "QUEUE TYPE [PAYLOAD]", [.queue, .text("TYPE"), .bytes("PAYLOAD")],
                options: enqueueOptions, changes: true)),
        Action(
            .purge, .task, "purge", "forget failed, deleted and finished tasks for good",
            Command(
                "purge", "TASK…", [.task],
                options: [
                    Option(
                        "--members", .choice(["release", "giveUp", "delete"]),
                        "what becomes of the members of a start that holds some")
                ], changes: true, takesFilter: true)),
        Action(
            .undo, key: "z", .store, "undo", "take back your last verb",
            Command("undo", "[EVENT]", [.number], changes: true)),
        Action(
            .redo, key: "Z", .store, "redo", "take back your last undo",
            Command("redo", changes: true)),
        Action(
            .network, .store, "network", "force the network on or off for every runner",
            Command(
                "network", "[on | off | measured]", [.choice(["on", "off", "measured"])],
                changes: true)),
        Action(
            .setQueue, key: "E", .queue, "settings", "make a queue, or change its settings",
            Command("queue set", "NAME", [.queue], options: settingOptions, changes: true)),
        Action(
            .deleteQueue, .queue, "delete queue", "forget a queue",
            Command(
                "queue delete", "NAME", [.queue],
                options: [Option("--yes", .flag, "even with the tasks that wait in it")],
                changes: true)),
    ]

    private static let enqueueOptions: [Option] = [
        Option("--payload-file", .file, "the payload from a file, or - for standard input"),
        Option("--jsonl", .file, "many tasks, one JSON object a line, in one commit"),
        Option("--priority", .text("N|NAME"), "larger runs first (order priority)"),
        Option("--sort-key", .text("K"), "its place in the order key"),
        Option("--group-start", .text("G"), "the group it starts"),
        Option("--group", .text("G"), "a group it belongs to; may be repeated"),
        Option("--not-before", .time, "the earliest begin"),
        Option("--attempts", .number, "how many executions count as enough"),
        Option("--expires", .time, "give it up after this"),
        Option("--requires", .choice(["network", "unmetered"]), "what must be there"),
        Option("--required", .flag, "giving it up pauses the queue"),
        Option("--unique", .text("KEY[:keep|replace|reject]"), "one waiting task of this key"),
        Option("--label", .text("L"), "a word for people"),
        Option("--session", .text("S"), "the session that collects its result"),
        Option("--client-string", .bytes("X"), "what the session wants back with the result"),
    ]

    private static let settingOptions = QueueSetting.allCases.map {
        Option($0.option, $0.value, $0.help)
    }
}

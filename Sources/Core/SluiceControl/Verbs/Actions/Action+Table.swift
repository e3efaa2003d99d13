import SluiceModel

/// A short name, so that the table below reads as a table.
private typealias Option = Command.Option

extension Action {
    /// The table of all actions. It contains only implemented ones.
    package static let all: [Action] =
        driving + debugging + checkpoints + changing + looking + recurring + program + commands

    /// The actions of breakpoints, faults, the clock, checkpoints, recordings and expectations.
    package static let debuggerNames = Set((debugging + checkpoints).map(\.id))

    package static func named(_ id: ID) -> Action? { byName[id] }

    /// The action of a key of the console.
    package static func of(key: String) -> Action? { byKey[key] }

    private static let byName = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
    private static let byKey = Dictionary(
        all.compactMap { action in action.key.map { ($0, action) } }
    ) { first, _ in first }

    private static let driving: [Action] = [
        Action(
            .step, key: "s", .queue, "step", "run exactly one task although the queue is paused",
            Command(
                "step", "QUEUE | --task TASK | --back [QUEUE]", [.queue],
                options: [
                    Option("--back", .flag, "take the newest step back, of QUEUE or of any"),
                    Option("-n", .number, "number of tasks, one after the other (default 1)"),
                    Option("--task", .task, "exactly this task, out of its order"),
                    Option("--handlers", .file, "run it here with these handlers"),
                    Option("--check", .flag, "exit 1 when the attempt did not succeed"),
                ], changes: true, span: .asTasks)),
        Action(.stepTask, key: "S", .task, "step this", "run exactly this task, out of its order"),
        Action(
            .run, key: "c", .queue, "run",
            "run each task at most once; continue past a breakpoint",
            Command(
                "run", "QUEUE", [.queue],
                options: [
                    Option(
                        "--until",
                        .text("'task #12' | 'count 5' | 'time +1m' | breakpoint | FILTER"),
                        "where to stop; FILTER at other systems' queues"),
                    Option("--handlers", .file, "run the tasks here with these handlers"),
                ], changes: true, span: .asTasks)),
        .pause,
        Action(
            .pauseWithReason, key: "P", .queue, "stop",
            "the stop to make, with a reason and a time"),
        .resume,
    ]

    private static let changing: [Action] = [
        Action(SkipVerb.self, key: "x"),
        Action(UnskipVerb.self),
        Action(DeleteVerb.self, key: "d"),
        Action(UndeleteVerb.self),
        Action(RetryVerb.self, key: "R"),
        Action(PostponeVerb.self, key: "t"),
        Action(PriorityVerb.self),
        Action(
            .raisePriority, key: "+", .task, "priority +",
            "one more; in view 7 the queue's; in a timeline: zoom in",
            verb: PriorityVerb.self),
        Action(
            .lowerPriority, key: "-", .task, "priority -",
            "one less; in view 7 the queue's; in a timeline: zoom out",
            verb: PriorityVerb.self),
        Action(MoveVerb.self, key: "m"),
        Action(EditVerb.self, key: "e"),
        Action(DuplicateVerb.self, key: "D"),
        Action(CancelVerb.self, key: "X"),
        Action(ReclaimVerb.self),
        Action(AcknowledgeVerb.self),
        Action(
            .enqueue, key: "i", .queue, "enqueue", "a new task",
            Command(
                "enqueue", "QUEUE TYPE [PAYLOAD]", [.queue, .text("TYPE"), .bytes("PAYLOAD")],
                options: enqueueOptions, changes: true)),
        Action(PurgeVerb.self),
        .undo,
        .redo,
        .network,
        .setQueue,
        .deleteQueue,
    ]

    private static let enqueueOptions: [Option] = [
        Option("--payload-file", .file, "the payload from a file, or - for standard input"),
        Option("--jsonl", .file, "many tasks, one JSON object a line, in one commit"),
        Option("--any-queue", .flag, "enqueue lines of another queue in QUEUE too"),
        Option("--priority", .text("N|NAME"), "larger runs first (order priority)"),
        Option("--sort-key", .text("K"), "its place in the order key"),
        Option("--group-start", .text("G"), "the group it starts"),
        Option("--group", .text("G"), "a group it belongs to", repeats: true),
        Option("--not-before", .time, "the earliest start (default now)"),
        Option("--attempts", .number, "maximum attempts (default: the queue's)"),
        Option("--expires", .time, "give it up after this"),
        Option(
            "--requires", .choice(["network", "unmetered"]), "what the task needs", repeats: true),
        Option("--required", .flag, "giving it up pauses the queue"),
        Option(
            "--unique", .text("KEY[:keep|replace|reject]"),
            "only one waiting task with this key (default keep)"),
        Option(
            "--for", .text("end|D"),
            "keep the key until the end, or for D (default: while it waits)"),
        Option("--label", .text("L"), "a word for people"),
        Option("--header", .text("NAME=VALUE"), "a text for the handler", repeats: true),
        Option("--session", .text("S"), "the session that collects its result"),
        Option("--client-string", .bytes("X"), "the session's string, returned with the result"),
    ]
}

extension Action {
    /// An action, and the command that it has.
    package typealias Named = (action: Action, command: Command)

    /// Every command of the table, by name.
    package static let commandsByName: [Named] = all.compactMap { action in
        action.command.map { (action, $0) }
    }.sorted { $0.command.name < $1.command.name }

    /// Other names of commands.
    private static let aliases = ["runners": "workers"]

    /// The command that these words begin with, and how many words its name takes.
    ///
    /// Each start of the program runs this. So it does not sort the table, and calls no generic
    /// code: the runtime would look its types up.
    package static func command(in words: [String]) -> (named: Named, words: Int)? {
        guard let first = words.first else { return nil }
        if words.count > 1, let found = command(named: first + " " + words[1]) {
            return (found, 2)
        }
        return command(named: first).map { ($0, 1) }
    }

    private static func command(named name: String) -> Named? {
        let own = aliases[name] ?? name
        for action in all {
            if let command = action.command, command.name == own { return (action, command) }
        }
        return nil
    }
}

extension Command {
    package var usage: String {
        let rest = takesFilter ? " | --filter EXPR [--dry-run] [--yes]" : ""
        let own = options.isEmpty ? "" : " [OPTIONS]"
        return "sluice \(name)" + (arguments.isEmpty ? "" : " \(arguments)") + rest + own
    }
}

extension Command.Value {
    /// The placeholder of an option's value in usage lines; empty for a flag.
    package var placeholder: String {
        switch self {
        case .flag: ""
        case .text(let name), .bytes(let name): name
        case .choice(let words): words.joined(separator: "|")
        case .choiceOrFile(let words): words.joined(separator: "|") + "|F"
        case .duration: "D"
        case .time: "T"
        case .number: "N"
        case .size: "SIZE"
        case .file: "F"
        case .queue: "Q"
        case .task: "TASK"
        case .retryRule: "SPEC"
        }
    }
}

extension Action {
    /// Debugger actions: breakpoints, faults, the clock, expectations, reports and protection (G1
    /// to G3, G7, G8).
    static let debugging: [Action] = [
        .setBreak,
        .setGuard,
        Action(
            .listBreaks, .store, "breakpoints", "every breakpoint",
            Command("break list", options: [Command.atEvent])),
        .removeBreaks,
        .setFault,
        Action(
            .listFaults, .store, "faults", "every fault",
            Command("fault list", options: [Command.atEvent])),
        .removeFaults,
        .clock,
        Action(
            .expect, .store, "expect", "whether something holds; exit 4 where it does not",
            Command(
                "expect", "EXPR", [.text("EXPR")],
                options: [
                    Option("--within", .duration, "maximum wait until it holds (default: no wait)"),
                    Option("--throughout", .flag, "it must hold all the time of --within"),
                    Option(
                        "--since", .text("T|CHECKPOINT"), "ran() counts attempts that ended since"),
                    Option("--name", .text("NAME"), "its name in the file of --junit"),
                    Option("--junit", .file, "add a case to this JUnit file"),
                    Command.atEvent,
                ], span: .asTasks)),
        Action(
            .report, key: "Y", .task, "report", "all about it as one text, for a bug report",
            Command(
                "report", "TASK…", [.task],
                options: [
                    Option("--filter", .text("EXPR"), "every task that matches, at most 100"),
                    Option(
                        "--redact", .text("PATH"), "leave out the value at this path",
                        repeats: true),
                    Command.atEvent,
                ])),
        .protect,
        .unprotect,
        Action(
            .record, key: "V", .store, "record",
            "record into a tape until stopped",
            Command(
                "record", "FILE", [.file],
                options: [
                    Option("--queue", .queue, "only this queue", repeats: true),
                    Option(
                        "--redact", .text("PATH"), "leave out the value at payload.PATH",
                        repeats: true),
                    Option("--for", .duration, "end after that"),
                    Option("--yes", .flag, "end attached programs that are too old for it"),
                ], changes: true, span: .endless)),
        Action(
            .replay, .store, "replay", "apply the rules again to a tape's decisions",
            Command(
                "replay", "FILE", [.file],
                options: [
                    Option("--at", .number, "up to this event"),
                    Option("--into", .file, "make a new store of that moment instead"),
                    Option(
                        "--set", .text("QUEUE.SETTING=VALUE"), "as if a queue had been set so",
                        repeats: true),
                ])),
    ]
}

extension Action {
    /// Checkpoint actions: set, compare, restore and step back (G5).
    static let checkpoints: [Action] = [
        .stepBack,
        .takeCheckpoint,
        Action(
            .listCheckpoints, .store, "checkpoints", "every checkpoint",
            Command("checkpoint list")),
        .removeCheckpoints,
        Action(
            .diff, .store, "diff", "changes since a checkpoint, or between two",
            Command("diff", "[A [B]]", [.text("A"), .text("B")])),
        Action(
            .restore, .store, "restore", "put tasks and queues back to a checkpoint",
            Command(
                "restore", "NAME", [.text("NAME")],
                options: [
                    Option("--dry-run", .flag, "show the changes only"),
                    Option("--yes", .flag, "do not ask"),
                ], changes: true)),
    ]
}

extension Action {
    /// Schedule actions (R4).
    static let recurring: [Action] = [
        .setSchedule,
        Action(
            .listSchedules, .store, "schedules", "every schedule and its next moment",
            Command("schedule list")),
        .removeSchedule,
        .pauseSchedule,
        .resumeSchedule,
    ]
}

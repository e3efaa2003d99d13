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
                    Option("-n", .number, "how many, one after the other"),
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
        Option("--not-before", .time, "the earliest begin"),
        Option("--attempts", .number, "how many attempts count as enough"),
        Option("--expires", .time, "give it up after this"),
        Option(
            "--requires", .choice(["network", "unmetered"]), "what must be there", repeats: true),
        Option("--required", .flag, "giving it up pauses the queue"),
        Option("--unique", .text("KEY[:keep|replace|reject]"), "one waiting task of this key"),
        Option("--for", .text("end|D"), "until it ends, or D after its enqueue (while it waits)"),
        Option("--label", .text("L"), "a word for people"),
        Option("--header", .text("NAME=VALUE"), "a text for the handler", repeats: true),
        Option("--session", .text("S"), "the session that collects its result"),
        Option("--client-string", .bytes("X"), "the session's string, returned with the result"),
    ]
}

import SluiceModel

/// The actions on breakpoints.
extension Action.ID {
    package static let setBreak = Self("break")
    package static let setGuard = Self("guard")
    package static let removeBreaks = Self("removeBreaks")
}

extension Action {
    static let setBreak = Action(
        .setBreak, key: "b", .task, "break", "stop a queue before or after a matching task",
        Command(
            "break", "FILTER", [.text("FILTER")],
            options: [
                Command.Option("--before", .flag, "before it starts (this is the default)"),
                Command.Option("--after", .flag, "after an execution"),
                Command.Option("--on-failure", .flag, "after a failed execution"),
                Command.Option("--failed", .text("P%"), "from this share of failed attempts"),
                Command.Option("--of", .number, "with --failed: of at least N attempts (50)"),
                Command.Option("--in", .duration, "with --failed: in this time (5m)"),
                Command.Option("--pause", .duration, "with --failed: resume after this"),
                Command.Option("--at-hit", .number, "skip the matches before this one"),
                Command.Option("--times", .number, "end it after N stops"),
                Command.Option("--for", .text("D|none"), "how long it lasts (1h)"),
                Command.Option("--keep", .flag, "also when the console ends that set it"),
                Command.Option("--log", .flag, "only write a line into the log"),
                Command.Option("--yes", .flag, "end attached programs that are too old to stop"),
            ], changes: true)
    ) { words throws(QueueError) in
        .setBreakpoint(try BreakRequest(words))
    }

    static let setGuard = Action(
        .setGuard, .queue, "guard", "pause a queue when too many of its attempts fail",
        Command(
            "guard set", "QUEUE", [.queue],
            options: [
                Command.Option("--failed", .text("P%"), "from this share of failed attempts (20%)"),
                Command.Option("--of", .number, "of at least N attempts (50)"),
                Command.Option("--in", .duration, "in this time, at most 1h (5m)"),
                Command.Option(
                    "--do", .choice(["pause", "warn"]), "pause it, or only a line (pause)"),
                Command.Option("--for", .duration, "resume after this (a person resumes)"),
                Command.Option("--yes", .flag, "end attached programs that are too old for it"),
            ], changes: true)
    ) { words throws(QueueError) in
        .setBreakpoint(try BreakRequest(guard: words))
    }

    static let removeBreaks = Action(
        .removeBreaks, .store, "remove break", "remove breakpoints and continue their queues",
        Command(
            "break remove", "N… | --all", [.number],
            options: [Command.Option("--all", .flag, "every breakpoint")], changes: true)
    ) { words throws(QueueError) in
        .removeBreakpoints(try NumberSelection(words, of: "breakpoint"))
    }
}

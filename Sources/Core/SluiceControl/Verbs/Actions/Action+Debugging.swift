import SluiceModel

private typealias Option = Command.Option

extension Action {
    /// Debugger actions: breakpoints, faults, the clock, expectations, reports and protection (G1
    /// to G3, G7, G8).
    static let debugging: [Action] = [
        Action(
            .setBreak, key: "b", .task, "break", "stop a queue before or after a matching task",
            Command(
                "break", "FILTER", [.text("FILTER")],
                options: [
                    Option("--before", .flag, "before it starts (this is the default)"),
                    Option("--after", .flag, "after an execution"),
                    Option("--on-failure", .flag, "after a failed execution"),
                    Option("--failed", .text("P%"), "from this share of failed attempts"),
                    Option("--of", .number, "with --failed: of at least N attempts (50)"),
                    Option("--in", .duration, "with --failed: in this time (5m)"),
                    Option("--pause", .duration, "with --failed: resume after this"),
                    Option("--at-hit", .number, "skip the matches before this one"),
                    Option("--times", .number, "end it after N stops"),
                    Option("--for", .text("D|none"), "how long it lasts (1h)"),
                    Option("--keep", .flag, "also when the console ends that set it"),
                    Option("--log", .flag, "only write a line into the log"),
                    Option("--yes", .flag, "end attached programs that are too old to stop"),
                ], changes: true)),
        Action(
            .setGuard, .queue, "guard", "pause a queue when too many of its attempts fail",
            Command(
                "guard set", "QUEUE", [.queue],
                options: [
                    Option("--failed", .text("P%"), "from this share of failed attempts (20%)"),
                    Option("--of", .number, "of at least N attempts (50)"),
                    Option("--in", .duration, "in this time, at most 1h (5m)"),
                    Option("--do", .choice(["pause", "warn"]), "pause it, or only a line (pause)"),
                    Option("--for", .duration, "resume after this (a person resumes)"),
                    Option("--yes", .flag, "end attached programs that are too old for it"),
                ], changes: true)),
        Action(
            .listBreaks, .store, "breakpoints", "every breakpoint",
            Command("break list", options: [Command.atEvent])),
        Action(
            .removeBreaks, .store, "remove break", "remove breakpoints and continue their queues",
            Command(
                "break remove", "N… | --all", [.number],
                options: [Option("--all", .flag, "every breakpoint")], changes: true)),
        Action(
            .setFault, key: "f", .task, "fault", "make attempts of matching tasks fail",
            Command(
                "fault", "FILTER KIND", [.text("FILTER"), .choice(faultKinds)],
                options: [
                    Option("--times", .number, "the next N attempts (1)"),
                    Option("--chance", .text("P"), "each with this probability, from 0 to 1"),
                    Option("--seed", .number, "the seed of --chance (default: the fault's number)"),
                    Option("--for", .text("D|none"), "how long it lasts (1h)"),
                    Option("--yes", .flag, "end attached programs that are too old for it"),
                ], changes: true)),
        Action(
            .listFaults, .store, "faults", "every fault",
            Command("fault list", options: [Command.atEvent])),
        Action(
            .removeFaults, .store, "remove fault", "remove faults",
            Command(
                "fault remove", "N… | --all", [.number],
                options: [Option("--all", .flag, "every fault")], changes: true)),
        Action(
            .clock, key: "C", .store, "clock",
            "the clock of waiting tasks: freeze, move or speed it",
            Command(
                "clock", "[freeze | +D | -D | TIME | next [QUEUE] | rate N | real]",
                [.choice(["freeze", "next", "rate", "real"]), .queue],
                options: [
                    Option("--yes", .flag, "end attached programs that are too old to read it")
                ], changes: true)),
        Action(
            .expect, .store, "expect", "whether something holds; exit 4 where it does not",
            Command(
                "expect", "EXPR", [.text("EXPR")],
                options: [
                    Option("--within", .duration, "how long it may take until it holds"),
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
        Action(
            .protect, .store, "protect", "refuse faults and the like, and ask for the store's name",
            Command("protect", changes: true)),
        Action(
            .unprotect, .store, "unprotect", "end the protection",
            Command("unprotect", options: [Command.storeName], changes: true)),
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

    /// The completable part of each fault kind.
    private static let faultKinds = Fault.Kind.allWords.map { word in
        String(word.prefix { $0 != "[" && $0 != "D" })
    }
}

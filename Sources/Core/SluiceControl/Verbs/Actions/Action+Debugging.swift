import SluiceModel

private typealias Option = Command.Option

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

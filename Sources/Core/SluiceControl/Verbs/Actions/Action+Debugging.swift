private typealias Option = Command.Option

extension Action {
    /// What stops queues at a point, and what takes that away (G1).
    static let debugging: [Action] = [
        Action(
            .setBreak, key: "b", .task, "break", "stop a queue before, or behind, what matches",
            Command(
                "break", "FILTER", [.text("FILTER")],
                options: [
                    Option("--before", .flag, "before it starts (this is the default)"),
                    Option("--after", .flag, "behind it, when an execution of it has ended"),
                    Option("--on-failure", .flag, "behind it, when an execution has failed"),
                    Option("--at-hit", .number, "let the matches before this one pass"),
                    Option("--times", .number, "end it after so many stops"),
                    Option("--for", .text("D|none"), "how long it lasts (1h)"),
                    Option("--keep", .flag, "also when the console ends that set it"),
                    Option("--log", .flag, "only write a line into the log"),
                    Option("--yes", .flag, "end attached programs that are too old to stop"),
                ], changes: true)),
        Action(.listBreaks, .store, "breakpoints", "every breakpoint", Command("break list")),
        Action(
            .removeBreaks, .store, "remove break", "remove breakpoints; what they stopped goes on",
            Command(
                "break remove", "N… | --all", [.number],
                options: [Option("--all", .flag, "every breakpoint")], changes: true)),
    ]
}

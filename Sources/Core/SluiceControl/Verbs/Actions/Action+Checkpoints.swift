private typealias Option = Command.Option

extension Action {
    /// Checkpoint actions: set, compare, restore and step back (G5).
    static let checkpoints: [Action] = [
        Action(.stepBack, key: "B", .queue, "step back", "take the newest step back"),
        Action(
            .takeCheckpoint, key: "K", .store, "checkpoint",
            "save a state that the store can return to",
            Command(
                "checkpoint", "[NAME]", [.text("NAME")],
                options: [
                    Option("--yes", .flag, "end attached programs that are too old for it")
                ], changes: true)),
        Action(
            .listCheckpoints, .store, "checkpoints", "every checkpoint",
            Command("checkpoint list")),
        Action(
            .removeCheckpoints, .store, "remove checkpoint", "forget checkpoints",
            Command("checkpoint remove", "NAME…", [.text("NAME")], changes: true)),
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

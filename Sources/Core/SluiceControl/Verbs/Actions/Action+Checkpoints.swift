private typealias Option = Command.Option

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

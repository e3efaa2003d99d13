import SluiceConsole

/// The demo's hints in the console's message line.
enum DemoHints {
    /// Until the first verb.
    static func opening(queue: String, hasTape: Bool) -> Hint {
        Hint(
            "\(queue) is paused",
            [
                Hint.Step("s", "runs exactly one task"),
                Hint.Step("w", "says why another waits"),
            ] + (hasTape ? [Hint.Step("J", "opens a tape of an incident")] : [])
                + [Hint.Step("?", "shows every key, and the path of the store")])
    }

    /// After the first step in the store with five queues.
    static let afterStep = Hint(
        "exactly one task ran",
        [
            Hint.Step("j w", "says why the row below waits"),
            Hint.Step("s", "one more"),
            Hint.Step("R", "retries what failed"),
            Hint.Step("r", "resumes the queue"),
        ])

    /// After the first step in the folder.
    static let afterFolderStep = Hint(
        "exactly one task ran",
        [
            Hint.Step("s", "continues to registerPushToken, which fails"),
            Hint.Step("w", "says why only deletePushToken waits for it"),
        ])
}

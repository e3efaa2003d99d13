import QueueModel

/// `sluice` without a verb.
extension Session {
    /// Opens the console; without a terminal it says which commands do the same (K12).
    func openConsole(_ start: ConsoleStart) throws -> ExitCode {
        guard host.isTerminal() else {
            throw QueueError(
                .noTerminal, "the console needs a terminal",
                fix: "use sluice list, sluice queues or sluice watch")
        }
        try openScreen(start)
        return .done
    }
}

import SluiceModel

/// `sluice` without a verb.
extension CommandContext {
    /// Opens the console; without a terminal it says which commands do the same (K12).
    func openConsole(_ start: ConsoleStart) throws -> ExitCode {
        try host.requireScreen(
            for: "the console", fix: "use sluice list, sluice queues or sluice watch")
        // Report errors in personal files before the store or the screen opens.
        let own = try PersonalSettings(start, host.environment)
        _ = try handlers(start.handlers)
        do {
            try openScreen(start, own)
        } catch var failed as Failed where failed.error.code == .noStore {
            failed.error.fix += "; sluice demo shows a living one"
            throw failed
        }
        return .done
    }

}

extension Host {
    /// Throws `noTerminal` if no screen is available. Call it before creating or sending anything.
    func requireScreen(for what: String, fix: String) throws(QueueError) {
        guard isTerminal() else {
            throw QueueError(.noTerminal, "\(what) needs a terminal", fix: fix)
        }
        guard environment("TERM") != "dumb" else {
            throw QueueError(
                .noTerminal, "\(what) needs a terminal that can move its cursor, and TERM is dumb",
                fix: fix)
        }
    }
}

import SluiceModel

/// The console of other systems' queues.
extension ForeignContext {
    /// Shows it until the person leaves it.
    func openConsole() throws -> ExitCode {
        let start = try CommandLineParser.consoleStart(call.arguments)
        let own = try PersonalSettings(start, host.environment)
        let opening = ScreenOpening(
            host: host, common: call.common, handlers: start.handlers, person: person)
        do {
            try opening.show(opening.foreign(at: call.store, as: call.system), start, own)
        } catch let error as QueueError {
            throw Failed(error, exit: ExitCode(error, atOpening: true))
        }
        sayWhatStaysHeld()
        return .done
    }
}

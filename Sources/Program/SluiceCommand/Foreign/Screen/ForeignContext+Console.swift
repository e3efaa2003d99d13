import SluiceModel

/// The console of other systems' queues.
extension ForeignContext {
    /// A console's way to the queues, which are open when this returns.
    struct Screen {
        fileprivate var start: ConsoleStart
        fileprivate var own: PersonalSettings
        fileprivate var opening: ScreenOpening
        fileprivate var store: ScreenStore
    }

    /// Opens them.
    func screen() throws -> Screen {
        let start = try CommandLineParser.consoleStart(call.arguments)
        let own = try PersonalSettings(start, host.environment)
        let opening = ScreenOpening(
            host: host, common: call.common, handlers: start.handlers, person: person)
        return try opened {
            Screen(
                start: start, own: own, opening: opening,
                store: try opening.foreign(at: call.store, as: call.system))
        }
    }

    /// Shows them until the person leaves.
    func show(_ screen: Screen) throws -> ExitCode {
        try opened { try screen.opening.show(screen.store, screen.start, screen.own) }
        sayWhatStaysHeld()
        return .done
    }

    private func opened<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as QueueError {
            throw Failed(error, exit: ExitCode(error, atOpening: true))
        }
    }
}

package import SluiceModel

extension QueueError {
    /// A command line that does not fit its verb.
    package static func usage(_ message: String, of command: Command) -> QueueError {
        QueueError(.badValue, "\(command.name): \(message)", fix: "usage: \(command.usage)")
    }

    /// A verb that does not exist, with the nearest one that does.
    package static func unknownVerb(_ word: String) -> QueueError {
        let fix =
            Action.suggestion(for: word).map { "did you mean \"sluice \($0)\"?" }
            ?? "sluice help lists the verbs; a store is written as a path, such as ./app.db"
        return QueueError(.badValue, "there is no verb \"\(word)\"", fix: fix)
    }

    /// An option that the verb does not take, with the argument or the option that was meant.
    package static func unknownOption(_ name: String, of command: Command) -> QueueError {
        let problem = "\(command.name) has no option \(name)"
        if let argument = command.argument(meantBy: name) {
            return QueueError(
                .badValue, problem,
                fix: "\(argument) is written without an option: \(command.usage)")
        }
        let meant = command.option(meantBy: name)
        return QueueError(
            .badValue, problem,
            fix: meant.map { "did you mean \($0)?" } ?? "usage: \(command.usage)")
    }
}

extension QueueError {
    /// Whether a rule refused one task before any write, so other tasks may continue. Any other
    /// error undoes the verb.
    package var isRefusal: Bool {
        switch code {
        case .unknownTask, .unknownQueue, .changed, .notLegal, .uniqueTaken, .queueFull,
            .enqueuePaused, .payloadTooLarge, .tooDeep, .badName, .badValue, .ambiguousTask:
            true
        case .noStore, .notAStore, .newerSchema, .damagedStore, .storeBusy, .readOnly, .diskFull,
            .serverGone, .denied, .protected, .badFilter, .badHandlers, .noHandler, .noTerminal:
            false
        }
    }
}

import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceTerminalCurses

/// Programs that the terminal is lent to: editors, and commands of the keys file.
extension ScreenProgram {
    func run(_ launch: OwnLaunch) {
        guard !launch.isBackground else {
            return ownCommands.start(launch) { [inbox] in
                inbox.put(.message(.ran(launch, $0)))
            }
        }
        var program = TerminalProgram(signals: terminal.inbox)
        let end = terminal.lent { ownCommands.run(launch, on: &program) }
        send(.resized(terminal.size))
        send(.ran(launch, end))
        if program.ending != nil { send(.terminated) }
    }

    func beginEdit(_ target: TaskTarget) {
        let (inbox, commands) = (inbox, commands)
        threads.verbs.put {
            switch Result(outcomeOf: { try commands.beginEdit(target) }) {
            case .success(let payload): inbox.put(.edit(target, payload))
            case .failure(let error): inbox.put(.message(.edited(.failed(target, error))))
            }
        }
    }

    func endEdit() {
        // An edit that cannot be ended here ends with its time, or with this process.
        threads.verbs.put { [commands] in try? commands.endEdit() }
    }

    /// The terminal is the editor's until it ends.
    func edit(_ target: TaskTarget, _ payload: [UInt8]) {
        var editor = PayloadEditor(
            target: target, payload: payload, renew: { [commands] in try? commands.renewEdit() },
            signals: terminal.inbox)
        let report = terminal.lent { editor.run() }
        send(.resized(terminal.size))
        send(.edited(report))
        if editor.ending != nil { send(.terminated) }
    }
}

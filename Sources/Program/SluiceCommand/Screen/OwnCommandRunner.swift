import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceSystem
import SluiceTerminalCurses

/// Runs commands of a person's keys file.
final class OwnCommandRunner: Sendable {
    private let running = Protected(0)
    /// The maximum number of commands in the background.
    private static let limit = 16

    /// Runs a command on the terminal, which the screen must have given back.
    func run(_ launch: OwnLaunch, on program: inout TerminalProgram) -> OwnLaunch.End {
        do throws(SystemError) {
            // The terminal shows what an earlier program left.
            try Standard.write("\n$ \(SafeText.visible(launch.shown))\n")
            let exit = try program.run(["-c", launch.script], variables: launch.variables)
            if exit.isFailure, !exit.isOfPerson, program.ending == nil {
                // The screen would hide the command's error.
                try Standard.write("\nsluice: it \(exit.sentence); Enter returns\n")
                try program.waitForEnter()
            }
            return OwnLaunch.End(exit.end, isFailure: exit.isFailure)
        } catch {
            return OwnLaunch.End(error.sentence, isFailure: true)
        }
    }

    /// Starts a command in the background. It may outlive the console.
    func start(_ launch: OwnLaunch, _ end: @escaping @Sendable (OwnLaunch.End) -> Void) {
        let isFree = running.withLock { running in
            guard running < Self.limit else { return false }
            running += 1
            return true
        }
        guard isFree else {
            return end(OwnLaunch.End("\(Self.limit) commands run already", isFailure: true))
        }
        do throws(SystemError) {
            // A reader of its output could end before a program that the command leaves running.
            let child = try ChildProcess.spawn(
                Spawn(
                    "/bin/sh", ["-c", launch.script],
                    environment: ProcessIdentity.environment() + launch.variables,
                    output: .null, errors: .null))
            _ = try Thread(name: "own-command") { [running] in
                let result = Self.wait(for: child)
                running.withLock { $0 -= 1 }
                end(result)
            }
        } catch {
            running.withLock { $0 -= 1 }
            end(OwnLaunch.End(error.sentence, isFailure: true))
        }
    }

    private static func wait(for child: ChildProcess) -> OwnLaunch.End {
        do throws(SystemError) {
            while true {
                if let exit = try child.reap() {
                    return OwnLaunch.End(exit.end, isFailure: exit.isFailure)
                }
                _ = try Poll.wait(
                    fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: nil)
            }
        } catch {
            return OwnLaunch.End(error.sentence, isFailure: true)
        }
    }
}

extension ChildProcess.Exit {
    fileprivate var isFailure: Bool { self != .code(0) }
    fileprivate var end: String { isFailure ? sentence : "ended" }
    /// Whether the person ended it by Ctrl-C.
    fileprivate var isOfPerson: Bool { self == .signal(.interrupt) || self == .code(130) }
}

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

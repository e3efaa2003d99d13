import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// An own command with its values, ready to run.
package struct OwnLaunch: Hashable, Sendable {
    /// How it ended, in words.
    package struct End: Hashable, Sendable {
        package var text: String
        package var isFailure: Bool

        /// An end in words.
        package init(_ text: String, isFailure: Bool) {
            (self.text, self.isFailure) = (text, isFailure)
        }
    }
    let command: OwnCommand
    /// The command for `sh -c`.
    package let script: String
    /// The variables with the values, as NAME=VALUE.
    package let variables: [String]
    /// The command as a shell would take it, without variables.
    package let shown: String
    /// Whether it runs without the terminal.
    package var isBackground: Bool { command.isBackground }

    /// A longer value does not fit into a variable of a process.
    private static let limitBytes = 64 << 10

    /// Fills in the values. Throws if a value is missing or not fit for a command.
    init(
        _ command: OwnCommand, _ value: (OwnCommand.Value) -> String?
    ) throws(QueueError) {
        self.command = command
        var (script, shown, variables) = ("", "", [String]())
        for part in command.parts {
            guard case .value(let place, let inQuotes) = part else {
                if case .text(let text) = part {
                    script += text
                    shown += text
                }
                continue
            }
            let name = "SLUICE_OWN_\(variables.count + 1)"
            let text = try Self.checked(value(place), place)
            variables.append("\(name)=\(text)")
            script += inQuotes ? "${\(name)}" : "\"${\(name)}\""
            shown += inQuotes ? Self.escaped(text) : ShellWord.quoted(text)
        }
        (self.script, self.shown, self.variables) = (script, shown, variables)
    }

    private static func checked(
        _ text: String?, _ place: OwnCommand.Value
    ) throws(QueueError) -> String {
        let command = "the command was not run"
        guard let text else {
            throw QueueError(.notLegal, "it has no \(place.name)", fix: command)
        }
        guard !OwnCommand.hasControl(text) else {
            throw QueueError(.notLegal, "\(place.name) has control signs", fix: command)
        }
        guard text.utf8.count <= limitBytes else {
            throw QueueError(.notLegal, "\(place.name) has more than 64 KiB", fix: command)
        }
        return text
    }

    /// A value inside double quotes.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { line, character in
            if "\\\"$`".contains(character) { line.append("\\") }
            line.append(character)
        }
    }
}

/// The state of commands of the person's own.
struct OwnCommands: Hashable, Sendable {
    /// The commands that the person allowed in this session.
    var allowed: Set<OwnCommand> = []
    /// The command that waits for the payload of its task.
    var pending: Pending?

    /// A command and the task that it was for when its key was pressed (K1).
    struct Pending: Hashable, Sendable {
        var command: OwnCommand
        var task: QueueTask?
        var queue: String?
    }
}

/// Own commands: filled in, asked about once a session, run, and their ends.
extension ConsoleState {
    /// Why a command cannot run now; `nil` if it can.
    func reason(_ command: OwnCommand) -> String? {
        guard command.needsTask || command.needsQueue else { return nil }
        if let page, page.hides(command.needsTask ? .task : .queue) {
            return "the command is for the list under this page: Esc goes back first"
        }
        if command.needsTask {
            if page?.subject == nil, !marks.isEmpty {
                return "the command is for the task at the cursor: Esc takes the marks away"
            }
            if selectedLine == nil { return "the command is for a task, and none is selected" }
        } else if selectedLine == nil, actedQueue == nil {
            return "the command is for a queue, and none is selected"
        }
        return nil
    }

    mutating func perform(_ command: OwnCommand) {
        if let reason = reason(command) {
            message = .refusal(reason)
            return
        }
        let task = selectedLine?.task
        let pending = OwnCommands.Pending(
            command: command, task: task, queue: task?.queue ?? actedQueue)
        guard let task, command.needsPayload else { return launch(pending, payload: []) }
        own.pending = pending
        message = .note("reading the payload")
        send(.readPayload(of: task.id, payloadRequest(of: task.id)))
    }

    mutating func apply(_ result: Result<[UInt8]?, QueueError>, ofPayload id: TaskID) {
        guard let pending = own.pending, pending.task?.id == id else { return }
        own.pending = nil
        // The person went on with something else.
        guard modal == nil else { return }
        switch result {
        case .failure(let error):
            message = MessageLine(text: names.text(error.description), role: .failed)
        case .success(nil): message = .refusal("\(names.name(id)) is gone; nothing was run")
        case .success(let payload?): launch(pending, payload: payload)
        }
    }

    private mutating func launch(_ pending: OwnCommands.Pending, payload: [UInt8]) {
        let id = pending.task.map {
            names.isForeign ? names.reference($0.id) : names.word($0.id)
        }
        let launch: OwnLaunch
        do throws(QueueError) {
            launch = try OwnLaunch(pending.command) { value in
                switch value {
                case .id: id
                case .queue: pending.queue
                case .type: pending.task?.type
                case .payload(let path):
                    path.written(in: payload) == "null" ? nil : path.text(in: payload)
                }
            }
        } catch {
            let name = pending.task.map { "\(names.name($0.id)): " } ?? ""
            message = .refusal(name + error.description)
            return
        }
        guard !own.allowed.contains(launch.command) else { return run(launch) }
        message = nil
        let effect =
            launch.isBackground
            ? "it runs in the background, and its output is dropped"
            : "it takes the terminal until it ends"
        modal = .confirm(
            Confirmation(
                .own(launch), title: "run this command of the keys file?",
                lines: [
                    StyledLine(launch.shown), StyledLine("\(effect); asked once a session", .quiet),
                ], answer: .key))
    }

    /// Runs a command that the person allowed, from now on without a question.
    mutating func allow(_ launch: OwnLaunch) {
        own.allowed.insert(launch.command)
        run(launch)
    }

    private mutating func run(_ launch: OwnLaunch) {
        message = MessageLine(
            command: "!\(launch.shown)", text: launch.isBackground ? "runs" : "", role: .quiet)
        send(.runOwn(launch))
    }

    mutating func apply(_ end: OwnLaunch.End, of launch: OwnLaunch) {
        message = MessageLine(
            command: "!\(launch.shown)", text: end.text, role: end.isFailure ? .failed : .running)
    }
}

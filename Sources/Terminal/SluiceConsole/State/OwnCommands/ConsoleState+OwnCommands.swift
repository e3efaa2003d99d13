import SluiceControl
import SluiceModel
import SluiceTerminalUI

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

import SluiceControl
import SluiceModel
import SluiceStore

/// The command that says the same as a verb: what the message line shows after each key.
struct CommandText {
    /// How tasks are named.
    let names: TaskNames
    /// The moment from which a wait is told.
    let now: Timestamp

    /// Without `sluice` before it. Above a handful of tasks only their number is told.
    func of(_ verb: Verb) -> String {
        switch verb {
        case .pause(let request): pause(request)
        case .resume(let scope): command("resume", scope)
        case .run(let queue, _): ShellWord.command("run", queue)
        case .skip(let tasks, let wait):
            "skip \(list(tasks))" + (wait.map { " --for \(DurationText.compact($0))" } ?? "")
        case .unskip(let tasks): "unskip \(list(tasks))"
        case .delete(let tasks, let cancels, let members):
            "delete \(list(tasks))" + (cancels ? " --cancel" : "")
                + (members.map { " --members \($0.rawValue)" } ?? "")
        case .undelete(let tasks): "undelete \(list(tasks))"
        case .retry(let tasks, let over): "retry \(list(tasks))" + spread(over)
        case .postpone(let tasks, let until, let over):
            "postpone \(list(tasks)) +\(DurationText.compact(roundedWait(until - now)))"
                + spread(over)
        case .priority(let tasks, let value): "priority \(list(tasks)) \(value.text)"
        case .move(let task, let place): "move \(names.word(task.id)) \(self.place(place))"
        case .moveToQueue(let tasks, let queue):
            "move \(list(tasks)) --queue \(ShellWord.quoted(queue))"
        case .edit(let tasks, let payload, _):
            "edit \(list(tasks))" + (payload == nil ? "" : " --payload-file FILE")
        case .duplicate(let tasks): "duplicate \(list(tasks))"
        case .cancel(let tasks): "cancel \(list(tasks))"
        case .reclaim(let tasks): "reclaim \(list(tasks))"
        case .acknowledge(let tasks): "acknowledge \(list(tasks))"
        case .network(let forced): "network \(forced.map { $0 ? "on" : "off" } ?? "measured")"
        case .enqueue(let queue, let requests): enqueue(queue, requests)
        case .setQueue(let queue, let changes):
            ShellWord.command(
                "queue set", queue,
                changes.map { " \($0.setting.option) \(ShellWord.quoted($0.text))" }.joined())
        case .deleteQueue(let queue, let isSure):
            ShellWord.command("queue delete", queue, isSure ? " --yes" : "")
        case .purge(let tasks, let members):
            "purge \(list(tasks))" + (members.map { " --members \($0.rawValue)" } ?? "")
        case .redo: "redo"
        case .undo(let event): "undo" + (event.map { " \($0)" } ?? "")
        }
    }

    /// The command of a step.
    func of(_ request: StepRequest) -> String {
        switch request {
        case .queue(let name, let count):
            ShellWord.command("step", name, count == 1 ? "" : " -n \(count)")
        case .task(let target): "step --task \(names.word(target.id))"
        }
    }

    private func list(_ tasks: [TaskTarget]) -> String {
        guard tasks.count > 6 else {
            return tasks.map { names.word($0.id) }.joined(separator: " ")
        }
        let first = tasks.prefix(3).map { names.word($0.id) }.joined(separator: " ")
        return "\(first) … (\(NumberText.tasks(tasks.count)))"
    }

    private func spread(_ milliseconds: Int64?) -> String {
        milliseconds.map { " --over \(DurationText.compact($0))" } ?? ""
    }

    private func command(_ verb: String, _ scope: VerbScope, _ options: String = "") -> String {
        switch scope {
        case .queue(let name): ShellWord.command(verb, name, options)
        case .store: "\(verb) --all\(options)"
        }
    }

    private func pause(_ request: PauseRequest) -> String {
        command(
            "pause", request.scope,
            (request.reason.map { " --reason \(ShellWord.quoted($0))" } ?? "")
                + (request.forMilliseconds.map { " --for \(DurationText.compact($0))" } ?? "")
                + (request.direction == .work
                    ? "" : " --direction \(request.direction.rawValue)")
                + (request.stopsRunning ? " --now" : ""))
    }

    private func place(_ place: MovePlace) -> String {
        switch place {
        case .before(let id): "--before \(names.word(id))"
        case .after(let id): "--after \(names.word(id))"
        case .first: "--first"
        case .last: "--last"
        }
    }

    private func enqueue(_ queue: String, _ requests: [EnqueueRequest]) -> String {
        guard requests.count == 1, let request = requests.first else {
            return ShellWord.command("enqueue", queue, " --jsonl FILE")
        }
        let payload = String(validating: request.payload, as: UTF8.self)
        let words = [queue, request.type] + [payload].compactMap { $0 }.filter { !$0.isEmpty }
        return "enqueue" + (payload == nil ? " --payload-file FILE" : "")
            + (words.contains { $0.hasPrefix("-") } ? " --" : "")
            + words.map { " " + ShellWord.quoted($0) }.joined()
    }

    /// Whole seconds: nobody types milliseconds.
    private func roundedWait(_ milliseconds: Int64) -> Int64 {
        max(0, (milliseconds + 500) / 1000 * 1000)
    }
}

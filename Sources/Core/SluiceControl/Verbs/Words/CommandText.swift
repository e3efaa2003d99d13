package import SluiceModel
import SluiceStore

/// The command that says the same as a verb: what the message line shows after each key.
package struct CommandText {
    package let names: TaskNames
    /// The base moment of relative times.
    package let now: Timestamp

    /// The filter that found the tasks, if any.
    private let filter: TaskFilter?
    /// Whether to list all tasks, without a limit.
    private let listsAll: Bool

    /// Creates a formatter for names, relative times and a filter.
    package init(
        names: TaskNames, now: Timestamp, filter: TaskFilter? = nil, listsAll: Bool = false
    ) {
        self.names = names
        self.now = now
        self.filter = filter
        self.listsAll = listsAll
    }

    /// Without `sluice` before it.
    package func of(_ verb: Verb) -> String {
        switch verb {
        case .pause(let request): pause(request)
        case .resume(let scope): command("resume", scope)
        case .run(let queue, _): ShellWord.command("run", queue)
        case .tasks(let verb):
            ([verb.kind.name, tasks(verb.targets.map(\.id), takesOne: verb.kind.takesOne)]
                + verb.verb.words(in: self).map(ShellWord.quoted)).joined(separator: " ")
                + Self.option(verb.storeName)
        case .network(let forced, let queue):
            "network \(forced.map { $0 ? "on" : "off" } ?? "measured")"
                + (queue.map { " --queue \(ShellWord.quoted($0))" } ?? "")
        case .enqueue(let queue, let requests): enqueue(queue, requests)
        case .setQueue(let queue, let changes): setQueue(queue, changes)
        case .deleteQueue(let queue, let isSure, let storeName):
            ShellWord.command(
                "queue delete", queue, (isSure ? " --yes" : "") + Self.option(storeName))
        case .protect: "protect"
        case .unprotect(let storeName): "unprotect" + Self.option(storeName)
        case .redo: "redo"
        case .undo(let event, _): "undo" + (event.map { " \($0)" } ?? "")
        case .setBreakpoint(let request): request.command
        case .removeBreakpoints(let selection): selection.command("break")
        case .setFault(let request): request.command
        case .removeFaults(let selection): selection.command("fault")
        case .setClock(let request): request.command
        case .takeCheckpoint(let request): request.command
        case .removeCheckpoints(let names):
            (["checkpoint remove"] + names.map(ShellWord.quoted)).joined(separator: " ")
        case .stepBack(let queue):
            queue.map { ShellWord.command("step --back", $0) } ?? "step --back"
        case .restore(let name): ShellWord.command("restore", name, " --yes")
        case .setSchedule(let request): request.command
        case .schedule(let action, let name):
            ShellWord.command("schedule \(action.rawValue)", name)
        case .saveFilter(let text, let name): Self.shared("filter save", [name, text])
        case .removeFilter(let name): Self.shared("filter remove", [name])
        case .goOn(let queue): ShellWord.command("resume", queue, " --breakpoints")
        }
    }

    /// The command of a step.
    package func of(_ request: StepRequest) -> String {
        switch request {
        case .queue(let name, let count):
            ShellWord.command("step", name, count == 1 ? "" : " -n \(count)")
        case .task(let target): "step --task \(names.word(target.id))"
        }
    }

    /// The command of what removes a blocker.
    package func of(_ fix: Blocker.Fix) -> String {
        switch Remedy(fix) {
        case .verb(let verb): of(verb)
        case .step(let request): of(request)
        case .why(let id): "why \(names.word(id))"
        case .elsewhere(let command): command
        }
    }

    private static func shared(_ verb: String, _ words: [String]) -> String {
        let quoted = words.map(ShellWord.quoted).joined(separator: " ")
        return words.contains { $0.hasPrefix("-") }
            ? "\(verb) --shared -- \(quoted)" : "\(verb) \(quoted) --shared"
    }

    private static func option(_ storeName: String?) -> String {
        storeName.map { " --store-name \(ShellWord.quoted($0))" } ?? ""
    }

    /// Tasks as a command takes them: up to a few names, else a filter. A filter too long for a
    /// line becomes the placeholder `TASK…`, which is plainly not a command.
    package func tasks(_ ids: [TaskID], takesOne: Bool = false) -> String {
        if listsAll || ids.count <= (takesOne ? 1 : Self.namedAtMost) {
            return ids.map(names.word).joined(separator: " ")
        }
        let found = filter ?? (names.isEmpty ? TaskFilter(numbers: ids) : nil)
        let text = found.map { "--filter \(ShellWord.quoted($0.description))" }
        let isShort = filter != nil || (text?.utf8.count ?? .max) <= Self.filterAtMost
        return text.flatMap { isShort ? $0 : nil } ?? "TASK…"
    }

    private static let namedAtMost = 6
    private static let filterAtMost = 60

    private func command(_ verb: String, _ scope: VerbScope, _ options: String = "") -> String {
        switch scope {
        case .queue(let name): ShellWord.command(verb, name, options)
        case .store: "\(verb) --all\(options)"
        }
    }

    /// One command sets the queue or one type. Several are joined.
    private func setQueue(_ queue: String, _ changes: [SettingChange]) -> String {
        var parts: [(type: String?, options: String)] = changes.isEmpty ? [(nil, "")] : []
        for change in changes {
            if parts.isEmpty || parts[parts.count - 1].type != change.type {
                let option = change.type.map { " --type \(ShellWord.quoted($0))" }
                parts.append((change.type, option ?? ""))
            }
            parts[parts.count - 1].options += " --\(change.name) \(ShellWord.quoted(change.text))"
        }
        return parts.map { ShellWord.command("queue set", queue, $0.options) }
            .joined(separator: " && sluice ")
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

    /// The time until a moment, in whole seconds.
    func wait(until moment: Timestamp) -> String {
        DurationText.compact(max(0, (moment - now + 500) / 1000 * 1000))
    }
}

import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluicePlatform

/// One command at a store of other systems.
struct ForeignContext {
    /// The machine.
    let host: Host
    /// The command.
    let call: ForeignCall

    /// Who acts.
    var person: String {
        let named = call.common.person ?? host.environment("SLUICE_USER") ?? ""
        return named.isEmpty ? host.user() : named
    }

    /// The filter of the command, which may name saved ones.
    func filter() throws -> TaskFilter? {
        guard call.arguments.has("--filter") else { return nil }
        var arguments = call.arguments
        arguments.savedFilters = try SavedFilters(host.environment).texts
        return try arguments.filter()
    }

    /// Does it and gives the answer.
    func reply() throws -> Reply {
        try reply(at: try open())
    }

    /// Opens the store.
    func open() throws -> ForeignStore {
        do {
            return try ForeignStore.open(
                call.store, as: call.system, keepers: .processes(of: call.store))
        } catch {
            throw Failed(error, exit: ExitCode(error, atOpening: true))
        }
    }

    /// Does it at an open store.
    func reply(at store: ForeignStore) throws -> Reply { try store.ask { try answer($0) } }

    private func answer(_ store: ForeignStore) throws -> Reply {
        if Self.isFollowed(call.action) { return try follow(store) }
        try checkOptions(store)
        switch call.action {
        case .queues, nil: return try queues(store)
        case .list: return try list(store)
        case .detail: return try show(store)
        case .why: return try why(store)
        case .timers: return try timers(store)
        case .runners: return try runners(store)
        case .doctor: return try doctor(store)
        case .report: return try report(store)
        default: break
        }
        guard !call.common.isReadOnly else {
            throw QueueError(
                .readOnly, "\(store.name) is open for reading only",
                fix: "leave --read-only away")
        }
        switch call.action {
        case .pause: return try pause(store)
        case .resume: return try resume(store)
        case .step: return try step(store)
        case .undo: return try undo(store)
        case .skip, .unskip, .delete, .retry, .edit, .move, .postpone, .priority:
            return try change(store)
        default:
            throw QueueError.notLegal(
                "\(call.arguments.command.name): not at a store of "
                    + store.systems.map(\.name).joined(separator: ", "),
                fix: "queues, list, show, why, timers, runners, failures, expect, record, pause, "
                    + "step, resume, skip, unskip, delete, retry, edit, move, postpone, priority, "
                    + "undo, doctor and report are")
        }
    }

    /// The options of each verb that mean something here; `--filter` and others are refused where
    /// they are looked at, with what to do.
    private static let options: [Action.ID: Set<String>] = [
        .list: ["--state", "--limit", "--after", "--filter"],
        .pause: ["--reason", "--all", "--now", "--for", "--direction"],
        .step: ["--task", "-n", "--check"],
        .edit: ["--payload", "--payload-file", "--set"],
        .move: ["--first", "--last", "--before", "--after"],
        .report: ["--redact"],
    ]
    /// Those of every verb that changes tasks.
    private static let bulkOptions: Set<String> = ["--filter", "--dry-run", "--yes"]

    /// No option is passed over: what was asked for would not be what happens.
    private func checkOptions(_ store: ForeignStore) throws(QueueError) {
        guard let action = call.action else { return }
        let known = Self.options[action, default: []].union(Self.bulkOptions)
        let given = call.arguments.command.options.map(\.name).filter(call.arguments.has)
        guard let unknown = given.first(where: { !known.contains($0) }) else { return }
        throw .notLegal(
            "\(unknown) is for stores of this program's own, not for "
                + store.systems.map(\.name).joined(separator: ", "),
            fix: "leave it away")
    }

    // Reading.

    private func queues(_ store: ForeignStore) throws -> Reply {
        let queues = try store.queues()
        return Reply(
            ["queues": .array(queues.map(ForeignJSON.queue))],
            ForeignText.queues(queues, now: host.now(), width: host.columns()))
    }

    private func list(_ store: ForeignStore) throws -> Reply {
        let arguments = call.arguments
        let given = try arguments.atMostOne()
        let state: TaskState.Name? =
            arguments.text("--state") == "all" ? nil : try arguments.choice("--state")
        let limit = try arguments.count("--limit") ?? 50
        let names = try given.map { [$0] } ?? store.queues().map(\.name)
        var page = ForeignPage(tasks: [], more: false)
        if let filter = try filter() {
            guard !arguments.has("--after") else {
                throw QueueError.notLegal(
                    "--after and --filter do not go together at another system's store",
                    fix: "give a larger --limit")
            }
            let selection = ForeignSelection(filter: filter, now: host.now())
            let found = try selection.tasks(
                of: store, queue: given,
                usually: state.map { [$0] } ?? [.running, .waiting, .failed], limit: limit
            ) { state == nil || $0.display.state == state }
            page = ForeignPage(tasks: found.tasks.map(\.task), more: found.more)
        } else {
            for name in names where page.tasks.count < limit {
                let query = ForeignQuery(
                    queue: name, state: state, limit: limit - page.tasks.count,
                    after: arguments.text("--after"))
                let part = try store.system(of: name).page(query)
                page = ForeignPage(tasks: page.tasks + part.tasks, more: part.more)
            }
        }
        let json: JSONValue = [
            "queue": JSONValue(given),
            "tasks": .array(page.tasks.map { .object(ForeignJSON.task($0)) }),
            "more": .bool(page.more),
        ]
        let lines = ForeignText.tasks(
            page.tasks, more: page.more, now: host.now(), width: host.columns())
        return Reply(json, lines)
    }

    private func show(_ store: ForeignStore) throws -> Reply {
        let (system, detail) = try store.find(try call.arguments.one("TASK"))
        return Reply(
            .object(ForeignJSON.detail(detail, system: system.name)),
            ForeignText.detail(detail))
    }

    private func why(_ store: ForeignStore) throws -> Reply {
        let (system, detail) = try store.find(try call.arguments.one("TASK"))
        let blockers = try system.blockers(of: detail, now: host.now())
        let json: JSONValue = [
            "id": .string(detail.task.reference),
            "runnable": .bool(detail.task.display.state == .waiting && blockers.isEmpty),
            "blockers": BlockerJSON.array(blockers),
        ]
        let name = SafeText.visible(detail.task.reference)
        var lines = blockers.map { blocker in
            let fix = blocker.fix.map { ": sluice \(TaskNames().command($0))" } ?? ""
            return SafeText.visible("\(name): \(blocker.text)\(fix)")
        }
        if lines.isEmpty { lines = ["\(name) is \(detail.task.display.phrase)"] }
        return Reply(json, lines)
    }

    private func timers(_ store: ForeignStore) throws -> Reply {
        let timers = try store.systems.flatMap { try $0.timers(limit: 1000) }
            .sorted { $0.at < $1.at }
        return Reply(
            ["timers": .array(timers.map(ForeignJSON.timer))],
            ForeignText.timers(timers, now: host.now(), width: host.columns()))
    }

    private func runners(_ store: ForeignStore) throws -> Reply {
        let runners = try store.systems.flatMap { try $0.runners() }
        return Reply(
            ["runners": .array(runners.map(ForeignJSON.runner))],
            ForeignText.runners(runners, now: host.now(), width: host.columns()))
    }

    /// Who holds which queue; a hold that leaks is wrong, and only that.
    private func doctor(_ store: ForeignStore) throws -> Reply {
        let held = try store.queues().filter { $0.hold != nil }
        let findings = held.map { queue in
            let leak =
                queue.hold?.leak.map {
                    "; \($0): sluice \(ShellWord.command("pause", queue.name)) goes on"
                } ?? ""
            return "\(queue.name) (\(queue.system)) is held by \(queue.hold?.note.by ?? "?"): "
                + "\(queue.held) aside\(leak); "
                + "sluice \(ShellWord.command("resume", queue.name)) gives back"
        }
        let json: JSONValue = [
            "systems": JSONValue(store.systems.map(\.name)), "findings": JSONValue(findings),
        ]
        let all = store.systems.map(\.name).joined(separator: ", ")
        let rest = findings.isEmpty ? ["nothing is held"] : findings.map(SafeText.visible)
        var reply = Reply(json, ["\(store.name): \(all)"] + rest)
        if held.contains(where: { $0.hold?.leak != nil }) { reply.exit = .refused }
        return reply
    }

    // Driving.

    private func pause(_ store: ForeignStore) throws -> Reply {
        let arguments = call.arguments
        guard !arguments.has("--all"), !arguments.has("--now"), !arguments.has("--for"),
            arguments.text("--direction") ?? "work" == "work"
        else {
            throw QueueError.notLegal(
                "a queue of another system is held as a whole, until sluice resume ends that",
                fix: "sluice pause QUEUE [--reason R]")
        }
        let name = try arguments.one("QUEUE")
        let note = HoldNote(by: person, since: host.now(), reason: arguments.text("--reason"))
        let system = try store.system(of: name)
        try system.check(.pause)
        let answer = try system.hold(name, note)
        return try pauses(name, system, answer)
    }

    private func resume(_ store: ForeignStore) throws -> Reply {
        let name = try call.arguments.one("QUEUE")
        let system = try store.system(of: name)
        return try pauses(name, system, try system.release(name))
    }

    private func pauses(
        _ name: String, _ system: any ForeignSystem, _ answer: ForeignAnswer
    ) throws -> Reply {
        guard let queue = try system.queues().first(where: { $0.name == name }) else {
            return Reply(["queue": .string(name)], answer.consequences)
        }
        let json: JSONValue = [
            "queue": .string(name), "state": .string(ForeignJSON.state(queue)), "ended": [],
            "pauses": ForeignJSON.pauses(queue), "undo": .null,
            "consequences": JSONValue(answer.consequences),
        ]
        let lines =
            [SafeText.visible("\(name): \(ForeignText.hold(queue, now: host.now()))")]
            + answer.consequences.map { SafeText.visible("  \($0)") }
        var reply = Reply(json, lines)
        reply.isConfirmation = true
        return reply
    }

    private func step(_ store: ForeignStore) throws -> Reply {
        let arguments = call.arguments
        var steps: [ForeignStep] = []
        let system: any ForeignSystem
        let queue: String
        if let task = arguments.text("--task") {
            let found = try store.find(task)
            (system, queue) = (found.system, found.1.task.queue)
            try system.check(.step)
            let whole = found.1.task.reference
            if let step = try system.step(queue, task: whole, limits: StepLimits()) {
                steps.append(step)
            }
        } else {
            queue = try arguments.one("QUEUE")
            system = try store.system(of: queue)
            try system.check(.step)
            let count = try arguments.count("-n") ?? 1
            while steps.count < count,
                let step = try system.step(queue, task: nil, limits: StepLimits())
            {
                steps.append(step)
            }
        }
        let next = try system.page(ForeignQuery(queue: queue, state: .waiting, limit: 1)).tasks
        let json: JSONValue = [
            "stepped": .array(steps.map(ForeignJSON.step)),
            "next": JSONValue(next.first?.reference), "blockers": [], "run": .null,
        ]
        var reply = Reply(json, ForeignText.steps(steps, queue: queue))
        let failed = steps.contains { ($0.outcome ?? "success") != "success" }
        if steps.isEmpty || (arguments.has("--check") && failed) { reply.exit = .refused }
        return reply
    }
}

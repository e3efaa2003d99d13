import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceSystem

/// Read-only commands.
extension ForeignInspector {
    func answer(_ query: CommandQuery) throws -> Reply {
        if common.event != nil { throw try refusal(of: Command.atEvent.name) }
        return switch query {
        case .queues: try ask(queues)
        case .flow: try ask(flow)
        case .list(let call): try ask { try list(call, $0) }
        case .show(let task): try ask { try show("\(task)", $0) }
        case .why(let task): try ask { try why("\(task)", $0) }
        case .timers: try ask(timers)
        case .runners: try ask(runners)
        case .failures: try ask { try failures(query, $0) }
        case .charts: throw try refusal(of: "--chart")
        default: throw try refusal()
        }
    }

    private func queues(_ store: ForeignStore) throws -> Reply {
        let queues = try store.queues()
        return Reply(
            ["queues": .array(queues.map(ForeignJSON.queue))], try lines(queues, store))
    }

    /// Queues for people, who read also that no worker serves one.
    private func lines(_ queues: [ForeignQueue], _ store: ForeignStore) throws -> [String] {
        let lacks = common.isJSON ? [:] : try store.lacks(of: queues)
        return ForeignText.queues(
            queues, lacks: lacks, now: host.now(), width: host.columns())
    }

    /// Rates need two looks, so that only a console that is open has them.
    private func flow(_ store: ForeignStore) throws -> Reply {
        let queues = try store.queues()
        let note = "these systems keep no rates; view 9 of the console counts them while it is open"
        return Reply(
            ["queues": .array(queues.map(ForeignJSON.queue)), "ended": .null],
            try lines(queues, store) + [note])
    }

    private func list(_ call: ListCall, _ store: ForeignStore) throws -> Reply {
        let names = try call.queue.map { [$0] } ?? store.queues().map(\.name)
        // A named queue is refused by its name.
        let unread = call.queue == nil ? names.filter { !$0.isExactName } : []
        let page =
            try call.filter.map { try matching($0, call, store) }
            ?? page(call, of: names.filter { call.queue != nil || $0.isExactName }, store)
        let objects = page.tasks.map(ForeignJSON.task)
        try ListField.check(call.fields, at: objects)
        var answer: JSONObject = [
            "queue": JSONValue(call.queue),
            "tasks": .array(objects.map { .object(ListField.chosen(call.fields, of: $0)) }),
            "more": .bool(page.more),
        ]
        if !unread.isEmpty { answer["unread"] = JSONValue(unread) }
        let json = JSONValue.object(answer)
        guard call.fields.isEmpty || page.tasks.isEmpty else {
            return Reply(json, ListField.table(call.fields, of: objects, host.columns()))
        }
        let lines = ForeignText.tasks(
            try spelled(page.tasks, store), more: page.more, now: host.now(),
            width: host.columns())
        let notes = unread.map { "queue \(SafeText.visible($0)) is not read: its name is no UTF-8" }
        return Reply(json, lines + notes)
    }

    /// Tasks with the names of their queues as a command takes them, if queues may look the same.
    private func spelled(_ tasks: [ForeignTask], _ store: ForeignStore) throws -> [ForeignTask] {
        guard tasks.contains(where: { !$0.queue.utf8.allSatisfy { $0 < 0x80 } }) else {
            return tasks
        }
        let names = ForeignQueueName.names(of: try store.queues())
        return tasks.map { task in
            var task = task
            task.queue = names.first { $0.name.isSame(as: task.queue) }?.spelled ?? task.queue
            return task
        }
    }

    private func page(
        _ call: ListCall, of names: [String], _ store: ForeignStore
    ) throws -> ForeignPage {
        // Other pages than those of the ended tasks continue after a task.
        let states = call.state == .all ? [nil, .succeeded, .deleted] : [call.stateName]
        var page = ForeignPage(tasks: [], more: false)
        for name in names {
            let (system, queue) = try store.place(of: name)
            for (place, state) in states.enumerated() where !page.more {
                let room = call.limit - page.tasks.count
                let query = ForeignQuery(
                    queue: queue, state: state, limit: max(room, 1),
                    after: place == 0 ? call.after?.description : nil)
                let part = try system.shownPage(query)
                    .withNext(isFirst: query.after == nil)
                page.tasks += room > 0 ? part.tasks : []
                page.more = room > 0 ? part.more : !part.tasks.isEmpty
            }
        }
        return page
    }

    private func matching(
        _ filter: TaskFilter, _ call: ListCall, _ store: ForeignStore
    ) throws -> ForeignPage {
        guard call.after == nil else {
            throw QueueError.notLegal(
                "--after and --filter do not go together at another system's store",
                fix: "give a larger --limit")
        }
        let state = call.stateName
        let found = try ForeignSelection(filter: filter, now: host.now()).tasks(
            of: store, queue: call.queue,
            usually: state.map { [$0] } ?? call.usualStates, limit: call.limit
        ) { task, _ in state == nil || task.display.state == state }
        return ForeignPage(tasks: found.tasks.map(\.task), more: found.more)
    }

    private func show(_ task: String, _ store: ForeignStore) throws -> Reply {
        let (system, detail) = try store.find(task)
        return Reply(
            .object(ForeignJSON.detail(detail, system: system.name)),
            ForeignText.detail(detail))
    }

    private func why(_ task: String, _ store: ForeignStore) throws -> Reply {
        let (system, detail) = try store.find(task)
        let blockers = try system.blockers(of: detail, now: host.now())
        let holder = try system.holder(of: detail)
        let json: JSONValue = [
            "id": .string(detail.task.reference), "holder": ForeignJSON.holder(holder),
            "runnable": .bool(detail.task.display.state == .waiting && blockers.isEmpty),
            "blockers": BlockerJSON.array(blockers),
        ]
        let name = SafeText.visible(detail.task.reference)
        let all = store.systems.count > 1 ? try store.queues() : []
        let naming = choice(of: detail.task.queue, system.name, among: all)
        var lines = blockers.map { blocker in
            var fix = blocker.fix.map { ": sluice \(TaskNames().command($0))" } ?? ""
            if case .resume = blocker.fix { fix += naming }
            return SafeText.visible("\(name): \(blocker.text)\(fix)")
        }
        if lines.isEmpty { lines = ["\(name) is \(detail.task.display.phrase)"] }
        if let holder {
            let reference = detail.task.reference
            let isPossible =
                system.rules.refusal(of: .reclaim, on: detail.task.display) == nil
            let command = "sluice \(ShellWord.command("reclaim", reference))"
            lines += ForeignText.holder(
                holder, command: isPossible ? command : nil, now: host.now())
        }
        return Reply(json, lines)
    }

    private func timers(_ store: ForeignStore) throws -> Reply {
        let timers = try store.systems
            .flatMap { try $0.timers(limit: 1000) + $0.listedTimers(limit: 1000) }
            .sorted { $0.at < $1.at }
        return Reply(
            ["timers": .array(timers.map(ForeignJSON.timer))],
            ForeignText.timers(timers, now: host.now(), width: host.columns()))
    }

    private func runners(_ store: ForeignStore) throws -> Reply {
        let runners = try store.systems.flatMap { try $0.runners() }
        let unlisted = store.systems.filter { !$0.listsRunners }
        return Reply(
            [
                "runners": .array(runners.map(ForeignJSON.runner)),
                "unlisted": JSONValue(unlisted.map(\.name)),
            ],
            ForeignText.runners(
                runners, unlisted: unlisted.map(\.title), now: host.now(), width: host.columns()))
    }

    /// The first held tasks of a queue that cannot be given back, each with the reason.
    private func hindrances(of queue: ForeignQueue, _ store: ForeignStore) throws -> [String] {
        guard let system = store.systems.first(where: { $0.name == queue.system }) else {
            return []
        }
        let page = try system.shownPage(
            ForeignQuery(queue: queue.name, state: .waiting, limit: 100))
        return try page.tasks.filter { $0.display == .left }.prefix(3).compactMap { task in
            guard let detail = try system.shownDetail(task.reference) else { return nil }
            return try system.obstacle(of: detail).map { "\(task.reference) stays: \($0)" }
        }
    }

    private func resume(_ queue: ForeignQueue, among all: [ForeignQueue]) -> String {
        ShellWord.command(
            "resume", queue.name, choice(of: queue.name, queue.system, among: all))
    }

    /// The option that names the system where another one has a queue of that name; empty if the
    /// command has it already.
    private func choice(
        of queue: String, _ system: String, among all: [ForeignQueue]
    ) -> String {
        let isOne = !all.contains { $0.system != system && $0.name.isSame(as: queue) }
        return isOne || place.system != nil ? "" : " --as \(system)"
    }

    /// Who holds which queue; a hold that leaks is wrong, and only that.
    func doctor(_ call: DoctorCall) throws -> Reply {
        if call.repairs { throw try refusal(of: "--repair") }
        if call.isQuick { throw try refusal(of: "--quick") }
        return try ask { store in
            let all = try store.queues()
            let held = all.filter { $0.hold != nil }
            let newer = try store.systems.compactMap { system in
                try system.newerEdition().map { "\(system.title): \($0)" }
            }
            let left = try all.filter { $0.leftAside > 0 }.map { queue in
                "\(queue.name) (\(queue.system)) has \(queue.leftAside) held since a hold that "
                    + "ended; sluice \(resume(queue, among: all)) gives back"
                    + (try hindrances(of: queue, store)).map { "; \($0)" }.joined()
            }
            let holds = held.map { queue in
                let slips = queue.hold?.slips.map { "; \($0)" } ?? ""
                return "\(queue.name) (\(queue.system)) is held by \(queue.hold?.note.by ?? "?"): "
                    + "\(ForeignText.held(queue))\(ForeignText.leak(queue))\(slips); "
                    + "sluice \(resume(queue, among: all)) gives back"
            }
            let findings = holds + left + newer
            let json: JSONValue = [
                "systems": JSONValue(store.systems.map(\.name)), "findings": JSONValue(findings),
            ]
            let nothing = holds.isEmpty && left.isEmpty ? ["nothing is held"] : []
            let rest = nothing + findings.map(SafeText.visible)
            var reply = Reply(json, ["\(store.name): \(try kind())"] + rest)
            if held.contains(where: { $0.hold?.leak != nil }) || !left.isEmpty {
                reply.exit = .refused
            }
            return reply
        }
    }
}

extension ListCall {
    /// The requested state; `nil` for several.
    fileprivate var stateName: TaskState.Name? {
        state.flatMap { TaskState.Name(rawValue: $0.rawValue) }
    }

    /// The states without a requested one.
    fileprivate var usualStates: Set<TaskState.Name> {
        let usual: Set<TaskState.Name> = [.running, .waiting, .failed]
        return state == .all ? usual.union([.succeeded, .deleted]) : usual
    }
}

/// `failures`, `expect` and `record`: the commands of our own stores, at a copy in memory that a
/// look each second keeps up. Nothing is changed where the queues are.
extension ForeignInspector {
    private static let timed: Set<ForeignTask.Display> = [.delayed, .retrying]

    func failures(_ query: CommandQuery, _ store: ForeignStore) throws -> Reply {
        // A waiting task has a failure only if it waits for a retry.
        let hasRetries = store.systems.contains { !$0.rules.displays.isDisjoint(with: Self.timed) }
        let replica = ForeignReplica(
            name: store.name, hasRetries ? [.waiting, .failed] : [.failed])
        try replica.update(from: store, at: host.now())
        guard case .failures(let queue?, let isRetrying, let explained) = query else {
            return try context(at: replica).answer(query)
        }
        let meant = replica.names(of: queue)
        return try context(at: replica).answer(
            .failures(
                queue: meant.count == 1 ? meant[0] : queue, isRetrying: isRetrying,
                explained: explained))
    }

    func expect(_ call: ExpectCall) throws -> Reply {
        guard !call.request.expectation.checks.contains(where: \.asksHistory) else {
            throw QueueError.notLegal(
                "ran: not at a store of \(try kind()), which forgets ended tasks",
                fix: "count the tasks that are left, such as count(state:failed) = 0")
        }
        let replica = try replica()
        let following = call.request.withinMilliseconds == nil ? nil : try following(replica)
        var call = call
        call.request.expectation = call.request.expectation.namingQueues(replica.names)
        let references = replica.references
        var reply = try context(at: replica).expect(call) { line in
            try references[line.task.id].map(blockers) ?? []
        }
        if let error = following?.failure {
            throw QueueError(.serverGone, error, fix: "its present state is not known")
        }
        let names = TaskNames(foreign: replica.references)
        reply.lines = reply.lines.map(names.own)
        return reply
    }

    /// Why a task does not run, as its system says it. A task that has just gone has no reason.
    private func blockers(of task: String) throws -> [Blocker] {
        try ask { store in
            do {
                let (system, detail) = try store.find(task)
                return try system.blockers(of: detail, now: host.now())
            } catch let error as QueueError where error.code == .unknownTask {
                return []
            }
        }
    }

    func record(_ call: RecordCall) throws -> Reply {
        let replica = try replica()
        let following = try following(replica)
        var reply = try context(at: replica).record(call)
        guard let error = following.failure else { return reply }
        reply.exit = .partlyDone
        reply.isConfirmation = false
        reply.lines.append(SafeText.visible("at the end nothing could be seen: \(error)"))
        return reply
    }

    private func replica() throws -> ForeignReplica {
        try ask { store in
            let replica = ForeignReplica(name: store.name)
            try replica.update(from: store, at: host.now())
            return replica
        }
    }

    private func following(_ replica: ForeignReplica) throws -> ForeignFollowing {
        let place = place
        return try ForeignFollowing(replica, ForeignSession { try place.open() }, host.now)
    }

    private func context(at replica: ForeignReplica) -> CommandContext {
        CommandContext(host: host, common: common, isReader: true, store: replica.store)
    }
}

/// Keeps a copy of other systems' queues up with them, by a look each second, until it ends.
final class ForeignFollowing: Sendable {
    private let error: Protected<String?>
    private let looks: SecondsObservation

    /// Starts polling. A server error appears in the log of the copy, and the next poll retries.
    init(
        _ replica: ForeignReplica, _ session: ForeignSession,
        _ now: @escaping @Sendable () -> Timestamp
    ) throws {
        let error = Protected<String?>(nil)
        self.error = error
        looks = try SecondsObservation {
            do {
                try session.ask { try replica.update(from: $0, at: now()) }
                guard error.withLock({ $0.take() }) != nil else { return }
                try replica.record("the queues are seen again", at: now())
            } catch let failed {
                let words = QueueError(describing: failed).description
                let wasSeen = error.withLock { error in
                    defer { error = words }
                    return error == nil
                }
                guard wasSeen else { return }
                // A copy in memory takes it.
                try? replica.record("the queues are not seen: \(words)", at: now())
            }
        }
    }

    /// Why the last look failed; nil if it did not.
    var failure: String? { error.withLock { $0 } }
}

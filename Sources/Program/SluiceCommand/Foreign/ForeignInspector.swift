import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceSystem

/// Foreign queues for one command or one verb of the console. Task numbers last as long as this
/// object, or as long as the console.
final class ForeignInspector: Inspector {
    let host: Host
    let common: CommonOptions
    /// The location of the queues.
    let place: ForeignStorePlace
    let numbers: ForeignNumbers
    private var opened: ForeignStore?
    private var openedAlone: [String: ForeignStore] = [:]
    /// The displays of tasks that a filter found.
    var displays: [TaskID: ForeignTask.Display] = [:]
    /// Named tasks that do not exist, under negative numbers that no task has.
    private var missing: [TaskID: (reference: String, error: QueueError)] = [:]

    /// A command that begins; the store is opened when it is first needed, unless it is open.
    init(
        host: Host, common: CommonOptions, place: ForeignStorePlace, store: ForeignStore? = nil
    ) {
        (self.host, self.common, self.place, opened) = (host, common, place, store)
        numbers = host.foreignNumbers ?? ForeignNumbers()
    }

    /// The store; what fails here is an error of opening.
    func store() throws -> ForeignStore {
        if let opened { return opened }
        do {
            let store = try place.open()
            opened = store
            return store
        } catch {
            throw Failed(error, exit: ExitCode(error, atOpening: true))
        }
    }

    /// Asks the systems; what the server did not do is an error in this program's words.
    func ask<Value>(_ body: (ForeignStore) throws -> Value) throws -> Value {
        try store().ask(body)
    }

    /// Asks the system of a task, which may be known from a look at all of them.
    func ask<Value>(
        systemOf task: ForeignNumbers.Name, _ body: (any ForeignSystem) throws -> Value
    ) throws -> Value {
        let store = try opened ?? openedAlone[task.system] ?? place.open(as: task.system)
        if opened == nil { openedAlone[task.system] = store }
        return try store.ask { store in
            guard let system = store.systems.first(where: { $0.name == task.system }) else {
                throw QueueError(
                    .unknownTask, "there is no task \"\(task.reference)\" in \(store.name)")
            }
            return try body(system)
        }
    }

    // The limits of foreign queues.

    /// The names of the systems, for sentences.
    func kind() throws -> String {
        try store().systems.map(\.name).joined(separator: ", ")
    }

    /// The refusal of a command or a console's verb for foreign queues.
    func refusal(_ verb: String? = nil) throws -> QueueError {
        .notLegal(
            "\(verb ?? place.command ?? "this"): not at a store of \(try kind())",
            fix: "queues, list, show, why, timers, workers, failures, expect, record, run, "
                + ForeignVerb.allCases.map(\.rawValue).joined(separator: ", ")
                + ", doctor and report are")
    }

    /// The refusal of an option for foreign queues. Ignoring it would do something else than
    /// requested.
    func refusal(of option: String) throws -> QueueError {
        .notLegal(
            "\(option) is for stores of this program's own, not for \(try kind())",
            fix: "leave it away")
    }

    /// Throws `readOnly` if `--read-only` forbids changes.
    func beginChange() throws {
        let name = try store().name
        guard !common.isReadOnly else {
            throw QueueError(
                .readOnly, "\(name) is open for reading only", fix: "leave --read-only away")
        }
    }

    // Tasks.

    /// The number of a task, by its id or its beginning.
    func task(_ reference: TaskReference) throws -> TaskID {
        let text = "\(reference)"
        let found = try ask { try $0.find(text) }
        return number(of: found.1.task.reference, in: found.system)
    }

    func number(of task: String, in system: any ForeignSystem) -> TaskID {
        numbers.number(ForeignNumbers.Name(system: system.name, reference: task))
    }

    func targets(of change: TaskChange) throws -> [TaskTarget] {
        guard let verb = ForeignVerb(rawValue: change.words.kind.name) else {
            throw try refusal(change.words.kind.name)
        }
        try checkOptions(change)
        // Only the workers know some running tasks, so ask them first.
        if verb == .cancel { try ask { for one in $0.systems { _ = try one.runners() } } }
        switch change.selection {
        case .tasks(let references):
            var targets: [TaskTarget] = []
            for reference in references {
                let target = TaskTarget(try number(reference, isOne: references.count == 1))
                if !targets.contains(target) { targets.append(target) }
            }
            return targets
        case .filter(let filter):
            let selection = ForeignSelection(filter: filter, now: host.now())
            let found = try ask { store in
                try selection.tasks(of: store, usually: verb.states) { verb.fits($0, $1) }.tasks
            }
            return found.map { one in
                let number = number(of: one.task.reference, in: one.system)
                displays[number] = one.task.display
                return TaskTarget(number)
            }
        }
    }

    /// Throws for an unsupported option, even without a task. Skips edits and moves, whose content
    /// or target is not known yet.
    private func checkOptions(_ change: TaskChange) throws {
        let verb = try change.words.verb(at: now())
        guard !(verb is EditVerb), !(verb is MoveVerb) else { return }
        var asked = Verb.on([], verb)
        asked.storeName = change.storeName
        if let tasks = asked.onTasks { try check(tasks) }
    }

    /// The number of a task; of several one that is not there has one too, and the verb says so.
    private func number(_ reference: TaskReference, isOne: Bool) throws -> TaskID {
        do {
            return try task(reference)
        } catch let error as QueueError where error.isRefusal && !isOne {
            let text = "\(reference)"
            if let known = missing.first(where: { $0.value.reference == text }) { return known.key }
            let number = -TaskID(missing.count + 1)
            missing[number] = (text, error)
            return number
        }
    }

    /// A task by its number, as its system names it.
    func name(_ task: TaskID) throws -> ForeignNumbers.Name {
        if let missing = missing[task] { throw missing.error }
        guard let name = numbers.name(task) else { throw QueueError.unknownTask(task) }
        return name
    }

    func now() -> Timestamp { host.now() }

    func payload(of task: TaskID) throws -> ForeignPayload {
        let name = try name(task)
        return try ask(systemOf: name) { try $0.require(name.reference).payload }
    }

    func names(of tasks: [TaskID], in sentences: [String]) throws -> TaskNames {
        let all = numbers.references.merging(missing.mapValues(\.reference)) { $1 }
        return TaskNames(foreign: all, isWhole: true)
    }

    /// No store of other systems asks for its name.
    func named(_ verb: Verb) throws -> Verb? { verb }
}

/// `run QUEUE --until FILTER`: a break by stepping.
extension ForeignInspector {
    /// Steps the held tasks of a queue in their order, and stops before the first that matches.
    ///
    /// Tasks that arrive during the run belong to it. It ends early if no worker takes a task.
    func run(_ call: RunCall) throws -> Reply {
        if call.handlers != nil { throw try refusal(of: "--handlers") }
        guard case .match(let filter)? = call.until else {
            throw QueueError.notLegal(
                "run: at a store of \(try kind()) a run needs a filter that stops it",
                fix: "sluice run \(ShellWord.quoted(call.queue)) --until 'type:charge'; "
                    + "sluice step \(ShellWord.quoted(call.queue)) -n 5 steps a number of tasks")
        }
        try beginChange()
        let selection = ForeignSelection(filter: filter, now: host.now())
        var answer = StepAnswer()
        let isStopped = try ask { store in
            let (system, queue) = try store.place(of: call.queue)
            return try run(queue, until: selection, of: system, &answer)
        }
        var reply = StepText.reply(answer, names: try names(of: [], in: []))
        if answer.stepped.isEmpty { reply.lines.removeFirst() }
        reply.lines.append(
            SafeText.visible(
                isStopped
                    ? "stopped before a task that matches \(filter); sluice step runs it"
                    : "no held task of \(call.queue) matches \(filter)"))
        if case .object(var object) = reply.json {
            object["matched"] = .bool(isStopped)
            reply.json = .object(object)
        }
        reply.isConfirmation = false
        return reply
    }

    /// Whether a task that matches ended it.
    private func run(
        _ queue: String, until selection: ForeignSelection, of system: any ForeignSystem,
        _ answer: inout StepAnswer
    ) throws -> Bool {
        try system.check(.step)
        guard try system.stops(of: queue)?.hold != nil else {
            throw QueueError.notLegal(
                "\(queue) is not held, so its workers take the tasks themselves",
                fix: "sluice pause \(ShellWord.quoted(queue))")
        }
        while let next = try firstHeld(of: queue, system) {
            answer.next = number(of: next.reference, in: system)
            if try selection.matches(next, of: system) { return true }
            let step = try system.step(queue, task: next.reference, limits: StepLimits())
            guard let step else { return false }
            answer.stepped.append(stepped(step, number(of: next.reference, in: system)))
            answer.next = nil
        }
        return false
    }

    private static func isHeld(_ task: ForeignTask) -> Bool {
        [.next, .due, .held].contains(task.display)
    }

    /// The first held task among the first waiting ones.
    func nextHeld(of queue: String, _ system: any ForeignSystem) throws -> ForeignTask? {
        try system.page(ForeignQuery(queue: queue, state: .waiting, limit: 20)).tasks
            .first(where: Self.isHeld)
    }

    /// The first held task of all waiting ones.
    func firstHeld(of queue: String, _ system: any ForeignSystem) throws -> ForeignTask? {
        if let task = try nextHeld(of: queue, system) { return task }
        var found: ForeignTask?
        _ = try system.pages(of: queue, .waiting, limit: 1_000_000) { tasks in
            found = tasks.first(where: Self.isHeld)
            return found == nil
        }
        return found
    }
}

/// The console of other systems' queues.
extension ForeignInspector {
    func screen(_ opening: ScreenOpening) throws -> ScreenStore {
        do {
            return try opening.foreign(at: place)
        } catch let error as QueueError {
            throw Failed(error, exit: ExitCode(error, atOpening: true))
        }
    }

    /// Which queues stay held.
    func partingWords() -> [String] {
        // The connection of the beginning may be gone.
        guard !common.isReadOnly, let queues = try? place.open().ask({ try $0.queues() }) else {
            return []
        }
        let placing = ForeignPlacing(place, host)
        return queues.compactMap { queue in
            guard let hold = queue.hold else { return nil }
            let leak = ForeignText.leak(queue)
            let command = "sluice \(ShellWord.command("resume", queue.name))"
            return "\(queue.name) stays held by \(hold.note.by), \(ForeignText.held(queue))"
                + placing.text("\(leak); \(command) gives back")
        }
    }
}

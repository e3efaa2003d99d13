import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceSystem

/// Verbs and steps: each acts on exact ids at the moment of acting.
extension ForeignInspector {
    func change(_ change: Change) throws -> Reply {
        switch change {
        case .tasks(let change): return try changeTasks(change)
        case .verb(let verb):
            try beginChange()
            switch verb.order {
            case let pause as PauseRequest: return try hold(verb, try queue(pause.scope))
            case let resume as ResumeVerb: return try hold(verb, try queue(resume.scope))
            default:
                let answer = try perform(verb) { _ in .goOn }
                return AnswerText.reply(answer, try names(of: [], in: []))
            }
        case .enqueue, .schedule: throw try refusal()
        }
    }

    func perform(_ verb: Verb, watching watch: @escaping BulkWatch) throws -> Answer {
        var answer = Answer()
        switch verb.order {
        case let request as PauseRequest:
            let queue = try queue(request.scope)
            guard request.forMilliseconds == nil, request.direction == .work,
                !request.stopsRunning
            else {
                throw QueueError.notLegal(
                    "a queue of \(try kind()) is held as a whole, until it is resumed",
                    fix: "pause it without more than a reason")
            }
            let note = HoldNote(by: person, since: host.now(), reason: request.reason)
            answer.consequences = try ask { store in
                let (system, name) = try store.place(of: queue)
                try system.check(.pause)
                return try system.hold(name, note).consequences
            }
        case let resume as ResumeVerb:
            let queue = try queue(resume.scope)
            answer.consequences = try ask { store in
                let (system, name) = try store.place(of: queue)
                return try system.release(name).consequences
            }
        case let verb as VerbOnTasks: return try change(verb, watch)
        case let verb as UndoVerb:
            guard verb.event != nil else { return try undo() }
            throw QueueError.notLegal(
                "at another system's store only your last change can be undone",
                fix: "sluice undo")
        case is GoOnVerb: throw try refusal(of: "--breakpoints")
        case is StepBackVerb: throw try refusal(of: "--back")
        default: throw try refusal(place.command ?? verb.name)
        }
        return answer
    }

    func rehearse(_ verb: Verb, watching watch: @escaping BulkWatch) throws -> Answer {
        guard let tasks = verb.onTasks else { throw try refusal(verb.name) }
        return try change(tasks, watch, isRehearsal: true)
    }

    private func queue(_ scope: VerbScope) throws -> String {
        guard case .queue(let name) = scope else {
            throw QueueError.notLegal(
                "the queues of \(try kind()) are held one by one", fix: "name a queue")
        }
        return name
    }

    /// Holds a queue or ends that; the answer has the queue as it is then. One that is empty by
    /// then may not be listed any more.
    private func hold(_ verb: Verb, _ name: String) throws -> Reply {
        let (system, exact) = try ask { try $0.place(of: name) }
        func now() throws -> ForeignQueue? {
            try ask { _ in try system.queues().first { $0.name.isSame(as: exact) } }
        }
        // Without a list of empty queues any name may be one, also a mistyped one.
        var isNew = false
        if verb.order is PauseRequest { isNew = try !system.listsEmptyQueues && now() == nil }
        var answer = try perform(verb) { _ in .goOn }
        let queue = try now()
        if isNew {
            answer.consequences.append(
                "no queue \(name) is known here: its first task will be held; sluice queues lists "
                    + "the names")
        } else if let queue, queue.hold != nil, queue.isEmpty {
            answer.consequences.append("\(name) has no task now: sluice queues lists the names")
        }
        guard let queue else { return Reply(["queue": .string(name)], answer.consequences) }
        let json: JSONValue = [
            "queue": .string(name), "state": .string(ForeignJSON.state(queue)), "ended": [],
            "pauses": ForeignJSON.pauses(queue), "undo": .null,
            "held": JSONValue(queue.held), "consequences": JSONValue(answer.consequences),
        ]
        let lines =
            [SafeText.visible("\(name): \(ForeignText.hold(queue, now: host.now()))")]
            + answer.consequences.map { SafeText.visible("  \($0)") }
        var reply = Reply(json, lines)
        reply.isConfirmation = true
        if queue.leftAside > 0 { reply.exit = .partlyDone }
        return reply
    }

    // Tasks.

    private func change(
        _ verb: VerbOnTasks, _ watch: BulkWatch, isRehearsal: Bool = false
    ) throws -> Answer {
        let deed = try deed(verb)
        let author = author(of: verb)
        var answer = Answer()
        let isLong = verb.targets.count > Control.slice
        for (index, target) in verb.targets.enumerated() {
            if isLong {
                let progress = BulkProgress(
                    done: index, total: verb.targets.count, failed: answer.failed.count)
                guard watch(progress) == .goOn else {
                    answer.stop = Answer.Stop(left: Array(verb.targets[index...]))
                    break
                }
            }
            do {
                let name = try name(target.id)
                let consequences = try ask(systemOf: name) { system in
                    guard !isRehearsal else {
                        try rehearse(deed.verb, target.id, name.reference, system)
                        return [String]()
                    }
                    let told = try perform(deed, name.reference, system, by: author)
                    // The task keeps its number, so that the console's cursor stays on it.
                    if deed.verb == .edit, let id = told.changed.first {
                        numbers.rename(target.id, to: id)
                    }
                    return told.consequences
                }
                answer.changed.append(target.id)
                for text in consequences where !answer.consequences.contains(text) {
                    answer.consequences.append(text)
                }
            } catch let error as QueueError {
                if verb.targets.count == 1 { throw error }
                answer.failed.append(Answer.Failure(id: target.id, error: error))
            }
        }
        answer.summary = sentence(answer.changed, verb.kind.participle)
        return answer
    }

    /// A verb's request to a system.
    private enum Deed {
        case change(ForeignChange)
        case cancel, reclaim

        var verb: ForeignVerb {
            switch self {
            case .change(let change): change.verb
            case .cancel: .cancel
            case .reclaim: .reclaim
            }
        }
    }

    /// Throws what a verb cannot ask for here.
    func check(_ asked: VerbOnTasks) throws { _ = try deed(asked) }

    private func deed(_ asked: VerbOnTasks) throws -> Deed {
        let deed: Deed
        switch ForeignVerb(rawValue: asked.kind.name) {
        case .cancel: deed = .cancel
        case .reclaim: deed = .reclaim
        default: return .change(try change(asked))
        }
        guard asked.storeName == nil else { throw try refusal(of: "--store-name") }
        return deed
    }

    /// The person, with a mark by which an undo finds all changes of a verb on several tasks.
    private func author(of verb: VerbOnTasks) -> ForeignAuthor {
        var random = SystemRandom()
        let mark = verb.targets.count > 1 ? String(random.next(), radix: 36) : nil
        return ForeignAuthor(person, deed: mark)
    }

    private func perform(
        _ deed: Deed, _ reference: String, _ system: any ForeignSystem, by author: ForeignAuthor
    ) throws -> ForeignAnswer {
        switch deed {
        case .change(let change): try system.change(reference, change, by: author)
        case .cancel: try system.cancel(reference)
        case .reclaim: try system.reclaim(reference)
        }
    }

    /// Throws what would keep a verb from a task.
    private func rehearse(
        _ verb: ForeignVerb, _ task: TaskID, _ reference: String, _ system: any ForeignSystem
    ) throws {
        try system.check(verb)
        let display = try displays[task] ?? system.require(reference).task.display
        if let refusal = system.rules.refusal(of: verb, on: display) {
            throw refusal.error(reference)
        }
    }

    /// `42 tasks retried: job10 job11 job12 …`; nothing if none was.
    private func sentence(_ tasks: [TaskID], _ participle: String) -> String {
        guard !tasks.isEmpty else { return "" }
        let shown = tasks.prefix(tasks.count > 5 ? 3 : 5).compactMap { numbers.name($0)?.reference }
        let more = tasks.count > 5 ? " …" : ""
        return "\(NumberText.tasks(tasks.count)) \(participle): "
            + "\(shown.joined(separator: " "))\(more)"
    }

    func change(_ asked: VerbOnTasks) throws -> ForeignChange {
        guard asked.storeName == nil else { throw try refusal(of: "--store-name") }
        switch asked.verb {
        case let verb as EditVerb:
            guard verb.fields.isEmpty else { throw try refusal(of: "--set") }
            do {
                return .edit(try JSONValue.parse(verb.payload ?? []))
            } catch {
                throw QueueError.badValue("--payload", "…", allowed: "JSON: \(error.description)")
            }
        case let verb as MoveVerb: return .move(try place(verb.destination))
        case let verb as PostponeVerb where verb.overMilliseconds == nil:
            return .postpone(verb.until)
        case let verb as PriorityVerb:
            guard case .number(let number) = verb.value else {
                throw QueueError.badValue("N", verb.value.text, allowed: "a whole number")
            }
            return .priority(Int64(number))
        default: return try plain(asked)
        }
    }

    /// A change without options. Throws for any option.
    private func plain(_ asked: VerbOnTasks) throws -> ForeignChange {
        let text = CommandText(names: TaskNames(), now: host.now())
        if let option = asked.verb.words(in: text).first(where: { $0.hasPrefix("--") }) {
            throw try refusal(of: option)
        }
        switch ForeignVerb(rawValue: asked.kind.name) {
        case .skip: return .skip
        case .unskip: return .unskip
        case .delete: return .delete
        case .retry: return .retry
        default: throw try refusal(asked.kind.name)
        }
    }

    private func place(_ destination: MoveVerb.Destination) throws -> ForeignPlace {
        switch destination {
        case .place(.first): return .first
        case .place(.last): return .last
        case .place(.before(let task)): return .before(try name(task).reference)
        case .place(.after(let task)): return .after(try name(task).reference)
        case .queue: throw try refusal(of: "--queue")
        }
    }

    /// Takes back the last verb of this person; their systems keep the changes themselves.
    private func undo() throws -> Answer {
        try ask { store in
            guard let system = try store.lastChanged(by: person),
                let done = try system.undo(by: person)
            else {
                throw QueueError.notLegal("\(person) has changed nothing here that can be undone")
            }
            var answer = Answer()
            answer.changed = done.changed.map { number(of: $0, in: system) }
            answer.consequences = done.consequences
            answer.failed = done.late.compactMap { late in
                late.late.map { .init(id: number(of: late.task, in: system), error: $0) }
            }
            if let error = done.ended {
                answer.stop = Answer.Stop(left: [], error: error)
            }
            answer.summary = sentence(answer.changed, "put back")
            return answer
        }
    }

    // Steps.

    func step(_ call: StepCall) throws -> Reply {
        if call.handlers != nil { throw try refusal(of: "--handlers") }
        try beginChange()
        let answer =
            switch call.target {
            case .queue(let name, let count): try step(.queue(name, count: count))
            case .task(let task): try step(.task(TaskTarget(self.task(task))))
            }
        var reply = StepText.reply(answer, names: try names(of: [], in: []))
        if answer.stepped.isEmpty, case .queue(let name, _) = call.target {
            reply.lines = [SafeText.visible("nothing of \(name) is held")]
        }
        reply.exit = StepText.exit(answer, isChecked: call.isChecked)
        return reply
    }

    /// Lets tasks of a held queue through to their own workers, one after the other.
    func step(_ request: StepRequest) throws -> StepAnswer {
        switch request {
        case .queue(let name, let count):
            return try ask { store in
                let (system, queue) = try store.place(of: name)
                return try step(queue, nil, count, of: system)
            }
        case .task(let target):
            let name = try name(target.id)
            return try ask(systemOf: name) { system in
                let queue = try system.require(name.reference).task.queue
                let answer = try step(queue, name.reference, 1, of: system)
                guard answer.stepped.isEmpty else { return answer }
                throw try notHeld(name.reference, system)
            }
        }
    }

    /// The reason a step found a task not to be held.
    private func notHeld(_ reference: String, _ system: any ForeignSystem) throws -> QueueError {
        let display = try system.require(reference).task.display
        return system.rules.refusal(of: .step, on: display)?.error(reference)
            ?? QueueError(
                .changed, "task \(reference) was not held at that moment", fix: "step it again")
    }

    private func step(
        _ queue: String, _ task: String?, _ count: Int, of system: any ForeignSystem
    ) throws -> StepAnswer {
        try system.check(.step)
        var answer = StepAnswer()
        answer.asked = count
        while answer.stepped.count < count,
            let step = try stepOne(queue, task, of: system)
        {
            answer.stepped.append(stepped(step, number(of: step.task.reference, in: system)))
        }
        let next = try nextHeld(of: queue, system)
        answer.next = next.map { number(of: $0.reference, in: system) }
        return answer
    }

    /// Lets a named task of a queue through, or the next one.
    private func stepOne(
        _ queue: String, _ task: String?, of system: any ForeignSystem
    ) throws -> ForeignStep? {
        var task = task
        // Such a system itself takes the first one, even if that waits for its time.
        if task == nil, system.rules.displays(of: .step).contains(.delayed),
            try system.isHeld(queue)
        {
            guard let next = try firstHeld(of: queue, system) else { return nil }
            task = next.reference
        }
        return try system.step(queue, task: task, limits: StepLimits())
    }

    func stepped(_ step: ForeignStep, _ number: TaskID) -> Stepped {
        let now = host.now()
        let task = QueueTask(
            id: number, queue: step.task.queue, type: step.task.type, position: 0, createdAt: now)
        var attempt = AttemptRecord(
            task: task, number: 1, runner: 0, startedAt: now + -step.milliseconds)
        attempt.endedAt = now
        attempt.outcome = step.outcome.flatMap { AttemptRecord.Outcome(rawValue: $0) }
        attempt.error = step.error
        var stepped = Stepped(attempt)
        stepped.remark = step.note ?? (step.outcome == nil ? "a worker took it" : nil)
        return stepped
    }
}

import SluiceConsole
import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluicePlatform
import SluiceStore

/// How the screen changes other systems' queues: each change is the command that says the same.
struct ForeignCommands: Sendable {
    let host: Host
    let scenes: ForeignScenes
    /// The address.
    let place: String
    let person: String

    /// As the screen asks for them; `command` runs a line of its command line.
    func commands(
        _ command: @escaping @Sendable (String, @escaping BulkWatch) -> CommandReport
    ) -> StoreCommands {
        StoreCommands(
            perform: perform,
            rehearse: { verb in
                var answer = Answer()
                answer.changed = verb.targets.map(\.id)
                return answer
            },
            step: step,
            command: { line, watch in
                // What it does is not counted: an undo then takes back one change alone.
                scenes.forgetDone()
                return command(line, watch)
            }, beginEdit: beginEdit, renewEdit: {}, endEdit: {},
            clearUp: {}, report: report)
    }

    // Verbs.

    private func perform(_ verb: Verb, _ watch: @escaping BulkWatch) throws -> Answer {
        var answer = Answer()
        switch verb {
        case .pause(let request):
            let queue = try queue(request.scope)
            guard request.forMilliseconds == nil, request.direction == .work,
                !request.stopsRunning
            else {
                throw QueueError.notLegal(
                    "a queue of \(queue.system) is held as a whole, until it is resumed",
                    fix: "pause it without more")
            }
            let reason = request.reason.map { ["--reason", $0] } ?? []
            let reply = try reply(["pause", queue.name] + reason, queue.system)
            answer.consequences = consequences(reply)
            note("pause", queue.shown, nil, "\(queue.shown) held by \(person)")
        case .resume(let scope):
            let queue = try queue(scope)
            answer.consequences = consequences(
                try reply(["resume", queue.name], queue.system))
            note("resume", queue.shown, nil, "\(queue.shown) resumed by \(person)")
        case .tasks(let verb): answer = try change(verb, watch)
        case .undo(nil, _):
            answer = try undo()
        default:
            throw QueueError.notLegal(
                "\(verb.name) is for stores of this program's own, not for \(scenes.kind)")
        }
        return answer
    }

    /// Takes back the last verb from here, whose tasks their system takes back one by one; another
    /// one's last change where nothing was done from here.
    private func undo() throws -> Answer {
        var answer = Answer()
        let last = scenes.takeLastDone()
        let count = last?.count ?? 1
        var (tried, late) = (0, [QueueError]())
        do {
            while tried < count {
                do {
                    let reply = try reply(["undo"], last?[count - 1 - tried])
                    for text in consequences(reply) where !answer.consequences.contains(text) {
                        answer.consequences.append(text)
                    }
                } catch let error as QueueError where error.code == .changed {
                    // The system goes on with the change before.
                    late.append(error)
                }
                tried += 1
            }
        } catch {
            if let last { scenes.note(Array(last.prefix(count - tried))) }
            if tried == 0 { throw error }
            answer.consequences.append(
                "\(count - tried) not: \((error as? QueueError)?.message ?? "\(error)")")
        }
        let done = tried - late.count
        if let first = late.first {
            if done == 0 { throw first }
            answer.consequences.append("\(late.count) not: \(first.message)")
        }
        let what = answer.consequences.joined(separator: ", ")
        answer.summary = done > 1 ? "\(what), of \(NumberText.tasks(done))" : what
        note("undo", nil, nil, "undo by \(person): \(answer.summary)")
        return answer
    }

    private func queue(_ scope: VerbScope) throws(QueueError) -> ForeignQueueName {
        guard case .queue(let name) = scope else {
            throw .notLegal(
                "the queues of \(scenes.kind) are held one by one", fix: "choose a queue")
        }
        return try scenes.queue(shown: name)
    }

    private func change(_ verb: VerbOnTasks, _ watch: BulkWatch) throws -> Answer {
        var answer = Answer()
        var stores: [String: ForeignStore] = [:]
        var done: ForeignScenes.Done = []
        let isLong = verb.targets.count > Control.slice
        defer { scenes.note(done) }
        for (index, target) in verb.targets.enumerated() {
            if isLong {
                let progress = BulkProgress(
                    done: index, total: verb.targets.count, failed: answer.failed.count)
                guard watch(progress) == .goOn else {
                    answer.stop = Answer.Stop(left: Array(verb.targets[index...]))
                    break
                }
            }
            let name = try name(target)
            do {
                let store = try stores[name.system] ?? open(name.system)
                stores[name.system] = store
                let reply = try reply(try words(verb, target, name), name.system, at: store)
                scenes.forget(target.id)
                answer.changed.append(target.id)
                done.append(name.system)
                for text in consequences(reply) where !answer.consequences.contains(text) {
                    answer.consequences.append(text)
                }
                note(
                    verb.kind.name, scenes.queue(of: target.id), target.id,
                    "#\(target.id) \(verb.kind.participle) by \(person)")
            } catch let error as QueueError {
                if verb.targets.count == 1 { throw error }
                answer.failed.append(Answer.Failure(id: target.id, error: error))
            }
        }
        // Their systems have no numbers for it, and take back the last change alone.
        if !answer.changed.isEmpty, scenes.canUndo { answer.undo = 0 }
        return answer
    }

    private func open(_ system: String) throws -> ForeignStore {
        try ForeignStore.open(place, as: system, keepers: .processes(of: place))
    }

    /// The command that does a verb to one task.
    private func words(
        _ verb: VerbOnTasks, _ target: TaskTarget, _ name: ForeignNumbers.Name
    ) throws -> [String] {
        if let payload = (verb.verb as? EditVerb)?.payload {
            let text = String(decoding: payload, as: UTF8.self)
            return ["edit", name.reference, "--payload", text]
        }
        let one = Verb.tasks(VerbOnTasks([target], verb.verb))
        let names = TaskNames(foreign: scenes.numbers.references)
        let text = CommandText(names: names, now: host.now())
        return try CommandWords.split(text.of(one))
    }

    // Steps.

    private func step(_ request: StepRequest) throws -> StepAnswer {
        switch request {
        case .queue(let name, let count):
            let queue = try scenes.queue(shown: name)
            return stepped(
                try reply(["step", queue.name, "-n", "\(count)"], queue.system), queue.system,
                name)
        case .task(let target):
            // When it has run it is no more among what is shown.
            let (name, queue) = (try self.name(target), scenes.queue(of: target.id))
            return stepped(
                try reply(["step", "--task", name.reference], name.system), name.system, queue)
        }
    }

    private func stepped(_ reply: Reply, _ system: String, _ queue: String?) -> StepAnswer {
        var answer = StepAnswer()
        func number(_ reference: String) -> TaskID {
            scenes.numbers.number(
                ForeignNumbers.Name(system: system, reference: reference))
        }
        for step in reply.json["stepped"]?.array ?? [] {
            guard let reference = step["id"]?.string else { continue }
            let now = host.now()
            let task = QueueTask(
                id: number(reference), queue: queue ?? "", type: step["type"]?.string ?? "",
                position: 0, createdAt: now)
            let milliseconds = step["milliseconds"]?.integer ?? 0
            var attempt = AttemptRecord(
                task: task, number: 1, runner: 0, startedAt: now + -milliseconds)
            attempt.endedAt = now
            attempt.outcome = step["outcome"]?.string.flatMap {
                AttemptRecord.Outcome(rawValue: $0)
            }
            attempt.error = step["error"]?.string
            attempt.consequence = step["note"]?.string
            answer.stepped.append(Stepped(attempt))
            let end = step["outcome"]?.string ?? "taken by a worker"
            let error = attempt.error.map { ": \($0)" } ?? ""
            note(
                "step", queue ?? scenes.queue(of: task.id), task.id,
                "#\(task.id) \(task.type) stepped by \(person): \(end)\(error)")
        }
        answer.next = reply.json["next"]?.string.map(number)
        return answer
    }

    // Edits.

    private func beginEdit(_ target: TaskTarget) throws -> [UInt8] {
        let name = try name(target)
        let shown = try reply(["show", name.reference], name.system).json
        if let reason = shown["payloadFixed"]?.string {
            throw QueueError.notLegal("its payload cannot be edited: \(reason)")
        }
        guard let payload = shown["payload"] else {
            throw QueueError.notLegal("its payload is no JSON, and cannot be edited")
        }
        return payload.bytes
    }

    // Reports.

    /// The report of tasks of one queue, and so of one system.
    private func report(_ tasks: [TaskID]) throws -> String {
        let names = try tasks.map(name)
        let told = try reply(["report"] + names.map(\.reference), names.first?.system).json
        return told["report"]?.string ?? ""
    }

    // Commands.

    private func name(_ target: TaskTarget) throws(QueueError) -> ForeignNumbers.Name {
        try name(target.id)
    }

    private func name(_ task: TaskID) throws(QueueError) -> ForeignNumbers.Name {
        guard let name = scenes.numbers.name(task) else { throw QueueError.unknownTask(task) }
        return name
    }

    private func reply(
        _ words: [String], _ system: String?, at store: ForeignStore? = nil
    ) throws -> Reply {
        let all = words + ["--store", place, "--by", person] + (system.map { ["--as", $0] } ?? [])
        guard
            let call = try ForeignCall(
                all.map { Word($0) }, environment: nil, isNoneOfOurs: true)
        else {
            throw QueueError.notLegal("\(words[0]) is not for \(scenes.kind)")
        }
        let session = ForeignContext(host: host, call: call)
        return try store.map { try session.reply(at: $0) } ?? session.reply()
    }

    private func consequences(_ reply: Reply) -> [String] {
        (reply.json["consequences"]?.array ?? []).compactMap(\.string)
    }

    private func note(_ kind: String, _ queue: String?, _ task: TaskID?, _ text: String) {
        scenes.note(
            JournalEvent(
                at: host.now(), kind: kind, queue: queue, task: task, by: person, text: text))
    }
}

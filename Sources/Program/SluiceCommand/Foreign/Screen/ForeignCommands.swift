import SluiceConsole
import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceStore
import SluiceSystem

/// How the screen changes other systems' queues: by what does it for a command.
struct ForeignCommands: Sendable {
    let host: Host
    let common: CommonOptions
    let scenes: ForeignScenes
    let place: ForeignStorePlace

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
                // Changes of a command are not counted, so that an undo after it reverts the
                // command.
                scenes.forgetDone()
                return command(line, watch)
            }, beginEdit: beginEdit, renewEdit: {}, endEdit: {},
            clearUp: {}, report: report)
    }

    /// For one verb, with the numbers that tasks have on the screen; of one system where a queue of
    /// the same name may be another's.
    private func inspector(_ system: String? = nil) -> ForeignInspector {
        var place = place
        place.system = system ?? place.system
        return ForeignInspector(host: host, common: common, place: place)
    }

    // Verbs.

    private func perform(_ verb: Verb, _ watch: @escaping BulkWatch) throws -> Answer {
        switch verb.order {
        case var request as PauseRequest:
            let queue = try queue(request.scope)
            request.scope = .queue(queue.name)
            let answer = try inspector(queue.system).perform(.pause(request), watching: watch)
            record("pause", queue.shown, nil, "\(queue.shown) held by \(person)")
            return answer
        case let resume as ResumeVerb:
            let queue = try queue(resume.scope)
            let answer = try inspector(queue.system)
                .perform(.resume(.queue(queue.name)), watching: watch)
            record("resume", queue.shown, nil, "\(queue.shown) resumed by \(person)")
            return answer
        case let tasks as VerbOnTasks: return try change(tasks, watch)
        case let undo as UndoVerb where undo.event == nil: return try self.undo()
        default: return try inspector().perform(verb, watching: watch)
        }
    }

    /// Takes back the last verb from here, of each system that it changed; the person's last verb
    /// where nothing was done from here.
    private func undo() throws -> Answer {
        var answer = Answer()
        let last = scenes.popLastDone()
        let count = last?.count ?? 1
        var tried = 0
        do {
            while tried < count {
                let one = try inspector(last?[count - 1 - tried])
                    .perform(.undo(event: nil), watching: { _ in .goOn })
                tried += max(1, one.changed.count + one.failed.count)
                answer.changed += one.changed
                answer.failed += one.failed
                for text in one.consequences where !answer.consequences.contains(text) {
                    answer.consequences.append(text)
                }
                if let error = one.stop?.error { throw error }
            }
        } catch {
            let reason = error as? QueueError
            // A change that is too late is not tried again.
            if let last, reason?.code != .changed {
                scenes.record(Array(last.prefix(max(0, count - tried))))
            }
            if tried == 0 { throw error }
            answer.consequences.append(
                "\(max(1, count - tried)) not: \(reason?.message ?? "\(error)")")
        }
        if let first = answer.failed.first {
            answer.consequences.append("\(answer.failed.count) not: \(first.error.message)")
        }
        let what = answer.consequences.joined(separator: ", ")
        let done = answer.changed.count
        answer.summary = done > 1 ? "\(what), of \(NumberText.tasks(done))" : what
        record("undo", nil, nil, "undo by \(person): \(answer.summary)")
        (answer.changed, answer.failed) = ([], [])
        return answer
    }

    private func queue(_ scope: VerbScope) throws(QueueError) -> ForeignQueueName {
        guard case .queue(let name) = scope else {
            throw .notLegal(
                "the queues of \(scenes.kind) are held one by one", fix: "choose a queue")
        }
        return try scenes.queue(shown: name)
    }

    private func change(_ verb: VerbOnTasks, _ watch: @escaping BulkWatch) throws -> Answer {
        var answer = try inspector().perform(Verb(verb), watching: watch)
        for task in answer.changed {
            scenes.forget(task)
            record(
                verb.kind.name, scenes.queue(of: task), task,
                "#\(task) \(verb.kind.participle) by \(person)")
        }
        guard verb.kind.canBeUndone else {
            answer.summary = ""
            return answer
        }
        scenes.record(answer.changed.compactMap { scenes.numbers.name($0)?.system })
        // The message line says it with the keys.
        answer.summary = ""
        // Their systems have no numbers for it, and take back the last change alone.
        if !answer.changed.isEmpty, scenes.canUndo { answer.undo = 0 }
        return answer
    }

    // Steps.

    private func step(_ request: StepRequest) throws -> StepAnswer {
        let queue: String?
        let answer: StepAnswer
        switch request {
        case .queue(let name, let count):
            let found = try scenes.queue(shown: name)
            queue = name
            answer = try inspector(found.system).step(.queue(found.name, count: count))
        case .task(let target):
            // Get the queue first: after the step the task may no longer be on the screen.
            queue = scenes.queue(of: target.id)
            answer = try inspector().step(request)
        }
        for one in answer.stepped {
            record(
                "step", queue, one.id,
                "#\(one.id) \(one.type) stepped by \(person): \(AttemptText(one).sentence)")
        }
        return answer
    }

    // Edits and reports.

    private func beginEdit(_ target: TaskTarget) throws -> [UInt8] {
        let payload = try inspector().payload(of: target.id)
        if let reason = payload.whyFixed {
            throw QueueError.notLegal("its payload cannot be edited: \(reason)")
        }
        guard let value = payload.value else {
            throw QueueError.notLegal("its payload is no JSON, and cannot be edited")
        }
        return value.bytes
    }

    /// The report of tasks of one queue, and so of one system.
    private func report(_ tasks: [TaskID]) throws -> String {
        let inspector = inspector()
        let names = try tasks.map(inspector.name)
        let call = ReportCall(
            selection: .tasks(names.map { .foreign($0.reference) }), redacted: [])
        return try self.inspector(names.first?.system).told(call).text
    }

    private var person: String { inspector().person }

    private func record(_ kind: String, _ queue: String?, _ task: TaskID?, _ text: String) {
        scenes.record(
            JournalEvent(
                at: host.now(), kind: kind, queue: queue, task: task, by: person, text: text))
    }
}

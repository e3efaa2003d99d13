import Platform
import QueueControl
import QueueModel
import QueueStore

/// The verbs on tasks, named or selected by a filter (D5 to D8, D10).
extension Session {
    func changeTasks(_ change: TaskChange) throws -> Reply {
        let targets = try targets(of: change)
        if case .filter = change.selection, !change.isRehearsal, targets.isEmpty {
            return AnswerText.reply(nothingMatches)
        }
        if change.isRehearsal { return try rehearse(change, targets) }
        if case .filter = change.selection, !change.isConfirmed {
            guard try confirm(change, targets) else { return AnswerText.reply(notConfirmed) }
        }
        let verbs = try verbs(change.action, on: targets)
        let control = try control()
        var answer = Answer()
        for verb in verbs { answer.join(try outcome(of: verb, by: control, isOne: verbs.count == 1)) }
        if verbs.count > 1 { answer.summary = "\(answer.changed.count) tasks changed" }
        return AnswerText.reply(answer)
    }

    /// One of several verbs that cannot act is named, and the others go on.
    private func outcome(of verb: Verb, by control: Control, isOne: Bool) throws -> Answer {
        do {
            return try control.performBlocking(verb)
        } catch let error as QueueError where !isOne {
            var answer = Answer()
            answer.failed = verb.targets.map { Answer.Failure(id: $0.id, error: error) }
            return answer
        }
    }

    private var nothingMatches: Answer {
        var answer = Answer()
        answer.summary = "nothing matches the filter, so nothing was changed"
        return answer
    }

    private var notConfirmed: Answer {
        var answer = Answer()
        answer.summary = "nothing was changed"
        return answer
    }

    /// The tasks, with the versions that a filter saw (D8).
    private func targets(of change: TaskChange) throws -> [TaskTarget] {
        switch change.selection {
        case .tasks(let references):
            return try read { reading in
                var targets: [TaskTarget] = []
                for reference in references {
                    let target = TaskTarget(try reading.store.number(of: reference))
                    if !targets.contains(target) { targets.append(target) }
                }
                return targets
            }
        case .filter(let filter):
            let legal = change.action.legalStates
            return try read { reading in
                var scan = TaskScan(reading)
                scan.filter = filter
                let states = filter.namesStates ? filter.storedStates : legal
                scan.sections = ListSection.allCases.filter { states.contains($0.state) }
                let queues =
                    try filter.queue.map { [try reading.store.requireQueue($0)] }
                    ?? reading.store.queues()
                return try queues.flatMap { try scan.entries(in: $0, limit: .max) }
                    .map { TaskTarget($0.line.task) }
            }
        }
    }

    /// The verbs for the tasks: one for all where the verb takes several.
    private func verbs(_ action: TaskAction, on targets: [TaskTarget]) throws -> [Verb] {
        switch action {
        case .skip(let time): return [.skip(targets, forMilliseconds: time)]
        case .unskip: return [.unskip(targets)]
        case .delete(let cancels, let members):
            return [.delete(targets, cancelsRunning: cancels, members: members)]
        case .undelete: return [.undelete(targets)]
        case .retry: return [.retry(targets)]
        case .postpone(let until): return [.postpone(targets, until: until)]
        case .priority(let number): return [.priority(targets, number)]
        case .move(let place):
            let found = try read { try place.resolved($0.store) }
            return targets.map { .move($0, found) }
        case .moveToQueue(let queue): return [.moveToQueue(targets, queue)]
        case .edit(let source, let fields):
            let payload = try source.map { try bytes(of: $0, as: "--payload-file") }
            return targets.map { .edit($0, payload: payload, fields: fields) }
        case .duplicate: return [.duplicate(targets)]
        case .cancel: return [.cancel(targets)]
        case .reclaim: return [.reclaim(targets)]
        case .acknowledge: return [.acknowledge(targets)]
        case .purge(let members): return [.purge(targets, members: members)]
        }
    }
}

/// `--dry-run`, and the question before a bulk (D10).
extension Session {
    private func rehearse(_ change: TaskChange, _ targets: [TaskTarget]) throws -> Reply {
        var answer = Answer()
        if !targets.isEmpty {
            let control = try control()
            let verbs = try verbs(change.action, on: targets)
            for verb in verbs {
                answer.join(
                    try verbs.count == 1 ? control.rehearse(verb) : rehearsal(verb, control))
            }
        }
        answer.undo = nil
        var object = AnswerJSON.changes(answer)
        object["dryRun"] = true
        object["matched"] = JSONValue(targets.count)
        let word = answer.changed.count == 1 ? "task" : "tasks"
        var lines = ["\(answer.changed.count) \(word) would change" + sample(answer.changed)]
        lines += answer.consequences.map { "  \($0)" } + AnswerText.failures(answer)
        lines.append("nothing was changed")
        var reply = Reply(.object(object), lines.map(SafeText.visible))
        reply.exit = AnswerText.exit(answer)
        return reply
    }

    private func rehearsal(_ verb: Verb, _ control: Control) throws -> Answer {
        do {
            return try control.rehearse(verb)
        } catch let error as QueueError {
            var answer = Answer()
            answer.failed = verb.targets.map { Answer.Failure(id: $0.id, error: error) }
            return answer
        }
    }

    private func sample(_ ids: [TaskID]) -> String {
        guard !ids.isEmpty else { return "" }
        let names = ids.prefix(10).map { "#\($0)" }.joined(separator: " ")
        return ": \(names)" + (ids.count > 10 ? " …" : "")
    }

    /// Asks in proportion: nothing up to 10 tasks, `y` beyond, the number itself beyond 1,000.
    private func confirm(_ change: TaskChange, _ targets: [TaskTarget]) throws -> Bool {
        let count = targets.count
        guard count > 10 else { return true }
        guard host.canAsk() else {
            let error = QueueError(
                .noTerminal, "\(count) tasks match, and nobody can be asked whether all are meant",
                fix: "add --yes, or --dry-run to see them")
            throw Failed(error, exit: .usage)
        }
        let what = "\(count) tasks match" + sample(targets.map(\.id))
        let question = count > 1000 ? "type \(count) to go on: " : "go on? [y/N] "
        try host.write("\(what)\n\(question)", .errors)
        let answer = try host.readLine() ?? ""
        return count > 1000 ? answer == "\(count)" : ["y", "Y", "yes"].contains(answer)
    }
}

extension Answer {
    /// Takes in what another verb of the same command did.
    mutating func join(_ other: Answer) {
        changed += other.changed
        failed += other.failed
        consequences += other.consequences
        undo = other.undo ?? undo
        summary = other.summary
    }
}

extension TaskAction.Place {
    /// The place with its task found.
    func resolved(_ store: any StoreReader) throws -> MovePlace {
        switch self {
        case .before(let task): .before(try store.resolve(task))
        case .after(let task): .after(try store.resolve(task))
        case .first: .first
        case .last: .last
        }
    }
}

import Platform
import QueueControl
import QueueModel
import QueueStore

/// The verbs on tasks, named or selected by a filter (D5 to D8, D10).
extension Session {
    func changeTasks(_ change: TaskChange) throws -> Reply {
        let targets = try read { try change.targets($0) }
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
        for verb in verbs {
            answer.join(try outcome(of: verb, by: control, isOne: verbs.count == 1))
        }
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

    private func verbs(_ action: TaskAction, on targets: [TaskTarget]) throws -> [Verb] {
        var payload: [UInt8]?
        if case .edit(let source?, _) = action {
            payload = try bytes(of: source, as: "--payload-file")
        }
        let bytes = payload
        return try read { try action.verbs(on: targets, payload: bytes, store: $0.store) }
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

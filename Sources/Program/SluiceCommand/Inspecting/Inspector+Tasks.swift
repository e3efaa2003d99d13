import SluiceControl
import SluiceModel
import SluicePlatform

/// The verbs on tasks, named or selected by a filter (D5 to D8, D10).
extension Inspector {
    func changeTasks(_ change: TaskChange) throws -> Reply {
        if !change.isRehearsal { try beginChange() }
        let targets = try targets(of: change)
        if change.isRehearsal { return try rehearse(change, targets) }
        if case .filter = change.selection {
            if !change.isConfirmed { try refuseUnasked(targets.count) }
            if targets.isEmpty { return AnswerText.reply(nothingMatches) }
        }
        guard let verb = try named(try verb(change, on: targets)) else { return Reply(.null, []) }
        // `--store-name` counts as confirmation.
        if case .filter = change.selection, !change.isConfirmed, verb.storeName == nil {
            if let handOver = host.handOver {
                handOver(verb)
                return Reply(.null, [])
            }
            guard try confirm(targets) else { return AnswerText.reply(notConfirmed) }
        }
        let answer = try following(verb) { try perform(verb, watching: $0) }
        return AnswerText.reply(answer, try names(in: answer))
    }

    /// Lets the person follow a verb that may be a bulk (K7).
    func following(
        _ verb: Verb, _ body: (@escaping BulkWatch) throws -> Answer
    ) throws -> Answer {
        let isLong = verb.order.takesBack || verb.targets.count > Control.slice
        let following = isLong ? try host.follow(common.isQuiet) : .unwatched
        defer { following.end() }
        let answer = try body(following.watch)
        if let event = answer.undo { host.recordDone(event) }
        if verb.isFinal(answer) { host.recordFinal(verb) }
        return answer
    }

    private var nothingMatches: Answer {
        var answer = Answer()
        answer.summary = "nothing matches the filter, so nothing was changed"
        return answer
    }

    /// The answer if the user did not confirm.
    var notConfirmed: Answer {
        var answer = Answer()
        answer.summary = "nothing was changed"
        return answer
    }

    /// The verb, with the tasks and the files found that its options name.
    private func verb(_ change: TaskChange, on targets: [TaskTarget]) throws -> Verb {
        let found = try change.words.finding(
            task: task,
            bytes: { file, option in try host.bytes(of: ByteSource(file: file), as: option) })
        var verb = Verb.on(targets, try found.verb())
        verb.storeName = change.storeName
        return verb
    }

    private func names(in answer: Answer) throws -> TaskNames {
        try names(of: answer.failed.prefix(20).map(\.id), in: [])
    }
}

/// `--dry-run`, and the question before a bulk (D10).
extension Inspector {
    private func rehearse(_ change: TaskChange, _ targets: [TaskTarget]) throws -> Reply {
        var answer = Answer()
        if !targets.isEmpty {
            let verb = try verb(change, on: targets)
            answer = try following(verb) { try rehearse(verb, watching: $0) }
        }
        answer.undo = nil
        let names = try names(in: answer)
        var object = AnswerJSON.changes(answer, names)
        object["dryRun"] = true
        object["matched"] = JSONValue(targets.count)
        let count = NumberText.tasks(answer.changed.count)
        let participle = change.words.kind.participle
        var lines = ["\(count) would be \(participle)" + (try sample(answer.changed))]
        lines += answer.consequences.map { "  \($0)" } + AnswerText.failures(answer, names)
        lines.append("nothing was changed")
        var reply = Reply(.object(object), lines.map(SafeText.visible))
        reply.exit = AnswerText.exit(answer)
        return reply
    }

    private func sample(_ ids: [TaskID]) throws -> String {
        guard !ids.isEmpty else { return "" }
        let first = Array(ids.prefix(10))
        let names = try names(of: first, in: [])
        let words = first.map { names.name($0) }.joined(separator: " ")
        return ": \(words)" + (ids.count > 10 ? " …" : "")
    }

    /// Throws if no terminal can ask for confirmation: then a filter requires `--yes`, for any
    /// number of matches.
    private func refuseUnasked(_ count: Int) throws {
        guard !host.canAsk(), host.handOver == nil else { return }
        let match = count == 1 ? "1 task matches" : "\(NumberText.tasks(count)) match"
        let error = QueueError(
            .noTerminal, "\(match), and there is no terminal to ask whether all are meant",
            fix: "add --yes, or --dry-run to see them")
        throw Failed(error, exit: .usage)
    }

    /// Asks in proportion: nothing up to 10 tasks, `y` beyond, the number itself beyond 1,000.
    private func confirm(_ targets: [TaskTarget]) throws -> Bool {
        let count = targets.count
        guard count > 10 else { return true }
        let sample = SafeText.visible(try sample(targets.prefix(11).map(\.id)))
        let what = "\(NumberText.tasks(count)) match\(sample)"
        let question = count > 1000 ? "type \(count) to continue: " : "continue? [y/N] "
        try host.write("\(what)\n\(question)", .errors)
        let answer = try host.readLine() ?? ""
        return count > 1000 ? answer == "\(count)" : ["y", "Y", "yes"].contains(answer)
    }
}

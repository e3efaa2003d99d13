import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Verbs on their way: asked about in proportion, sent, and answered in the message line.
extension ConsoleState {
    /// Does a verb, or asks first (K9, D5, D6, D10).
    mutating func start(_ verb: Verb) {
        if let part = verb.order.debuggerPart, asksToEnd(part, .verb(verb.endingOlder)) { return }
        let answer = Confirmation.answer(forCount: verb.targets.count)
        if case .typed? = answer {
            // Do not rehearse large verbs, because a rehearsal takes as long as the verb.
            ask(verb, nil, answer)
        } else if answer != nil || verb.order.takesBack || asksWhatFollows(verb)
            || asksForStoreName(verb)
        {
            send(.rehearse(verb, token: trackVerb(verb)))
        } else {
            commit(verb)
        }
    }

    mutating func ask(
        _ verb: Verb, _ rehearsal: Answer?, _ answer: Confirmation.Answer?
    ) {
        message = nil
        modal = .confirm(
            confirmation(
                of: verb, title(of: verb, rehearsal?.takenBack), consequence(of: verb, rehearsal),
                usually: answer ?? .key))
    }

    /// Whether the store is protected and requires its name (G8).
    private func asksForStoreName(_ verb: Verb) -> Bool {
        scene?.protectedName != nil && verb.asksForStoreName()
    }

    /// A question that is answered as usual, or by the name of a protected store, which then goes
    /// with the verb.
    func confirmation(
        of verb: Verb, _ title: String, _ lines: [StyledLine], usually answer: Confirmation.Answer
    ) -> Confirmation {
        guard asksForStoreName(verb), let name = scene?.protectedName else {
            return Confirmation(verb: verb, title: title, lines: lines, answer: answer)
        }
        var named = verb
        named.storeName = name
        return Confirmation(
            verb: named, title: title,
            lines: lines + [StyledLine("\(name) is protected", .time)],
            answer: .typed(name, LineEditor()))
    }

    /// Asks for confirmation if the action would end attached programs of older versions (P4).
    /// Returns whether it asks.
    mutating func asksToEnd(_ part: DebuggerPart, _ deed: Confirmation.Deed) -> Bool {
        guard let ended = part.ends(scene?.older ?? []) else { return false }
        message = nil
        modal = .confirm(
            Confirmation(
                deed, title: "\(deed.name)?", lines: [StyledLine(ended, .held)], answer: .key))
        return true
    }

    /// Executes the confirmed action.
    mutating func commit(_ deed: Confirmation.Deed) {
        switch deed {
        case .verb(let verb): commit(verb)
        case .record(let line): begin(recording: line)
        case .allow(let change): allow(change)
        case .own(let launch): allow(launch)
        }
    }

    /// Sends a verb that needs no further question.
    mutating func commit(_ verb: Verb) {
        guard !asksForCare(.verb(verb)) else { return }
        let token = trackVerb(verb)
        marks.clear()
        send(.perform(verb, token: token))
    }

    mutating func start(_ request: StepRequest) {
        if let reason = stepInTheWay {
            message = .refusal(reason)
            return
        }
        guard !asksForCare(.step(request)) else { return }
        let token = trackVerb(nil, command: commandText().of(request), isStep: true)
        message?.text = "under way"
        beginStepping(request, token: token)
        send(.step(request, token: token))
    }

    mutating func startCommand(_ line: String) {
        let named = Action.command(in: ShellLine(line).all)?.named
        if named?.command.changes == true, asksForCare(.command(line)) { return }
        let token = trackVerb(nil, command: line)
        send(.command(line, token: token))
    }

    mutating func trackVerb(_ verb: Verb?, command: String? = nil, isStep: Bool = false) -> Int {
        let text = command ?? verb.map { commandText(of: $0).of($0) } ?? ""
        message = MessageLine(command: text, text: "", role: .quiet)
        return underWay.send(text, verb: verb, steppedSince: isStep ? now : nil)
    }

    /// Whether to query the verb's effect on other tasks first.
    private func asksWhatFollows(_ verb: Verb) -> Bool {
        switch verb.order.caution {
        case .never: false
        case .ofStarts: startsGroup(verb.targets)
        case .ofConsequences, .always: true
        }
    }

    private func startsGroup(_ targets: [TaskTarget]) -> Bool {
        let ids = Set(targets.map(\.id))
        let known = list.page.rows + (scene?.chain ?? [])
        let starts = known.filter { ids.contains($0.task.id) && $0.task.groupStart != nil }
        return !starts.isEmpty || ids.count > known.filter { ids.contains($0.task.id) }.count
    }

    mutating func applyRehearsal(_ result: Result<Answer, QueueError>, of token: Int) {
        guard let former = underWay.end(token), let verb = former.verb else {
            return
        }
        if verb.order.takesBack { return applyRehearsal(result, ofTakingBack: verb) }
        switch result {
        case .failure(let error): message = failure(error, command: former.command)
        case .success(let answer):
            if let failure = answer.failed.first, answer.failed.count == verb.targets.count {
                message = refusal(of: verb, failure.error, command: former.command)
                return
            }
            let wanted = Confirmation.answer(forCount: verb.targets.count)
            guard
                wanted != nil || !answer.consequences.isEmpty || verb.warning != nil
                    || asksForStoreName(verb)
            else {
                return commit(verb)
            }
            ask(verb, answer, wanted)
        }
    }

    func title(of verb: Verb, _ takenBack: Answer.TakenBack? = nil) -> String {
        if let takenBack {
            return "\(takenBack.isRedo ? "redo" : "undo"): \(names.text(takenBack.text))?"
        }
        if let question = verb.order.question { return question }
        let count = verb.targets.count
        guard count == 1, let id = verb.targets.first?.id else {
            return "\(verb.name) \(NumberText.tasks(count))?"
        }
        let row = (list.page.rows + (scene?.chain ?? [])).first { $0.task.id == id }
        return "\(verb.name) \(names.name(id))" + (row.map { " \($0.task.type)" } ?? "") + "?"
    }

    private func consequence(of verb: Verb, _ answer: Answer?) -> [StyledLine] {
        var lines = sample(of: verb)
        if let answer, let takenBack = answer.takenBack {
            lines += origin(takenBack, answer)
        }
        lines += (answer?.consequences ?? []).map { StyledLine(names.text($0), .held) }
        lines += (answer?.restored?.effectLines(limit: 5) ?? []).map {
            StyledLine(names.text($0), .time)
        }
        if let failure = answer?.failed.first, let count = answer?.failed.count {
            lines.append(
                StyledLine("\(count) cannot: \(names.text(failure.error.message))", .failed))
        }
        if let warning = verb.warning {
            lines.append(StyledLine(warning, verb.order.canBeUndone ? .time : .failed))
        }
        return lines
    }

    /// The first of many tasks, and the way to process the rest (D10).
    private func sample(of verb: Verb) -> [StyledLine] {
        let targets = verb.targets
        guard targets.count > 10 else { return [] }
        let first = targets.prefix(8).map { names.name($0.id) }.joined(separator: " ")
        var lines = [StyledLine("\(first) …", .quiet)]
        if targets.count > Control.slice {
            let slice = NumberText.grouped(Control.slice)
            lines.append(StyledLine("\(slice) at a time; Esc stops it in between", .quiet))
        }
        return lines
    }

    mutating func apply(_ result: Result<Answer, QueueError>, of token: Int) {
        guard let former = underWay.end(token) else { return }
        reads.isStale = true
        defer {
            leaveIfDecided()
            undoNext(after: former.verb)
        }
        switch result {
        case .failure(let error):
            undoHistory.recordRefused(former.verb, error.code)
            message = failure(error, command: former.command)
        case .success(let answer):
            keepSelected(former.verb, answer)
            undoHistory.record(answer)
            if let verb = former.verb, verb.isFinal(answer) { recordFinal(verb) }
            message = line(for: answer, former)
            if former.verb?.order.growingQueue != nil, let queue = answer.createdQueue {
                select(queue: queue)
            }
        }
    }

    private func failure(_ error: QueueError, command: String? = nil) -> MessageLine {
        var error = error
        error.fix = told(error)
        return MessageLine(command: command, text: names.text(error.description), role: .failed)
    }

    /// The message that no task accepts the verb, with the first task's reason.
    private func refusal(of verb: Verb, _ error: QueueError, command: String) -> MessageLine {
        var line = failure(error, command: command)
        let count = verb.targets.count
        if count > 1 {
            line.text = "none of \(NumberText.tasks(count)) was changed: \(line.text)"
        }
        return line
    }

    /// A way out with its key, if it is a command for the task at the cursor:
    /// `R makes it wait: sluice retry 22`.
    private func told(_ error: QueueError) -> String {
        guard let command = error.command, command.task == selectedLine?.task.id,
            let found = Action.command(in: [command.verb])?.named, found.action.key != nil
        else { return error.fix }
        let rest = error.fix.dropFirst(command.text.count)
        return "\(key(found.action.id)) \(command.effect): \(command.line)\(rest)"
    }

    private func line(for answer: Answer, _ former: VerbsUnderWay.Sent) -> MessageLine {
        var text = names.text(answer.consequences.first ?? "")
        if answer.undo == nil, answer.changed.isEmpty, !answer.summary.isEmpty {
            text = names.text(answer.summary)
        }
        let isUndo = former.verb?.order.takesBack ?? false
        if isUndo { text = names.text(answer.summary) }
        if let shortfall = shortfall(answer, isUndo: isUndo) {
            let done = isUndo ? "\(undone(answer)) · " : ""
            let undo = answer.undo == nil ? "" : " · \(key(.undo)) undoes it"
            let isAsked = answer.stop.map { $0.error == nil } ?? false
            return MessageLine(
                command: former.command, text: done + shortfall + undo,
                role: isAsked ? .time : .failed)
        }
        let count = answer.changed.count > 1 ? NumberText.tasks(answer.changed.count) : ""
        // The verb's message is enough. It includes undo if possible.
        let done =
            answer.undo == nil
            ? (text.isEmpty ? "done" : "") : "done · \(key(.undo)) undoes it"
        let stays = names.text(answer.restored?.staysWords ?? "")
        let parts = [text, stays, count, done].filter { !$0.isEmpty }
        return MessageLine(
            command: former.command, text: parts.joined(separator: " · "), role: .running)
    }

    mutating func applyStep(_ result: Result<StepAnswer, QueueError>, of token: Int) {
        let answer = try? result.get()
        let executed = answer?.stepped.isEmpty == false
        guard let former = underWay.endStep(token, executed: executed, at: now) else { return }
        reads.isStale = true
        recordStep(answer, token: token)
        switch result {
        case .failure(let error): message = failure(error, command: former.command)
        case .success(let answer):
            if !answer.stepped.isEmpty, scene?.queue?.system == nil {
                undoHistory.recordFinal("a step is undone by \(key(.stepBack))")
            }
            message = MessageLine(
                command: former.command, text: sentence(for: answer),
                role: Self.role(of: answer.stepped))
        }
    }

    /// The role of time marks a step with an unknown end.
    private static func role(of stepped: [Stepped]) -> Role {
        if stepped.contains(where: \.isFailure) { return .failed }
        return stepped.isEmpty || !stepped.allSatisfy(\.isSuccess) ? .time : .running
    }

    private func sentence(for answer: StepAnswer) -> String {
        guard let last = answer.stepped.last else {
            guard let blocker = answer.blockers.first else { return "nothing waits to be stepped" }
            let fix = blocker.fix.map { ": sluice \(names.command($0))" } ?? ""
            return "nothing could start; \(names.text(blocker.text))\(fix)"
        }
        let sentence = names.text(AttemptText(last).sentence)
        var parts = ["\(names.name(last.id)) \(last.type) \(sentence)"]
        if let refusal = answer.refusal { parts.append("then refused: \(refusal.message)") }
        if let run = answer.run, !run.isOpen { parts.append("the run ended, \(run.left) left") }
        if let stop = answer.stop, stop.moment != .before, stop.task == last.id {
            parts.append("stopped by \(stop.name)")
        }
        if let next = answer.next { parts.append("next \(names.name(next))") }
        return parts.joined(separator: " · ")
    }

    mutating func apply(_ report: CommandReport, of token: Int) {
        if let filters = report.savedFilters { settings.savedFilters = filters }
        undoHistory.record(event: report.undo)
        if let verb = report.finalVerb { recordFinal(verb) }
        guard let former = underWay.end(token) else { return }
        reads.isStale = true
        defer { leaveIfDecided() }
        learn(report.names)
        if let verb = report.verb { return start(verb) }
        let columns = layout.pageRect.width
        if let page = Page(of: report, former.command, names, columns: columns) {
            open(page)
            message = MessageLine(
                command: former.command, text: report.isFailure ? "it failed in part" : "done",
                role: report.isFailure ? .failed : .running)
            return
        }
        var text =
            report.lines.isEmpty
            ? (report.isFailure ? "failed" : "done")
            : report.lines.map(Self.trimmed).joined(separator: " · ")
        if report.undo != nil { text += " · \(key(.undo)) undoes it" }
        message = MessageLine(
            command: former.command, text: text, role: report.isFailure ? .failed : .running)
    }

    mutating func apply(_ report: EditReport) {
        reads.isStale = true
        switch report {
        case .unchanged(let target):
            send(.endEdit)
            message = .note("\(names.name(target.id)) was saved as it was")
        case .failed(_, let error):
            send(.endEdit)
            message = failure(error)
        case .changed(let target, let before, let after):
            let verb = Verb.edit([target], payload: after, fields: [])
            modal = .confirm(
                Confirmation(
                    verb: verb, title: "edit \(names.name(target.id))?",
                    lines: PayloadDifference(before: before, after: after)
                        .lines(glyphs: settings.glyphs), answer: .key))
        }
    }
}

extension Verb {
    fileprivate var warning: String? {
        guard case .always(let one, let several) = order.caution else { return nil }
        return targets.count == 1 ? one : several
    }
}

import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore

/// `checkpoint`, `diff` and `restore` (G5).
extension CommandContext {
    /// `checkpoint list`.
    func checkpoints() throws -> Reply {
        let (checkpoints, now) = try read { (try $0.checkpoints(), $0.real) }
        if try isTape() { return Reply(.object(CheckpointJSON.object([])), [Self.noneOnTape]) }
        return Reply(
            .object(CheckpointJSON.object(checkpoints)),
            CheckpointText.lines(checkpoints, now: now, width: host.columns()))
    }

    /// `diff`.
    func difference(from old: String?, to new: String?) throws -> Reply {
        try refuseCheckpointOfTape()
        let (difference, names) = try read { reading in
            let found = try reading.difference(from: old, to: new)
            let ids = found.tasks.map(\.task.id) + found.effects.map(\.task)
            return (found, try reading.names(of: ids))
        }
        if !common.isJSON { host.recordDifference(difference) }
        // The console colours its lines itself.
        let isColoured =
            host.columns() != nil && !host.isScreen && host.environment("NO_COLOR") == nil
        var reply = Reply(
            DifferenceJSON.value(difference),
            DifferenceText(names: names, isColoured: isColoured).lines(difference))
        reply.hasColours = isColoured
        return reply
    }

    /// `restore`: counts the changes, then asks for confirmation.
    func restore(_ call: RestoreCall) throws -> Reply {
        try refuseCheckpointOfTape()
        let (verb, control) = (Verb.restore(call.name), try control())
        if !call.isRehearsal {
            if !call.isConfirmed, let handOver = host.handOver {
                handOver(verb)
                return Reply(.null, [])
            }
            try reapTheDead()
            guard try call.isConfirmed || isAgreed(verb, control) else {
                return Reply(.null, ["nothing was changed"])
            }
            return restored(try control.performBlocking(verb), isRehearsal: false)
        }
        return restored(try control.rehearse(verb), isRehearsal: true)
    }

    private static let noneOnTape = "a tape has no checkpoints"

    private func refuseCheckpointOfTape() throws {
        guard try isTape() else { return }
        throw QueueError.notLegal(
            Self.noneOnTape,
            fix: "look at \(storeName) at two events, with --at EVENT")
    }

    private func isAgreed(_ verb: Verb, _ control: Control) throws -> Bool {
        let answer = try control.rehearse(verb)
        guard let report = answer.restored, report.changed > 0 else { return true }
        guard host.canAsk() else {
            let error = QueueError(
                .noTerminal, "it would change \(report.changed), and there is no terminal to ask",
                fix: "add --yes, or --dry-run to see what")
            throw Failed(error, exit: .usage)
        }
        let lines =
            answer.consequences.map { "  \($0)" }
            + AttemptRecord.effectLines(report.effects)
        return try isAgreed(["this would be done:"] + lines)
    }

    /// As of a restore, with what others did since that stays.
    func steppedBack(_ answer: Answer) throws -> Reply {
        var reply = restored(answer, isRehearsal: false)
        guard case .object(var object) = reply.json else { return reply }
        let step = answer.restored?.name ?? ""
        object["restored"] = .string(try names(of: [], in: [step]).text(step))
        if !answer.failed.isEmpty || !answer.consequences.isEmpty {
            let changes = AnswerJSON.changes(answer)
            for name in ["failed", "consequences"] { object[name] = changes[name] }
        }
        reply.json = .object(object)
        return reply
    }

    func restored(_ answer: Answer, isRehearsal: Bool) -> Reply {
        var answer = answer
        let report = answer.restored ?? RestoreReport(name: "", changed: 0, effects: [])
        if isRehearsal {
            answer.undo = nil
            answer.summary =
                report.changed == 0
                ? answer.summary : "restore \(report.name) would change \(report.changed)"
        }
        answer.consequences += AttemptRecord.effectLines(report.effects)
        var reply = AnswerText.reply(answer)
        if isRehearsal { reply.lines.append("nothing was changed") }
        reply.isConfirmation = !isRehearsal && report.effects.isEmpty
        var object: JSONObject = [
            "restored": .string(report.name), "changed": JSONValue(report.changed),
            "effects": DifferenceJSON.effects(report.effects), "undo": JSONValue(answer.undo),
        ]
        if isRehearsal { object["dryRun"] = true }
        reply.json = .object(object)
        return reply
    }
}

import SluiceControl
import SluiceModel
import SluiceStore

/// `fault` (G2).
extension CommandContext {
    /// `fault list`.
    func faults() throws -> Reply {
        let (faults, now) = try read { (try $0.faults(), $0.real) }
        return Reply(
            .object(FaultJSON.object(faults)),
            FaultText.lines(faults, now: now, width: host.columns()))
    }

    /// The answer of a verb about faults; nil for any other.
    func faults(_ answer: Answer, of verb: Verb) -> Reply? {
        switch verb {
        case .setFault, .removeFaults: break
        default: return nil
        }
        var reply = AnswerText.reply(answer)
        var object = FaultJSON.object(answer.faults)
        if !answer.consequences.isEmpty { object["consequences"] = JSONValue(answer.consequences) }
        object["undo"] = JSONValue(answer.undo)
        reply.json = .object(object)
        return reply
    }
}

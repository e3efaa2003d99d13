import SluiceControl
import SluiceModel
import SluiceStore

/// `clock` (G3).
extension CommandContext {
    /// `clock` without a word.
    func clock() throws -> Reply {
        let (facts, names) = try read { reading in
            let facts = try reading.clock()
            return (facts, try reading.names(of: [facts.next?.task].compactMap { $0 }))
        }
        return Reply(
            .object(["clock": ClockJSON.value(facts)]), ClockLines.lines(facts, names: names))
    }

    /// The answer of a verb about the clock; nil for any other.
    func clock(_ answer: Answer, of verb: Verb) -> Reply? {
        guard case .setClock = verb, let facts = answer.clock else { return nil }
        var reply = AnswerText.reply(answer)
        reply.json = .object(["clock": ClockJSON.value(facts), "undo": JSONValue(answer.undo)])
        return reply
    }
}

import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore

/// `protect` and `unprotect`, and the name that a protected store asks for (G8).
extension CommandContext {
    /// A verb with the store's name, where a protected store asks for it: a person at a terminal is
    /// asked, a script has said it. Nil where a console asks, and does the verb itself.
    func named(_ verb: Verb) throws -> Verb? {
        guard verb.asksForStoreName(), verb.storeName == nil,
            try read({ try $0.store.storeRecord().isProtected })
        else { return verb }
        if let handOver = host.handOver {
            handOver(verb)
            return nil
        }
        let name = try store().shortName
        guard host.canAsk() else {
            let error = QueueError(
                .protected, "\(name) is protected: \(verb.name) asks for its name",
                fix: "add --store-name \(ShellWord.quoted(name))")
            throw Failed(error, exit: .usage)
        }
        let what =
            verb.targets.count > 1
            ? "\(verb.name) \(NumberText.tasks(verb.targets.count))"
            : verb.name
        try host.write(
            SafeText.visible("\(name) is protected: type its name to \(what): "), .errors)
        var named = verb
        named.storeName = try host.readLine() ?? ""
        return named
    }

    /// The answer of a verb about protection; nil for any other.
    func protection(_ answer: Answer, of verb: Verb) -> Reply? {
        let isProtected: Bool
        switch verb {
        case .protect: isProtected = true
        case .unprotect: isProtected = false
        default: return nil
        }
        var reply = AnswerText.reply(answer)
        reply.json = [
            "protected": .bool(isProtected), "consequences": JSONValue(answer.consequences),
        ]
        return reply
    }
}

import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore

/// `protect` and `unprotect`, the name that a protected store asks for (G8), and the question
/// before programs of older versions end (P4).
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

    /// A verb whose first use would end attached programs of older versions (P4): a person at a
    /// terminal is asked, and where nobody can be asked the verb itself refuses. Nil where it is
    /// not to be done, and where a console asks and does it itself.
    func agreed(_ verb: Verb) throws -> Verb? {
        guard let part = verb.debuggerPart, let ended = try ends(part) else { return verb }
        if let handOver = host.handOver {
            handOver(verb)
            return nil
        }
        guard host.canAsk() else { return verb }
        // What is refused anyway is refused before anybody is asked.
        _ = try control().rehearse(verb.endingOlder)
        return try isAgreed([ended]) ? verb.endingOlder : nil
    }

    /// Which attached programs the first use of a part of the debugger would end, in a sentence;
    /// nil for none.
    func ends(_ part: DebuggerPart) throws -> String? {
        guard try part.ends(read { try $0.store.processes() }) != nil else { return nil }
        try reapTheDead()
        return try part.ends(read { try $0.store.processes() })
    }

    /// Whether the person at the terminal says yes to these lines.
    func isAgreed(_ lines: [String]) throws -> Bool {
        let text = lines.map(SafeText.visible).joined(separator: "\n")
        try host.write("\(text)\ngo on? [y/N] ", .errors)
        return ["y", "Y", "yes"].contains(try host.readLine() ?? "")
    }
}

import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore

/// `protect` and `unprotect`, the name that a protected store asks for (G8), and the question
/// before programs of older versions end (P4).
extension CommandContext {
    /// Adds the store's name to a verb if a protected store requires it: asks at a terminal.
    /// Returns `nil` if the console asks and performs the verb itself.
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

    /// Confirms a verb whose first use would end attached programs of older versions (P4). Asks at
    /// a terminal; without one, the verb itself refuses. Returns `nil` if the user declines, or if
    /// the console asks and performs the verb itself.
    func agreed(_ verb: Verb) throws -> Verb? {
        guard let part = verb.order.debuggerPart, let ended = try ends(part) else { return verb }
        if let handOver = host.handOver {
            handOver(verb)
            return nil
        }
        guard host.canAsk() else { return verb }
        // Check first, so that the question appears only for a legal verb.
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
        try host.write("\(text)\ncontinue? [y/N] ", .errors)
        return ["y", "Y", "yes"].contains(try host.readLine() ?? "")
    }
}

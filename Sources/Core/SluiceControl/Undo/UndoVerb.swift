import SluiceModel

/// Reverts an event (D9).
package struct UndoVerb: StoreVerb {
    /// The event. By default it is the newest one of `newestOf` that is not undone yet, else the
    /// person's last verb.
    package var event: Int64?
    var newestOf: [Int64] = []

    package var verbName: String { "undo" }
    package var takesBack: Bool { true }

    package func command(in text: CommandText) -> String {
        "undo" + (event.map { " \($0)" } ?? "")
    }

    package func perform(in context: VerbContext) throws {
        try TakingBack(context: context).undo(event, newestOf: newestOf)
    }
}

/// Takes back the person's last undo, where they did nothing else since (D9).
struct RedoVerb: StoreVerb {
    var verbName: String { "redo" }
    var takesBack: Bool { true }

    func command(in text: CommandText) -> String { "redo" }

    func perform(in context: VerbContext) throws { try TakingBack(context: context).redo() }
}

extension Verb {
    /// Reverts an event. By default it reverts the newest event of `newestOf` not yet undone, else
    /// the person's last verb.
    public static func undo(event: Int64?, newestOf: [Int64] = []) -> Verb {
        Verb(UndoVerb(event: event, newestOf: newestOf))
    }

    /// Takes back the person's last undo.
    public static var redo: Verb { Verb(RedoVerb()) }
}

extension Action.ID {
    package static let undo = Self("undo")
    package static let redo = Self("redo")
}

extension Action {
    static let undo = Action(
        .undo, key: "z", .store, "undo", "take back your last verb",
        Command("undo", "[EVENT]", [.number], changes: true)
    ) { words throws(QueueError) in
        guard let text = try words.atMostOne() else { return .undo(event: nil) }
        return .undo(event: try Arguments.number(text, of: "EVENT", in: 1...(.max)))
    }

    static let redo = Action(
        .redo, key: "Z", .store, "redo", "take back your last undo",
        Command("redo", changes: true)
    ) { words throws(QueueError) in
        try words.refuseMore(than: 0)
        return .redo
    }
}

import SluiceModel

/// Protects the store (G8).
struct ProtectVerb: StoreVerb {
    var verbName: String { "protect" }
    var canBeUndone: Bool { false }
    var answers: AnswerPart { .protection(true) }

    func command(in text: CommandText) -> String { "protect" }

    func perform(in context: VerbContext) throws {
        guard try context.setProtected(true) else {
            context.answer.summary = "\(context.calledStore) is protected already"
            return
        }
        try context.journal(
            "protect", queue: nil, "\(context.calledStore) protected by \(context.person)",
            undo: nil)
        context.answer.consequences = try context.standing()
        context.answer.consequences.append("undo with: \(context.endsProtection)")
    }
}

/// Ends the protection of the store (G8).
struct UnprotectVerb: StoreVerb {
    var storeName: String?

    var verbName: String { "unprotect" }
    var canBeUndone: Bool { false }
    var question: String? { "unprotect the store?" }
    var answers: AnswerPart { .protection(false) }

    func asksForStoreName(tasks: Int) -> Bool { true }

    func command(in text: CommandText) -> String {
        "unprotect" + CommandText.option(storeName)
    }

    func perform(in context: VerbContext) throws {
        guard try context.setProtected(false) else {
            context.answer.summary = "\(context.calledStore) is not protected"
            return
        }
        try context.journal(
            "unprotect", queue: nil,
            "\(context.calledStore) is not protected any more, by \(context.person)",
            undo: nil)
        context.answer.consequences = ["undo with: \(context.protects)"]
    }
}

extension Verb {
    /// Protects the store.
    public static var protect: Verb { Verb(ProtectVerb()) }

    /// Ends the protection of the store of this name.
    public static func unprotect(storeName: String?) -> Verb {
        Verb(UnprotectVerb(storeName: storeName))
    }
}

extension Action.ID {
    package static let protect = Self("protect")
    package static let unprotect = Self("unprotect")
}

extension Action {
    static let protect = Action(
        .protect, .store, "protect", "refuse faults and the like, and ask for the store's name",
        Command("protect", changes: true)
    ) { words throws(QueueError) in
        try words.refuseMore(than: 0)
        return .protect
    }

    static let unprotect = Action(
        .unprotect, .store, "unprotect", "end the protection",
        Command("unprotect", options: [Command.storeName], changes: true)
    ) { words throws(QueueError) in
        try words.refuseMore(than: 0)
        return .unprotect(storeName: words.text("--store-name"))
    }
}

import SluiceModel
import SluiceStore

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

/// Protects a store, and refuses or confirms verbs in a protected store (G8).
extension VerbContext {
    /// The reason why undo and redo do not cover protection.
    static let protectionWords =
        "with undo and redo a protection could be ended without the name of the store"

    var endsProtection: String { "sluice unprotect \(storeNameOption)" }

    var protects: String { "sluice protect" }

    /// Throws `protected` in a protected store; `what` names the refused kind in the plural.
    func refuseProtected(_ what: String) throws {
        guard try store.storeRecord().isProtected else { return }
        throw QueueError(
            .protected, "\(calledStore) is protected: \(what) are refused there",
            fix: "\(endsProtection) allows them")
    }

    /// Throws if a protected store requires its name and the name is missing. Throws for a wrong
    /// name in any store. A rehearsal needs no name.
    func checkStoreName() throws {
        guard let storeName, !isRehearsal, slice.verb.asksForStoreName(tasks: slice.total)
        else { return }
        if let said = slice.verb.storeName {
            guard said != storeName else { return }
            throw QueueError(
                .badName, "the store is not called \"\(said)\"",
                fix: "its name is \(storeName): see that it is the one you mean")
        }
        guard try store.storeRecord().isProtected else { return }
        let what =
            slice.total > 1
            ? "\(slice.verb.name) of \(NumberText.tasks(slice.total))"
            : slice.verb.name
        throw QueueError(
            .protected, "\(storeName) is protected: \(what) asks for its name",
            fix: "add \(storeNameOption)")
    }

    /// Whether that changed anything.
    func setProtected(_ isProtected: Bool) throws -> Bool {
        var record = try store.storeRecord()
        guard record.isProtected != isProtected else { return false }
        record.isProtected = isProtected
        record.version += 1
        try store.put(record)
        return true
    }

    /// Settings from before the protection that it would refuse now. They remain until they expire
    /// or someone removes them.
    func standing() throws -> [String] {
        let record = try store.storeRecord()
        let faults = record.faults.all.filter { $0.isActive(at: real) }.map { fault in
            "fault \(fault.number) is still active: sluice fault remove \(fault.number)"
        }
        let breakpoints = record.breakpoints.all.filter { $0.until == nil }.map { one in
            "breakpoint \(one.number) is still active: sluice break remove \(one.number)"
        }
        let clock = record.clock.map { _ in "the clock is still set: sluice clock real" }
        return faults + breakpoints + [clock].compactMap { $0 }
    }

    var calledStore: String { storeName ?? "the store" }

    private var storeNameOption: String {
        "--store-name \(storeName.map(ShellWord.quoted) ?? "NAME")"
    }
}

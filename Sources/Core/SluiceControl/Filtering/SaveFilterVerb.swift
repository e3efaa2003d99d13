import SluiceModel
import SluiceStore

/// Saves a filter in the store, which everyone can use as `@` and the name (F1).
struct SaveFilterVerb: StoreVerb {
    let name: String
    let filter: String

    var verbName: String { "filter save" }

    func command(in text: CommandText) -> String { Self.shared("filter save", [name, filter]) }

    func perform(in context: VerbContext) throws {
        var shared = NamedFilters(try context.store.storeRecord().filters)
        let before = shared
        let (bare, line) = try shared.save(name, filter)
        guard before != shared else {
            context.answer.summary = "filter @\(bare) is saved so already"
            return
        }
        try context.change(bare, from: before, to: line)
        try context.journal(
            "filterSave", queue: nil, "filter @\(bare) saved by \(context.person): \(line)",
            undo: context.filterUndo)
    }
}

/// Removes a filter of the store (F1).
struct RemoveFilterVerb: StoreVerb {
    let name: String

    var verbName: String { "filter remove" }

    func command(in text: CommandText) -> String { Self.shared("filter remove", [name]) }

    func perform(in context: VerbContext) throws {
        var shared = NamedFilters(try context.store.storeRecord().filters)
        let before = shared
        let bare = try shared.remove(name)
        try context.change(bare, from: before, to: nil)
        try context.journal(
            "filterRemove", queue: nil, "filter @\(bare) removed by \(context.person)",
            undo: context.filterUndo)
    }
}

extension StoreVerb {
    /// The command of a filter that everyone can use.
    fileprivate static func shared(_ verb: String, _ words: [String]) -> String {
        let quoted = words.map(ShellWord.quoted).joined(separator: " ")
        return words.contains { $0.hasPrefix("-") }
            ? "\(verb) --shared -- \(quoted)" : "\(verb) \(quoted) --shared"
    }
}

extension Verb {
    /// Saves a filter in the store, which everyone can use as `@` and the name.
    public static func saveFilter(_ filter: String, as name: String) -> Verb {
        Verb(SaveFilterVerb(name: name, filter: filter))
    }

    /// Removes a filter of the store.
    public static func removeFilter(_ name: String) -> Verb { Verb(RemoveFilterVerb(name: name)) }
}

extension VerbContext {
    fileprivate func change(_ name: String, from before: NamedFilters, to text: String?) throws {
        try mutation.saveFilter(text, as: name)
        images.filters.append(.init(name: name, before: before.texts[name], after: text))
    }

    fileprivate var filterUndo: UndoRecord {
        var undo = UndoRecord()
        undo.filters = images.filters
        return undo
    }
}

extension TakingBack {
    /// Undoes a verb on filters. Skips a filter that changed since, or that another filter would
    /// lose.
    func restoreFilters(_ record: UndoRecord) throws {
        for image in record.filters {
            var shared = NamedFilters(try context.store.storeRecord().filters)
            let before = shared
            guard before.texts[image.name] == image.after else {
                throw QueueError(
                    .changed, "filter @\(image.name) changed since", fix: "sluice log shows how")
            }
            if let text = image.before {
                _ = try shared.save(image.name, text)
            } else {
                _ = try shared.remove(image.name)
            }
            try context.change(image.name, from: before, to: image.before)
        }
    }
}

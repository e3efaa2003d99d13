import SluiceModel
import SluiceStore

/// The filters that are saved in a store, for everybody who opens it (F1).
extension VerbContext {
    func saveFilter(_ text: String, as name: String) throws {
        var shared = NamedFilters(try store.storeRecord().filters)
        let before = shared
        let (bare, line) = try shared.save(name, text)
        guard before != shared else {
            answer.summary = "filter @\(bare) is saved so already"
            return
        }
        try change(bare, from: before, to: line)
        try journal(
            "filterSave", queue: nil, "filter @\(bare) saved by \(person): \(line)",
            undo: filterUndo)
    }

    func removeFilter(_ name: String) throws {
        var shared = NamedFilters(try store.storeRecord().filters)
        let before = shared
        let bare = try shared.remove(name)
        try change(bare, from: before, to: nil)
        try journal(
            "filterRemove", queue: nil, "filter @\(bare) removed by \(person)", undo: filterUndo)
    }

    /// Undoes a verb on filters. Skips a filter that changed since, or that another filter would
    /// lose.
    func restoreFilters(_ record: UndoRecord) throws {
        for image in record.filters {
            var shared = NamedFilters(try store.storeRecord().filters)
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
            try change(image.name, from: before, to: image.before)
        }
    }

    private func change(_ name: String, from before: NamedFilters, to text: String?) throws {
        try mutation.saveFilter(text, as: name)
        filterImages.append(.init(name: name, before: before.texts[name], after: text))
    }

    private var filterUndo: UndoRecord {
        var undo = UndoRecord()
        undo.filters = filterImages
        return undo
    }
}

import SluiceModel

extension Mutation {
    /// Saves a filter for everybody under a name, or removes it if there is no text (F1).
    package func saveFilter(_ text: String?, as name: String) throws {
        var record = try store.storeRecord()
        record.filters[name] = text
        record.version += 1
        try store.put(record)
    }
}

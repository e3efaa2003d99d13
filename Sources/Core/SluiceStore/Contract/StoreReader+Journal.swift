package import SluiceModel

/// A selection of events that can be undone and have not been, and its order.
package enum UndoSelection: Hashable, Sendable {
    /// The newest of a person: with `isUndo` of their undos alone, else of all others (D9).
    case last(by: String, isUndo: Bool)
    /// The events of a bulk, named by its first, the newest first; for any other event, that event
    /// alone (D9, D10). Members that followed a start come last, so that the restored start can
    /// hold them.
    case slices(ofBulk: Int64)
}

/// Questions about the journal that follow from others.
extension StoreReader {
    /// An event by its number.
    package func event(_ sequence: Int64) throws -> JournalEvent? {
        var query = JournalQuery(limit: 1, withDetail: true)
        (query.after, query.before) = (sequence &- 1, sequence &+ 1)
        guard case .event(let event)? = try journal(query).first else { return nil }
        return event
    }

    /// The newest event of `person` that can be taken back and is not: with `isUndo` of their undos
    /// alone, else of all others.
    package func lastUndoable(by person: String, isUndo: Bool) throws -> JournalEvent? {
        try undoable(.last(by: person, isUndo: isUndo)).first.flatMap { try event($0) }
    }
}

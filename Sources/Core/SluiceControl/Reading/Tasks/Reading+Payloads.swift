package import SluiceModel
import SluiceStore

/// An edit that gave a task another payload, with the one that it had before: the journal keeps
/// that for `undo` (D9).
package struct PayloadChange: Hashable, Sendable {
    /// The edit's place in the journal.
    package var sequence: Int64
    /// When.
    package var at: Timestamp
    /// Who.
    package var by: String
    package var before: [UInt8]
    /// When a person undid the edit; its new payload is then lost.
    package var undoneAt: Timestamp?

    /// An edit with all its parts.
    package init(
        sequence: Int64, at: Timestamp, by: String, before: [UInt8], undoneAt: Timestamp? = nil
    ) {
        self.sequence = sequence
        self.at = at
        self.by = by
        self.before = before
        self.undoneAt = undoneAt
    }
}

extension Reading {
    /// The number of journal lines of a task to search for edits and steps.
    static let journalLimit = 1000

    /// The last edits of a task's payload, oldest first. Covers edits of this task alone, within
    /// the journal's last 1,000 lines about it.
    package func payloadChanges(of id: TaskID, limit: Int = 20) throws -> [PayloadChange] {
        var query = JournalQuery(limit: Self.journalLimit)
        query.task = id
        var changes: [PayloadChange] = []
        for case .event(let event) in try store.journal(query).reversed() {
            guard changes.count < limit else { break }
            let image = event.undo?.tasks.first { $0.id == id }
            guard let before = image?.payloadBefore else { continue }
            changes.append(
                PayloadChange(
                    sequence: event.sequence, at: event.at, by: event.by, before: before,
                    undoneAt: try event.undoneBy.flatMap { try store.event($0)?.at }))
        }
        return changes.reversed()
    }
}

extension [PayloadChange] {
    /// The payload with which an execution ran that ended at a place in the journal; `current` is
    /// the task's own.
    package func payload(at sequence: Int64, current: [UInt8]) -> [UInt8] {
        guard sequence > 0 else { return current }
        return first { $0.sequence > sequence }?.before ?? current
    }

    /// The payload after an edit; `nil` if a person undid the edit.
    package func payload(after index: Int, current: [UInt8]) -> [UInt8]? {
        guard self[index].undoneAt == nil else { return nil }
        return index + 1 < count ? self[index + 1].before : current
    }
}

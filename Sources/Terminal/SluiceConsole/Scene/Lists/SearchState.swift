package import SluiceControl
package import SluiceModel

/// The progress of a search through payloads: its matches and its position.
///
/// It begins in the running order, so that the first hits appear early. If few tasks match, it
/// scans rows in storage order and sorts in its matches.
///
/// A search covers one moment: its rows stay current, but only the next search finds newer tasks.
package struct SearchState: Hashable, Sendable {
    package struct Hit: Hashable, Sendable {
        package var id: TaskID
        /// Its place at the time of the match.
        package var place: ListPlace
    }

    /// The matches, in the running order.
    package var hits: [Hit] = []
    /// The search continues after this place in the running order. `nil` is the beginning of the
    /// list.
    package var place: ListPlace?
    /// The queue where a search through all queues continues.
    package var queue: String?
    /// Whether the search stopped because more tasks match than it keeps.
    package var isTooMuch = false
    /// The number of examined tasks.
    package var looked = 0
    /// Whether the search has examined the whole list.
    package var isDone = false
    /// The numbers of the rows that are still to be looked through; nil in the running order.
    package private(set) var rows: [ClosedRange<TaskID>]?
    /// The number of tasks examined in the running order before the scan of rows.
    private var lookedInOrder: Int?

    package init() {}

    /// A lower bound for the number of distinct tasks examined.
    package var lookedThrough: Int { max(looked, lookedInOrder ?? 0) }

    /// Whether a scan of rows is possible.
    var mayGoByRows: Bool { lookedInOrder == nil }

    /// Starts the scan of rows, including the part already examined in the running order.
    mutating func begin(rows: ClosedRange<TaskID>) {
        lookedInOrder = looked
        looked = 0
        self.rows = [rows]
    }

    /// Records the remaining rows.
    mutating func finish(left: [ClosedRange<TaskID>]) {
        rows = left
        isDone = left.isEmpty
    }

    /// Returns to the running order, because more tasks match than the search keeps.
    mutating func goBackToOrder() {
        rows = nil
        looked = lookedInOrder ?? looked
        hits.removeAll { hit in place.map { !hit.place.isBefore($0) && hit.place != $0 } ?? true }
    }

    /// Inserts matches in order.
    mutating func add(_ found: [Hit]) {
        let known = Set(hits.map(\.id))
        let new = found.filter { !known.contains($0.id) }
        guard !new.isEmpty else { return }
        hits = (hits + new).sorted { $0.place.isBefore($1.place) }
    }
}

package import SluiceControl
package import SluiceModel

/// How far a search through payloads has come: what it found, and where it goes on.
///
/// It begins in the running order, so that the first hits are there at once. Where few match it
/// goes on through the rows as they lie, and puts what it finds into its place.
///
/// A search is of its moment: its rows live on, and what came in since is found by the next one.
package struct SearchState: Hashable, Sendable {
    /// A task that was found.
    package struct Hit: Hashable, Sendable {
        /// Its number.
        package var id: TaskID
        /// Where it stood then.
        package var place: ListPlace
    }

    /// What was found, in the running order.
    package var hits: [Hit] = []
    /// Behind this it goes on in the running order; nil for the list's beginning.
    package var place: ListPlace?
    /// The queue in which it goes on, where it is one through all of them.
    package var queue: String?
    /// Whether more match than are kept, so that it was given up.
    package var isTooMuch = false
    /// How many tasks were looked at.
    package var looked = 0
    /// Whether all of the list was looked at.
    package var isDone = false
    /// The numbers of the rows that are still to be looked through; nil in the running order.
    package private(set) var rows: [ClosedRange<TaskID>]?
    /// How many were looked at in the running order, where rows were looked through after that.
    private var lookedInOrder: Int?

    /// A search that begins.
    package init() {}

    /// How many different tasks were looked at so far, at the least.
    package var lookedThrough: Int { max(looked, lookedInOrder ?? 0) }

    /// Whether the rows may be looked through as they lie.
    var mayGoByRows: Bool { lookedInOrder == nil }

    /// Goes on through the rows, those of the part in the running order too.
    mutating func begin(rows: ClosedRange<TaskID>) {
        lookedInOrder = looked
        looked = 0
        self.rows = [rows]
    }

    /// Notes what is left of the rows.
    mutating func finish(left: [ClosedRange<TaskID>]) {
        rows = left
        isDone = left.isEmpty
    }

    /// Goes on in the running order after all: more match than are kept.
    mutating func goBackToOrder() {
        rows = nil
        looked = lookedInOrder ?? looked
        hits.removeAll { hit in place.map { !hit.place.isBefore($0) && hit.place != $0 } ?? true }
    }

    /// Puts what was found into its place.
    mutating func add(_ found: [Hit]) {
        let known = Set(hits.map(\.id))
        let new = found.filter { !known.contains($0.id) }
        guard !new.isEmpty else { return }
        hits = (hits + new).sorted { $0.place.isBefore($1.place) }
    }
}

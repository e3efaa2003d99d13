import SluiceControl
import SluiceModel

/// A timeline over the view: its tasks, the chosen row, and the part of time that is seen.
struct TimelinePage: Hashable, Sendable {
    let scope: TaskTimeline.Scope
    /// The chosen row; nil before the first one was read.
    var chosen: TimelineRow.Key?
    /// Whether a new row at the end is chosen, since no person moved.
    var follows = true
    /// The first row that is seen.
    var top = 0
    /// The part of time as a person placed it; nil for all.
    var window: TimelineWindow?

    init(_ scope: TaskTimeline.Scope) { self.scope = scope }

    /// Whether the picture always ends now: of the slots of workers.
    var endsNow: Bool { if case .workers = scope { true } else { false } }

    /// The part of time at a moment; nil for all.
    func window(at now: Timestamp) -> TimelineWindow? {
        guard endsNow, let window else { return window }
        return TimelineWindow(from: now + -window.length, length: window.length)
    }

    /// The place of the chosen row.
    func place(in rows: [TimelineRow]) -> Int? {
        chosen.flatMap { key in rows.firstIndex { $0.key == key } }
    }

    /// The row that is chosen before a person moves: of a queue the last one that was attempted,
    /// else the first.
    private func first(of rows: [TimelineRow]) -> Int? {
        guard case .queue = scope else { return rows.isEmpty ? nil : 0 }
        return rows.lastIndex { $0.began != nil } ?? rows.indices.first
    }

    /// Applies the read rows without moving a visible row.
    mutating func apply(_ rows: [TimelineRow], after former: [TimelineRow], height: Int) {
        if !former.isEmpty, rows.first?.key != former.first?.key,
            let key = former.indices.contains(top) ? former[top].key : nil,
            let place = rows.firstIndex(where: { $0.key == key })
        {
            top = place
        }
        var place = place(in: rows)
        if place == nil || follows, let first = first(of: rows) {
            // The next row takes the place of a removed one.
            let gone = follows ? nil : self.place(in: former)
            place = gone.map { min($0, rows.count - 1) } ?? first
            chosen = place.map { rows[$0].key }
        }
        reveal(place ?? 0, of: rows.count, height: height)
    }

    /// Scrolls so that a row is seen.
    mutating func reveal(_ place: Int, of count: Int, height: Int) {
        top = min(max(top, place - height + 1), place)
        top = min(max(0, top), max(0, count - height))
    }
}

import SluiceTerminalUI

/// Where the person is among the queues, of which only those that are seen are read (K2).
struct QueueCursor: Hashable, Sendable {
    /// The rows that are seen, and the cursor.
    var window = ScrollWindow(height: 0)
    /// Where the selected queue stood among all when it was read last.
    private(set) var place: Int?
    /// Where the cursor goes once the queues there are read.
    private(set) var goal: ScrollWindow?
    /// The columns of the longest name that was seen: the pane never becomes narrower.
    private(set) var longestName = 6

    /// Where the cursor is, or is on its way to.
    var wanted: ScrollWindow { goal ?? window }

    /// Goes to a place that is not read yet.
    mutating func go(to goal: ScrollWindow) { self.goal = goal }

    /// Goes to a place whose queue is known.
    mutating func put(_ window: ScrollWindow) { (self.window, goal) = (window, nil) }

    /// Stays where it is.
    mutating func stay() { goal = nil }

    /// The queue at `place` is selected; nil where it is not known which that is.
    mutating func select(_ place: Int?) {
        (goal, self.place) = (nil, nil)
        follow(place)
    }

    /// The queues at the goal came, and the selected one stands at `place`.
    mutating func arrive(at place: Int?) {
        guard let goal else { return }
        (window, self.goal, self.place) = (goal, nil, place)
    }

    /// The selected queue stands at `place` now: the cursor follows it.
    mutating func follow(_ place: Int?) {
        guard place != self.place else { return }
        self.place = place
        if let place { window.move(to: place) }
    }

    mutating func note(nameColumns: Int) { longestName = max(longestName, nameColumns) }
}

import SluiceTerminalUI

/// The cursor among the queues. Only the visible ones are loaded (K2).
struct QueueCursor: Hashable, Sendable {
    /// The visible rows, and the cursor.
    var window = ScrollWindow(height: 0)
    /// The index of the selected queue at the last load.
    private(set) var place: Int?
    /// The cursor's target until the queues there are loaded.
    private(set) var goal: ScrollWindow?
    /// The columns of the longest name that was seen: the pane never becomes narrower.
    private(set) var longestName = 6

    /// The cursor's place, or its target.
    var wanted: ScrollWindow { goal ?? window }

    /// Goes to a place that is not read yet.
    mutating func go(to goal: ScrollWindow) { self.goal = goal }

    /// Moves to the place of a loaded queue.
    mutating func put(_ window: ScrollWindow) { (self.window, goal) = (window, nil) }

    mutating func stay() { goal = nil }

    /// Selects the queue at `place`; nil is an unknown place.
    mutating func select(_ place: Int?) {
        (goal, self.place) = (nil, nil)
        follow(place)
    }

    /// Completes the move to the goal, with the selected queue at `place`.
    mutating func arrive(at place: Int?) {
        guard let goal else { return }
        (window, self.goal, self.place) = (goal, nil, place)
    }

    /// Moves the cursor to the new index of the selected queue.
    mutating func follow(_ place: Int?) {
        guard place != self.place else { return }
        self.place = place
        if let place { window.move(to: place) }
    }

    mutating func record(nameColumns: Int) { longestName = max(longestName, nameColumns) }
}

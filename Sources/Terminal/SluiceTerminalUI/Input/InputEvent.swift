/// One thing that the person or the terminal did.
package enum InputEvent: Hashable, Sendable {
    case key(Key)
    /// The mouse did something.
    case mouse(Mouse)
    /// A paste. Its text is complete, and never counts as typed keys.
    case paste(String)
    /// The terminal gained (true) or lost the attention of the person.
    case focus(Bool)
    /// The terminal answered what its ground is (`TerminalControl.askBackground`).
    case ground(Theme)
    /// The terminal answered where its cursor is (`TerminalControl.askJoins`); never of the first
    /// row, for there the answer looks like a key.
    case cursor(Point)
    /// Unknown input. Never treated as a key.
    case unknown
}

/// A mouse event and its place.
package struct Mouse: Hashable, Sendable {
    /// The kind of event.
    package enum Action: Hashable, Sendable {
        /// A button went down.
        case press(Button)
        /// A button went up.
        case release
        /// The mouse moved, perhaps with a button down.
        case move(Button?)
        case wheelUp, wheelDown, wheelLeft, wheelRight
    }

    package enum Button: UInt8, Hashable, Sendable {
        /// The left, middle and right button.
        case left, middle, right
    }

    /// The kind of event.
    package var action: Action
    /// The cell it did it on, from zero.
    package var point: Point
    /// The modifier keys during the event.
    package var modifiers: Modifiers

    /// Makes a report of the mouse.
    package init(_ action: Action, at point: Point, modifiers: Modifiers = []) {
        self.action = action
        self.point = point
        self.modifiers = modifiers
    }
}

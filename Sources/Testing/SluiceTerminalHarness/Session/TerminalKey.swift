/// A key that a person can press.
package enum TerminalKey: Hashable, Sendable {
    /// The arrow up.
    case up
    /// The arrow down.
    case down
    /// The arrow left.
    case left
    /// The arrow right.
    case right
    /// Enter.
    case enter
    /// Escape.
    case escape
    /// Tab.
    case tab
    /// Shift and tab.
    case backTab
    /// Backspace.
    case backspace
    /// Delete.
    case delete
    /// Insert.
    case insert
    /// Home.
    case home
    /// End.
    case end
    /// Page up.
    case pageUp
    /// Page down.
    case pageDown
    /// A function key, 1 to 12.
    case function(Int)
    /// A typed character.
    case char(Character)
    /// Control and a letter (or one of @ [ \ ] ^ _).
    case control(Character)
    /// Alt and a character.
    case alt(Character)
}

/// A mouse action at a place.
package enum MouseAction: Hashable, Sendable {
    /// A button goes down: 1 left, 2 middle, 3 right.
    case press(Int)
    /// A button goes up.
    case release(Int)
    /// The pointer gets there.
    case move
    /// The wheel turns up by one notch.
    case wheelUp
    /// The wheel turns down by one notch.
    case wheelDown
}

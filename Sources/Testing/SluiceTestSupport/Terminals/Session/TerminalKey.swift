/// A key that a person can press.
package enum TerminalKey: Hashable, Sendable {
    case up
    case down
    case left
    case right
    case enter
    case escape
    case tab
    case backTab
    case backspace
    case delete
    case insert
    case home
    case end
    case pageUp
    case pageDown
    /// A function key, 1 to 12.
    case function(Int)
    case char(Character)
    /// Control and a letter (or one of @ [ \ ] ^ _).
    case control(Character)
    case alt(Character)
}

package enum MouseAction: Hashable, Sendable {
    /// A button goes down: 1 left, 2 middle, 3 right.
    case press(Int)
    /// A button goes up.
    case release(Int)
    /// The pointer gets there.
    case move
    case wheelUp
    /// The wheel turns down by one notch.
    case wheelDown
}

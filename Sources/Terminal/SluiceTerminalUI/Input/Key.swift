/// A key as the person pressed it.
package enum Key: Hashable, Sendable {
    /// A sign, shift included.
    case character(Character)
    /// Ctrl and a sign; letters are lower case.
    case control(Character)
    /// Alt and a sign.
    case alt(Character)
    /// An arrow.
    case up, down, left, right
    /// A key that leads far.
    case home, end, pageUp, pageDown
    /// A key that edits.
    case insert, delete, backspace
    /// Tab, and Tab with Shift.
    case tab, backTab
    case enter, escape
    /// A function key, from 1.
    case f(Int)
    /// One of the named keys with Shift, Alt or Ctrl; never a sign, never twice.
    indirect case modified(Modifiers, Key)

    /// Adds modifiers to a named key; none leaves it as it is.
    package func with(_ modifiers: Modifiers) -> Key {
        if modifiers.isEmpty { return self }
        switch self {
        case .modified(let former, let key):
            return .modified(former.union(modifiers), key)
        case .tab where modifiers == .shift:
            return .backTab
        case .character(let character) where modifiers.contains(.control):
            return .control(character)
        case .character(let character):
            return modifiers.contains(.alt) ? .alt(character) : self
        case .control, .alt:
            return self
        default:
            return .modified(modifiers, self)
        }
    }
}

/// Modifier keys.
package struct Modifiers: OptionSet, Hashable, Sendable {
    /// The bits as terminals send them, less one.
    package let rawValue: UInt8

    /// Makes a set of the bits as terminals send them, less one.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The Shift key.
    package static let shift = Modifiers(rawValue: 1)
    /// The Alt key.
    package static let alt = Modifiers(rawValue: 2)
    /// The Ctrl key.
    package static let control = Modifiers(rawValue: 4)
}

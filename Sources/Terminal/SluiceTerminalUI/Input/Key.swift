/// A key as the person pressed it.
package enum Key: Hashable, Sendable {
    /// A sign, shift included.
    case character(Character)
    /// Ctrl and a sign; letters are lower case.
    case control(Character)
    case alt(Character)
    case up, down, left, right
    /// A key that leads far.
    case home, end, pageUp, pageDown
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

    package static let shift = Modifiers(rawValue: 1)
    package static let alt = Modifiers(rawValue: 2)
    /// The Ctrl key.
    package static let control = Modifiers(rawValue: 4)
}

extension Key {
    private static let names: [(key: Key, name: String)] = [
        (.up, "Up"), (.down, "Down"), (.left, "Left"), (.right, "Right"), (.home, "Home"),
        (.end, "End"), (.pageUp, "PgUp"), (.pageDown, "PgDn"), (.insert, "Ins"),
        (.delete, "Del"), (.backspace, "BkSp"), (.tab, "Tab"), (.backTab, "S-Tab"),
        (.enter, "Enter"), (.escape, "Esc"), (.character(" "), "Space"),
    ]

    private static let otherNames: [(key: Key, name: String)] = [
        (.pageUp, "PageUp"), (.pageDown, "PageDown"), (.insert, "Insert"), (.delete, "Delete"),
        (.backspace, "Backspace"), (.backTab, "BackTab"), (.enter, "Return"),
        (.escape, "Escape"),
    ]

    /// The name as a legend shows it: `Enter`, `^L`, `PgDn`, `M-x`, `F5`, `C-Up`.
    package var name: String {
        switch self {
        case .f(let number): return "F\(number)"
        case .control(" "): return "^Space"
        case .control(let character): return "^" + String(character).uppercased()
        case .alt(" "): return "M-Space"
        case .alt(let character): return "M-" + String(character)
        case .modified(let modifiers, let key): return modifiers.prefix + key.name
        default: break
        }
        if let known = Self.names.first(where: { $0.key == self }) { return known.name }
        guard case .character(let character) = self else { return "" }
        return String(character)
    }

    /// Reads a name; `Ctrl-`, `C-` and `^`, `Alt-` and `M-`, `Shift-` and `S-` are understood.
    ///
    /// Names of keys may be in any case. Returns nil for a name of no key.
    package init?(name: String) {
        if name.count == 1, let character = name.first {
            self = .character(character)
            return
        }
        if let key = Self.named(name) {
            self = key
            return
        }
        guard let (modifiers, rest) = Modifiers.removed(from: name), let key = Key(name: rest)
        else { return nil }
        guard case .character(let character) = key else {
            self = key.with(modifiers)
            return
        }
        switch modifiers {
        case .control: self = .control(Character(String(character).lowercased()))
        case .alt: self = .alt(character)
        default: return nil
        }
    }

    private static func named(_ name: String) -> Key? {
        let lower = name.lowercased()
        if let known = (names + otherNames).first(where: { $0.name.lowercased() == lower }) {
            return known.key
        }
        guard lower.hasPrefix("f"), let number = Int(lower.dropFirst()), (1...12).contains(number)
        else { return nil }
        return .f(number)
    }
}

extension Modifiers {
    private static let prefixes: [(modifiers: Modifiers, prefix: String)] = [
        (.control, "ctrl-"), (.control, "c-"), (.control, "^"), (.alt, "alt-"), (.alt, "m-"),
        (.shift, "shift-"), (.shift, "s-"),
    ]

    fileprivate var prefix: String {
        (contains(.control) ? "C-" : "") + (contains(.alt) ? "M-" : "")
            + (contains(.shift) ? "S-" : "")
    }

    fileprivate static func removed(from name: String) -> (Modifiers, String)? {
        let lower = name.lowercased()
        for (modifiers, prefix) in prefixes
        where lower.hasPrefix(prefix) && lower.count > prefix.count {
            return (modifiers, String(name.dropFirst(prefix.count)))
        }
        return nil
    }
}

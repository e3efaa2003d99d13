/// How a cell is shown: what a theme makes of a role for one colour depth.
package struct CellStyle: Hashable, Sendable {
    /// The palette index of the letters, or nil for the default of the terminal.
    package var foreground: UInt8?
    /// The palette index of the background, or `nil` for the terminal's default.
    package var background: UInt8?
    package var bold: Bool
    package var underline: Bool
    /// Whether foreground and background are swapped.
    package var reverse: Bool

    /// Makes a style; without arguments it is the plain one of the terminal.
    package init(
        foreground: UInt8? = nil, background: UInt8? = nil, bold: Bool = false,
        underline: Bool = false, reverse: Bool = false
    ) {
        self.foreground = foreground
        self.background = background
        self.bold = bold
        self.underline = underline
        self.reverse = reverse
    }
}

/// How many colours a terminal has.
package enum ColorDepth: Int, CaseIterable, Comparable, Hashable, Sendable {
    /// None: bold, underline and reverse only; also what NO_COLOR asks for.
    case mono = 0
    case eight = 8
    /// Eight and their bright twins.
    case sixteen = 16
    /// The palette of 256.
    case indexed = 256

    /// The greatest depth that this many colours allow.
    package init(colors: Int) {
        switch colors {
        case ..<8: self = .mono
        case ..<16: self = .eight
        case ..<256: self = .sixteen
        default: self = .indexed
        }
    }

    /// Orders by the number of colours.
    package static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}

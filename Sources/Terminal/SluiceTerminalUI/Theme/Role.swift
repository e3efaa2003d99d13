/// What a piece of the screen means; a theme decides how each meaning looks (K5).
package enum Role: UInt8, CaseIterable, Hashable, Sendable {
    /// Plain text.
    case text
    /// A name or headline that leads the eye.
    case title
    /// Headings, ages, settings, zeros and keys that are not legal now.
    case quiet
    /// Rules, dashes and empty bars: signs that are no text, so that they need not be read.
    case faint
    /// What comes next, and the view that is shown.
    case next
    /// What runs or went well.
    case running
    /// Timers, pauses, delays and forced clocks or networks.
    case time
    /// Held back by a group.
    case held
    /// Failed or stuck.
    case failed
    /// What failed, as a part of a bar or a picture: signs that reverse would turn inside out.
    case failedBar
    /// A key to press.
    case key

    /// The letter that stands for the role in screen tests; emphasis makes it upper case.
    package var letter: Character {
        switch self {
        case .text: "."
        case .title: "*"
        case .quiet: "q"
        case .faint: "f"
        case .next: "n"
        case .running: "r"
        case .time: "t"
        case .held: "h"
        case .failed: "x"
        case .failedBar: "l"
        case .key: "k"
        }
    }
}

extension Role {
    /// The same in a bar or a picture.
    package var inBar: Role { self == .failed ? .failedBar : self }
}

/// What lies behind a cell.
package enum Background: UInt8, CaseIterable, Hashable, Sendable {
    /// The ground of the terminal.
    case none
    /// The selected row.
    case selection
    /// The strip of the header and of the legend.
    case bar

    /// The letter that stands for the background in screen tests.
    package var letter: Character {
        switch self {
        case .none: "."
        case .selection: "s"
        case .bar: "b"
        }
    }
}

/// The meaning of a piece of the screen. A theme defines the style of each meaning (K5).
package enum Role: UInt8, CaseIterable, Hashable, Sendable {
    case text
    /// A name or headline that leads the eye.
    case title
    /// Headings, ages, settings, zeros and keys that are not legal now.
    case quiet
    /// Rules, dashes and empty bars: signs that are no text, so that they need not be read.
    case faint
    /// The next task, and the current view.
    case next
    case running
    /// Timers, pauses, delays and forced clocks or networks.
    case time
    /// Held back by a group.
    case held
    case failed
    /// Failed, as part of a bar or picture, where reverse video would invert the characters.
    case failedBar
    case key

    /// The letter of the role in screen tests. Emphasis makes it upper case.
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

package enum Background: UInt8, CaseIterable, Hashable, Sendable {
    /// The ground of the terminal.
    case none
    case selection
    /// The strip of the header and of the legend.
    case bar

    /// The letter of the background in screen tests.
    package var letter: Character {
        switch self {
        case .none: "."
        case .selection: "s"
        case .bar: "b"
        }
    }
}

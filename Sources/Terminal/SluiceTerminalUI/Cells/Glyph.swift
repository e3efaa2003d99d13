/// A sign of the screen that has a plain twin for terminals without it.
package enum Glyph: CaseIterable, Hashable, Sendable {
    /// The task that comes next.
    case next
    /// A queue or task that runs.
    case running
    case paused
    case failed
    case idle
    /// The first row of a group.
    case groupStart
    case groupMiddle
    /// The last row of a group.
    case groupEnd
    /// A member in a tree that is not the last.
    case groupBranch
    case skipped
    case retry
    case marked
    case breakpoint
    case fault
    /// Changed a moment ago.
    case changed
    /// Open in a tree.
    case expanded
    /// Closed in a tree.
    case collapsed
    /// A progress figure follows.
    case progress
    /// A part filled by time or bytes.
    case shade
    /// A part that is still empty.
    case lightShade
    /// A full cell of a bar.
    case block
    /// An empty cell of a bar.
    case emptyBlock
    case verticalRule
    case horizontalRule
    /// A horizontal rule meets a vertical one from above.
    case ruleJoin
    case axisStart
    case axisMark
    case axisEnd
    /// The text continues.
    case ellipsis
    /// Between two facts of a line.
    case separator
    case enterKey
    case arrow
    case up
    case down
    case all
    /// The row of the cursor, where the keys are elsewhere.
    case cursor
    /// Different from the default.
    case differs
    /// Nothing to say.
    case dash
}

/// Which pictures of several scalars a terminal draws as one, two columns wide.
package struct PictureJoins: OptionSet, Hashable, Sendable {
    /// Parts that U+200D joins.
    package static let parts = PictureJoins(rawValue: 1)
    /// An emoji followed by a skin tone.
    package static let tones = PictureJoins(rawValue: 2)

    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}

/// Which signs a terminal can show: one table of all of them (K5, `--ascii`).
package enum GlyphSet: Hashable, Sendable {
    /// Signs of Unicode, each one column wide.
    case unicode
    /// The same in a terminal that draws some pictures of several scalars as one, two columns wide:
    /// it was asked.
    case joining(PictureJoins)
    /// Signs of ASCII only.
    case ascii

    /// The emoji that the terminal joins.
    var joins: PictureJoins { if case .joining(let joins) = self { joins } else { [] } }

    /// The same in a terminal that also joins these.
    package func joining(_ more: PictureJoins) -> GlyphSet {
        self == .ascii ? .ascii : .joining(joins.union(more))
    }

    /// The text of a sign, always one column wide.
    package subscript(glyph: Glyph) -> String {
        let pair = Self.pair(glyph)
        return self == .ascii ? pair.ascii : pair.unicode
    }

    /// The Enter key, in ASCII by its name.
    package var enter: String { self == .ascii ? "Enter" : self[.enterKey] }

    /// ASCII substitutes for characters in the program's texts: `>` for `→`.
    package static let twins: [Unicode.Scalar: Unicode.Scalar] = {
        var twins: [Unicode.Scalar: Unicode.Scalar] = [
            "\u{201c}": "\"", "\u{201d}": "\"", "\u{2013}": "-",
        ]
        for glyph in Glyph.allCases {
            let pair = pair(glyph)
            guard let sign = pair.unicode.unicodeScalars.first, !sign.isASCII else { continue }
            twins[sign] = pair.ascii.unicodeScalars.first
        }
        return twins
    }()

    /// The levels of a column of a sparkline, from nothing to full.
    package var levels: [String] {
        switch self {
        case .unicode, .joining: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        case .ascii: [" ", ".", ":", "-", "=", "+", "*", "%", "#"]
        }
    }

    /// The parts of a cell that is filled from the left, from one eighth to seven.
    package var eighths: [String] {
        switch self {
        case .unicode, .joining: ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        case .ascii: []
        }
    }

    private static func pair(_ glyph: Glyph) -> (unicode: String, ascii: String) {
        switch glyph {
        case .next: ("▶", "N")
        case .running: ("●", "*")
        case .paused: ("‖", "=")
        case .failed: ("!", "!")
        case .idle: ("○", "o")
        case .groupStart: ("┏", "/")
        case .groupMiddle: ("┃", "|")
        case .groupEnd: ("┗", "\\")
        case .groupBranch: ("┣", "|")
        case .skipped: ("↷", "~")
        case .retry: ("↺", "@")
        case .marked: ("■", "#")
        case .breakpoint: ("◆", "B")
        case .fault: ("↯", "F")
        case .changed: ("•", "'")
        case .expanded: ("▾", "v")
        case .collapsed: ("▸", "+")
        case .progress: ("▸", ":")
        case .shade: ("▒", "=")
        case .lightShade: ("░", "-")
        case .block: ("█", "#")
        case .emptyBlock: ("·", ".")
        case .verticalRule: ("│", "|")
        case .horizontalRule: ("─", "-")
        case .ruleJoin: ("┴", "+")
        case .axisStart: ("├", "+")
        case .axisMark: ("┼", "+")
        case .axisEnd: ("┤", "+")
        case .ellipsis: ("…", "~")
        case .separator: ("·", "-")
        case .enterKey: ("↵", "E")
        case .arrow: ("→", ">")
        case .up: ("↑", "^")
        case .down: ("↓", "v")
        case .all: ("∗", "*")
        case .cursor: ("›", "]")
        case .differs: ("≠", "*")
        case .dash: ("—", "-")
        }
    }
}

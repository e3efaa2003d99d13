import SluiceModel
import SluiceTerminalUI

/// A Markdown text that grows line by line. What is not written here stands between backticks that
/// it cannot end, without control characters (K11).
package struct Markdown {
    /// As many lines and letters of a text are shown; what is left out is counted.
    private static let (lineLimit, letterLimit) = (400, 2_000)

    private(set) var lines: [String] = []

    /// The text.
    package var text: String { lines.joined(separator: "\n") + "\n" }

    /// A text with nothing in it yet.
    package init() {}

    /// A heading; `name` is anybody's text.
    package mutating func heading(_ level: Int, _ words: String, _ name: String? = nil) {
        if let last = lines.last, !last.isEmpty { lines.append("") }
        let marks = String(repeating: "#", count: level)
        lines.append("\(marks) \(words)" + (name.map { " \(Self.code($0))" } ?? ""))
        lines.append("")
    }

    /// A line of a list about a value that is anybody's text; nothing where there is none.
    package mutating func item(_ words: String, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        lines.append("- \(words): \(Self.code(value))")
    }

    /// A line of a list that is anybody's text.
    package mutating func item(_ value: String) { lines.append("- \(Self.code(value))") }

    /// A sentence of ours.
    package mutating func sentence(_ words: String) { lines.append(words) }

    /// A text of anybody's, line by line, in a fence that it cannot end.
    package mutating func block(_ texts: [String], _ kind: String = "") {
        let shown = texts.prefix(Self.lineLimit).map(Self.line)
        let fence = String(repeating: "`", count: max(3, Self.longestTicks(shown) + 1))
        lines += [fence + kind] + shown + [fence]
        let rest = texts.count - shown.count
        if rest > 0 { lines += ["", "\(NumberText.grouped(rest)) more lines are left out."] }
    }

    /// A text of anybody's in the middle of a line.
    package static func code(_ text: String) -> String {
        let shown = line(text)
        guard !shown.isEmpty else { return "(empty)" }
        let ticks = String(repeating: "`", count: longestTicks([shown]) + 1)
        let isBare =
            !shown.hasPrefix("`") && !shown.hasSuffix("`") && !shown.hasPrefix(" ")
            && !shown.hasSuffix(" ")
        return isBare ? ticks + shown + ticks : "\(ticks) \(shown) \(ticks)"
    }

    private static func line(_ text: String) -> String {
        let shown = DisplayText.sanitized(text, in: .lines)
        let rest = shown.count - letterLimit
        return rest > 0 ? "\(shown.prefix(letterLimit))… \(rest) more letters" : shown
    }

    private static func longestTicks(_ lines: [String]) -> Int {
        var longest = 0
        for line in lines {
            var run = 0
            for byte in line.utf8 {
                run = byte == UInt8(ascii: "`") ? run + 1 : 0
                longest = max(longest, run)
            }
        }
        return longest
    }
}

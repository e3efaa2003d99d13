import SluiceModel
import SluiceTerminalUI

/// A Markdown text, built line by line. Text from outside appears between backticks that it cannot
/// close, without control characters (K11).
package struct Markdown {
    /// The limits for lines and letters of a text. A note counts the omitted ones.
    private static let (lineLimit, letterLimit) = (400, 2_000)

    private(set) var lines: [String] = []

    package var text: String { lines.joined(separator: "\n") + "\n" }

    /// A text with nothing in it yet.
    package init() {}

    /// A heading; `name` is untrusted text.
    package mutating func heading(_ level: Int, _ words: String, _ name: String? = nil) {
        if let last = lines.last, !last.isEmpty { lines.append("") }
        let marks = String(repeating: "#", count: level)
        lines.append("\(marks) \(words)" + (name.map { " \(Self.code($0))" } ?? ""))
        lines.append("")
    }

    /// A list item with an untrusted value. Omits an empty value.
    package mutating func item(_ words: String, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        lines.append("- \(words): \(Self.code(value))")
    }

    package mutating func sentence(_ words: String) { lines.append(words) }

    /// Untrusted text, line by line, in a fence that it cannot close.
    package mutating func block(_ texts: [String], _ kind: String = "") {
        let shown = texts.prefix(Self.lineLimit).map(Self.line)
        let fence = String(repeating: "`", count: max(3, Self.longestTicks(shown) + 1))
        lines += [fence + kind] + shown + [fence]
        let rest = texts.count - shown.count
        if rest > 0 { lines += ["", "\(NumberText.grouped(rest)) more lines are left out."] }
    }

    /// Untrusted text within a line.
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

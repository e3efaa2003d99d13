import SluiceModel
import SluiceTerminalUI

/// Text as a terminal may see it: control characters are shown, never sent (K11).
enum SafeText {
    /// One line of text with every control character made visible.
    static func visible(_ text: String) -> String { DisplayText.sanitized(text, in: .lines) }

    /// Joins lines for printing, and escapes control characters inserted after their creation, such
    /// as in task names. A line feed here is Sluice's own, because foreign texts are already
    /// escaped.
    static func printed(_ lines: [String]) -> String {
        lines.map { line in
            line.split(separator: "\n", omittingEmptySubsequences: false)
                .map { visible(String($0)) }.joined(separator: "\n") + "\n"
        }.joined()
    }

    /// Bytes as people read them. At most `limit` lines.
    static func lines(_ bytes: [UInt8], limit: Int = 200) -> [String] {
        let all = BytesText.lines(bytes)
        let shown = all.prefix(limit).map(visible)
        return shown + (all.count > limit ? ["… \(all.count - limit) more lines"] : [])
    }
}

import SluiceTerminalUI

/// Two columns of labelled facts, to compare two moments.
struct SideBySide {
    /// The columns of the longest label.
    let labelWidth: Int
    let width: Int
    let glyphs: GlyphSet

    var columnWidth: Int { max(8, (width - labelWidth - 3) / 2) }

    func padded(_ label: String) -> String {
        DisplayText.paddedRight(label, to: labelWidth) + " "
    }

    func row(
        _ label: String, _ left: String, _ right: String, _ first: Role = .text,
        _ second: Role = .text
    ) -> StyledLine {
        [
            Span(padded(label), .quiet),
            Span(DisplayText.paddedRight(left, to: columnWidth) + "  ", first), Span(right, second),
        ]
    }

    /// A fact in its two columns, each as long as it needs.
    func rows(
        _ label: String, _ left: String, _ right: String, _ first: Role, _ second: Role
    ) -> [StyledLine] {
        let (before, after) = (wrapped(left), wrapped(right))
        return (0..<max(before.count, after.count)).map { index in
            row(
                index == 0 ? label : "", index < before.count ? before[index] : "",
                index < after.count ? after[index] : "", first, second)
        }
    }

    private func wrapped(_ text: String) -> [String] {
        DisplayText.wrapped(text, to: columnWidth, limit: 6, glyphs: glyphs)
    }
}

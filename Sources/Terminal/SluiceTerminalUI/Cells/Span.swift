/// A piece of text that means one thing.
package struct Span: Hashable, Sendable {
    /// The text. The screen sanitises it (K11).
    package var text: String
    /// The meaning of the text.
    package var role: Role
    /// Whether it is bold in every role.
    package var emphasis: Bool

    /// Creates a span, by default plain text.
    package init(_ text: String, _ role: Role = .text, emphasis: Bool = false) {
        self.text = text
        self.role = role
        self.emphasis = emphasis
    }

    /// How many columns the text takes.
    package var width: Int { DisplayText.width(text) }
}

package struct StyledLine: Hashable, Sendable, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral
{
    /// The pieces from left to right.
    package var spans: [Span]

    package init(_ spans: [Span] = []) {
        self.spans = spans
    }

    /// Makes a line of one span.
    package init(_ text: String, _ role: Role = .text, emphasis: Bool = false) {
        spans = [Span(text, role, emphasis: emphasis)]
    }

    package init(arrayLiteral elements: Span...) {
        spans = elements
    }

    /// Makes a line of plain text.
    package init(stringLiteral value: String) {
        spans = [Span(value)]
    }

    /// How many columns the line takes.
    package var width: Int { spans.reduce(0) { $0 + $1.width } }
    /// The original text of all spans.
    package var text: String { spans.reduce(into: "") { $0 += $1.text } }

    package mutating func append(_ text: String, _ role: Role = .text, emphasis: Bool = false) {
        spans.append(Span(text, role, emphasis: emphasis))
    }

    /// One line after another.
    package static func + (left: Self, right: Self) -> Self {
        StyledLine(left.spans + right.spans)
    }
}

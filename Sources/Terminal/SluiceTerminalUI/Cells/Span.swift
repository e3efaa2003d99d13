/// A piece of text that means one thing.
public struct Span: Hashable, Sendable {
    /// The text; it is sanitised when it is put on the screen (K11).
    public var text: String
    /// What it means.
    public var role: Role
    /// Whether it is bold whatever its role.
    public var emphasis: Bool

    /// Makes a span; plain text unless a role is given.
    public init(_ text: String, _ role: Role = .text, emphasis: Bool = false) {
        self.text = text
        self.role = role
        self.emphasis = emphasis
    }

    /// How many columns the text takes.
    public var width: Int { DisplayText.width(text) }
}

/// A line of spans.
public struct StyledLine: Hashable, Sendable, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral
{
    /// The pieces from left to right.
    public var spans: [Span]

    /// Makes a line of spans.
    public init(_ spans: [Span] = []) {
        self.spans = spans
    }

    /// Makes a line of one span.
    public init(_ text: String, _ role: Role = .text, emphasis: Bool = false) {
        spans = [Span(text, role, emphasis: emphasis)]
    }

    /// Makes a line of spans.
    public init(arrayLiteral elements: Span...) {
        spans = elements
    }

    /// Makes a line of plain text.
    public init(stringLiteral value: String) {
        spans = [Span(value)]
    }

    /// How many columns the line takes.
    public var width: Int { spans.reduce(0) { $0 + $1.width } }
    /// The text of all spans, as it was given.
    public var text: String { spans.reduce(into: "") { $0 += $1.text } }

    /// Appends a piece.
    public mutating func append(_ text: String, _ role: Role = .text, emphasis: Bool = false) {
        spans.append(Span(text, role, emphasis: emphasis))
    }

    /// One line after another.
    public static func + (left: Self, right: Self) -> Self {
        StyledLine(left.spans + right.spans)
    }
}

/// A foreign text as a key. Swift considers canonically equivalent texts equal, such as a composed
/// and a decomposed letter; other systems treat them as different names.
struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (one: Self, other: Self) -> Bool { one.text.isSame(as: other.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension StringProtocol {
    /// Whether it has the same bytes.
    package func isSame(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension String {
    /// Whether the text is the exact name. Invalid UTF-8 was replaced for display.
    package var isExactName: Bool { !unicodeScalars.contains("\u{FFFD}") }

    /// Whether its bytes sort before the bytes of `other`. Different texts never tie.
    func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension Dictionary where Key == ExactText {
    subscript(text: String) -> Value? {
        get { self[ExactText(text)] }
        set { self[ExactText(text)] = newValue }
    }

    subscript(text: String, default missing: @autoclosure () -> Value) -> Value {
        get { self[ExactText(text)] ?? missing() }
        set { self[ExactText(text)] = newValue }
    }

    /// The texts, in the order of their bytes.
    var texts: [String] { keys.map(\.text).sorted { $0.precedes($1) } }
}

extension Set where Element == ExactText {
    init(texts: some Sequence<String>) { self.init(texts.map { ExactText($0) }) }

    func contains(_ text: String) -> Bool { contains(ExactText(text)) }

    /// The texts, in the order of their bytes.
    var texts: [String] { map(\.text).sorted { $0.precedes($1) } }
}

/// A text that somebody else chose, as a key. Swift calls two spellings of one text equal, such as
/// a composed and a decomposed letter; to the stores of other systems they are different names.
struct ExactText: Hashable, Sendable {
    /// The text.
    let text: String

    /// A text as a key.
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
    /// Whether it is the name of its keys: bytes that are no UTF-8 were replaced to be shown.
    package var isExactName: Bool { !unicodeScalars.contains("\u{FFFD}") }

    /// Whether its bytes come before those of another: an order without ties of different texts.
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
    /// The texts of a sequence.
    init(texts: some Sequence<String>) { self.init(texts.map { ExactText($0) }) }

    /// Whether a text is among them.
    func contains(_ text: String) -> Bool { contains(ExactText(text)) }

    /// The texts, in the order of their bytes.
    var texts: [String] { map(\.text).sorted { $0.precedes($1) } }
}

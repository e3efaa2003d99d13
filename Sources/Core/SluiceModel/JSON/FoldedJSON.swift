/// JSON that a text holds, as it is or in base64. An SDK puts the JSON of one layer into a text of
/// the next.
package struct FoldedJSON: Hashable {
    /// The bytes that begin as an object or a list does.
    package let bytes: [UInt8]
    private let isBase64: Bool

    /// The maximum depth of texts within texts.
    package static let depth = 8

    /// The content of a text; nil if it does not begin as an object or a list does.
    package init?(_ text: String) {
        if Self.begins(text.utf8) {
            (bytes, isBase64) = (Array(text.utf8), false)
            return
        }
        guard let bytes = Base64.decodeAny(text), Self.begins(bytes) else { return nil }
        (self.bytes, isBase64) = (bytes, true)
    }

    private static func begins(_ bytes: some Sequence<UInt8>) -> Bool {
        let first = bytes.first { $0 != 32 && $0 != 10 && $0 != 13 && $0 != 9 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// The value; nil for text that is not JSON.
    package var value: JSONValue? { try? JSONValue.parse(bytes) }

    /// The label that replaces the quotes and escapes when the content is visible.
    package var words: String { isBase64 ? "JSON in base64" : "JSON in a text" }

    /// Another value in the form of this text.
    func text(of json: JSONValue) -> String {
        isBase64 ? Base64.encode(Array(json.text.utf8)) : json.text
    }
}

extension JSONValue {
    /// The object or list in this text; nil for any other value.
    package var folded: JSONValue? { string.flatMap { FoldedJSON($0)?.value } }
}

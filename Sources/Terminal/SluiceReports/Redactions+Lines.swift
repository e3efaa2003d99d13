package import SluiceModel

/// Reports without the redacted values.
extension Redactions {
    /// A payload without the values; JSON is indented.
    package mutating func lines(of payload: [UInt8]) -> [String] {
        if payload.isEmpty { return ["(empty)"] }
        if let json = try? JSONValue.parse(payload) {
            return lines(of: clean(json).unfoldedText)
        }
        guard let text = String(validating: payload, as: UTF8.self) else {
            return BytesText.lines(payload)
        }
        return lines(of: text)
    }

    /// A text without the values, line by line.
    package mutating func lines(of text: String) -> [String] {
        clean(text).split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
    }
}

/// Bytes as people read them.
package enum BytesText {
    /// Several lines: JSON with the JSON that its texts hold, other text as it is, and the first
    /// bytes of anything else in hexadecimal.
    package static func lines(_ bytes: [UInt8]) -> [String] {
        guard !bytes.isEmpty else { return ["(empty)"] }
        let text: String
        if let json = try? JSONValue.parse(bytes) {
            text = json.unfoldedText
        } else if let decoded = String(validating: bytes, as: UTF8.self) {
            text = decoded
        } else {
            return ["\(bytes.count) bytes: " + hexadecimal(bytes.prefix(32))]
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0\(digits)" : digits
        }.joined(separator: " ")
    }
}

import SluiceModel
import SluiceTerminalUI

/// Text as a terminal may see it: control characters are shown, never sent (K11).
enum SafeText {
    /// One line of text with every control character made visible.
    static func visible(_ text: String) -> String { DisplayText.sanitized(text, in: .lines) }

    /// Bytes as lines: JSON set out, other text line by line, anything else as its first bytes in
    /// hexadecimal. At most `limit` lines.
    static func lines(_ bytes: [UInt8], limit: Int = 200) -> [String] {
        guard !bytes.isEmpty else { return ["(empty)"] }
        let text: String
        if let json = try? JSONValue.parse(bytes) {
            text = json.text(indent: 2)
        } else if let decoded = String(validating: bytes, as: UTF8.self) {
            text = decoded
        } else {
            return ["\(bytes.count) bytes: " + hexadecimal(bytes.prefix(32))]
        }
        let all = text.split(separator: "\n", omittingEmptySubsequences: false)
        let shown = all.prefix(limit).map { visible(String($0)) }
        return shown + (all.count > limit ? ["… \(all.count - limit) more lines"] : [])
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0\(digits)" : digits
        }.joined(separator: " ")
    }
}

package import SluiceModel
package import SluiceStore

/// A short summary of a task: short values of the first fields of its payload.
package struct PayloadSummary: Hashable, Sendable {
    /// The words; empty for a payload without values.
    package let text: String

    /// The maximum number of values.
    private static let valueLimit = 4
    /// The maximum number of payload bytes to scan.
    static let byteLimit = 2048

    /// Summarizes the beginning of a payload. JSON gives its first strings and numbers, without
    /// long or empty values and times. Other text gives its first line.
    package init(of payload: BytesHead) {
        let head = payload.bytes.prefix(Self.byteLimit)
        var scanner = SummaryScanner(head)
        if scanner.isJSON {
            let values = scanner.values(limit: Self.valueLimit).joined(separator: " · ")
            // Text that only resembles JSON is plain text.
            let isText =
                values.isEmpty && payload.isWhole && (try? JSONValue.parse(payload.bytes)) == nil
            text = isText ? Self.firstLine(head, isWhole: true) ?? "" : values
        } else if head.count > 0 || payload.size == 0,
            let line = Self.firstLine(head, isWhole: head.count == payload.size)
        {
            text = line
        } else {
            text = "\(payload.size) bytes"
        }
    }

    /// Summarizes the values at the paths that the task's queue configures, if any exist (Q12).
    package init?(of payload: BytesHead, at paths: SummaryPaths) {
        guard payload.isWhole else { return nil }
        let values = paths.values(in: payload.bytes).compactMap(SummaryScanner.cut)
        guard !values.isEmpty else { return nil }
        text = values.joined(separator: " · ")
    }

    /// Nil if it is no text.
    private static func firstLine(_ bytes: ArraySlice<UInt8>, isWhole: Bool) -> String? {
        let line = bytes.prefix { $0 != 10 && $0 != 13 }
        // A cut may lie inside a character.
        let isCut = !isWhole && line.count == bytes.count
        for dropped in 0..<(isCut ? min(4, line.count) : 1) {
            if let text = String(validating: line.dropLast(dropped), as: UTF8.self) {
                return text.unicodeScalars.contains { $0.properties.generalCategory == .control }
                    ? nil : text
            }
        }
        return nil
    }
}

/// Reads the first values of JSON that may be cut off anywhere.
private struct SummaryScanner {
    private let bytes: ArraySlice<UInt8>
    private var place: Int

    /// Longer strings say little at a glance.
    private static let stringLimit = 48
    /// The maximum length of a path; a longer one keeps its end.
    private static let pathLimit = 160
    /// Seconds and milliseconds since 1970 from 2001 to 2286.
    private static let times: [ClosedRange<Int64>] = [
        1_000_000_000...9_999_999_999, 1_000_000_000_000...9_999_999_999_999,
    ]

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// Whether it begins as an object, an array or a string of JSON does.
    var isJSON: Bool {
        let first = bytes.first { !Self.isBlank($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            || first == UInt8(ascii: "\"")
    }

    mutating func values(limit: Int) -> [String] {
        var found: [String] = []
        while place < bytes.endIndex, found.count < limit {
            let byte = bytes[place]
            if byte == UInt8(ascii: "\"") {
                guard let string = string() else { break }
                if isKey { continue }
                if let value = Self.short(string) { found.append(value) }
            } else if byte == UInt8(ascii: "-") || Self.isDigit(byte) {
                if let value = number() { found.append(value) }
            } else {
                place += 1
            }
        }
        return found
    }

    /// Whether the last token is a field name.
    private var isKey: Bool {
        bytes[place...].first { !Self.isBlank($0) } == UInt8(ascii: ":")
    }

    /// The string that begins here; nil if it does not end.
    private mutating func string() -> String? {
        let start = place
        place += 1
        while place < bytes.endIndex, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard place < bytes.endIndex else { return nil }
        place += 1
        guard case .string(let text)? = try? JSONValue.parse(Array(bytes[start..<place]))
        else { return "" }
        return text
    }

    private mutating func number() -> String? {
        let start = place
        while place < bytes.endIndex, Self.isNumberPart(bytes[place]) { place += 1 }
        guard place < bytes.endIndex else { return nil }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        if let number = Int64(text), Self.times.contains(where: { $0.contains(number) }) {
            return nil
        }
        return text
    }

    /// A string that a glance takes in; nil for one that is long without a blank, such as a token.
    private static func short(_ text: String) -> String? {
        guard let line = cut(text) else { return nil }
        return line.count <= stringLimit || line.contains(" ") || isPath(line) ? line : nil
    }

    /// Whether the text is a file path or a URL, whose distinctive part is its end.
    private static func isPath(_ text: String) -> Bool {
        text.contains("/") && text.contains(".") && !text.contains(" ")
    }

    /// The first line of a string, as far as a glance takes it in, of a path its end; nil for one
    /// that is empty.
    static func cut(_ text: String) -> String? {
        let line = String(text.split(whereSeparator: \.isNewline).first ?? "")
        guard line.contains(where: { !$0.isWhitespace }) else { return nil }
        if isPath(line) {
            return line.count <= pathLimit ? line : "…" + line.suffix(pathLimit)
        }
        return line.count <= stringLimit ? line : line.prefix(stringLimit) + "…"
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 32 || byte == 10 || byte == 13 || byte == 9
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isNumberPart(_ byte: UInt8) -> Bool {
        isDigit(byte) || [43, 45, 46, 69, 101].contains(byte)
    }
}

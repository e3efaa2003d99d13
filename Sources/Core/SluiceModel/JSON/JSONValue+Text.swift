extension JSONValue {
    /// The value as one line without blanks.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// `text` as UTF-8.
    package var bytes: [UInt8] { bytes(indent: nil) }

    /// The JSON text: on one line if `indent` is `nil`, else with one key or element per line, and
    /// `indent` blanks per level.
    ///
    /// Always escapes control characters, including delete and C1 controls, and characters that
    /// hide or turn the direction of text. `sortedKeys` sorts by
    /// UTF-8 bytes; `escapeSlashes` writes `\/`.
    package func text(
        indent: Int?, sortedKeys: Bool = false, escapeSlashes: Bool = false
    ) -> String {
        String(
            decoding: bytes(
                indent: indent, sortedKeys: sortedKeys, escapeSlashes: escapeSlashes),
            as: UTF8.self)
    }

    /// `text(indent:sortedKeys:escapeSlashes:)` as UTF-8.
    package func bytes(
        indent: Int?, sortedKeys: Bool = false, escapeSlashes: Bool = false
    ) -> [UInt8] {
        var writer = JSONWriter(
            indent: indent, sortedKeys: sortedKeys, escapeSlashes: escapeSlashes)
        writer.write(self)
        return writer.output
    }

    /// The value for people, on several lines, with the JSON that its texts hold.
    package var unfoldedText: String {
        var writer = JSONWriter(indent: 2, sortedKeys: false, escapeSlashes: false)
        writer.foldsLeft = FoldedJSON.depth
        writer.write(self)
        return String(decoding: writer.output, as: UTF8.self)
    }
}

extension JSONObject {
    /// The pairs sorted by the UTF-8 bytes of their keys.
    package var sortedPairs: [Pair] {
        pairs.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}

private struct JSONWriter {
    let indent: Int?
    let sortedKeys: Bool
    let escapeSlashes: Bool
    var output: [UInt8] = []
    var level = 0
    /// The number of texts in texts whose JSON is still written instead of them.
    var foldsLeft = 0

    init(indent: Int?, sortedKeys: Bool, escapeSlashes: Bool) {
        self.indent = indent
        self.sortedKeys = sortedKeys
        self.escapeSlashes = escapeSlashes
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: output += "null".utf8
        case .bool(let value): output += (value ? "true" : "false").utf8
        case .integer(let number): output += String(number).utf8
        case .number(let text): output += text.utf8
        case .string(let text): if !writeFolded(text) { write(text) }
        case .array(let elements):
            list("[", "]", elements) { writer, element in writer.write(element) }
        case .object(let object):
            list("{", "}", sortedKeys ? object.sortedPairs : object.pairs) { writer, pair in
                writer.write(pair.key)
                writer.output += (writer.indent == nil ? ":" : ": ").utf8
                writer.write(pair.value)
            }
        }
    }

    private mutating func list<Item>(
        _ open: String, _ close: String, _ items: [Item],
        _ writeItem: (inout JSONWriter, Item) -> Void
    ) {
        output += open.utf8
        level += 1
        for (place, item) in items.enumerated() {
            if place > 0 { output.append(UInt8(ascii: ",")) }
            breakLine()
            writeItem(&self, item)
        }
        level -= 1
        if !items.isEmpty { breakLine() }
        output += close.utf8
    }

    private mutating func writeFolded(_ text: String) -> Bool {
        guard foldsLeft > 0, let folded = FoldedJSON(text), let value = folded.value else {
            return false
        }
        output += folded.words.utf8
        (level, foldsLeft) = (level + 1, foldsLeft - 1)
        breakLine()
        write(value)
        (level, foldsLeft) = (level - 1, foldsLeft + 1)
        return true
    }

    private mutating func breakLine() {
        guard let indent else { return }
        output.append(10)
        output += repeatElement(32, count: indent * level)
    }

    private mutating func write(_ text: String) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { write($0) }
        output.append(UInt8(ascii: "\""))
    }

    /// Copy runs without escapes, the largest part of most texts.
    private mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) {
        var (place, written) = (0, 0)
        while true {
            if !escapeSlashes { place = PlainRun.endOfASCII(of: bytes, from: place) }
            guard place < bytes.count else { break }
            let width = escapedWidth(bytes, place)
            if width > 0 {
                output += UnsafeBufferPointer(rebasing: bytes[written..<place])
                escape(Self.scalar(bytes[place..<place + width]))
                written = place + width
            }
            place += max(width, 1)
        }
        output += UnsafeBufferPointer(rebasing: bytes[written...])
    }

    /// How many bytes the character that begins here has, if it must be escaped; else 0.
    private func escapedWidth(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int {
        switch bytes[place] {
        case 0..<32, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "\\"): 1
        case UInt8(ascii: "/"): escapeSlashes ? 1 : 0
        case 0xC2, 0xD8, 0xE1, 0xE2, 0xEF, 0xF3: DeceptiveScalar.width(bytes, place)
        default: 0
        }
    }

    /// The number of a character that has these bytes.
    private static func scalar(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32 {
        let first = UInt32(bytes[bytes.startIndex])
        guard bytes.count > 1 else { return first }
        return bytes.dropFirst().reduce(first & (0x7F >> UInt32(bytes.count))) {
            $0 << 6 | UInt32($1 & 0x3F)
        }
    }

    private mutating func escape(_ number: UInt32) {
        switch number {
        case 34, 47, 92: output += [92, UInt8(truncatingIfNeeded: number)]
        case 8: output += "\\b".utf8
        case 12: output += "\\f".utf8
        case 10: output += "\\n".utf8
        case 13: output += "\\r".utf8
        case 9: output += "\\t".utf8
        case 0x10000...:
            escape(0xD7C0 + (number >> 10))
            escape(0xDC00 + (number & 0x3FF))
        default:
            let digits = String(number, radix: 16)
            output += "\\u".utf8
            output += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
            output += digits.utf8
        }
    }
}

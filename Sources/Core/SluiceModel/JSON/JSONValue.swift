/// A JSON value that keeps its source form: exact integers, the text of other numbers, and the
/// order of keys.
///
/// Two objects are equal if they have the same keys and values in the same order.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Any other number by its exact text: fractions, exponents, `-0`, integers beyond 64 bits. The
    /// text must be a valid JSON number, because it becomes output unchanged.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// A text, or null.
    package init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

    /// A whole number, or null.
    package init(_ integer: Int64?) { self = integer.map(JSONValue.integer) ?? .null }

    /// A whole number, or null.
    package init(_ integer: Int?) { self = integer.map { .integer(Int64($0)) } ?? .null }

    /// True, false, or null.
    package init(_ bool: Bool?) { self = bool.map(JSONValue.bool) ?? .null }

    /// A time as RFC 3339 in UTC, or null.
    package init(_ moment: Timestamp?) { self.init(moment.map(TimeText.rfc3339)) }

    /// A number; null for what JSON cannot spell (infinite, not a number) and for nil.
    package init(_ number: Double?) {
        guard let number, number.isFinite else {
            self = .null
            return
        }
        self = .number(number.description)
    }

    package init(_ texts: [String]) { self = .array(texts.map(JSONValue.string)) }

    /// The kind of value for sentences: `a string`.
    package var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    package var isNull: Bool { self == .null }

    package var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// A whole number of 64 bits, exactly.
    package var integer: Int64? {
        if case .integer(let number) = self { return number }
        return nil
    }

    /// Any number as a binary fraction, rounded if it must be.
    package var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let text): Double(text)
        default: nil
        }
    }

    /// True or false.
    package var bool: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    package var array: [JSONValue]? {
        if case .array(let elements) = self { return elements }
        return nil
    }

    package var object: JSONObject? {
        if case .object(let object) = self { return object }
        return nil
    }

    /// The value of a key; nil if this is no object or has no such key.
    package subscript(key: String) -> JSONValue? { object?[key] }

    /// An element of an array; nil if this is no array or it is shorter.
    package subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .string(text) }

    /// A whole number.
    package init(integerLiteral integer: Int64) { self = .integer(integer) }

    /// True or false.
    package init(booleanLiteral value: Bool) { self = .bool(value) }

    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// An object, its keys in the order given.
    package init(dictionaryLiteral pairs: (String, JSONValue)...) {
        self = .object(JSONObject(pairs))
    }
}

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

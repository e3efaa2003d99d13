import SluiceModel
import SluiceTerminalUI

/// A payload through its lenses: JSON laid out, texts that hold JSON or base64 opened, times told;
/// or the bytes as they are. Everything is shown, nothing reaches the terminal unseen (K11).
struct PayloadText {
    let bytes: [UInt8]
    let clock: ScreenClock
    let glyphs: GlyphSet
    private let value: JSONValue?

    static let lineLimit = 5000
    private static let rawLimit = 4096
    private static let depthLimit = 6

    init(_ bytes: [UInt8], clock: ScreenClock, glyphs: GlyphSet) {
        self.bytes = bytes
        self.clock = clock
        self.glyphs = glyphs
        value = try? JSONValue.parse(bytes)
    }

    var kind: String {
        if bytes.isEmpty { return "empty" }
        if value != nil { return "JSON" }
        return String(validating: bytes, as: UTF8.self) == nil ? "bytes" : "text"
    }

    var opened: [StyledLine] {
        if bytes.isEmpty { return [StyledLine("nothing", .quiet)] }
        guard let value else {
            guard let text = String(validating: bytes, as: UTF8.self) else { return raw }
            return Self.capped(
                text.split(separator: "\n", omittingEmptySubsequences: false)
                    .prefix(Self.lineLimit + 1).map { StyledLine(String($0)) })
        }
        var lines: [StyledLine] = []
        add(value, key: nil, indent: 0, depth: 0, comma: false, to: &lines)
        return Self.capped(lines)
    }

    private static func capped(_ lines: [StyledLine]) -> [StyledLine] {
        guard lines.count > lineLimit else { return lines }
        return lines.prefix(lineLimit) + [
            StyledLine("and more: sluice show prints all of it", .quiet)
        ]
    }

    private func add(
        _ value: JSONValue, key: String?, indent: Int, depth: Int, comma: Bool,
        to lines: inout [StyledLine]
    ) {
        guard lines.count <= Self.lineLimit else { return }
        var head = StyledLine(String(repeating: " ", count: min(indent, 60)))
        if let key { head.append("\(JSONValue.string(key).text): ", .quiet) }
        let tail = comma ? "," : ""
        func list(_ open: String, _ close: String, _ items: [(String?, JSONValue)]) {
            guard !items.isEmpty else {
                return lines.append(head + StyledLine(open + close + tail))
            }
            lines.append(head + StyledLine(open))
            for (index, item) in items.enumerated() {
                add(
                    item.1, key: item.0, indent: indent + 2, depth: depth,
                    comma: index < items.count - 1, to: &lines)
            }
            lines.append(StyledLine(String(repeating: " ", count: min(indent, 60)) + close + tail))
        }
        switch value {
        case .array(let items) where Self.isShort(items):
            lines.append(head + StyledLine(Self.inline(items) + tail))
        case .array(let items): list("[", "]", items.map { (nil, $0) })
        case .object(let object): list("{", "}", object.pairs.map { ($0.key, $0.value) })
        case .string(let text) where depth < Self.depthLimit:
            guard let inner = Inner(text) else {
                return lines.append(head + StyledLine(value.text + tail))
            }
            lines.append(head + StyledLine(inner.mark, .held))
            switch inner.content {
            case .json(let json):
                add(json, key: nil, indent: indent + 2, depth: depth + 1, comma: comma, to: &lines)
            case .text(let text):
                for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                    let blanks = String(repeating: " ", count: min(indent + 2, 60))
                    lines.append(StyledLine(blanks + line))
                }
            }
        default: lines.append(head + StyledLine(value.text + tail) + moment(value))
        }
    }

    /// Whether a list of plain values reads better on one line.
    private static func isShort(_ items: [JSONValue]) -> Bool {
        items.count <= 16
            && items.allSatisfy {
                switch $0 {
                case .null, .bool, .integer, .number: true
                case .string(let text): text.utf8.count < 12
                case .array, .object: false
                }
            } && inline(items).utf8.count <= 60
    }

    private static func inline(_ items: [JSONValue]) -> String {
        "[" + items.map(\.text).joined(separator: ", ") + "]"
    }

    /// An integer as a time of this century, in seconds or milliseconds.
    private func moment(_ value: JSONValue) -> StyledLine {
        guard case .integer(let number) = value else { return StyledLine() }
        let moment: Timestamp
        switch number {
        case 946_684_800..<4_102_444_800: moment = Timestamp(milliseconds: number * 1000)
        case 946_684_800_000..<4_102_444_800_000: moment = Timestamp(milliseconds: number)
        default: return StyledLine()
        }
        return StyledLine("  \(clock.date(moment))", .quiet)
    }

    /// Sixteen bytes a line, as numbers and as signs.
    var raw: [StyledLine] {
        var lines: [StyledLine] = []
        for start in stride(from: 0, to: min(bytes.count, Self.rawLimit * 16), by: 16) {
            let row = bytes[start..<min(start + 16, bytes.count)]
            var hex = ""
            for (index, byte) in row.enumerated() {
                hex += (byte < 16 ? "0" : "") + String(byte, radix: 16) + (index == 7 ? "  " : " ")
            }
            let signs = row.map { (32..<127).contains($0) ? String(Unicode.Scalar($0)) : "." }
            let offset = String(start, radix: 16)
            lines.append([
                Span(DisplayText.paddedLeft(offset, to: 6) + "  ", .quiet),
                Span(DisplayText.paddedRight(hex, to: 50)), Span(signs.joined(), .quiet),
            ])
        }
        if bytes.count > Self.rawLimit * 16 {
            lines.append(StyledLine("and \(bytes.count - Self.rawLimit * 16) bytes more", .quiet))
        }
        return lines
    }
}

/// The content encoded in a payload's string: JSON, or base64 of JSON or text.
private struct Inner {
    enum Content {
        case json(JSONValue)
        case text(String)
    }
    let mark: String
    let content: Content

    init?(_ text: String) {
        guard (2...200_000).contains(text.utf8.count) else { return nil }
        if let folded = FoldedJSON(text), let json = folded.value {
            (mark, content) = (folded.words, .json(json))
            return
        }
        guard text.utf8.count >= 12, let bytes = Base64.decodeAny(text) else { return nil }
        let isPlain = bytes.allSatisfy { $0 >= 32 || $0 == 9 || $0 == 10 || $0 == 13 }
        guard isPlain, let plain = String(validating: bytes, as: UTF8.self) else { return nil }
        mark = "text in base64"
        content = .text(plain)
    }
}

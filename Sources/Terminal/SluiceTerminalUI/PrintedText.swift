/// Bytes that another program printed, as lines of text. Codes that colour text or move the cursor
/// are left out. Other control characters stay; `DisplayText` makes them visible.
///
/// Bytes may come in pieces: an incomplete character or code is held until its rest comes.
package struct PrintedText {
    /// A longer code is no code.
    private static let codeLimit = 64
    private static let tabWidth = 8

    private var held: [UInt8] = []
    private var column = 0

    package init() {}

    /// The next piece of the text. A carriage return without a line feed stays.
    package mutating func add(_ bytes: [UInt8]) -> [UInt8] {
        let all = held + bytes
        held = []
        var text: [UInt8] = []
        text.reserveCapacity(all.count)
        var rest = all[...]
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "\u{1B}"):
                guard let code = Self.code(rest) else {
                    held = Array(rest)
                    return text
                }
                text += code.kept
                rest = rest.dropFirst(code.length)
                continue
            case UInt8(ascii: "\r"):
                guard let next = rest.dropFirst().first else {
                    held = [byte]
                    return text
                }
                if next != UInt8(ascii: "\n") { text.append(byte) }
                column = 0
            case UInt8(ascii: "\t"):
                let blanks = Self.tabWidth - column % Self.tabWidth
                text += [UInt8](repeating: UInt8(ascii: " "), count: blanks)
                column += blanks
            case 0x80...:
                if case .incomplete = UTF8Sign(rest) {
                    held = Array(rest)
                    return text
                }
                text.append(byte)
                if byte & 0xC0 != 0x80 { column += 1 }
            default:
                text.append(byte)
                column = byte == UInt8(ascii: "\n") ? 0 : column + 1
            }
            rest = rest.dropFirst()
        }
        return text
    }

    /// The code at the beginning: its length, and the bytes that stay of it. `nil` if more bytes
    /// decide.
    private static func code(_ bytes: ArraySlice<UInt8>) -> (length: Int, kept: [UInt8])? {
        let escape = [UInt8(ascii: "\u{1B}")]
        guard bytes.count > 1 else { return nil }
        guard bytes.dropFirst().first == UInt8(ascii: "[") else { return (1, escape) }
        let parameters = bytes.dropFirst(2).prefix { (0x20...0x3F).contains($0) }
        let length = parameters.count + 3
        guard length <= codeLimit else { return (1, escape) }
        guard let final = bytes.dropFirst(length - 1).first else { return nil }
        return (0x40...0x7E).contains(final) ? (length, []) : (1, escape)
    }

    /// The last lines of an output. A line with carriage returns has its last state. An incomplete
    /// character or code at the end is left out.
    package static func lines(_ bytes: [UInt8], isCut: Bool, limit: Int) -> [String] {
        var printed = PrintedText()
        // Not from the middle of a character.
        let whole = isCut ? bytes.drop { $0 & 0xC0 == 0x80 } : bytes[...]
        let text = printed.add(Array(whole))
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.suffix(limit).map { line in
            let states = line.split(separator: UInt8(ascii: "\r"))
            return String(decoding: states.last ?? [], as: UTF8.self)
        }
    }
}

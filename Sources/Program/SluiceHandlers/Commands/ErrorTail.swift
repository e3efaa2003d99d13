/// The last lines of a command's standard error, which are its error.
struct ErrorTail {
    static let limitBytes = 4096
    static let limitLines = 20
    private static let keptBytes = limitBytes - "…".utf8.count

    private var bytes: [UInt8] = []
    private var isCut = false

    mutating func append(_ more: [UInt8]) {
        bytes += more
        let excess = bytes.count - Self.keptBytes
        guard excess > 0 else { return }
        bytes.removeFirst(excess)
        isCut = true
    }

    /// The lines without blank ones at both ends; `nil` if no lines remain.
    var text: String? {
        var rest = bytes[...]
        if isCut {
            // Not from the middle of a character.
            rest = Array("…".utf8) + rest.drop { $0 & 0xC0 == 0x80 }
        }
        var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        lines = lines.drop(while: Self.isBlank)
        while let last = lines.last, Self.isBlank(last) { lines.removeLast() }
        guard !lines.isEmpty else { return nil }
        return lines.suffix(Self.limitLines)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
            .map { String(decoding: $0, as: UTF8.self) }
            .joined(separator: "\n")
    }

    var lines: [Substring] { (text ?? "").split(separator: "\n") }

    private static func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
        line.allSatisfy { Array(" \t\r".utf8).contains($0) }
    }
}

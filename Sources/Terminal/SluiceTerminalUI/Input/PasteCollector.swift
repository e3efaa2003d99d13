/// Gathers the bytes of a bracketed paste up to its end.
struct PasteCollector: Sendable {
    private static let end: [UInt8] = [0x1b] + Array("[201~".utf8)

    private let limit: Int
    private var bytes: [UInt8] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// The paste so far. Invalid UTF-8 becomes U+FFFD.
    var event: InputEvent { .paste(String(decoding: bytes, as: UTF8.self)) }

    /// Consumes the bytes that certainly belong to the paste. Returns their number, including the
    /// end marker, and whether the paste ended.
    mutating func take(_ input: ArraySlice<UInt8>) -> (taken: Int, isWhole: Bool) {
        var index = input.startIndex
        while let start = input[index...].firstIndex(of: Self.end[0]) {
            let rest = input[start...]
            if rest.starts(with: Self.end) {
                add(input[..<start])
                return (start - input.startIndex + Self.end.count, true)
            }
            if rest.count < Self.end.count, Self.end.starts(with: rest) {
                add(input[..<start])
                return (start - input.startIndex, false)
            }
            index = start + 1
        }
        add(input)
        return (input.count, false)
    }

    mutating func add(_ input: ArraySlice<UInt8>) {
        bytes.append(contentsOf: input.prefix(max(0, limit - bytes.count)))
    }
}

/// Cuts what a descriptor gives into lines of bounded length.
struct LineSplitter {
    /// A line without its newline, and whether it was cut.
    struct Line: Equatable {
        var bytes: [UInt8] = []
        var isCut = false
    }

    private let limitBytes: Int
    private var waiting = Line()

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// The lines that end in these bytes.
    mutating func take(_ bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            grow(by: rest[..<end])
            lines.append(waiting)
            waiting = Line()
            rest = rest[(end + 1)...]
        }
        grow(by: rest)
        return lines
    }

    /// The last line without a newline; `nil` if empty.
    mutating func end() -> Line? {
        defer { waiting = Line() }
        return waiting.bytes.isEmpty ? nil : waiting
    }

    private mutating func grow(by part: ArraySlice<UInt8>) {
        let room = limitBytes - waiting.bytes.count
        waiting.bytes += part.prefix(room)
        if part.count > room { waiting.isCut = true }
    }
}

package import SluiceSystem

/// A file that a scripted server has: the pattern, cut off at a length.
package struct ServedFile: Sendable {
    package var bytes: Int64
    /// Its `ETag`, as the header says it; nil for none.
    package var tag: String? = "\"v1\""
    /// Headers in addition to length, range and tag.
    package var headers: [String] = []
    /// The start in the pattern. Another value gives other content.
    package var shift: Int64 = 0
    package var knowsRanges = true

    package init(bytes: Int64) { self.bytes = bytes }

    /// The bytes of a part of it.
    package func content(_ range: Range<Int64>) -> [UInt8] {
        Pattern.bytes(at: shift + range.lowerBound, count: range.count)
    }

    package var content: [UInt8] { content(0..<bytes) }

    /// Writes it to a descriptor, a little at a time.
    package func write(to descriptor: FileDescriptor) throws {
        for start in stride(from: 0, to: bytes, by: 1 << 20) {
            try descriptor.writeAll(content(start..<min(bytes, start + 1 << 20)))
        }
    }
}

extension Talk {
    /// Answers as a server of files does: with the rest where `Range` and `If-Range` ask for one.
    /// After `cutAfter` bytes of the body the connection breaks.
    package func serve(_ file: ServedFile, cutAfter: Int64 = .max) throws {
        guard let start = try begin(file) else { return }
        let end = min(file.bytes, cutAfter < .max - start ? start + cutAfter : .max)
        try send(file, start..<end)
        if end < file.bytes { cut() }
    }

    /// Sends the head of the answer. Returns the start of the body, or `nil` if the range is
    /// invalid.
    package func begin(_ file: ServedFile) throws -> Int64? {
        let tags = file.tag.map { ["ETag: \($0)"] } ?? []
        let condition = request.headers["if-range"]
        var start: Int64 = 0
        if file.knowsRanges, let asked = request.rangeStart,
            condition == nil || condition == file.tag
        {
            guard asked < file.bytes else {
                try answer(416, ["Content-Range: bytes */\(file.bytes)"])
                return nil
            }
            start = asked
        }
        let length = "Content-Length: \(file.bytes - start)"
        let range = "Content-Range: bytes \(start)-\(file.bytes - 1)/\(file.bytes)"
        let isPart = start > 0
        try head(
            isPart ? 206 : 200, file.headers + tags + [length] + (isPart ? [range] : []))
        return start
    }

    /// Sends a part of a file in small pieces.
    package func send(_ file: ServedFile, _ range: Range<Int64>) throws {
        var place = range.lowerBound
        while place < range.upperBound {
            let next = min(place + 256 << 10, range.upperBound)
            try send(file.content(place..<next))
            place = next
        }
    }
}

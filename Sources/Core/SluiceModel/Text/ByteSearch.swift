extension String {
    /// The first place of a text, compared byte by byte; `nil` without one.
    ///
    /// `contains(_: String)` and `split(separator: String)` of the standard library make the
    /// runtime look up generic types, which takes longer than a search in a short text.
    package func place(of text: String) -> Index? {
        let bytes = text.utf8
        return utf8.indices.first { utf8[$0...].starts(with: bytes) }
    }
}

extension [UInt8] {
    /// Whether it contains these bytes in sequence.
    package func holds(_ wanted: [UInt8]) -> Bool {
        withUnsafeBufferPointer { $0.holds(wanted) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Words up to this length are compared at each place; a table for longer ones costs less than
    /// a text that repeats their beginning.
    private static var comparedLength: Int { 32 }

    /// Whether it contains these bytes in sequence.
    func holds(_ wanted: [UInt8]) -> Bool { end(of: wanted, from: 0) { $0 } != nil }

    /// The end of the first `wanted` from `start` on, after mapping each byte by `reading`. Takes
    /// linear time.
    @inline(__always)
    func end(of wanted: [UInt8], from start: Int, _ reading: (UInt8) -> UInt8) -> Int? {
        guard let first = wanted.first else { return start }
        guard wanted.count <= Self.comparedLength else {
            return end(ofLong: wanted, from: start, reading)
        }
        return wanted.withUnsafeBufferPointer { wanted in
            var place = start
            let last = count - wanted.count
            while place <= last {
                if reading(self[place]) == first {
                    var index = 1
                    while index < wanted.count, reading(self[place + index]) == wanted[index] {
                        index += 1
                    }
                    if index == wanted.count { return place + index }
                }
                place += 1
            }
            return nil
        }
    }

    /// The same by the table of Knuth, Morris and Pratt: no byte of the text is read twice.
    private func end(
        ofLong wanted: [UInt8], from start: Int, _ reading: (UInt8) -> UInt8
    ) -> Int? {
        guard count - start >= wanted.count else { return nil }
        var shorter = Array(repeating: 0, count: wanted.count)
        var matched = 0
        for index in 1..<wanted.count {
            while matched > 0, wanted[index] != wanted[matched] { matched = shorter[matched - 1] }
            if wanted[index] == wanted[matched] { matched += 1 }
            shorter[index] = matched
        }
        matched = 0
        for place in start..<count {
            let byte = reading(self[place])
            while matched > 0, wanted[matched] != byte { matched = shorter[matched - 1] }
            if wanted[matched] == byte { matched += 1 }
            if matched == wanted.count { return place + 1 }
        }
        return nil
    }
}

/// Reading a file of the time zone database (TZif, RFC 9636).
extension ZoneRules {
    /// Parses a file; `nil` if it is invalid or counts leap seconds.
    package init?(file bytes: [UInt8]) {
        guard let first = Header(bytes, at: 0) else { return nil }
        guard first.version >= 2 else {
            self.init(bytes, first, timeSize: 4, rule: nil)
            return
        }
        // The second part repeats the data with times of 64 bits, followed by the rule for later
        // years.
        guard let header = Header(bytes, at: first.end(timeSize: 4)) else { return nil }
        let end = header.end(timeSize: 8)
        guard bytes.count > end, bytes[end] == 10 else { return nil }
        let footer = bytes[(end + 1)...].prefix { $0 != 10 }
        let text = String(decoding: footer, as: UTF8.self)
        let rule = YearRule(text)
        guard rule != nil || text.isEmpty else { return nil }
        self.init(bytes, header, timeSize: 8, rule: rule)
    }

    private init?(_ bytes: [UInt8], _ header: Header, timeSize: Int, rule: YearRule?) {
        guard header.leaps == 0, header.types > 0, bytes.count >= header.end(timeSize: timeSize)
        else { return nil }
        let places = header.start + header.times * timeSize
        let types = places + header.times
        let offsets = (0..<header.types).map { Self.integer(bytes, types + $0 * 6, 4) }
        var changes: [(from: Int64, offset: Int64)] = []
        for index in 0..<header.times {
            let at = Self.integer(bytes, header.start + index * timeSize, timeSize)
            let type = Int(bytes[places + index])
            guard offsets.indices.contains(type), changes.last.map({ $0.from < at }) ?? true
            else { return nil }
            changes.append((at, offsets[type]))
        }
        self.init(firstOffset: offsets[0], changes: changes, rule: rule)
    }

    private static func integer(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int64 {
        var value: Int64 = bytes[place] & 0x80 == 0 ? 0 : -1
        for byte in bytes[place..<place + count] { value = value << 8 | Int64(byte) }
        return value
    }

    /// How many there are of what, before one of the two parts of a file.
    private struct Header {
        var version: Int
        /// The offset of its content.
        var start: Int
        var indicators: Int
        var leaps, times, types, letters: Int

        init?(_ bytes: [UInt8], at place: Int) {
            guard place >= 0, place + 44 <= bytes.count,
                bytes[place..<place + 4].elementsEqual("TZif".utf8)
            else { return nil }
            let digit = bytes[place + 4]
            version = digit == 0 ? 1 : Int(digit) - 48
            let counts = (0..<6).map { ZoneRules.integer(bytes, place + 20 + $0 * 4, 4) }
            // A file of the database has some hundred of each.
            guard counts.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
            start = place + 44
            indicators = Int(counts[0] + counts[1])
            (leaps, times) = (Int(counts[2]), Int(counts[3]))
            (types, letters) = (Int(counts[4]), Int(counts[5]))
        }

        func end(timeSize: Int) -> Int {
            start + times * (timeSize + 1) + types * 6 + letters + leaps * (timeSize + 4)
                + indicators
        }
    }
}

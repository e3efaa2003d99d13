/// How far the clocks of a time zone are ahead of UTC, at each moment.
///
/// Moments are seconds since 1970-01-01T00:00:00Z; a local time is the same number for what the
/// clocks show.
package struct ZoneRules: Hashable, Sendable {
    /// A period with a constant offset from UTC.
    struct Span: Hashable, Sendable {
        /// Its first second; `Int64.min` for one without a beginning.
        var from: Int64
        /// The second after its last; nil for one without an end.
        var to: Int64?
        /// How many seconds the clocks are ahead.
        var offset: Int64
    }
    /// The changes that a file names, in their order: from when on, and the seconds ahead.
    private let changes: [(from: Int64, offset: Int64)]
    /// The seconds ahead before the first of them.
    private let firstOffset: Int64
    /// The rule after the last of them.
    private let rule: YearRule?

    /// No zone is further from UTC.
    private static let farthest: Int64 = 26 * 3600

    /// UTC itself.
    package static let utc = ZoneRules(firstOffset: 0, changes: [], rule: nil)

    /// A constant offset.
    package static func fixed(seconds: Int64) -> ZoneRules {
        ZoneRules(firstOffset: seconds, changes: [], rule: nil)
    }

    /// A rule for every year, such as `CET-1CEST,M3.5.0,M10.5.0/3`; `nil` for another text.
    package init?(rule text: String) {
        guard let rule = YearRule(text) else { return nil }
        self.init(firstOffset: rule.offset, changes: [], rule: rule)
    }

    init(firstOffset: Int64, changes: [(from: Int64, offset: Int64)], rule: YearRule?) {
        (self.firstOffset, self.changes, self.rule) = (firstOffset, changes, rule)
    }

    func local(_ moment: Int64) -> Int64 { moment + span(at: moment).offset }

    /// A moment with its date and time as the zone's clocks show them, as if they were in UTC.
    package func local(_ moment: Timestamp) -> Timestamp {
        moment + span(at: TimeText.floorDivide(moment.milliseconds, 1000)).offset * 1000
    }

    /// The first moment with this or a later local time; the reverse of `local`.
    package func moment(ofLocal local: Timestamp) -> Timestamp {
        let seconds = TimeText.floorDivide(local.milliseconds, 1000)
        return local + (first(ofLocal: seconds) - seconds) * 1000
    }

    /// The first moment with this or a later local time. For a skipped local time, the moment of
    /// the change.
    func first(ofLocal local: Int64) -> Int64 {
        var span = span(at: local - Self.farthest)
        while let end = span.to, local - span.offset >= end { span = self.span(at: end) }
        return max(span.from, local - span.offset)
    }

    /// The span between two changes that contains a moment.
    func span(at moment: Int64) -> Span {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].from <= moment { low = middle + 1 } else { high = middle }
        }
        let from = low == 0 ? .min : changes[low - 1].from
        if low == changes.count, let rule {
            var span = rule.span(at: moment)
            span.from = max(span.from, from)
            return span
        }
        return Span(
            from: from, to: low < changes.count ? changes[low].from : nil,
            offset: low == 0 ? firstOffset : changes[low - 1].offset)
    }

    package static func == (one: ZoneRules, other: ZoneRules) -> Bool {
        one.firstOffset == other.firstOffset && one.rule == other.rule
            && one.changes.elementsEqual(other.changes) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(firstOffset)
        hasher.combine(rule)
        for change in changes {
            hasher.combine(change.from)
            hasher.combine(change.offset)
        }
    }
}

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

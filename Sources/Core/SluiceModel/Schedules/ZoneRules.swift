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

    /// The local time at a moment.
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

    /// Whether both say the same.
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

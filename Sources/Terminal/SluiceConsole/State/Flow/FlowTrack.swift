import SluiceControl
import SluiceModel

/// Arrivals and outcomes over time, from the store's counts and from the differences between this
/// console's readings.
struct FlowTrack: Hashable, Sendable {
    /// Counts of one part of time; `came` is nil before the console looked.
    fileprivate struct Part: Hashable {
        var came: Int?
        var ended = EndTally.Count()
    }
    private struct Look: Hashable {
        var stock: FlowStock
        var at: Timestamp
    }
    /// Since when the differences have no gap.
    private(set) var since: Timestamp?
    private var last: Look?
    private var tally: EndTally?
    private var seconds: [Int64: Part] = [:]
    private var minutes: [Int64: Part] = [:]
    /// Whether it also counts by minute, for a day.
    private let keepsDay: Bool
    /// How many seconds it keeps.
    private let keptSeconds: Int64

    private static let keptMinutes: Int64 = 1440
    /// A change is spread over a gap of up to this length. A longer gap was quiet, so the change
    /// belongs to its last second.
    private static let waitedSeconds: Int64 = 3

    init(keepsDay: Bool, seconds: Int64 = 180) {
        (self.keepsDay, keptSeconds) = (keepsDay, seconds)
    }

    /// Applies a reading.
    mutating func apply(_ stock: FlowStock, at now: Timestamp) {
        if let last, now < last.at { lose() }
        let second = Self.index(now, 1000)
        if let tally = stock.tally { apply(tally, at: second) }
        if let last {
            apply(change(from: last.stock, to: stock), from: Self.index(last.at, 1000), to: second)
        } else {
            since = now
        }
        if keepsDay, minutes[Self.minute(second)]?.came == nil {
            minutes[Self.minute(second), default: Part()].came = 0
        }
        if last.map({ Self.index($0.at, 1000) }) != second { prune(second) }
        last = Look(stock: stock, at: now)
    }

    /// Forgets the last look: what happens until the next one is not known by second.
    mutating func lose() {
        (last, since) = (nil, nil)
        seconds = [:]
    }

    /// The number of a part of time since 1970, rounded down before it too.
    static func index(_ moment: Timestamp, _ length: Int64) -> Int64 {
        let (quotient, rest) = moment.milliseconds.quotientAndRemainder(dividingBy: length)
        return rest < 0 ? quotient - 1 : quotient
    }

    private mutating func apply(_ tally: EndTally, at second: Int64) {
        self.tally = tally
        guard keepsDay else { return }
        let last = Self.minute(second)
        let first = max(Self.index(tally.since, 60_000), last - Self.keptMinutes)
        for minute in min(first, last)...last where minutes[minute] == nil {
            minutes[minute] = Part()
        }
        var whole: [Int64: EndTally.Count] = [:]
        for (ten, count) in tally.tens {
            let minute = Self.index(Timestamp(milliseconds: ten * 10_000), 60_000)
            whole[minute, default: EndTally.Count()].add(count)
        }
        for (minute, count) in whole { minutes[minute, default: Part()].ended = count }
    }

    /// The arrivals and outcomes between two readings. Tasks that disappeared without a known
    /// outcome count as succeeded, because other systems may keep no results.
    private func change(from former: FlowStock, to stock: FlowStock) -> Part {
        var ended = EndTally.Count()
        let growth = stock.held - former.held
        switch (former.ends, stock.ends) {
        case (.kept(let old), .kept(let new)):
            ended = new.new(since: old)
            return Part(came: max(0, growth + ended.succeeded), ended: ended)
        case (.counted(let oldGood, let oldBad), .counted(let newGood, let newBad)):
            ended.failed = max(0, newBad - oldBad)
            ended.succeeded = max(0, newGood - oldGood)
            let came = growth + ended.succeeded
            if came < 0 { ended.succeeded -= came }
            return Part(came: max(0, came), ended: ended)
        default: return Part(came: 0, ended: ended)
        }
    }

    /// Spreads a change evenly over the seconds since the last look.
    private mutating func apply(_ change: Part, from former: Int64, to second: Int64) {
        let gap = second - former
        let count = gap <= Self.waitedSeconds ? max(1, gap) : 1
        for place in 0..<count {
            let share = change.share(Int(place), of: Int(count))
            seconds[second - place, default: Part()].add(share)
            guard keepsDay else { continue }
            var kept = share
            if tally != nil { kept.ended = EndTally.Count() }
            minutes[Self.minute(second - place), default: Part()].add(kept)
        }
        guard keepsDay else { return }
        // Record minutes without a change too.
        let first = max(Self.minute(former), Self.minute(second) - Self.keptMinutes)
        for minute in first...Self.minute(second) where minutes[minute]?.came == nil {
            minutes[minute, default: Part()].came = 0
        }
    }

    private static func minute(_ second: Int64) -> Int64 {
        index(Timestamp(milliseconds: second * 1000), 60_000)
    }

    private mutating func prune(_ second: Int64) {
        seconds = seconds.filter { $0.key > second - keptSeconds }
        let minute = Self.minute(second)
        if minutes.count > Int(Self.keptMinutes) {
            minutes = minutes.filter { $0.key > minute - Self.keptMinutes }
        }
    }
}

extension FlowTrack {
    /// Rates by minute at a moment; `came` is nil until it was seen for two seconds.
    func perMinute(at now: Timestamp) -> (came: Int?, ended: EndTally.Count) {
        guard let since else { return (nil, tally?.perMinute(at: now) ?? EndTally.Count()) }
        let second = Self.index(now, 1000)
        let first = max(second - 60, Self.index(since, 1000))
        var sum = Part(came: 0)
        for place in stride(from: second, to: first, by: -1) {
            if let part = seconds[place] { sum.add(part) }
        }
        let seen = max(1, Int(second - first))
        var ended = EndTally.Count()
        ended.succeeded = sum.ended.succeeded * 60 / seen
        ended.failed = sum.ended.failed * 60 / seen
        let came = seen >= 2 ? (sum.came ?? 0) * 60 / seen : nil
        return (came, tally?.perMinute(at: now) ?? ended)
    }

    /// The outcomes seen in `count` seconds from one on; nil before the first look.
    func ends(from second: Int64, count: Int64) -> EndTally.Count? {
        guard let since, second + count > Self.index(since, 1000) else { return nil }
        var sum = Part()
        for place in second..<second + count {
            if let part = seconds[place] { sum.add(part) }
        }
        return sum.ended
    }

    /// Whether the last two minutes have something, so that a picture of them moves.
    func isMoving(at now: Timestamp) -> Bool {
        let second = Self.index(now, 1000)
        let isSeen = seconds.contains { $0.key > second - 121 && !$0.value.isEmpty }
        return isSeen || tally?.tens.keys.contains { $0 * 10 > second - 131 } ?? false
    }

    /// The parts of a span up to a moment; the last one is in progress.
    func series(_ span: FlowSpan, at now: Timestamp) -> FlowSeries {
        var series = FlowSeries()
        let last = Self.index(now, span.partMilliseconds)
        for place in (last - Int64(span.parts) + 1)...last {
            switch span {
            case .twoMinutes: addSecond(place, isLast: place == last, to: &series)
            case .hour: add([minutes[place]], to: &series)
            case .day: add((0..<15).map { minutes[place * 15 + $0] }, to: &series)
            }
        }
        return series
    }

    /// The series as a chart draws it, with the words for its time. With few ends in two minutes a
    /// part has ten seconds, because it counts whole ends then.
    func chart(_ span: FlowSpan, at now: Timestamp) -> (series: FlowSeries, words: String) {
        let series = series(span, at: now)
        guard span == .twoMinutes, series.most < Self.fewPerSecond else {
            return (series, span.words)
        }
        return (tens(at: now), "2 minutes by 10 s")
    }

    private static let fewPerSecond = 5.0

    private func tens(at now: Timestamp) -> FlowSeries {
        var series = FlowSeries()
        let (last, second) = (Self.index(now, 10_000), Self.index(now, 1000))
        let first = since.map { Self.index($0, 1000) + 1 } ?? .max
        for ten in last - 11...last {
            // Draw the part in progress only if it reaches the count of the part before. A
            // smaller count would look like a fall.
            func shown(_ value: Double?, after former: [Double?]) -> Double? {
                guard ten == last, let value, let before = former.last ?? nil else { return value }
                return value < before ? nil : value
            }
            let seen = max(first, ten * 10)..<max(first, min(second, ten * 10 + 9) + 1)
            var sum = Part()
            for place in seen { sum.add(seconds[place] ?? Part(came: 0)) }
            let kept = tally.map { $0.tens[ten] ?? EndTally.Count() }
            let ended = kept ?? (seen.isEmpty ? nil : sum.ended)
            series.append(
                came: shown(sum.came.map(Double.init), after: series.came),
                succeeded: shown(ended.map { Double($0.succeeded) }, after: series.succeeded),
                failed: shown(ended.map { Double($0.failed) }, after: series.failed))
        }
        return series
    }

    private func addSecond(_ second: Int64, isLast: Bool, to series: inout FlowSeries) {
        if isLast { return series.append(came: nil, succeeded: nil, failed: nil) }
        if let since, second > Self.index(since, 1000) {
            let part = seconds[second] ?? Part(came: 0)
            return series.append(
                came: Double(part.came ?? 0), succeeded: Double(part.ended.succeeded),
                failed: Double(part.ended.failed))
        }
        guard let tally else { return series.append(came: nil, succeeded: nil, failed: nil) }
        let ten = Self.index(Timestamp(milliseconds: second * 1000), 10_000)
        let count = tally.tens[ten] ?? EndTally.Count()
        series.append(
            came: nil, succeeded: Double(count.succeeded) / 10, failed: Double(count.failed) / 10)
    }

    private func add(_ parts: [Part?], to series: inout FlowSeries) {
        let known = parts.compactMap(\.self)
        guard !known.isEmpty else {
            return series.append(came: nil, succeeded: nil, failed: nil)
        }
        let came = known.compactMap(\.came)
        series.append(
            came: came.isEmpty ? nil : Double(came.reduce(0, +)),
            succeeded: Double(known.reduce(0) { $0 + $1.ended.succeeded }),
            failed: Double(known.reduce(0) { $0 + $1.ended.failed }))
    }
}

extension FlowTrack.Part {
    fileprivate var isEmpty: Bool { came ?? 0 == 0 && ended == EndTally.Count() }

    fileprivate mutating func add(_ other: Self) {
        if let more = other.came { came = (came ?? 0) + more }
        ended.add(other.ended)
    }

    /// One of equal shares; the first has the rest.
    fileprivate func share(_ place: Int, of count: Int) -> Self {
        func part(_ value: Int) -> Int { value / count + (place == 0 ? value % count : 0) }
        var share = Self(came: came.map(part))
        share.ended.succeeded = part(ended.succeeded)
        share.ended.failed = part(ended.failed)
        return share
    }
}

extension EndTally.Count {
    fileprivate mutating func add(_ other: Self) {
        succeeded += other.succeeded
        failed += other.failed
    }
}

import SluiceControl
package import SluiceModel

/// The course of a queue: ends and waiting tasks, from counts that the store keeps and from this
/// console's own looks. Other systems keep no such counts: all is seen by these looks.
package struct PulseTrack: Hashable, Sendable {
    /// Attempts that ended or began in one part of time.
    struct Ends: Hashable {
        var counts: [EndedOutcome: Int] = [:]
        var took = DurationTally()
        /// How long the tasks had been due that began.
        var waited = DurationTally()

        mutating func add(_ count: Int, _ what: EndedCounts.Class) {
            switch what {
            case .attempts(let outcome, let duration):
                counts[outcome, default: 0] += count
                // A stopped attempt has no usual duration.
                if outcome != .other { took.add(count, duration) }
            case .waits(let wait): waited.add(count, wait)
            case .failures: break
            }
        }

        mutating func add(_ other: Ends) {
            counts.merge(other.counts, uniquingKeysWith: +)
            took.add(other.took)
            waited.add(other.waited)
        }
    }

    private static let keptTens: Int64 = 120
    private static let keptMinutes: Int64 = 1440

    private var tens: [Int64: Ends] = [:]
    private var minutes: [Int64: Ends] = [:]
    /// The minutes with known ends.
    private(set) var known: ClosedRange<Int64>?
    private(set) var waiting = WaitingCourse()
    /// When the first due task became due.
    var firstDue = SampleTrack(keeps: .least)

    /// The ends in a queue of another system; nil in one of this program's own.
    private(set) var seen: FlowTrack?
    /// Whether the age of due tasks is known; few systems keep it.
    private(set) var knowsAge = true

    /// Nothing yet.
    package init() {}

    /// Takes in a look at a queue of another system.
    mutating func apply(
        seen stock: FlowStock, firstDue due: Timestamp?, knowsAge: Bool = true, at now: Timestamp
    ) {
        self.knowsAge = knowsAge
        var track = seen ?? FlowTrack(keepsDay: true, seconds: 960)
        track.apply(stock, at: now)
        seen = track
        firstDue.apply(due?.milliseconds, at: now)
    }

    /// Takes in how many tasks wait.
    package mutating func apply(waiting count: Int, at now: Timestamp) {
        waiting.apply(count, at: now)
    }

    /// Adds kept counts. They replace earlier counts of the same minutes.
    package mutating func apply(_ pulse: QueuePulse, at now: Timestamp) {
        let first = EndedCounts.minute(of: pulse.since)
        let last = EndedCounts.minute(of: now)
        tens = tens.filter { $0.key < first * 6 && $0.key > last * 6 - Self.keptTens }
        minutes = minutes.filter { $0.key < first && $0.key > last - Self.keptMinutes }
        if let former = known, former.upperBound >= first, last >= first {
            known = min(former.lowerBound, first)...last
        } else {
            // Counts before a gap may be incomplete.
            (known, minutes, tens) = (min(first, last)...last, [:], [:])
        }
        for count in pulse.ends + pulse.waits {
            let minute = EndedCounts.minute(of: count.minute)
            minutes[minute, default: Ends()].add(count.total, count.what)
            for (sixth, ended) in count.sixths.enumerated() where ended > 0 {
                tens[minute * 6 + Int64(sixth), default: Ends()].add(ended, count.what)
            }
        }
        firstDue.apply(pulse.firstDue?.milliseconds, at: now)
        waiting.apply(starts: pulse.starts, from: last - Self.keptMinutes)
    }

    /// The parts of a span up to a moment, the oldest first; the last one is in progress.
    package func series(_ span: PulseSpan, at now: Timestamp) -> PulseSeries {
        var series = PulseSeries()
        let last = FlowTrack.index(now, span.partMilliseconds)
        if let seen { series.append(seen, span, at: now) }
        for part in (last - Int64(span.parts) + 1)...last {
            let begin = part * span.partMilliseconds
            let end = min(begin + span.partMilliseconds, now.milliseconds)
            if seen == nil { series.append(isKnown(begin, span) ? ends(of: part, span) : nil) }
            series.waiting.append(waiting.most(from: begin, to: end))
            series.oldest.append(
                firstDue.value(from: begin, to: end).map { due in
                    due.map { Double(max(0, end - $0)) } ?? 0
                })
        }
        return series
    }

    /// The figures of a whole span up to a moment; nil if nothing of it is known.
    func figures(_ span: PulseSpan, at now: Timestamp) -> PulseFigures? {
        let parts = FlowTrack.index(now, span.partMilliseconds)
        if seen != nil {
            let series = series(span, at: now)
            let (good, bad) = (series.succeeded, series.failed)
            guard good.contains(where: { $0 != nil }) else { return nil }
            return PulseFigures(
                succeeded: Int(good.compactMap(\.self).reduce(0, +)),
                failed: Int(bad.compactMap(\.self).reduce(0, +)), isSeen: true)
        }
        guard known != nil else { return nil }
        var sum = Ends()
        for part in (parts - Int64(span.parts) + 1)...parts { sum.add(ends(of: part, span)) }
        return PulseFigures(
            succeeded: sum.counts[.succeeded] ?? 0, failed: sum.counts[.failed] ?? 0,
            waitSlow: sum.waited.percentile(0.95), tookSlow: sum.took.percentile(0.95))
    }

    private func isKnown(_ begin: Int64, _ span: PulseSpan) -> Bool {
        guard let known else { return false }
        return begin + span.partMilliseconds > known.lowerBound * EndedCounts.minuteMilliseconds
    }

    private func ends(of part: Int64, _ span: PulseSpan) -> Ends {
        switch span {
        case .quarter: return tens[part] ?? Ends()
        case .hour: return minutes[part] ?? Ends()
        case .day:
            var sum = Ends()
            for minute in part * 15..<part * 15 + 15 {
                if let ends = minutes[minute] { sum.add(ends) }
            }
            return sum
        }
    }
}

/// The ends and durations of a queue in a whole span.
struct PulseFigures: Hashable {
    var succeeded: Int
    var failed: Int
    /// How long 19 of 20 tasks that began had been due at most, in milliseconds.
    var waitSlow: Int64?
    /// How long 19 of 20 attempts took at most, in milliseconds.
    var tookSlow: Int64?
    /// Whether the ends are the ones that this console saw, and may be fewer than all.
    var isSeen = false

    /// The part of the ends that failed, in words such as `38 %`; nil without an end.
    var failedShare: String? {
        let all = succeeded + failed
        guard all > 0 else { return nil }
        guard failed > 0 else { return "0 %" }
        let percent = (failed * 200 + all) / (2 * all)
        let mark = isSeen ? "~" : ""
        if percent == 0 { return "\(mark)<1 %" }
        return percent == 100 && failed < all ? "\(mark)>99 %" : "\(mark)\(percent) %"
    }
}

/// The course of a queue in equal parts of time, the oldest first; nil if that is not known.
package struct PulseSeries: Hashable, Sendable {
    package private(set) var succeeded: [Double?] = []
    package private(set) var failed: [Double?] = []
    /// Attempts that were stopped, cancelled, offline or lost.
    package private(set) var other: [Double?] = []
    /// How long half of the attempts took at most, in milliseconds.
    package private(set) var median: [Double?] = []
    /// How long 19 of 20 took at most.
    package private(set) var slow: [Double?] = []
    /// How long half of the tasks that began had been due at most, in milliseconds.
    package private(set) var waitMedian: [Double?] = []
    /// How long 19 of 20 had been due at most.
    package private(set) var waitSlow: [Double?] = []
    /// Tasks that waited, the most in each part.
    package internal(set) var waiting: [Double?] = []
    /// How long the first due task had waited, in milliseconds.
    package internal(set) var oldest: [Double?] = []

    mutating func append(_ ends: PulseTrack.Ends?) {
        func count(_ outcome: EndedOutcome) -> Double? {
            ends.map { Double($0.counts[outcome] ?? 0) }
        }
        succeeded.append(count(.succeeded))
        failed.append(count(.failed))
        other.append(count(.other))
        median.append(ends?.took.percentile(0.5).map(Double.init))
        slow.append(ends?.took.percentile(0.95).map(Double.init))
        waitMedian.append(ends?.waited.percentile(0.5).map(Double.init))
        waitSlow.append(ends?.waited.percentile(0.95).map(Double.init))
    }

    /// Appends all parts of a span as this console saw them; it saw no durations.
    fileprivate mutating func append(_ seen: FlowTrack, _ span: PulseSpan, at now: Timestamp) {
        switch span {
        case .quarter:
            let last = FlowTrack.index(now, span.partMilliseconds)
            for part in (last - Int64(span.parts) + 1)...last {
                let ends = seen.ends(from: part * 10, count: 10)
                succeeded.append(ends.map { Double($0.succeeded) })
                failed.append(ends.map { Double($0.failed) })
            }
        case .hour, .day:
            let flow = seen.series(span == .hour ? .hour : .day, at: now)
            (succeeded, failed) = (flow.succeeded, flow.failed)
        }
        let unknown = [Double?](repeating: nil, count: span.parts)
        (other, median, slow) = (unknown, unknown, unknown)
        (waitMedian, waitSlow) = (unknown, unknown)
    }

    /// The part of the attempts that failed, from 0 to 1; nil in a part without any.
    var failedShare: [Double?] {
        zip(succeeded, failed).map { good, bad in
            guard let good, let bad, good + bad > 0 else { return nil }
            return bad / (good + bad)
        }
    }
}

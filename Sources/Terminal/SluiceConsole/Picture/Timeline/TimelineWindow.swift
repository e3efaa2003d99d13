import SluiceControl
import SluiceModel

/// The part of a timeline that is seen.
struct TimelineWindow: Hashable, Sendable {
    /// The moment at the left edge.
    let from: Timestamp
    /// How long it is in milliseconds, at least one.
    let length: Int64

    init(from: Timestamp, length: Int64) {
        (self.from, self.length) = (from, max(1, length))
    }

    /// The attempts of a timeline at a moment; of waits after them a quarter as much, or all.
    init(_ timeline: TaskTimeline, at now: Timestamp, withWaits: Bool = false) {
        var to = timeline.isRunning ? max(timeline.to, now) : timeline.to
        if timeline.isOpen {
            let some = max(Self.leastWait, (to - timeline.from) / 4)
            to = max(to, withWaits ? now : min(now, to + some))
        }
        if case .queue(_, let since?) = timeline.scope {
            self.init(from: since, length: max(to, now) - since)
        } else if case .workers(let last) = timeline.scope {
            // The newest attempts of busy workers fill the picture.
            let seen = timeline.seenSince.map { max(Self.leastSeen, now - $0) } ?? last
            let oldest = timeline.isCut ? max(1000, now - timeline.from) : seen
            self.init(from: now + -min(last, oldest), length: min(last, oldest))
        } else {
            self.init(from: timeline.from, length: to - timeline.from)
        }
    }

    /// The attempts of some rows, where not all of them are seen; nil where they have none, and
    /// for a picture whose time does not depend on its rows.
    init?(_ timeline: TaskTimeline, of rows: some Collection<TimelineRow>, at now: Timestamp) {
        switch timeline.scope {
        case .workers, .queue(_, since: .some): return nil
        case .queue, .run, .group, .tasks, .attempts: break
        }
        let works = rows.flatMap { $0.bars.filter(\.kind.isWork) }
        guard rows.count < timeline.rows.count, let from = works.map(\.from).min() else {
            return nil
        }
        var to = works.map { $0.to ?? now }.max() ?? now
        if rows.contains(where: { $0.bars.contains { $0.to == nil } }) {
            to = max(to, min(now, to + max(Self.leastWait, (to - from) / 4)))
        }
        self.init(from: from, length: to - from)
    }

    private static let leastWait: Int64 = 500
    /// A picture of what looks saw has at least a minute.
    private static let leastSeen: Int64 = 60_000

    var to: Timestamp { from + length }

    /// The columns of a part of time, at least one; nil outside of the window.
    func columns(_ start: Timestamp, _ end: Timestamp, of width: Int) -> Range<Int>? {
        guard width > 0, end >= from, start <= to else { return nil }
        func column(_ moment: Timestamp) -> Int {
            let part = Double(min(max(moment, from), to) - from) / Double(length)
            return Int((part * Double(width)).rounded())
        }
        let first = min(column(start), width - 1)
        return first..<max(first + 1, column(end))
    }

    /// Half as long, or twice, around a moment that keeps its column.
    func scaled(by factor: Double, around moment: Timestamp) -> TimelineWindow {
        let place = min(max(moment, from), to)
        let left = Int64((Double(place - from) * factor).rounded())
        let scaled = Int64((Double(length) * factor).rounded(.up))
        return TimelineWindow(from: place + -left, length: scaled)
    }

    /// Moved by a quarter of its length.
    func moved(later: Bool) -> TimelineWindow {
        let step = max(1, length / 4)
        return TimelineWindow(from: from + (later ? step : -step), length: length)
    }

    private static let steps: [Int64] = {
        let small: [Int64] = [1, 2, 5, 10, 20, 50, 100, 200, 500]
        let seconds: [Int64] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800]
        let hours: [Int64] = [1, 2, 3, 6, 12, 24, 48, 120, 240, 720, 2400, 8760, 87_600]
        return small + seconds.map { $0 * 1000 } + hours.map { $0 * 3_600_000 }
    }()

    /// `1m 40s` or `1h 2m`, with seconds also after an hour where they are no zero.
    private static func words(_ milliseconds: Int64) -> String {
        guard milliseconds > 60_000 else { return DurationText.compact(milliseconds) }
        let rest = milliseconds % 60_000
        if rest % 1000 > 0 {
            return "\(words(milliseconds - rest)) \(DurationText.compact(rest))"
        }
        let seconds = rest / 1000
        let short = DurationText.short(milliseconds)
        return milliseconds < 3_600_000 || seconds == 0 ? short : "\(short) \(seconds)s"
    }

    /// Marks of the axis, counted from `zero`: their columns and words.
    func ticks(from zero: Timestamp, width: Int) -> [(column: Int, words: String)] {
        let room = max(1, width / 10)
        let step = Self.steps.first { length / $0 <= Int64(room) } ?? length
        let offset = from - zero
        var next = offset / step * step
        if next < offset { next += step }
        var ticks: [(Int, String)] = []
        while next <= offset + length {
            let part = Double(next - offset) / Double(length)
            let sign = next < 0 ? "-" : ""
            let words = next == 0 ? "0" : Self.words(abs(next))
            ticks.append((min(width - 1, Int((part * Double(width)).rounded())), sign + words))
            next += step
        }
        return ticks
    }
}

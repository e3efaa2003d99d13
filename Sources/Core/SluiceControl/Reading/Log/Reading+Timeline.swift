import SluiceModel
import SluiceStore

/// Moments on a line of time from a moment on: how many each queue has in parts that grow with
/// their distance, of what a list of the soonest does not have.
package struct Timeline: Hashable, Sendable {
    /// The queues that have a row, in the order of the priorities.
    package var queues: [String] = []
    /// The timers of these queues beyond the list, by part, each counted up to `countLimit`.
    package var beyond: [String: [Int: Int]] = [:]
    /// How many queues have more than the list but were not counted.
    package var uncounted = 0
    /// The number of timers, including the list.
    package var total = 0

    /// The number of parts of a day. The first part is one second long, and each ends 1.2 times as
    /// far as the previous one. The index `parts` means later.
    package static let parts = 61
    /// More in one part are not counted.
    package static let countLimit = 65
    /// The maximum number of queues to count.
    package static let queueLimit = 12

    private static let ends: [Int64] = (0..<parts).map { part in
        // The sixtieth root of a day in seconds.
        let root = 1.208_579_515_573_377_4
        return Int64((0..<part).reduce(1000.0) { end, _ in end * root } + 0.5)
    }

    /// The part that contains a wait of this length.
    package static func part(of milliseconds: Int64) -> Int {
        ends.firstIndex { milliseconds <= $0 } ?? parts
    }

    /// No moments.
    package init() {}
}

extension Reading {
    /// Counts the timers of `queues` after a list of the first `limit` timers. `ofQueues` are
    /// timers without a task. Counts each part of a queue only up to a limit.
    package func timeline(
        behind listed: [TimerLine], limit: Int, beside ofQueues: [TimerLine],
        of queues: [QueueOverview]
    ) throws -> Timeline {
        var line = Timeline()
        line.total = listed.count
        if listed.count >= limit, let last = listed.last {
            let rest = ofQueues.filter { ($0.at, 0) > (last.at, last.id ?? 0) }
            for timer in rest {
                line.beyond[timer.queue, default: [:]][
                    Timeline.part(of: timer.at - now), default: 0] += 1
            }
            let timed = queues.filter { $0.counts.timed > 0 }.map(\.queue.name)
            line.uncounted = max(0, timed.count - Timeline.queueLimit)
            for name in timed.prefix(Timeline.queueLimit) {
                let found = try count(of: name, after: TimerCursor(at: last.at, id: last.id ?? 0))
                line.beyond[name, default: [:]].merge(found, uniquingKeysWith: +)
            }
            let all = try store.counts(of: nil).timed + ofQueues.count
            line.total = max(line.total, all)
        }
        var left = Set(listed.map(\.queue)).union(line.beyond.filter { !$0.value.isEmpty }.keys)
        line.queues = (queues.map(\.queue.name) + listed.map(\.queue) + line.beyond.keys.sorted())
            .filter { left.remove($0) != nil }
        return line
    }

    /// From one part that has something to the next one, so that empty ones cost nothing.
    private func count(of queue: String, after: TimerCursor) throws -> [Int: Int] {
        var counts: [Int: Int] = [:]
        var place = after
        while let next = try store.first(.timers(queue: queue, after: place))?.wakesAt {
            let part = Timeline.part(of: next - now)
            let end = Timeline.end(of: part).map { now + $0 }
            counts[part] = try store.countTasks(
                .timers(queue: queue, after: place, through: end), limit: Timeline.countLimit)
            guard let end else { break }
            place = TimerCursor(at: end, id: .max)
        }
        return counts
    }
}

extension Timeline {
    fileprivate static func end(of part: Int) -> Int64? {
        ends.indices.contains(part) ? ends[part] : nil
    }
}

extension QueueCounts {
    /// The number of tasks whose timer was still ahead at the last write.
    fileprivate var timed: Int {
        waitingByFlags.reduce(0) { sum, entry in
            entry.key.isDisjoint(with: [.retrying, .delayed]) ? sum : sum + entry.value
        }
    }
}

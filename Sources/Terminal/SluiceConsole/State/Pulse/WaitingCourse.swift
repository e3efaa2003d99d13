import SluiceModel

/// How many tasks of a queue waited: from this console's own looks, and before them from what the
/// store keeps for the beginnings of minutes.
struct WaitingCourse: Hashable, Sendable {
    private var looks = SampleTrack(keeps: .most)
    private var current = 0
    /// The kept counts, the oldest first. Between two of them the count is the later one from the
    /// end of the earlier one's minute on.
    private var starts: [Start] = []

    private struct Start: Hashable {
        var minute: Int64
        var count: Int
    }

    private static let minute = EndedCounts.minuteMilliseconds

    /// Since when it is known.
    var since: Timestamp? {
        guard let first = starts.first else { return looks.since }
        let kept = Timestamp(milliseconds: first.minute * Self.minute)
        return looks.since.map { min($0, kept) } ?? kept
    }

    /// Takes in a look.
    mutating func apply(_ count: Int, at now: Timestamp) {
        current = count
        looks.apply(Int64(count), at: now)
    }

    /// Adds kept counts, which replace known ones from their first minute on. Forgets the minutes
    /// before another one.
    mutating func apply(starts new: [Int64: Int], from first: Int64) {
        let known = new.keys.min() ?? .max
        starts.removeAll { $0.minute < first || $0.minute >= known }
        starts += new.filter { $0.key >= first }.sorted { $0.key < $1.key }
            .map { Start(minute: $0.key, count: $0.value) }
    }

    /// The most that waited in a part of time; nil if it is not known.
    func most(from begin: Int64, to end: Int64) -> Double? {
        let looked = looks.value(from: begin, to: end).map { Double($0 ?? 0) }
        guard let kept = kept(from: begin, to: end) else { return looked }
        return max(kept, looked ?? 0)
    }

    private func kept(from begin: Int64, to end: Int64) -> Double? {
        guard let first = starts.first, end > first.minute * Self.minute else { return nil }
        let from = FlowTrack.index(Timestamp(milliseconds: begin), Self.minute)
        let to = FlowTrack.index(Timestamp(milliseconds: end), Self.minute)
        guard end - begin < Self.minute else {
            return (max(from, first.minute)...max(to, first.minute)).map(count).max()
        }
        // Interpolate between the counts at the two ends of the minute.
        let (one, other) = (count(at: from), count(at: from + 1))
        let share = Double((begin + end) / 2 - from * Self.minute) / Double(Self.minute)
        return (one + (other - one) * min(1, share)).rounded()
    }

    private func count(at minute: Int64) -> Double {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle].minute < minute { low = middle + 1 } else { high = middle }
        }
        return Double(low < starts.count ? starts[low].count : current)
    }
}

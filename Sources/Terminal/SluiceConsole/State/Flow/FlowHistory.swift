import SluiceControl
import SluiceModel

/// What view 9 knows by time, of all queues and of each that was read.
struct FlowHistory: Hashable, Sendable {
    /// All queues together.
    private(set) var all = FlowTrack(keepsDay: true)
    private(set) var queues: [String: FlowTrack] = [:]
    /// When it last took something in without a gap.
    private var at: Timestamp?

    /// Each read of kept counts begins this much before the one before it.
    private static let overlapMilliseconds: Int64 = 180_000

    /// Takes in what was read; without a reading it loses track, since queues go on unseen.
    mutating func take(_ flow: FlowReading?, at now: Timestamp) {
        guard let flow else { return lose() }
        all.take(flow.all, at: now)
        queues = queues.filter { flow.queues[$0.key] != nil }
        for (name, stock) in flow.queues {
            queues[name, default: FlowTrack(keepsDay: false)].take(stock, at: now)
        }
        at = now
    }

    /// Forgets the last look.
    mutating func lose() {
        guard at != nil else { return }
        at = nil
        all.lose()
        queues = [:]
    }

    /// From when on kept counts are to be read; nil for as long as they are kept.
    func wantedSince(_ now: Timestamp) -> Timestamp? {
        guard let at, now >= at, now - at < Self.overlapMilliseconds / 3 else { return nil }
        return at + -Self.overlapMilliseconds
    }
}

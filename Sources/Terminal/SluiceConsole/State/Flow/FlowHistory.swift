import SluiceControl
import SluiceModel

/// The history of view 9, for all queues and for each loaded queue.
struct FlowHistory: Hashable, Sendable {
    /// All queues together.
    private(set) var all = FlowTrack(keepsDay: true)
    private(set) var queues: [String: FlowTrack] = [:]
    /// When it last took something in without a gap.
    private var at: Timestamp?

    /// The overlap of a read of kept counts with the previous one.
    private static let overlapMilliseconds: Int64 = 180_000

    /// Applies a reading. A missing one resets the history, because the queues changed unobserved.
    mutating func apply(_ flow: FlowReading?, at now: Timestamp) {
        guard let flow else { return lose() }
        all.apply(flow.all, at: now)
        queues = queues.filter { flow.queues[$0.key] != nil }
        for (name, stock) in flow.queues {
            queues[name, default: FlowTrack(keepsDay: false)].apply(stock, at: now)
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

    /// The start of the kept counts to read; `nil` for all of them.
    func wantedSince(_ now: Timestamp) -> Timestamp? {
        guard let at, now >= at, now - at < Self.overlapMilliseconds / 3 else { return nil }
        return at + -Self.overlapMilliseconds
    }
}

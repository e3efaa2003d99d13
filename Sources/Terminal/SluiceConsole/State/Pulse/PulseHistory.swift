import SluiceControl
import SluiceModel

/// The course of the queues in sight, for view 7.
struct PulseHistory: Hashable, Sendable {
    private(set) var queues: [String: PulseTrack] = [:]
    /// When kept counts were read last, without a gap.
    private var at: Timestamp?

    /// Each read of kept counts begins this much before the one before it.
    private static let overlapMilliseconds: Int64 = 180_000

    /// Takes in a scene: how many wait in each queue, and what view 7 read.
    mutating func apply(_ scene: LoadedScene) {
        guard scene.tape == nil else {
            self = PulseHistory()
            return
        }
        let names = Set(scene.queues.map(\.name))
        queues = queues.filter { names.contains($0.key) }
        for line in scene.queues {
            queues[line.name, default: PulseTrack()].apply(
                waiting: line.tally.waiting, at: scene.at)
            guard scene.names.isForeign, let stock = scene.flow?.queues[line.name] else { continue }
            queues[line.name]?.apply(
                seen: stock, firstDue: line.overview.oldest,
                knowsAge: line.tally.due == 0 || line.overview.oldest != nil, at: scene.at)
        }
        guard !scene.pulse.isEmpty else { return }
        // A queue that came into sight is read from the beginning.
        let isNew =
            scene.request.pulseSince != nil
            && scene.pulse.keys.contains { queues[$0]?.known == nil }
        for (name, pulse) in scene.pulse {
            queues[name, default: PulseTrack()].apply(pulse, at: scene.at)
        }
        at = isNew ? nil : scene.at
    }

    /// From when on kept counts are to be read; nil for as long as they are kept.
    func wantedSince(_ now: Timestamp) -> Timestamp? {
        guard let at, now >= at, now - at < Self.overlapMilliseconds / 3 else { return nil }
        return at + -Self.overlapMilliseconds
    }
}

/// View 7: how far back it looks.
extension ConsoleState {
    /// Whether view 7 is on the screen.
    var isInQueues: Bool { view == .queues && page == nil }

    /// Looks back over a longer or a shorter time.
    mutating func lookBackInQueues(longer: Bool) {
        guard let span = PulseSpan(rawValue: pulseSpan.rawValue + (longer ? 1 : -1)) else {
            message = .note("there is no \(longer ? "longer" : "shorter") time")
            return
        }
        pulseSpan = span
        message = .note("the last \(pulseSpan.words), by \(pulseSpan.partWords)")
    }
}

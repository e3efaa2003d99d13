import SluiceControl
import SluiceModel
import SluiceStore

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

/// View 9: its time span, and the attempts in motion.
extension ConsoleState {
    /// A dot takes this long from the gate to its figure, and moves this often.
    static let flightMilliseconds: Int64 = 2000
    static let frameMilliseconds: Int64 = 250

    /// Whether view 9 is on the screen.
    var isInFlow: Bool { view == .flow && page == nil }

    /// The attempts with moving dots, from the newest lines of the log.
    var attemptsInFlight: [AttemptRecord] {
        guard isInFlow, freeze == nil, let scene, scene.tape == nil else { return [] }
        return scene.recent.compactMap { entry in
            guard case .attempt(let attempt) = entry, let ended = attempt.endedAt,
                ended <= now, now - ended < Self.flightMilliseconds
            else { return nil }
            return attempt
        }
    }

    /// Whether the chart of view 9 moves with each second.
    var flowMoves: Bool { isInFlow && flowSpan == .twoMinutes && flow.all.isMoving(at: now) }

    /// Looks back over a longer or a shorter time.
    mutating func lookBack(longer: Bool) {
        guard let span = FlowSpan(rawValue: flowSpan.rawValue + (longer ? 1 : -1)) else {
            message = .note("there is no \(longer ? "longer" : "shorter") time")
            return
        }
        flowSpan = span
    }
}

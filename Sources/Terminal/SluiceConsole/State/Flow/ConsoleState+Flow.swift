import SluiceControl
import SluiceModel
import SluiceStore

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
        let spans = FlowSpan.allCases
        let place = (spans.firstIndex(of: flowSpan) ?? 0) + (longer ? 1 : -1)
        guard spans.indices.contains(place) else {
            message = .note("there is no \(longer ? "longer" : "shorter") time")
            return
        }
        flowSpan = spans[place]
    }
}

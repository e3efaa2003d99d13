import SluiceControl
import SluiceModel

/// View 7: how far back it looks.
extension ConsoleState {
    /// Whether view 7 is on the screen.
    var isInQueues: Bool { view == .queues && page == nil }

    /// Looks back over a longer or a shorter time.
    mutating func lookBackInQueues(longer: Bool) {
        let spans = PulseSpan.allCases
        let place = (spans.firstIndex(of: pulseSpan) ?? 0) + (longer ? 1 : -1)
        guard spans.indices.contains(place) else {
            message = .note("there is no \(longer ? "longer" : "shorter") time")
            return
        }
        pulseSpan = spans[place]
        message = .note("the last \(pulseSpan.words), by \(pulseSpan.partWords)")
    }
}

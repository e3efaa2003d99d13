import SluiceModel

/// From the attempts of a task to its bars.
extension TimelineRow {
    /// How a task waits now, and until when it was held before its first attempt.
    struct Surroundings {
        /// When the task came; nil if that is not known.
        var arrived: Timestamp?
        /// When the starts that held it had ended.
        var heldUntil: Timestamp?
        /// The wait of now; nil for a task that does not wait.
        var waits: TimelineBar.Kind?
        /// When the time of a waiting task came.
        var due: Timestamp?
    }

    /// Adds the attempts, the oldest first, with the waits before, between and after them.
    mutating func add(_ attempts: [AttemptRecord], _ place: Surroundings) {
        var end = (attempts.first?.number ?? 1) == 1 ? place.arrived : nil
        var gap: TimelineBar.Kind? = .waits
        for attempt in attempts {
            if let since = end, let gap, since < attempt.startedAt {
                let isFirst = bars.allSatisfy { !$0.kind.isWork }
                let held = isFirst ? place.heldUntil : nil
                addWait(gap, since, attempt.startedAt, heldUntil: held)
            }
            add(TimelineBar(attempt))
            end = max(end ?? attempt.startedAt, attempt.endedAt ?? attempt.startedAt)
            gap = Self.wait(after: attempt)
        }
        guard let waits = place.waits, var since = end ?? place.arrived else { return }
        if let due = place.due, due > since {
            add(TimelineBar(.timed, since, due))
            since = due
        }
        let isFirst = waits == .waits && bars.allSatisfy { !$0.kind.isWork }
        addWait(waits, since, nil, heldUntil: isFirst ? place.heldUntil : nil)
    }

    private mutating func addWait(
        _ kind: TimelineBar.Kind, _ since: Timestamp, _ until: Timestamp?, heldUntil: Timestamp?
    ) {
        guard let heldUntil, heldUntil > since else { return add(TimelineBar(kind, since, until)) }
        let end = min(heldUntil, until ?? heldUntil)
        add(TimelineBar(.held, since, end))
        if until.map({ end < $0 }) ?? true { add(TimelineBar(kind, end, until)) }
    }

    /// The wait after an attempt; nil for a task that was given up.
    private static func wait(after attempt: AttemptRecord) -> TimelineBar.Kind? {
        switch attempt.outcome {
        case .giveUp, .success: nil
        case .park: .held
        case .retry, .timedOut: attempt.consequence == "given up" ? nil : .timed
        default: .waits
        }
    }
}

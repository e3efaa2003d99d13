package import SluiceModel

/// Whether tasks of a queue go to its workers, and the reason if not.
package struct QueueGate: Hashable, Sendable {
    /// Whether the next task starts as soon as a worker has room.
    package var isOpen: Bool
    /// The reason, or the running tasks: `paused by dana`, `no worker`, `4 of 8 run`.
    package var words: String
    /// The begin of the pause that shuts it, if any.
    package var since: Timestamp?

    /// Creates the gate of a queue. `slots` is the number of slots that its workers have for it;
    /// `nil` if unknown.
    package init(_ overview: QueueOverview, _ tally: QueueTally, slots: Int?) {
        isOpen = false
        if let pause = overview.pauses.first(where: { $0.direction.stopsWork }) {
            let place = pause.isOfStore ? "store " : ""
            words = overview.isAtStop ? "stop at \(pause.by)" : "\(place)paused by \(pause.by)"
            since = pause.since
            return
        }
        switch QueueStatus(overview, tally) {
        case .paused, .pausing: words = "paused"
        case .atStop: words = "at stop"
        case .noRunner(let lack): words = lack.words
        case .noRun: words = "no run"
        case .blocked: words = "blocked"
        case .stuck, .running, .waiting, .failing, .failed, .empty:
            isOpen = true
            words = Self.work(tally, slots)
        }
    }

    /// `4 of 8 run, 2 taken`: a taken task waits inside a worker of another system.
    private static func work(_ tally: QueueTally, _ slots: Int?) -> String {
        let (running, taken) = (tally.running, tally.taken)
        guard slots != nil || running + taken > 0 else { return "idle" }
        if running == 0, taken > 0 { return "\(taken) taken" }
        let run = slots.map { "\(running) of \(max(running, $0)) run" } ?? "\(running) run"
        return taken == 0 ? run : "\(run), \(taken) taken"
    }
}

extension QueueOverview {
    /// How many of its tasks may run at the same time with these processes; nil without a worker,
    /// and if workers of other systems keep it to themselves.
    package func slots(of processes: [ProcessRecord]) -> Int? {
        let serving = processes.filter { $0.works(in: queue.name) }
        let slots = serving.reduce(0) { $0 + $1.slots }
        return slots > 0 ? min(queue.settings.concurrency, slots) : nil
    }
}

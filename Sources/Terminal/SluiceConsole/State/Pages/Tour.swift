import SluiceControl
import SluiceModel
import SluiceStore

/// A tour for a beginner, after the opening hint: at a breakpoint, after it, on a tape, and back
/// from the tape.
package struct Tour: Hashable, Sendable {
    /// A hint on the tape, from an event on.
    package struct Chapter: Hashable, Sendable {
        /// The chapter begins after this event.
        package var event: Int
        package var hint: Hint

        /// A chapter that begins after an event.
        package init(event: Int, _ hint: Hint) {
            self.event = event
            self.hint = hint
        }
    }
    package var tape: String
    /// The chapters on the tape, in the order of events.
    package var chapters: [Chapter]
    /// The number of the tour's breakpoint.
    package var breakpoint: Int64
    /// The hint at the stop, while the queue is visible.
    package var atStop: Hint
    /// The hint after no queue is stopped at a breakpoint.
    package var afterStop: Hint
    package var afterTape: Hint

    /// A tour along a stop and a tape.
    package init(
        tape: String, chapters: [Chapter], breakpoint: Int64, atStop: Hint, afterStop: Hint,
        afterTape: Hint
    ) {
        self.tape = tape
        self.chapters = chapters
        self.breakpoint = breakpoint
        self.atStop = atStop
        self.afterStop = afterStop
        self.afterTape = afterTape
    }
}

/// The progress of a tour. It counts verbs by token, because a hint about a finished part lasts
/// until the next verb.
struct TourProgress: Hashable, Sendable {
    private(set) var isStopped = false
    private(set) var isOnTape = false
    /// The last verb before the person left the last stop.
    private(set) var leftStop: Int?
    /// The last verb before the person left the tape.
    private(set) var leftTape: Int?

    mutating func record(_ scene: LoadedScene, lastToken: Int) {
        if scene.tape != nil { return isOnTape = true }
        if isOnTape { (isOnTape, leftTape) = (false, lastToken) }
        let stands = scene.stopped != nil
        if isStopped, !stands { leftStop = lastToken }
        isStopped = stands
    }
}

extension LoadedScene {
    /// A queue stopped at a breakpoint, preferably the visible one.
    var stopped: QueueLine? {
        let all = queues.filter { $0.stop(at: at) != nil }
        return all.first { $0.name == selected } ?? all.first
    }
}

extension ConsoleState {
    /// The tour's current hint, or `nil` without one.
    var tourHint: Hint? {
        guard let tour = settings.tour, let scene else { return nil }
        if let place = scene.tape {
            guard settings.storeName == tour.tape else { return nil }
            return tour.chapters.last { $0.event <= place.event }?.hint
        }
        if let stopped = scene.stopped {
            guard stopped.name == scene.selected, !isAll else {
                // In another view the person has already read the hint.
                return view == .inventory && page == nil ? way(to: stopped, scene) : nil
            }
            let isOfTour = stopped.stop(at: scene.at)?.breakpoint == tour.breakpoint
            return isOfTour ? tour.atStop : stopHint(stopped.name)
        }
        if progress.leftTape == underWay.lastToken { return tour.afterTape }
        return progress.leftStop == underWay.lastToken ? tour.afterStop : nil
    }

    /// The hint at a stop that does not belong to the tour.
    private func stopHint(_ queue: String) -> Hint {
        Hint(
            "a breakpoint stopped \(queue)",
            [Hint.Step(key(.step), "executes one task"), Hint.Step(key(.resume), "resumes")])
    }

    /// The keys that lead from the shown queue to another.
    private func way(to stopped: QueueLine, _ scene: LoadedScene) -> Hint {
        let names = scene.queues.map(\.name)
        var keys = ["h"]
        if let from = names.firstIndex(of: scene.selected ?? ""),
            let to = names.firstIndex(of: stopped.name), abs(to - from) <= 6, !isAll
        {
            keys += Array(repeating: to > from ? "j" : "k", count: abs(to - from)) + ["l"]
        }
        return Hint(
            "a breakpoint stopped \(stopped.name)",
            [Hint.Step(keys.joined(separator: " "), "to go to it", lead: "press ")])
    }
}

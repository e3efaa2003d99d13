import SluiceControl
import SluiceModel
import SluiceStore

/// What a newcomer is told step by step, behind the opening: where a breakpoint stops a queue, when
/// that goes on, on a tape, and back from it.
package struct Tour: Hashable, Sendable {
    /// What is told on the tape from an event on.
    package struct Chapter: Hashable, Sendable {
        /// The event behind which it begins.
        package var event: Int
        /// What is told.
        package var hint: Hint

        /// A chapter that begins behind an event.
        package init(event: Int, _ hint: Hint) {
            self.event = event
            self.hint = hint
        }
    }
    /// Where the tape lies.
    package var tape: String
    /// What is told on it, in the order of events.
    package var chapters: [Chapter]
    /// The breakpoint that the tour tells of.
    package var breakpoint: Int64
    /// At its stop, while the queue is shown.
    package var atStop: Hint
    /// When nothing stands at a breakpoint any more.
    package var afterStop: Hint
    /// Back from the tape.
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

/// How far a person has come on a tour; verbs are counted by their tokens, since what is told about
/// something that is over holds until the next verb.
struct TourProgress: Hashable, Sendable {
    private(set) var isStopped = false
    private(set) var isOnTape = false
    /// The last verb when the last stop was left.
    private(set) var leftStop: Int?
    /// The last verb when the tape was left.
    private(set) var leftTape: Int?

    /// Notes what is shown now.
    mutating func note(_ scene: LoadedScene, lastToken: Int) {
        if scene.tape != nil { return isOnTape = true }
        if isOnTape { (isOnTape, leftTape) = (false, lastToken) }
        let stands = scene.stopped != nil
        if isStopped, !stands { leftStop = lastToken }
        isStopped = stands
    }
}

extension LoadedScene {
    /// A queue that a breakpoint stopped and that nobody has let go on; the shown one, if it is
    /// one.
    var stopped: QueueLine? {
        let all = queues.filter { $0.stop(at: at) != nil }
        return all.first { $0.name == selected } ?? all.first
    }
}

extension ConsoleState {
    /// What the tour tells now; nil where it has nothing to say.
    var tourHint: Hint? {
        guard let tour = settings.tour, let scene else { return nil }
        if let place = scene.tape {
            guard settings.storeName == tour.tape else { return nil }
            return tour.chapters.last { $0.event <= place.event }?.hint
        }
        if let stopped = scene.stopped {
            guard stopped.name == scene.selected, !isAll else {
                // Whoever looks at something else has read it.
                return view == .inventory && page == nil ? way(to: stopped, scene) : nil
            }
            let isOfTour = stopped.stop(at: scene.at)?.breakpoint == tour.breakpoint
            return isOfTour ? tour.atStop : stopHint(stopped.name)
        }
        if progress.leftTape == underWay.lastToken { return tour.afterTape }
        return progress.leftStop == underWay.lastToken ? tour.afterStop : nil
    }

    /// What to do at another stop than the tour's.
    private func stopHint(_ queue: String) -> Hint {
        Hint(
            "a breakpoint stopped \(queue)",
            [Hint.Step(key(.step), "executes one task"), Hint.Step(key(.resume), "goes on")])
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

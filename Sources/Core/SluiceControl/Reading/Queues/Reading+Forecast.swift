package import SluiceModel
import SluiceStore

/// One coming start, as `forecast` shows it (N3).
package struct ForecastLine: Hashable, Sendable {
    package var id: TaskID
    package var type: String
    /// The expected start; `nil` if a blocker must be removed first.
    package var at: Timestamp?
    /// The blocker to remove first, if any.
    package var blocker: Blocker.Kind?
    /// The running task whose end it waits for, if that is its only blocker.
    package var behind: TaskID?
    /// How many waiting tasks its failure would hold back.
    package var holdsBack: Int
    /// The breakpoint that would stop the queue before this start, if any.
    package var breakpoint: Int64?
    /// The breakpoint whose present stop delays this start, if any.
    package var stoppedBy: Int64?
    /// The fault that its attempt would have, if any.
    package var fault: Int64?
}

extension Reading {
    /// The coming starts of a queue, in order, with the tasks that each failure would hold back
    /// (N3).
    ///
    /// A start is expected when its last blocker ends: the task's time, the end of a pause or skip,
    /// or the next run. Due tasks come first, then waiting tasks by time. Tasks of one moment keep
    /// the queue's order, except that each follows the tasks it waits for.
    package func forecast(queue name: String, limit: Int) throws -> (
        lines: [ForecastLine], more: Bool
    ) {
        let queue = try store.requireQueue(name)
        let page = try list(
            queue: name, sections: [.waiting], limit: limit * 4, withBlockers: true)
        let shown = Set(
            page.filter { ![.parked, .failed].contains($0.display) && !$0.isPassedOver }.map(
                \.task.id))
        let (coming, rest) = try ComingStarts(self, queue, page).inOrder()
        let ahead = (coming + rest).filter { shown.contains($0.task.id) }
        let moments = ahead.map { moment(of: $0, in: queue) }
        let tasks = ahead.map(\.task)
        let stops = try stopsAhead(of: tasks, at: moments)
        let faults = try faultsAhead(of: tasks, at: moments)
        let sorted = merged(coming, rest).filter { shown.contains($0.task.id) }
        let lines = try sorted.prefix(limit).map { start in
            // How long that runs which has every place of the queue is not known.
            let slot = start.expected.map { $0 <= now } == true ? start.slotBlocker : nil
            return ForecastLine(
                id: start.task.id, type: start.task.type, at: slot == nil ? start.expected : nil,
                blocker: slot?.kind ?? start.blocker?.kind, behind: slot?.task,
                holdsBack: try heldBack(by: start.task),
                breakpoint: stops[start.task.id], stoppedBy: stop(of: start, in: queue),
                fault: faults[start.task.id])
        }
        return (lines, sorted.count > limit)
    }

    /// Merges the starts, in order, with the other tasks by the end of their timers.
    private func merged(
        _ coming: [ComingStarts.Start], _ rest: [ComingStarts.Start]
    ) -> [ComingStarts.Start] {
        func key(_ start: ComingStarts.Start) -> (Timestamp, Int) {
            (start.at ?? start.task.waiting?.timer?.until ?? now, start.place)
        }
        var (left, others) = (coming[...], rest.sorted { key($0) < key($1) }[...])
        var merged: [ComingStarts.Start] = []
        while let next = [left.first, others.first].compactMap({ $0 }).min(by: { key($0) < key($1) }
        ) {
            merged.append(next)
            if next.at == nil { others.removeFirst() } else { left.removeFirst() }
        }
        return merged
    }

    /// The breakpoint whose stop ends a start's wait, or makes it endless.
    private func stop(of start: ComingStarts.Start, in queue: QueueRecord) -> Int64? {
        guard let at = start.expected else {
            guard start.blocker?.kind == .queuePaused else { return nil }
            let lasting = queue.pauses.filter { $0.until == nil && $0.direction.stopsWork }
            return lasting.allSatisfy { $0.cause == .breakpoint }
                ? lasting.last?.hits.last?.breakpoint : nil
        }
        return queue.pauses.last { pause in
            pause.cause == .breakpoint && pause.until.map { time.time(at: $0) == at } ?? false
        }?.hits.last?.breakpoint
    }

    /// The first real moment when a task may start, possibly the end of a breakpoint's stop.
    private func moment(of start: ComingStarts.Start, in queue: QueueRecord) -> Timestamp {
        guard let at = start.at else { return real }
        let first = at > now ? time.moment(of: at) ?? real : real
        let stops = queue.pauses.filter { $0.cause == .breakpoint }.compactMap(\.until)
        return stops.filter { time.time(at: $0) <= at }.reduce(first, max)
    }
}

extension ComingStarts.Start {
    /// The slot blocker, if tasks that will end occupy every slot of the queue.
    fileprivate var slotBlocker: Blocker? {
        line.blockers.first { $0.kind == .noSlot && $0.cause == nil }
    }
}

extension TaskLine {
    /// Whether a person skipped it without an end.
    fileprivate var isPassedOver: Bool { task.waiting?.skip.map { $0.until == nil } ?? false }
}

public import SluiceModel
import SluiceStore

/// One coming start, as `forecast` shows it (N3).
public struct ForecastLine: Hashable, Sendable {
    /// The task.
    public var id: TaskID
    /// Its type.
    public var type: String
    /// When it is expected; nil where something must be removed first.
    public var at: Timestamp?
    /// What must be removed first, where something must.
    public var blocker: Blocker.Kind?
    /// How many waiting tasks its failure would hold back.
    public var holdsBack: Int
    /// The breakpoint that stops the queue before it, where one does (G1).
    public var breakpoint: Int64?
    /// The fault that goes into its attempt, where one does (G2).
    public var fault: Int64?
}

extension Reading {
    /// The coming starts of a queue, in order, with what the failure of each would hold back (N3).
    ///
    /// Each is expected when the last of its blockers ends by itself: its own time, the end of a
    /// pause or a skip, the next run. Tasks that are due come first, then those that wait for a
    /// time, by it; those of one moment stand in the queue's order.
    public func forecast(queue name: String, limit: Int) throws -> (
        lines: [ForecastLine], more: Bool
    ) {
        let queue = try store.requireQueue(name)
        let page = try list(
            queue: name, sections: [.waiting], limit: limit * 4, withBlockers: true)
        let isLonely = try !processes().contains(where: \.isWorking)
        var starts: [(place: Timestamp, line: ForecastLine)] = []
        for line in page where line.display != .parked && line.display != .failed {
            let at = try start(of: line, in: queue, isLonely: isLonely)
            if line.display == .skipped, at == nil { continue }
            let forecast = ForecastLine(
                id: line.task.id, type: line.task.type, at: at,
                blocker: at == nil ? line.firstLasting?.kind : nil,
                holdsBack: try heldBack(by: line.task))
            starts.append((at ?? line.task.waiting?.timer?.until ?? now, forecast))
        }
        let sorted = starts.enumerated().sorted {
            ($0.element.place, $0.offset) < ($1.element.place, $1.offset)
        }
        var lines = sorted.prefix(limit).map(\.element.line)
        let tasks = try lines.compactMap { try store.task($0.id) }
        let (stops, faults) = (try stopsAhead(of: tasks), try faultsAhead(of: tasks))
        for index in lines.indices {
            lines[index].breakpoint = stops[lines[index].id]
            lines[index].fault = faults[lines[index].id]
        }
        return (lines, sorted.count > limit)
    }

    /// When a waiting task is expected to start; nil where that needs more than time.
    private func start(
        of line: TaskLine, in queue: QueueRecord, isLonely: Bool, depth: Int = 0
    ) throws -> Timestamp? {
        var at = now
        for blocker in line.blockers {
            switch blocker.kind {
            // How long what runs takes is not known, and whether a worker comes neither.
            case .noSlot: continue
            case .noRunner where isLonely: continue
            case .groupStart, .headOfQueue:
                guard depth < 10, let id = blocker.task, try store.task(id)?.waiting != nil,
                    let start = try start(
                        of: try self.line(id), in: queue, isLonely: isLonely, depth: depth + 1),
                    start > now
                else { return nil }
                at = max(at, start)
            default:
                guard let until = storeTime(ofEnd: blocker) else { return nil }
                at = max(at, until)
            }
        }
        return max(at, runAfter(line, in: queue))
    }

    /// When a blocker ends by itself by the clock of the store; nil where it does not, or where
    /// that stands and the end is one in real time.
    private func storeTime(ofEnd blocker: Blocker) -> Timestamp? {
        guard blocker.kind == .queuePaused, blocker.cause == Pause.Cause.breakpoint.rawValue,
            let until = blocker.until
        else { return blocker.until }
        return storeTime(ofReal: until)
    }

    /// When the run begins that a task of a batched queue brings about when its own time has come,
    /// where the next run is over by then.
    private func runAfter(_ line: TaskLine, in queue: QueueRecord) -> Timestamp {
        guard case .batched(let count, let delay) = queue.settings.start, queue.run == nil,
            let timer = line.task.waiting?.timer, timer.cause == .notBefore, timer.until > now,
            let next = line.blockers.first(where: { $0.kind == .noRun })?.until,
            next < timer.until
        else { return now }
        return count > 1 ? timer.until + delay : timer.until
    }
}

extension TaskLine {
    /// The first blocker that does not end by itself.
    fileprivate var firstLasting: Blocker? {
        blockers.first { $0.until == nil && $0.kind != .noSlot } ?? blockers.first
    }
}

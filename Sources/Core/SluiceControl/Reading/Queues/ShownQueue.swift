import SluiceModel
import SluiceStore

extension QueueTask {
    /// Whether its last attempt decided what became of it.
    fileprivate var hasResult: Bool { [.succeeded, .failed].contains(state.name) }
}

/// The displayed states of a queue's tasks at one moment. It reads shared facts once.
struct ShownQueue {
    private let reading: Reading
    private let queue: QueueRecord
    private let place: EligibilityContext
    private let next: TaskID?
    private let permits: [Permit]

    init(_ reading: Reading, _ queue: QueueRecord) throws {
        self.reading = reading
        self.queue = queue
        var place = try reading.store.eligibility(
            ofQueue: queue, now: reading.now, real: reading.real)
        (place.processes, place.gone) = (try reading.processes(), try reading.goneProcesses())
        place.doubted = try reading.doubtedProcesses()
        place.running = try place.running.filter {
            try $0.running != nil || reading.withoutEndedHolds($0).waiting?.isOrphaned == true
        }
        self.place = place
        next = try reading.next(of: queue)?.id
        permits = try reading.store.permits()
    }

    func display(of task: QueueTask) throws -> Display {
        let task = try reading.withoutEndedHolds(task)
        return task.display(in: try place(of: task), isNext: task.id == next)
    }

    /// A task as a list shows it.
    func line(of task: QueueTask, withBlockers: Bool) throws -> TaskLine {
        let task = try reading.withoutEndedHolds(task)
        let place = try place(of: task)
        let hasAttempt = task.running != nil || task.hasResult
        let attempt = hasAttempt ? try reading.store.attempts(of: task.id).last : nil
        let took = attempt.flatMap { one in one.endedAt.map { max(0, $0 - one.startedAt) } }
        return TaskLine(
            task: task, display: task.display(in: place, isNext: task.id == next),
            blockers: withBlockers ? blockers(of: task, in: place) : [],
            isLost: place.gone.contains { $0.id == task.running?.owner },
            heldBy: place.holder?.id, fraction: attempt?.fraction,
            progressText: attempt?.progressWords, took: task.hasResult ? took : nil,
            folderID: try reading.store.naming?.uuid(of: task.id),
            systemState: reading.store.systemStates?[task.id]?.word, isPast: reading.isPast)
    }

    /// The blockers, on a tape only with fixes that change nothing.
    private func blockers(of task: QueueTask, in place: EligibilityContext) -> [Blocker] {
        let blockers = task.blockers(in: place)
        guard reading.isPast else { return blockers }
        return blockers.map { blocker in
            if case .why? = blocker.fix { return blocker }
            var blocker = blocker
            blocker.fix = nil
            return blocker
        }
    }

    private func place(of task: QueueTask) throws -> EligibilityContext {
        var place = place
        if task.waiting != nil {
            place.holder = try reading.store.holder(of: task, in: queue, now: reading.now)
            place.rateKey = try reading.store.rateKey(of: task, in: queue)
        }
        place.shown = reading.store.systemStates?[task.id]?.display
        place.hasPermit = permits.contains { $0.task == task.id && $0.version == task.version }
        return place
    }
}

import SluiceControl
import SluiceModel

/// Whether an action fits what is selected: the reason when it does not, which the message says
/// and the legend shows dim.
struct Legality {
    let state: ConsoleState

    /// Why the action cannot be done now; nil when it can.
    func reason(_ id: Action.ID) -> String? {
        guard let action = Action.named(id) else { return "it is not there" }
        if changes(action), let reason = readOnlyReason { return reason }
        if action.subject == .program { return nil }
        guard state.scene != nil else { return "the store has not been read yet" }
        switch action.subject {
        case .queue: return queueReason(id)
        case .task: return taskReason(id)
        case .view: return viewReason(id)
        case .store, .program: return nil
        }
    }

    /// Why nothing can be changed at all.
    var readOnlyReason: String? {
        guard state.settings.isReadOnly else { return nil }
        return "\(state.settings.storeName) is open for reading only: open it without --read-only"
    }

    private func changes(_ action: Action) -> Bool {
        // The form is there to be looked at, too.
        if action.id == .setQueue { return false }
        if let command = action.command { return command.changes }
        return [.stepTask, .pauseWithReason, .raisePriority, .lowerPriority].contains(action.id)
    }

    private func queueReason(_ id: Action.ID) -> String? {
        if id == .enqueue { return nil }
        guard let line = state.selectedQueueLine else {
            return "no queue is there yet: \(state.key(.enqueue)) enqueues the first task"
        }
        switch id {
        case .step: return stepReason(line)
        case .run:
            // One that steps or the queue opened is taken up; one that was asked for goes on.
            return line.overview.queue.run?.isAsked == true
                ? "a run of \(line.name) is already open" : nil
        case .resume: return resumeReason(line)
        case .deleteQueue:
            let running = line.tally.running
            let word = running == 1 ? "runs" : "run"
            return running == 0
                ? nil : "\(NumberText.tasks(running)) of \(line.name) \(word): cancel them first"
        default: return nil
        }
    }

    private func stepReason(_ line: QueueLine) -> String? {
        let queue = line.overview.queue
        let isServed = state.scene?.runners.contains { $0.process.works(in: queue.name) } ?? false
        let isStopped = queue.isStopped(at: state.now, storePauses: line.overview.pauses)
        guard isServed, !isStopped, queue.goesOnByItself else { return nil }
        return "\(line.name) starts its work by itself: \(state.key(.pause)) pauses it first"
    }

    private func resumeReason(_ line: QueueLine) -> String? {
        guard line.overview.queue.activePauses(at: state.now).isEmpty else { return nil }
        return line.overview.pauses.isEmpty
            ? "\(line.name) is not paused"
            : "the whole store is paused: : resume --all ends that"
    }

    private func viewReason(_ id: Action.ID) -> String? {
        switch id {
        case .markMatching, .filter, .nextMatch, .previousMatch:
            guard state.view == .inventory, state.page == nil else {
                return "that is for the inventory: 1 shows it"
            }
            if id == .nextMatch || id == .previousMatch, state.list.filter == nil {
                return "no filter is set: \(state.key(.filter)) sets one"
            }
            return nil
        case .detailLog:
            return state.view == .activity && state.page == nil
                ? nil : "that is for the activity: 4 shows it"
        default: return nil
        }
    }

    private func taskReason(_ id: Action.ID) -> String? {
        if id == .raisePriority || id == .lowerPriority, state.changesQueuePriority {
            return state.selectedQueueLine == nil ? "no queue is selected" : nil
        }
        if !state.marks.isEmpty, Self.takesMarks.contains(id) { return nil }
        guard let line = state.selectedLine else { return noTask }
        let task = line.task
        let name = state.names.name(task.id)
        switch id {
        case .stepTask:
            if let line = state.scene?.queue(named: task.queue),
                let reason = stepReason(line)
            {
                return reason
            }
            return waits(line, "stepped")
        case .skip: return waits(line, "skipped")
        case .postpone: return waits(line, "postponed")
        case .move: return waits(line, "moved")
        case .unskip: return task.waiting?.skip == nil ? "\(name) is not skipped" : nil
        case .retry: return retryReason(line)
        case .raisePriority, .lowerPriority, .priority: return waitsOrFailed(line)
        case .edit: return waitsOrFailed(line) ?? editReason(line)
        case .delete:
            return task.state.name == .deleted ? "\(name) is in the trash already" : nil
        case .undelete: return task.state.name == .deleted ? nil : "\(name) is not in the trash"
        case .cancel: return task.running == nil ? "\(name) does not run" : nil
        case .reclaim:
            let hasOwner = task.running != nil || task.waiting?.lingering != nil
            return hasOwner ? nil : "nothing of \(name) runs anywhere"
        case .acknowledge:
            guard task.endedAt != nil else { return "\(name) has no result to collect yet" }
            return task.isAcknowledged ? "\(name) was acknowledged already" : nil
        case .results: return task.session == nil ? "\(name) belongs to no session" : nil
        case .purge:
            return task.endedAt == nil
                ? "\(name) is not finished: \(state.key(.delete)) deletes it first" : nil
        case .olderAttempt, .newerAttempt, .withOlder, .withNewer: return compareReason(line)
        case .previousLink: return line.heldBy == nil ? "nothing holds \(name)" : nil
        case .nextLink: return task.groupStart == nil ? "\(name) starts no group" : nil
        default: return nil
        }
    }

    /// Why no task is selected although a row may be.
    private var noTask: String {
        guard state.page == nil, let id = state.cursors[state.view]?.key?.task else {
            return "no task is selected"
        }
        return state.scene?.request.subject == id
            ? "\(state.names.name(id)) is gone: it finished, or it was purged"
            : "\(state.names.name(id)) is being read"
    }

    static let takesMarks: Set<Action.ID> = [
        .skip, .unskip, .delete, .undelete, .retry, .postpone, .priority, .raisePriority,
        .lowerPriority, .move, .duplicate, .cancel, .reclaim, .acknowledge, .purge,
    ]

    private func waits(_ line: TaskLine, _ word: String) -> String? {
        guard line.task.waiting == nil else { return nil }
        return "\(state.names.name(line.task.id)) is \(line.display.words), so it cannot be \(word)"
    }

    private func waitsOrFailed(_ line: TaskLine) -> String? {
        let name = state.names.name(line.task.id)
        switch line.task.state.name {
        case .waiting, .failed: return nil
        case .running: return "\(name) runs: wait for its end, or cancel it"
        case .succeeded: return "\(name) is finished: \(state.key(.duplicate)) runs it once more"
        case .deleted: return "\(name) is in the trash: undelete it first"
        }
    }

    private func compareReason(_ line: TaskLine) -> String? {
        guard case .detail? = state.page else { return "Enter opens the task first" }
        let name = state.names.name(line.task.id)
        switch state.scene?.detail?.attempts.count ?? 0 {
        case 0: return "\(name) was not executed yet"
        case 1: return "\(name) was executed once: there is nothing to compare"
        default: return nil
        }
    }

    private func editReason(_ line: TaskLine) -> String? {
        guard let parking = line.task.waiting?.parking, parking.cause == .editing else {
            return nil
        }
        let name = state.names.name(line.task.id)
        return "\(parking.detail) is editing \(name): \(state.key(.retry)) takes it away"
    }

    private func retryReason(_ line: TaskLine) -> String? {
        if let reason = waitsOrFailed(line) { return reason }
        guard let waiting = line.task.waiting else { return nil }
        let hasNothing =
            waiting.timer == nil && waiting.parking == nil && waiting.skip == nil
            && !waiting.attemptedInRun && line.task.expiresAt == nil
        guard hasNothing else { return nil }
        let name = state.names.name(line.task.id)
        return line.heldBy.map {
            "\(name) has no timer to clear: \(state.names.name($0)) holds it"
        } ?? "\(name) is due already"
    }
}

extension Display {
    /// The word that people read.
    var words: String { self == .heldByGroup ? "held" : rawValue }
}

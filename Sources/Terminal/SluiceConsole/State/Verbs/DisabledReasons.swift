import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Whether an action applies to the selection. If not, the reason appears in the message, and the
/// legend shows the key dim.
struct DisabledReasons {
    let state: ConsoleState

    /// Why the action cannot be done now; nil when it can.
    func reason(_ id: Action.ID) -> String? {
        guard let action = Action.named(id) else { return "it is not there" }
        if let page = state.pages.last, page.hides(action.subject) {
            return "\(state.key(id)) is for the list under this page: Esc goes back first"
        }
        if let reason = state.fleetReason(id, action.subject) { return reason }
        if changes(action), let reason = readOnlyReason { return reason }
        if id == .otherStore, state.otherStore == nil {
            return "no other store was shown; \(typed("open PATH")) shows one"
        }
        if action.subject == .program { return nil }
        guard let scene = state.scene else { return "the store has not been read yet" }
        if let refusal = scene.refusals[id] { return refusal }
        let hasSpans = state.isInFlow || state.isInQueues
        if hasSpans, id == .previousLink || id == .nextLink { return nil }
        if state.changesRate, id == .muchEarlier || id == .muchLater { return rateReason(id) }
        switch action.subject {
        case .queue: return queueReason(id)
        case .task: return taskReason(action)
        case .view: return viewReason(id)
        case .store, .program: return nil
        }
    }

    /// The reason why the store is read-only; `nil` if it is not.
    var readOnlyReason: String? {
        guard state.settings.isReadOnly else { return nil }
        if state.scene?.tape != nil {
            return "\(state.settings.storeName) is a tape: the past cannot be changed"
        }
        return "\(state.settings.storeName) is open for reading only: open it without --read-only"
    }

    private func changes(_ action: Action) -> Bool {
        // A read-only store still shows the form.
        action.id != .setQueue && action.changesStore
    }

    private func queueReason(_ id: Action.ID) -> String? {
        if id == .enqueue { return nil }
        if state.isInDebugger { return state.debuggerReason(id) }
        if state.isOnAll { return reasonOnAll(id) }
        guard let line = state.selectedQueueLine else {
            return state.isAll
                ? "that is for the queue of a task, and none is selected\(whereTasksAre)"
                : "no queue is there yet: \(state.key(.enqueue)) enqueues the first task"
        }
        switch id {
        case .step: return stepReason(line)
        case .run:
            // An open run from a step or the queue becomes a requested run. A run already requested
            // continues.
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

    /// The reason against an action for one queue on the row of all queues.
    func reasonOnAll(_ id: Action.ID) -> String? {
        switch id {
        case .pause, .pauseWithReason: return nil
        case .resume:
            return state.scene?.storePauses.isEmpty ?? true
                ? "the store is not paused: a queue's own pause ends in that queue" : nil
        default: return "that is for one queue: \(state.key(.down)) goes to the first"
        }
    }

    private func stepReason(_ line: QueueLine) -> String? {
        let queue = line.overview.queue
        // Workers that are not known may serve it.
        let isServed =
            state.scene.map { scene in
                scene.workers != .listed
                    || scene.runners.contains { $0.process.works(in: queue.name) }
            } ?? false
        let isStopped = queue.isStopped(
            at: state.storeNow, real: state.now, storePauses: line.overview.pauses)
        guard isServed, !isStopped, queue.goesOnByItself else { return nil }
        return "\(line.name) starts tasks automatically: \(state.key(.pause)) pauses it first"
    }

    private func resumeReason(_ line: QueueLine) -> String? {
        guard line.overview.queue.activePauses(at: state.storeNow, real: state.now).isEmpty else {
            return nil
        }
        return line.overview.pauses.isEmpty
            ? "\(line.name) is not paused"
            : "the whole store is paused; \(typed("resume --all")) ends that"
    }

    private func viewReason(_ id: Action.ID) -> String? {
        switch id {
        case .filter where state.page == nil: return nil
        case .markMatching, .filter, .nextMatch, .previousMatch:
            guard state.view == .inventory, state.page == nil else {
                return "that is for the inventory: 1 shows it"
            }
            if id == .nextMatch || id == .previousMatch, state.list.filter == nil {
                return "no filter is set: \(state.key(.filter)) sets one"
            }
            return nil
        case .order, .columns:
            return state.view == .inventory && state.page == nil
                ? nil : "that is for the inventory: 1 shows it"
        case .preview:
            guard state.view.hasPreview, state.page == nil else {
                return "that is for the inventory: 1 shows it"
            }
            let room = state.view == .inventory ? "130 columns, or 80 and 30 lines" : "150 columns"
            return state.hasPreviewRoom
                ? nil : "the preview needs \(room); \(state.key(.detail)) opens the task"
        case .earlier, .later, .muchEarlier, .muchLater:
            return state.scene?.tape == nil
                ? "that is for a tape: sluice record makes one, sluice FILE opens it" : nil
        case .timeline:
            if state.timelineScope == nil, state.isOnLane { return "nothing ran in this slot" }
            return state.timelineScope == nil
                ? "a timeline is of one queue: \(state.key(.down)) goes to the first" : nil
        case .detailLog:
            return state.view == .activity && state.page == nil
                ? nil : "that is for the activity: 4 shows it"
        default: return nil
        }
    }

    private func taskReason(_ action: Action) -> String? {
        let id = action.id
        if state.isInDebugger { return state.debuggerReason(id) }
        if id == .raisePriority || id == .lowerPriority, state.changesQueuePriority {
            if state.isOnAll { return reasonOnAll(id) }
            return state.selectedQueueLine == nil ? "no queue is selected" : nil
        }
        if id == .move, state.isAll {
            return "all tasks are ordered by number: one is moved in the list of its queue"
        }
        if id == .move, state.order != .running {
            return "a task is moved in the running order: \(state.key(.order)) leads there"
        }
        if id == .detail, state.entryOnTape != nil { return nil }
        if id == .detail || id == .retry, state.selectedFailure != nil { return nil }
        if id == .detail, state.leadsOnFromFailures { return nil }
        if id == .detail, state.page == nil, case .runner? = state.cursors[state.view]?.key {
            return "a worker has no page: \(state.key(.detail)) opens a task, and 1 lists those"
        }
        if !state.marks.isEmpty, action.verb?.takesMarks == true { return nil }
        guard let line = state.selectedLine else {
            let form = DebuggerForms.named(id)
            let isOfQueue = form?.takesQueue == true && state.selectedQueue != nil
            return unreadTask ?? (isOfQueue ? nil : "no task is selected")
        }
        if let system = line.systemState, action.changesStore {
            if let refusal = state.scene?.taskRefusals[system]?[id] {
                return words(refusal, of: line)
            }
            if id != .stepTask { return nil }
        }
        let shown = ShownTask(line, names: state.names) { state.key($0) }
        if let verb = action.verb { return verb.reason(against: shown) }
        let task = line.task
        let name = state.names.name(task.id)
        switch id {
        case .stepTask:
            if let line = state.scene?.queue(named: task.queue),
                let reason = stepReason(line)
            {
                return reason
            }
            return shown.reason(outside: [.waiting], "stepped")
        case .results: return task.session == nil ? "\(name) belongs to no session" : nil
        case .olderAttempt, .newerAttempt, .withOlder, .withNewer: return compareReason(line)
        case .previousLink: return line.heldBy == nil ? "nothing holds \(name)" : nil
        case .nextLink: return task.groupStart == nil ? "\(name) starts no group" : nil
        default: return nil
        }
    }

    /// Why an action cannot be done to a task of another system, with the key that leads on.
    private func words(_ refusal: ActionRefusal, of line: TaskLine) -> String {
        let reason = "\(state.names.name(line.task.id)) \(refusal.reason)"
        let separator = " \(state.settings.glyphs[.separator]) "
        switch refusal.way {
        case .action(let id, let effect): return "\(reason)\(separator)\(state.key(id)) \(effect)"
        case .sentence(let text): return "\(reason)\(separator)\(text)"
        case nil: return reason
        }
    }

    /// A command as one types it into the command line.
    func typed(_ command: String) -> String {
        let key = state.key(.commandLine)
        return key.count == 1 ? key + command : "\(key) \(command)"
    }

    /// A pointer to the task list, except in that list.
    private var whereTasksAre: String {
        state.view == .inventory ? "" : " here: 1 lists tasks"
    }

    /// The reason why the cursor's row has no loaded task.
    private var unreadTask: String? {
        if state.view == .inventory, state.scene?.request.rows.filter != state.list.filter {
            return "the list is being read"
        }
        guard state.page == nil, let id = state.cursors[state.view]?.key?.task else {
            return nil
        }
        return state.scene?.request.subject == id
            ? "\(state.names.name(id)) was removed: it finished or was purged"
            : "\(state.names.name(id)) is being read"
    }

    private func compareReason(_ line: TaskLine) -> String? {
        guard case .detail? = state.page else { return "Enter opens the task first" }
        let name = state.names.name(line.task.id)
        switch state.scene?.detail?.attempts.count ?? 0 {
        case 0: return "\(name) has not been attempted yet"
        case 1: return "\(name) was attempted once: there is nothing to compare"
        default: return nil
        }
    }
}

extension Page {
    /// Whether it hides what an action of a subject would act on.
    func hides(_ subject: Action.Subject) -> Bool {
        switch self {
        case .why, .detail, .timeline: false
        case .changed(let task, _): task.change.after == nil
        case .settings: subject == .task
        default: [.task, .queue, .store].contains(subject)
        }
    }
}

import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Doing an action of the table, wherever it was chosen: key, menu, legend.
extension ConsoleState {
    mutating func perform(_ id: Action.ID) {
        if id != .preview { leaveStepped() }
        if let reason = DisabledReasons(state: self).reason(id) {
            message = .refusal(reason)
            return
        }
        if performOnRate(id) || performOnTape(id) || performOnAll(id) || performOnFailures(id)
            || performOnDebugger(id) || performLooking(id) || performOnQueue(id)
            || performOnTasks(id)
        {
            return
        }
        let line = key(.commandLine)
        message = .refusal("\(id.rawValue) is a command: \(line) opens the command line")
    }

    /// Whether `+` and `-` mean the queue's priority.
    var changesQueuePriority: Bool { page == nil && (view.listsQueues || focus == .queues) }

    /// The targets of a verb on tasks: the marked ones, or the one under the cursor. Each has the
    /// version on the screen (K1, D8).
    var targets: [TaskTarget] {
        if page?.subject == nil, !marks.isEmpty { return marks.targets }
        return selectedLine.map { [TaskTarget($0.task)] } ?? []
    }

    /// A filter applies to tasks, so show them before the input.
    private mutating func askForFilter() {
        if view != .inventory { show(.inventory) }
        ask(Prompt(.filter, text: list.filter?.description ?? ""))
    }

    private mutating func performLooking(_ id: Action.ID) -> Bool {
        switch id {
        case .why: openSelected { .why($0, choice: 0) }
        case .detail: openSelected { .detail($0, DetailPlace()) }
        case .results:
            if let session = selectedLine?.task.session {
                startCommand(ShellWord.command("results", session))
            }
        case .mark: toggleMark()
        case .markMatching: markMatching()
        case .filter where view == .activity: askForLogFilter()
        case .filter: askForFilter()
        case .nextMatch: goToMatch(1)
        case .previousMatch: goToMatch(-1)
        case .top, .end: move(id == .top ? .start : .end)
        case .previousLink where hasSpans, .nextLink where hasSpans:
            changeSpan(longer: id == .nextLink)
        case .previousLink:
            if let holder = selectedLine?.heldBy { go(to: holder) }
        case .nextLink: if let task = selectedLine?.task { goToHeld(by: task.id) }
        case .olderAttempt: compare(later: -1)
        case .newerAttempt: compare(later: 1)
        case .withOlder: compare(earlier: -1)
        case .withNewer: compare(earlier: 1)
        case .timeline: openTimeline()
        case .freeze: toggleFreeze()
        case .timeFormat:
            timeFormat = timeFormat.next
            message = .note(timeFormat.sentence)
        case .detailLog:
            (showsDetail, reads.isStale) = (!showsDetail, true)
            message = .note(
                showsDetail ? "runs, their timers and begins of attempts too" : "without detail")
        case .order: changeOrder()
        case .columns: chooseColumns()
        case .preview: togglePreview()
        case .panes: togglePanes()
        case .copy: copy()
        case .report: report()
        case .actions, .commandLine: ask(Prompt(.command, history: commandHistory))
        case .help: open(.help(top: 0, find: ""))
        case .nextView: show(view.next)
        case .back: goBack(quits: true)
        case .otherStore: openOtherStore()
        case .screenshot: drawScreen(into: nil)
        default: return false
        }
        return true
    }

    /// Whether the view shows a span of time that `[` and `]` change.
    private var hasSpans: Bool { isInFlow || isInQueues }

    private mutating func changeSpan(longer: Bool) {
        if isInFlow { lookBack(longer: longer) } else { lookBackInQueues(longer: longer) }
    }

    private mutating func markMatching() {
        guard let queue = selectedQueue else { return }
        message = .note("looking for all that match")
        send(
            .collect(
                CollectRequest(
                    queue: isAll ? nil : queue, filter: list.filter, withEnded: showsEnded)))
    }

    /// Opens a page about the selected task, and selects its queue, so that verbs on queues affect
    /// the visible one.
    private mutating func openSelected(_ page: (TaskID) -> Page) {
        guard let task = selectedLine?.task else { return }
        if !isAll { select(queue: task.queue) }
        open(page(task.id))
    }

    private mutating func performOnQueue(_ id: Action.ID) -> Bool {
        if let form = DebuggerForms.named(id) {
            form.open(in: &self)
            return true
        }
        switch id {
        case .enqueue: ask(Prompt(.enqueue(queue: actedQueue ?? selectedQueue ?? "default")))
        case .undo, .redo: revert(id)
        case .network:
            // Round: measured, off, on.
            let forced = scene?.forcedNetwork
            start(.network(forced: forced == nil ? false : forced == false ? true : nil))
        case .raisePriority where changesQueuePriority: changeQueuePriority(by: 1)
        case .lowerPriority where changesQueuePriority: changeQueuePriority(by: -1)
        default:
            guard let queue = actedQueue else { return false }
            return performOnNamedQueue(id, queue)
        }
        return true
    }

    private mutating func performOnNamedQueue(_ id: Action.ID, _ queue: String) -> Bool {
        switch id {
        case .step: start(StepRequest.queue(queue, count: 1))
        case .stepBack: start(.stepBack(queue: queue))
        case .run:
            let isStopped = selectedQueueLine?.overview.queue.hits(at: now).isEmpty == false
            start(isStopped ? .goOn(queue: queue) : .run(queue: queue, limit: nil))
        case .pause: start(.pause(PauseRequest(.queue(queue))))
        case .pauseWithReason:
            message = nil
            modal = .stop(StopMenu(queue: queue))
        case .resume: start(.resume(.queue(queue)))
        case .setQueue: open(.settings(queue, .preset))
        case .deleteQueue: askToDelete(queue)
        default: return false
        }
        return true
    }

    /// Deleting a queue is permanent, so ask first. With many tasks the person types their number.
    private mutating func askToDelete(_ queue: String) {
        guard let tally = selectedQueueLine?.tally else { return }
        let count = tally.live + tally.succeeded + tally.deleted
        var lines: [StyledLine] = []
        if count > 0 {
            let what = count == 1 ? "is" : "are"
            lines.append(
                StyledLine("\(NumberText.tasks(count)) \(what) forgotten with it", .failed))
        }
        lines.append(StyledLine("undo brings nothing back", .quiet))
        message = nil
        let verb = Verb.deleteQueue(queue, evenWithTasks: tally.waiting > 0)
        let usual = Confirmation.answer(forCount: count) ?? .key
        modal = .confirm(
            confirmation(of: verb, "delete the queue \(queue)?", lines, usually: usual))
    }

    private mutating func performOnTasks(_ id: Action.ID) -> Bool {
        let targets = targets
        guard let first = targets.first else { return false }
        switch id {
        case .stepTask: start(StepRequest.task(first))
        case .postpone: ask(Prompt(.postpone(targets), of: words(for: targets)))
        case .raisePriority: changePriority(targets, by: 1)
        case .lowerPriority: changePriority(targets, by: -1)
        case .move: ask(Prompt(.move(targets), of: words(for: targets)))
        case .edit: edit(first)
        default:
            let task = targets.count == 1 ? selectedLine?.task : nil
            guard let verb = Action.named(id)?.verb?.unsaid(on: task) else { return false }
            start(.on(targets, verb))
        }
        return true
    }

    /// The targets in words, for a question.
    private func words(for targets: [TaskTarget]) -> String {
        targets.count == 1 ? names.name(targets[0].id) : NumberText.tasks(targets.count)
    }

    private mutating func changePriority(_ targets: [TaskTarget], by step: Int) {
        let row = list.page.rows.first { $0.task.id == targets.first?.id }
        let former = (row ?? selectedLine)?.task.priority ?? 0
        let (value, overflow) = former.addingReportingOverflow(step)
        start(.priority(targets, .number(overflow ? former : value)))
    }

    private mutating func changeQueuePriority(by step: Int) {
        guard let line = selectedQueueLine else { return }
        let former = line.overview.queue.settings.priority
        let (value, overflow) = former.addingReportingOverflow(step)
        start(.setQueue(line.name, [.priority(overflow ? former : value)]))
    }

    private mutating func toggleMark() {
        recordMove()
        guard let task = selectedLine?.task else { return }
        marks.toggle(task)
        if page == nil { move(.rows(1)) }
    }

    mutating func mark(_ targets: [TaskTarget], of request: CollectRequest) {
        recordMove()
        marks.add(targets, of: request)
        let word = targets.count == 1 ? "is" : "are"
        message = .note(
            "\(NumberText.tasks(targets.count)) \(word) marked; Esc takes the marks away")
    }

    private mutating func toggleFreeze() {
        if freeze == nil {
            freeze = Freeze(at: now)
            message = .note(
                "the picture is frozen; the store continues. \(key(.freeze)) unfreezes it")
        } else {
            freeze = nil
            reads.isStale = true
        }
    }

    private mutating func togglePreview() {
        wantsPreview = !showsPreview
        fitWindows()
        reads.isStale = true
    }

    private mutating func togglePanes() {
        showsPanes.toggle()
        fitWindows()
        reads.isStale = true
        message = .note(
            "the panes are \(showsPanes ? "shown" : "hidden"); "
                + "\(key(.panes)) \(showsPanes ? "hides" : "shows") them")
        send(.keepPanes(showsPanes))
    }

    private mutating func report() {
        let ids = targets.map(\.id)
        guard !ids.isEmpty else { return }
        message = .note("reading the report")
        send(.report(ids))
    }

    private mutating func copy() {
        if case .detail(let id, _)? = page, let detail = scene?.detail,
            detail.line.task.id == id
        {
            copied = "the payload of \(names.name(id))"
            send(.copy(String(decoding: detail.payload, as: UTF8.self)))
        } else if let task = selectedLine?.task {
            // As a shell takes it: what begins with # is a comment there.
            copied = names.name(task.id)
            send(.copy(names.isEmpty ? "\(task.id)" : names.reference(task.id)))
        }
    }

    /// To a task of the selected queue's list.
    mutating func go(to id: TaskID) {
        if !isAll, let queue = selectedLine?.task.queue { select(queue: queue) }
        recordMove()
        pages = []
        if view != .inventory { show(.inventory) }
        var rows = RowsRequest()
        rows.follow = id
        rows.anchor = .start
        jump = rows
        reads.isStale = true
    }

    private mutating func goToHeld(by id: TaskID) {
        go(to: id)
        jump?.linkFrom = id
    }

    /// Lists what matches; the cursor stays on its task, if that is there and the list is not
    /// wanted from its top.
    mutating func setFilter(_ filter: TaskFilter?, fromTop: Bool = false) {
        list.filter = filter
        list.cameFrom = nil
        marks.clear()
        recordMove()
        isOnFold = false
        if !isAll, let name = filter?.queue, name != selectedQueue,
            scene?.knownQueueNames.contains(name) ?? false
        {
            select(queue: name)
        }
        var rows = RowsRequest()
        rows.follow = fromTop ? nil : list.line?.task.id
        jump = rows
        list.top = 0
        reads.isStale = true
    }
}

/// Running verbs on many tasks (D10, K7).
extension ConsoleState {
    mutating func apply(_ progress: BulkProgress, secondsLeft: Int?, of token: Int) {
        guard let command = underWay.record(progress, secondsLeft: secondsLeft, of: token) else {
            return
        }
        // From now on the progress line shows the command.
        if message == MessageLine(command: command, text: "", role: .quiet) { message = nil }
    }

    /// Asks the bulk to stop between two slices; says whether there was one to ask.
    mutating func stopBulk() -> Bool {
        guard let token = underWay.stopBulk() else { return false }
        send(.stop(token: token))
        return true
    }

    /// Quits. If that would end a bulk verb, only the second request quits.
    mutating func quit() {
        guard let course = underWay.bulk?.course, underWay.leaving != .decided else {
            return send(.quit)
        }
        if underWay.leaving == .asked {
            underWay.leaving = .decided
            _ = stopBulk()
            message = .note("leaving once these tasks are done; \(key(.back)) leaves now")
        } else {
            underWay.leaving = .asked
            let left = NumberText.tasks(course.progress.total - course.progress.done)
            message = .refusal("that leaves \(left) as they are: q once more ends it here")
        }
    }

    /// After an answer: ends the program where it waited for that.
    mutating func leaveIfDecided() {
        guard underWay.bulk == nil else { return }
        if underWay.leaving == .decided { send(.quit) }
        underWay.leaving = nil
    }

    /// Keeps failed and remaining tasks selected (D10), unless the person selected others. A
    /// changed task has the answer's version.
    mutating func keepSelected(_ verb: Verb?, _ answer: Answer) {
        if let verb, verb.targets.count > 1 { marks.keep(answer) }
    }

    /// The end point of a bulk verb, and its failures.
    func shortfall(_ answer: Answer, isUndo: Bool) -> String? {
        let stays = marks.isEmpty || isUndo ? "" : ", still selected"
        if let stop = answer.stop {
            let end = stop.error.map { names.text($0.description) } ?? "stopped"
            if isUndo { return "\(end), z continues" }
            return "\(end): \(NumberText.tasks(stop.left.count)) left\(stays)"
        }
        guard let failure = answer.failed.first else { return nil }
        let count = NumberText.grouped(answer.failed.count)
        return "\(count) not done\(stays): \(names.text(failure.error.message))"
    }
}

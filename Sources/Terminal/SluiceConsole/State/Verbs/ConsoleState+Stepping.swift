import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// A step keeps the place: the list does not scroll after the running task. The cursor moves to the
/// next task, and the preview keeps the stepped one.
extension ConsoleState {
    /// The last step, until the person moves or marks.
    struct Stepping: Hashable, Sendable {
        var token: Int
        /// The executed task with its message; `nil` until the step ends.
        var done: Stepped?
        /// The next task, until the cursor reaches it.
        var next: TaskID?
        /// Whether the cursor moves on to the next task.
        var goesOn: Bool
        /// The stepped task, if the cursor was on it. The cursor stays on it without scrolling.
        var target: TaskID?
        /// The last load that does not know yet what the step did.
        var generation: Int?
        /// Whether the list followed before the step, as it does again after it.
        var wasFollowing = false
    }

    /// Records a move by the person, which ends the step's control of the cursor.
    mutating func recordMove() {
        stepping = nil
        isFollowing = false
        list.heldRow = nil
    }

    /// Whether the list keeps its place even if the cursor's task moves.
    var holdsPlace: Bool {
        guard let stepping, stepping.target != nil else { return false }
        return stepping.done == nil || stepping.generation != nil
    }

    /// The task that the cursor follows while its row is visible: the stepped task while it runs.
    /// If no next task exists, the cursor follows it anywhere.
    func followed(in page: TaskPage) -> TaskID? {
        guard let stepping, let row = page.rows.first(where: { $0.task.id == stepping.target })
        else { return nil }
        return stepping.goesOn && row.task.running == nil ? nil : row.task.id
    }

    /// Leaves the stepped task at the next key after the cursor moved on. The preview must show the
    /// task that keys affect.
    mutating func leaveStepped() {
        guard let stepping, stepping.done != nil, stepping.generation == nil else { return }
        recordMove()
        isFollowing = stepping.wasFollowing
    }

    /// The task at the cursor, where the preview still shows the one that is or was stepped.
    var besidePreviewed: TaskID? {
        guard view == .inventory, !isOnFold, let id = list.line?.task.id, id != previewed
        else { return nil }
        return id
    }

    /// The task that the preview shows: the one stepped last, else the one at the cursor. A
    /// row of failures or of a runner is shown by one of its tasks.
    var previewed: TaskID? {
        if view == .timers { return cursors[view]?.key?.task }
        if view != .inventory {
            return scene?.request.view == view ? scene?.detail?.line.task.id : nil
        }
        return stepping?.done?.id ?? stepping?.target ?? (isOnFold ? nil : list.line?.task.id)
    }

    /// The reason against another step. Steps run one after another, and a step queued after a long
    /// one would start unexpectedly later. Fast keys for fast steps still count.
    var stepInTheWay: String? {
        guard let since = underWay.steppingSince,
            now - since >= Self.stepPatience
        else { return nil }
        let time = DurationText.seconds((now - since) / 1000)
        return "a step has run for \(time): the next one can be begun when it ends"
    }

    private static let stepPatience: Int64 = 1000

    mutating func beginStepping(_ request: StepRequest, token: Int) {
        guard view == .inventory, page == nil else { return stepping = nil }
        let line = isOnFold ? nil : list.line
        list.heldRow = nil
        var step = Stepping(token: token, goesOn: false, wasFollowing: isFollowing)
        isFollowing = false
        switch request {
        case .queue:
            step.goesOn = marks.isEmpty
            step.target = line?.display == .next ? line?.task.id : nil
        case .task(let target): step.target = line?.task.id == target.id ? target.id : nil
        }
        stepping = step
    }

    mutating func recordStep(_ answer: StepAnswer?, token: Int) {
        guard var step = stepping, step.token == token else { return }
        guard let done = answer?.stepped.last else { return stepping = nil }
        step.done = done
        step.next = step.goesOn ? answer?.next : nil
        step.generation = reads.generation
        stepping = step
    }

    /// After a load, moves the cursor to the next task if it is further down. A task that is due
    /// again further up does not move the cursor back.
    mutating func goOnStepping(_ scene: LoadedScene) {
        guard let last = stepping?.generation, scene.request.generation > last else { return }
        stepping?.generation = nil
        guard let next = stepping?.next else { return }
        stepping?.next = nil
        if let row = list.page.rows.firstIndex(where: { $0.task.id == next }) {
            if row > list.cursor { list.select(row, height: layout.rowsHeight) }
        } else if list.page.reachesStart {
            var rows = RowsRequest()
            rows.follow = next
            jump = rows
            reads.isStale = true
        }
    }
}

/// A change that waits for the person's permission.
enum CarefulChange: Hashable, Sendable {
    case verb(Verb)
    case step(StepRequest)
    /// A line of the command line.
    case command(String)
    case edit(TaskTarget)
}

/// Other systems' queues are often in production, so the first change of a session asks.
extension ConsoleState {
    /// Asks once a session and store before a change of another system's queues. Returns whether
    /// it asks.
    mutating func asksForCare(_ change: CarefulChange) -> Bool {
        guard scene?.names.isForeign == true, !allowedStores.contains(settings.storeName) else {
            return false
        }
        let (kind, place) = (settings.storeKind, settings.storeName)
        let whole = "allow changes to \(kind) at \(place) in this session?"
        let isShort = DisplayText.width(whole) + 8 <= size.width
        message = nil
        modal = .confirm(
            Confirmation(
                .allow(change),
                title: isShort ? whole : "allow changes to \(kind) in this session?",
                lines: (isShort ? [] : [StyledLine("at \(place)")])
                    + [StyledLine("y also does: \(words(for: change))", .quiet)], answer: .key))
        return true
    }

    /// Does the change that the person allowed, and further ones without a question.
    mutating func allow(_ change: CarefulChange) {
        allowedStores.insert(settings.storeName)
        switch change {
        case .verb(let verb): commit(verb)
        case .step(let request): start(request)
        case .command(let line): startCommand(line)
        case .edit(let target): edit(target)
        }
    }

    /// Lends the terminal to an editor with the payload of a task.
    mutating func edit(_ target: TaskTarget) {
        guard !asksForCare(.edit(target)) else { return }
        isEditing = true
        send(.edit(target))
    }

    private func words(for change: CarefulChange) -> String {
        switch change {
        case .verb(let verb): commandText(of: verb).of(verb)
        case .step(let request): commandText().of(request)
        case .command(let line): line
        case .edit(let target): "edit \(names.name(target.id))"
        }
    }
}

/// Undo and redo. A verb of this console on few tasks reverts immediately; others need confirmation
/// (D9, K9).
extension ConsoleState {
    /// Undoes this console's newest verb, or redoes its newest undo, even if others changed tasks
    /// since. Without one, undoes the person's verbs elsewhere. Waits while another undo runs,
    /// because its result decides which verb is the last.
    mutating func revert(_ id: Action.ID) {
        if underWay.hold(id) { return }
        if id == .undo, let reason = undoHistory.consumeFinalReason() {
            message = .refusal("\(reason); \(key(.undo)) again is about the change before it")
            return
        }
        start(id == .redo ? undoHistory.redo : undoHistory.undo)
    }

    /// Records a verb without undo. Other systems keep their undo data themselves.
    mutating func recordFinal(_ verb: Verb) {
        guard scene?.queue?.system == nil else { return }
        undoHistory.recordFinal("\(verb.name) cannot be undone")
    }

    /// Handles the rehearsal of an undo: asks for confirmation, or commits it.
    mutating func applyRehearsal(
        _ result: Result<Answer, QueueError>, ofTakingBack verb: Verb
    ) {
        // The verb itself reports and records that undo is impossible.
        guard case .success(let answer) = result, let takenBack = answer.takenBack else {
            return commit(verb)
        }
        // Keep the event of the question, even if others change tasks in between (K1).
        let named = verb == .redo ? verb : .undo(event: takenBack.event)
        let isUnsure = undoHistory.asks(before: takenBack)
        guard isUnsure || answer.touchesMany else { return commit(named) }
        underWay.dropHeld()
        ask(named, answer, .key)
    }

    /// The lines below the title of the question.
    func origin(_ takenBack: Answer.TakenBack, _ answer: Answer) -> [StyledLine] {
        var lines: [StyledLine] = []
        if undoHistory.isElsewhere(takenBack) {
            lines.append(StyledLine("it was not done in this console", .time))
        }
        let count = NumberText.tasks(answer.changed.count)
        if answer.stop != nil {
            lines.append(StyledLine("\(count) in its first slice, and the others", .time))
        } else if answer.touchesMany {
            lines.append(StyledLine("\(count) of it can be undone", .time))
        }
        return lines
    }

    /// Continues with the waiting undo requests.
    mutating func undoNext(after verb: Verb?) {
        if let id = underWay.nextHeld(after: verb) { revert(id) }
    }

    /// `14 of 15 tasks · undone by dana: 15 tasks deleted by dana`.
    func undone(_ answer: Answer) -> String {
        let all = answer.changed.count + answer.failed.count
        let count = "\(NumberText.grouped(answer.changed.count)) of \(NumberText.tasks(all))"
        return answer.failed.isEmpty
            ? names.text(answer.summary) : "\(count) · \(names.text(answer.summary))"
    }
}

extension Answer {
    /// Whether it affects enough tasks to require confirmation (D10).
    fileprivate var touchesMany: Bool { stop != nil || changed.count + failed.count > 10 }
}

/// View 7: the rate of the chosen queue, halved or doubled while it works (Q13).
extension ConsoleState {
    /// Whether the keys of a hundred events on a tape mean the rate.
    var changesRate: Bool { isInQueues && scene?.tape == nil }

    /// Whether the action changes the rate, and was done.
    mutating func performOnRate(_ id: Action.ID) -> Bool {
        guard changesRate, let line = selectedQueueLine,
            let rate = line.overview.queue.settings.rate?.changed(by: id)
        else { return false }
        start(.setQueue(line.name, [.rate(rate.text), .burst(rate.burst)]))
        return true
    }
}

extension DisabledReasons {
    /// Why the rate cannot be changed by a key; nil when it can.
    func rateReason(_ id: Action.ID) -> String? {
        if let reason = readOnlyReason ?? state.scene?.refusals[.setQueue] { return reason }
        if state.isOnAll { return reasonOnAll(id) }
        guard let line = state.selectedQueueLine else { return "no queue is selected" }
        guard let rate = line.overview.queue.settings.rate else {
            let command = ShellWord.command("queue set", line.name, " --rate 10/1m")
            return "\(line.name) has no rate: \(typed(command)) gives it one"
        }
        guard rate.changed(by: id) == nil else { return nil }
        return "\(rate.text) is the \(id == .muchEarlier ? "lowest" : "highest") rate that this "
            + "key gives: \(state.key(.setQueue)) sets another"
    }
}

extension Rate {
    fileprivate func changed(by id: Action.ID) -> Rate? {
        switch id {
        case .muchEarlier: halved
        case .muchLater: doubled
        default: nil
        }
    }
}

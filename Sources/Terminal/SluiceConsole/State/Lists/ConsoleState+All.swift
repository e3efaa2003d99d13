import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The row above the queues: the tasks of all of them by number, and which queue a verb takes.
extension ConsoleState {
    /// Whether the cursor is on the row itself, so that a verb means all queues.
    var isOnAll: Bool { isAll && focus == .queues && page == nil && !view.listsQueues }

    /// The target of a verb on a queue: the selected one, or in the list of all queues the one at
    /// the cursor.
    var actedQueue: String? {
        if case .settings(let queue, _)? = page { return queue }
        guard isAll, !view.listsQueues else { return selectedQueue }
        return isOnAll ? nil : selectedLine?.task.queue
    }

    /// Whether the list is what the selected row says.
    var isListCurrent: Bool {
        scene?.selected == selectedQueue && scene?.request.isAll == isAll
    }

    /// Whether to read the task at the cursor only for its queue.
    var readsRowQueue: Bool { isAll && view == .inventory && page == nil && !showsPreview }

    /// Whether that queue is not loaded yet.
    var lacksRowQueue: Bool {
        guard readsRowQueue, freeze == nil, let queue = list.line?.task.queue else { return false }
        return scene?.queue(named: queue) == nil
    }

    mutating func selectAll() {
        queueCursor.stay()
        guard !isAll, scene?.listsAll ?? true else { return }
        isAll = true
        leaveQueue()
        reads.isStale = true
    }

    /// Moves between the row and the queues below it; false where the step stays among those.
    mutating func moveAtAll(_ step: Step) -> Bool {
        guard isAll else {
            let isAtTop = queueCursor.wanted.cursor == 0
            guard step.isToStart ? scene?.listsAll ?? true : step.isUpwards && isAtTop
            else { return false }
            selectAll()
            return true
        }
        guard !step.isUpwards, !step.isToStart else { return true }
        var window = queueCursor.wanted
        window.update(total: scene?.queueCount)
        switch step {
        case .rows(let rows):
            window.moveToStart()
            window.move(by: rows - 1)
        case .pages:
            window.moveToStart()
            window.pageDown()
        case .start: window.moveToStart()
        case .end: window.moveToEnd()
        }
        go(toQueueAt: window)
        return true
    }

    /// Asks before it stops all queues, or lets them go.
    mutating func performOnAll(_ id: Action.ID) -> Bool {
        guard isOnAll else { return false }
        switch id {
        case .pause:
            askAboutAll(
                .pause(PauseRequest(.store)), "pause all queues?",
                "nothing more starts in any of them; running tasks finish")
        case .resume:
            let due = NumberText.tasks(scene?.counts.waiting(in: []) ?? 0)
            askAboutAll(
                .resume(.store), "resume all queues?",
                "\(due) wait in them; a queue with its own pause stays paused")
        case .pauseWithReason:
            message = nil
            modal = .stop(StopMenu(queue: nil))
        default: return false
        }
        return true
    }

    private mutating func askAboutAll(_ verb: Verb, _ title: String, _ words: String) {
        message = nil
        modal = .confirm(
            Confirmation(
                verb: verb, title: title, lines: [StyledLine(words, .time)], answer: .key))
    }
}

/// Another order of the list.
extension ConsoleState {
    mutating func changeOrder() { sort(order.next) }

    mutating func sort(_ wanted: ListOrder) {
        order = wanted
        recordMove()
        var rows = RowsRequest()
        rows.follow = list.line?.task.id
        jump = rows
        reads.isStale = true
        let own = isAll && order == .running ? "by number, as in all queues" : order.sentence
        message = .note("\(own); \(key(.order)) switches to \(order.next.words)")
    }
}

/// Going to a task of any queue, and to the list of a command line.
extension ConsoleState {
    /// The task that a line names and nothing else, as `22` or `#22`.
    func namedTask(_ line: String) -> TaskID? {
        guard !line.contains(" "), let reference = try? TaskReference(line) else { return nil }
        let isNumber = line.drop { $0 == "#" }.allSatisfy(\.isWholeNumber)
        guard isNumber || !names.isEmpty && Action.command(in: [line]) == nil else { return nil }
        return names.task(reference)
    }

    /// Jumps to a task in the list of its queue, or in the list of all.
    mutating func seek(_ id: TaskID) {
        show(.inventory)
        focus = .view
        list.filter = nil
        recordMove()
        sought = id
        var rows = RowsRequest()
        rows.follow = id
        jump = rows
        reads.isStale = true
    }

    /// Completes a jump with the loaded task.
    mutating func arrive(_ scene: LoadedScene) {
        guard let id = sought, scene.request.sought == id else { return }
        sought = nil
        guard scene.sought != nil else {
            message = .refusal(
                "there is no task \(names.name(id)): it was never there, or is purged")
            return
        }
        // Lists omit ended tasks, so open the task's page.
        if !list.page.isFollowed { open(.detail(id, DetailPlace())) }
    }

    /// Shows the list of a line with only a queue or a filter; false for another line.
    mutating func showListed(_ words: [String]) throws(QueueError) -> Bool {
        guard words.first == "list" else { return false }
        var queue: String?
        var filter: TaskFilter?
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            if word == "--filter", let text = rest.popFirst() {
                filter = try TaskFilter(text, saved: savedFilters)
            } else if word.hasPrefix("--filter=") {
                filter = try TaskFilter(String(word.dropFirst(9)), saved: savedFilters)
            } else if !word.hasPrefix("-"), queue == nil {
                queue = word
            } else {
                return false
            }
        }
        if let queue {
            guard scene?.knownQueueNames.contains(queue) ?? false else { return false }
            select(queue: queue)
        } else if filter?.queue == nil {
            guard scene?.listsAll ?? true else { return false }
            selectAll()
        }
        modal = nil
        show(.inventory)
        focus = .view
        // A whole list that follows its head shows it, wherever the task at the cursor is by then.
        let follows = isFollowing && filter == nil
        setFilter(filter, fromTop: follows)
        isFollowing = follows
        return true
    }
}

/// Going on to the matches of other queues.
extension ConsoleState {
    /// A search for the next queue with a match, and where it began.
    struct Seeking: Hashable, Sendable {
        var step: Int
        var queue: String?
        var task: TaskID?
    }

    /// Moves to the next or previous match. After the last match of a queue it continues in the
    /// next queue.
    mutating func goToMatch(_ step: Int) {
        let isAtEnd =
            step > 0
            ? list.cursor + 1 >= list.page.rows.count && list.page.reachesEnd
            : list.cursor == 0 && list.page.reachesStart
        guard isAtEnd, !isAll, isListCurrent, jump == nil, !list.page.isCut else {
            return move(.rows(step))
        }
        seeking = Seeking(step: step, queue: selectedQueue, task: list.line?.task.id)
        leaveForMatch()
    }

    private mutating func leaveForMatch() {
        guard let seeking, let scene else { return }
        let place = (queueCursor.place ?? 0) + seeking.step
        guard (0..<scene.queueCount).contains(place) else { return giveUpSeeking(seeking) }
        var window = queueCursor.window
        window.update(total: scene.queueCount)
        window.move(to: place)
        go(toQueueAt: window)
        jump = RowsRequest()
        if seeking.step < 0 { jump?.anchor = .end }
    }

    private mutating func giveUpSeeking(_ former: Seeking) {
        seeking = nil
        if let queue = former.queue { select(queue: queue) }
        var rows = RowsRequest()
        rows.follow = former.task
        jump = rows
        reads.isStale = true
        let side = former.step > 0 ? "after" : "before"
        let among = statesLeftOut.map { " that is not \($0)" } ?? ""
        message = .note(
            "no queue \(side) it has a match\(among); \(key(.top)) goes to the first here")
    }

    /// After a load, continues the search in the next queue if this one has no match.
    mutating func goOnSeeking() {
        guard seeking != nil, isListCurrent, queueCursor.goal == nil, jump == nil else { return }
        guard list.page.rows.isEmpty else {
            if seeking?.step ?? 0 < 0 {
                list.select(list.page.rows.count - 1, height: layout.rowsHeight)
            }
            seeking = nil
            message = .note("in \(selectedQueue ?? "")")
            return
        }
        if !list.page.isCut { leaveForMatch() }
    }
}

extension ConsoleState.Step {
    /// Whether it goes to the first of all.
    var isToStart: Bool { if case .start = self { true } else { false } }

    var isUpwards: Bool {
        switch self {
        case .rows(let count), .pages(let count): count < 0
        case .start, .end: false
        }
    }
}

/// The cursor in the pane of timers, below the last queue.
extension ConsoleState {
    /// A row of the pane, and its place for the time after the timer has ended.
    struct TimerCursor: Hashable, Sendable {
        var key: RowKey
        var place: Int
    }

    /// The rows of the pane by their next timers.
    private var paneTimers: [TimerLine] { Painter(self, size: size).paneTimers }

    /// The place of the cursor among the rows; `nil` without one.
    func timerPlace(in rows: [TimerLine]) -> Int? {
        guard focus == .timers, let cursor = timerCursor, !rows.isEmpty else { return nil }
        return rows.firstIndex { $0.key == cursor.key } ?? min(cursor.place, rows.count - 1)
    }

    /// Goes from the last queue to the first timer; false where the step stays among the queues.
    mutating func moveToTimers(_ step: Step) -> Bool {
        guard case .rows(let rows) = step, rows > 0, !layout.isNarrow, !isAll, let scene,
            queueCursor.wanted.cursor >= scene.queueCount - 1, let first = paneTimers.first
        else { return false }
        focus = .timers
        timerCursor = TimerCursor(key: first.key, place: 0)
        return true
    }

    /// A step among the timers; the one above the first leads back to the queues.
    mutating func moveInTimers(_ step: Step) {
        let rows = paneTimers
        guard let place = timerPlace(in: rows) else { return leaveTimers() }
        let wanted =
            switch step {
            case .rows(let count): place + count
            case .pages(let count): place + count * rows.count
            case .start: 0
            case .end: rows.count - 1
            }
        guard wanted >= 0 else { return leaveTimers() }
        let next = min(wanted, rows.count - 1)
        timerCursor = TimerCursor(key: rows[next].key, place: next)
    }

    private mutating func leaveTimers() { (focus, timerCursor) = (.queues, nil) }

    /// Opens view 3 at the timer of the cursor.
    mutating func openTimer() {
        let rows = paneTimers
        guard let place = timerPlace(in: rows) else { return leaveTimers() }
        showTimer(rows[place])
    }

    /// View 3 with the cursor on a timer.
    mutating func showTimer(_ timer: TimerLine) {
        (focus, timerCursor) = (.view, nil)
        show(.timers)
        var cursor = cursors[.timers] ?? RowCursor()
        cursor.key = timer.key
        cursors[.timers] = cursor
    }
}

import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// Moving about: arrows and their letters, pages, the ends, between the panes.
extension ConsoleState {
    /// A step of a cursor in any list.
    enum Step {
        case rows(Int)
        case pages(Int)
        case start, end
    }

    static func step(of key: Key) -> Step? {
        switch key {
        case .up, .character("k"), .control("p"): .rows(-1)
        case .down, .character("j"), .control("n"): .rows(1)
        case .pageUp, .control("b"): .pages(-1)
        case .pageDown, .control("f"): .pages(1)
        case .control("u"): .pages(-1)
        case .control("d"): .pages(1)
        case .home, .character("g"): .start
        case .end, .character("G"): .end
        default: nil
        }
    }

    mutating func handleMove(_ key: Key) -> Bool {
        if let step = Self.step(of: key) {
            move(step)
            return true
        }
        switch key {
        case .modified(.shift, .down): markRange(by: 1)
        case .modified(.shift, .up): markRange(by: -1)
        case .left, .character("h"): moveLeft()
        case .right, .character("l"): moveRight()
        case .enter where isAtFold && view == .inventory && (focus == .view || offersEnded):
            toggleEnded()
        case .enter where focus == .queues: focus = .view
        case .enter where focus == .timers: openTimer()
        case .enter where view == .fleet: openFleetRow()
        case .enter where view.listsQueues:
            if isAll, let selectedQueue { select(queue: selectedQueue) }
            show(.inventory)
        default: return false
        }
        return true
    }

    mutating func move(_ step: Step) {
        // A move in another pane or view leaves the list as it is.
        if focus == .view, view == .inventory {
            recordMove()
            isFollowing = step.isToStart
            return moveInList(step)
        }
        stepping = nil
        if focus == .timers { return moveInTimers(step) }
        if focus == .queues || view.listsQueues { return moveInQueues(step) }
        let keys = rowKeys
        var cursor = cursors[view] ?? RowCursor()
        cursor.window.resize(height: layout.rowsHeight)
        cursor.move(in: keys) { $0.apply(step) }
        let former = cursors[view]?.key?.task
        cursors[view] = cursor
        if cursor.key?.task != former { reads.isStale = true }
    }

    private mutating func moveInQueues(_ step: Step) {
        if !view.listsQueues, moveToNeighbour(step) || moveToTimers(step) { return }
        guard let scene, scene.queueCount > 0 else { return }
        if !view.listsQueues, moveAtAll(step) { return }
        // Keys may arrive faster than queues load.
        var window = queueCursor.wanted
        window.update(total: scene.queueCount)
        window.apply(step)
        go(toQueueAt: window)
    }

    /// Selects the queue at a window's cursor once it is loaded.
    mutating func go(toQueueAt window: ScrollWindow) {
        guard let line = scene?.queue(at: window.cursor) else {
            queueCursor.go(to: window)
            isAll = false
            jump = RowsRequest()
            reads.isStale = true
            return
        }
        queueCursor.put(window)
        select(queue: line.name)
        readQueuesInSight()
    }

    mutating func scrollQueues(by rows: Int) {
        queueCursor.window.scroll(by: rows)
        readQueuesInSight()
    }

    /// Requests the visible queues if some are not loaded.
    mutating func readQueuesInSight() {
        if let scene, !scene.hasRead(queueCursor.window.visible) { reads.isStale = true }
    }

    mutating func select(queue name: String) {
        queueCursor.stay()
        guard isAll || name != selectedQueue else { return }
        isAll = false
        selectedQueue = name
        queueCursor.select(scene?.place(ofQueue: name))
        leaveQueue()
        reads.isStale = true
    }

    /// Resets the state of the formerly selected queue.
    mutating func leaveQueue() {
        marks.clear()
        recordMove()
        isFollowing = true
        (isOnFold, showsEnded) = (false, false)
        folds = [:]
        list.pendingMove = 0
        jump = RowsRequest()
        cursors[.groups] = nil
        cursors[.activity] = nil
    }

    private mutating func moveInList(_ step: Step) {
        if moveAtFold(step) { return }
        let height = layout.rowsHeight
        switch step {
        case .rows(let rows): list.move(by: rows, height: height)
        case .pages(let pages): list.move(by: pages * max(1, height - 1), height: height)
        case .start:
            if list.page.reachesStart {
                list.select(0, height: height)
            } else {
                jump = RowsRequest()
            }
        case .end:
            // An unfinished search has no known end to move to.
            let isSearch = list.page.search.map { !$0.isTooMuch } ?? false
            if list.page.reachesEnd || isSearch {
                list.select(list.page.rows.count - 1, height: height)
            } else {
                var rows = RowsRequest()
                rows.anchor = .end
                jump = rows
            }
        }
        if list.needsMore(height: height) || jump != nil || list.pendingMove != 0 || lacksRowQueue {
            reads.isStale = true
        }
    }

    private mutating func moveLeft() {
        if view == .groups, focus == .view, fold(isOpening: false) { return }
        guard !view.isWhole else { return }
        focus = .queues
    }

    private mutating func moveRight() {
        if view == .fleet {
            openFleetRow()
        } else if focus != .view {
            focus = .view
        } else if view == .groups {
            _ = fold(isOpening: true)
        }
    }

    /// Folds or unfolds the group of the cursor, or goes to the row above that has one; false when
    /// there was nothing to do.
    private mutating func fold(isOpening: Bool) -> Bool {
        if let group = groupAtCursor, group.isOpen != isOpening {
            folds[group.summary.name] = isOpening
            reads.isStale = true
            return true
        }
        guard !isOpening, let parent = groupRow?.parent,
            let place = scene?.groupRows.firstIndex(where: { $0.key == parent })
        else { return false }
        cursors[.groups]?.key = parent
        cursors[.groups]?.window.move(to: place)
        return true
    }
}

extension ScrollWindow {
    mutating func apply(_ step: ConsoleState.Step) {
        switch step {
        case .rows(let rows): move(by: rows)
        case .pages(let pages): pages < 0 ? pageUp() : pageDown()
        case .start: moveToStart()
        case .end: moveToEnd()
        }
    }
}

/// Marks of several rows, and the order by a heading.
extension ConsoleState {
    /// Marks the rows that the cursor passes.
    mutating func markRange(by rows: Int) {
        if let reason = DisabledReasons(state: self).reason(.mark) {
            message = .refusal(reason)
            return
        }
        markRow()
        move(.rows(rows))
        markRow()
    }

    private mutating func markRow() {
        recordMove()
        guard let task = selectedLine?.task, !marks.contains(task.id) else { return }
        marks.toggle(task)
    }

    /// Sorts by the column of a heading, or as tasks run where it is sorted by that column.
    mutating func clickHeading(x: Int) {
        let painter = Painter(self, size: size)
        let table = painter.inventoryTable
        let column = table.frames.last { painter.contentX + $0.x <= x }.map {
            table.shown[$0.index]
        }
        guard let wanted = column?.order else {
            message = .refusal("the list is not sorted by that column")
            return
        }
        if let reason = DisabledReasons(state: self).reason(.order) {
            message = .refusal(reason)
            return
        }
        sort(order == wanted ? .running : wanted)
    }
}

extension InventoryColumn {
    /// The order that a click on the heading gives.
    fileprivate var order: ListOrder? {
        switch name {
        case nil: .number
        case .tries: .tries
        case .took: .duration
        case .age: .age
        case .changed: .change
        case .state: .error
        case .queue, .type, .group, .priority, .need, .about, .label, .session: nil
        }
    }
}

/// A filter of view 4, with its original text.
struct LogSearch: Hashable, Sendable {
    var text: String
    var filter: LogFilter
}

/// `/` in view 4: the lines that match are shown while one types, Esc takes that back.
extension ConsoleState {
    /// The log filter to load: the one being typed, or the active one.
    var wantedLog: LogSearch? {
        guard case .prompt(let prompt)? = modal, case .log(let search) = prompt.question else {
            return logFilter
        }
        return search
    }

    /// The filter of the lines that are on the screen.
    var logShown: LogSearch? {
        wantedLog.flatMap { $0.filter == scene?.request.log ? $0 : nil }
    }

    mutating func askForLogFilter() {
        ask(Prompt(.log(logFilter), text: logFilter?.text ?? ""))
    }

    /// Parses the partial input. Invalid input keeps the former filter.
    mutating func readLogFilter(_ prompt: inout Prompt) {
        do throws(QueueError) {
            prompt.question = .log(try logSearch(prompt.editor.text))
            reads.isStale = true
        } catch {
            prompt.note = error.description
            prompt.isError = true
        }
    }

    mutating func setLogFilter(_ text: String) throws(QueueError) {
        let search = try logSearch(text)
        modal = nil
        logFilter = search
        reads.isStale = true
    }

    private func logSearch(_ line: String) throws(QueueError) -> LogSearch? {
        let text = Self.trimmed(line)
        return try LogFilter.read(text, now: now).map { LogSearch(text: text, filter: $0) }
    }

    /// Shows the number of matching lines after the input.
    mutating func recordLogCount(_ scene: LoadedScene) {
        guard case .prompt(var prompt)? = modal, case .log(let search?) = prompt.question,
            scene.request.log == search.filter, !prompt.isError
        else { return }
        prompt.note = scene.activityWords
        modal = .prompt(prompt)
    }
}

extension LoadedScene {
    /// `3 lines`, or the range searched for them.
    var activityWords: String {
        let count = activity.count
        let most = count >= SceneLoader.activityLimit ? "the newest " : ""
        let lines = "\(most)\(NumberText.grouped(count)) line\(count == 1 ? "" : "s")"
        return activityLooked.map { "\(lines) among the newest \(NumberText.grouped($0))" } ?? lines
    }
}

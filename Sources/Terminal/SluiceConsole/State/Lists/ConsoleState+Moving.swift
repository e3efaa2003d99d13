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

    /// Whether the key moved something.
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
        case .enter where isAtFold && focus == .view && view == .inventory: toggleEnded()
        case .enter where focus == .queues: focus = .view
        case .enter where focus == .timers: openTimer()
        case .enter where view == .fleet: enterPlace(.inventory)
        case .enter where view.listsQueues:
            if isAll, let selectedQueue { select(queue: selectedQueue) }
            show(.inventory)
        default: return false
        }
        return true
    }

    mutating func move(_ step: Step) {
        recordMove()
        if focus == .timers { return moveInTimers(step) }
        if focus == .queues || view.listsQueues { return moveInQueues(step) }
        if view == .inventory {
            isFollowing = step.isToStart
            return moveInList(step)
        }
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
            enterPlace(.inventory)
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

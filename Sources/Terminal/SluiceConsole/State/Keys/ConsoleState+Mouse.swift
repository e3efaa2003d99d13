import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The mouse: a click selects or does what the legend says, the wheel scrolls (K10).
extension ConsoleState {
    mutating func handle(_ mouse: Mouse) {
        switch mouse.action {
        case .press(.left): click(mouse.point)
        case .wheelUp: wheel(mouse.point, by: -3)
        case .wheelDown: wheel(mouse.point, by: 3)
        default: break
        }
    }

    private mutating func click(_ point: Point) {
        let layout = layout
        guard !layout.isTooSmall else { return }
        let painter = Painter(self, size: size)
        if point.y == layout.legendY {
            let entry = painter.legendEntries.first {
                ($0.x..<$0.x + $0.width).contains(point.x)
            }
            if let key = entry?.press { handle(key) }
            return
        }
        guard modal == nil else { return clickPalette(point) }
        if layout.left.contains(point) { return clickQueue(point, layout) }
        guard layout.right.contains(point) else { return }
        guard page == nil else { return clickPage(point, layout) }
        focus = .view
        if point.y == layout.tabsY {
            let tab = painter.tabs.last { $0.x <= point.x }
            if let tab, point.x < tab.x + tab.name.count + 2 { show(tab.view) }
        } else if point.y == layout.headingsY, view == .inventory, !list.page.rows.isEmpty {
            clickHeading(x: point.x)
        } else if point.y == foldY(layout) {
            toggleEnded()
        } else if layout.rows.contains(point) {
            clickRow(point.y - layout.rows.y)
        }
    }

    private mutating func clickQueue(_ point: Point, _ layout: FrameLayout) {
        if let row = layout.fleetPane?.row(at: point.y, firstQueue: layout.queueRowsY) {
            return click(row)
        }
        if layout.hasAllRow, point.y == layout.queueRowsY - 1 {
            focus = .queues
            return selectAll()
        }
        if let timer = Painter(self, size: size).timer(at: point.y) { return showTimer(timer) }
        let visible = queueCursor.window.visible
        let row = point.y - layout.queueRowsY + visible.lowerBound
        guard visible.contains(row), let line = scene?.queue(at: row) else { return }
        focus = .queues
        select(queue: line.name)
    }

    private mutating func clickRow(_ row: Int) {
        switch view {
        case .inventory:
            guard list.page.rows.indices.contains(list.top + row) else { return }
            isOnFold = false
            recordMove()
            list.select(list.top + row, height: layout.rowsHeight)
            if lacksRowQueue { reads.isStale = true }
        case .queues, .flow:
            let pitch = view == .flow ? layout.lanePitch(queues: scene?.queueCount ?? 0) : 1
            let place = queueCursor.window.visible.lowerBound + row / pitch
            if let line = scene?.queue(at: place) { select(queue: line.name) }
        case .groups, .timers, .activity, .failures, .runners, .debugger, .fleet:
            let keys = rowKeys
            guard var cursor = cursors[view] else { return }
            let index = cursor.window.visible.lowerBound + row
            guard keys.indices.contains(index) else { return }
            cursor.move(in: keys) { $0.move(to: index) }
            cursors[view] = cursor
            reads.isStale = true
        }
    }

    private mutating func clickPage(_ point: Point, _ layout: FrameLayout) {
        if case .settings(let queue, let choice)? = page {
            return clickSetting(queue, choice, point, layout)
        }
        if case .difference(var difference)? = page {
            let row = difference.choice(atLine: point.y - layout.pageRect.y)
            guard let row else { return }
            if row == difference.choice { return handle(.enter) }
            difference.choice = row
            return pages[pages.count - 1] = .difference(difference)
        }
        if case .timeline(let timeline)? = page {
            return clickTimeline(timeline, line: point.y - layout.pageRect.y)
        }
    }

    private mutating func clickSetting(
        _ queue: String, _ choice: QueueSetting, _ point: Point, _ layout: FrameLayout
    ) {
        guard let form = scene?.form(of: queue) else { return }
        let line = point.y - layout.pageRect.y - 1
        let chosen = form.index(of: choice)
        let row = layout.firstSetting(chosen, of: form.rows.count) + line
        guard (0..<layout.settingsHeight).contains(line), form.rows.indices.contains(row) else {
            return
        }
        if row == chosen {
            handle(.enter)
        } else {
            pages[pages.count - 1] = .settings(queue, form.rows[row].setting)
        }
    }

    private mutating func wheel(_ point: Point, by rows: Int) {
        guard modal == nil else { return clickPalette(point) }
        if layout.left.contains(point) {
            return scrollQueues(by: rows)
        }
        if page != nil {
            handle(rows < 0 ? Key.up : Key.down)
        } else if view == .inventory {
            isFollowing = false
            list.scroll(by: rows, height: layout.rowsHeight)
            if list.needsMore(height: layout.rowsHeight) { reads.isStale = true }
        } else if view.listsQueues {
            scrollQueues(by: rows)
        } else if var cursor = cursors[view] {
            cursor.move(in: rowKeys) { $0.scroll(by: rows) }
            cursors[view] = cursor
        }
    }
}

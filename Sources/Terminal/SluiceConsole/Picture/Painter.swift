import SluiceControl
import SluiceModel
package import SluiceTerminalUI

/// Draws one picture of the console. Each part is an extension in another file.
struct Painter {
    let state: ConsoleState
    let layout: FrameLayout
    let clock: ScreenClock
    let glyphs: GlyphSet
    var buffer: CellBuffer

    init(_ state: ConsoleState, size: Size) {
        self.state = state
        layout = FrameLayout(size: size, state: state)
        clock = state.clock
        glyphs = state.settings.glyphs
        buffer = CellBuffer(size, glyphs: glyphs)
    }

    /// Paints the right pane first, and passes it to `glimpse` if nothing will cover it. A changed
    /// view paints its tabs earlier, and a list paints the rows at the cursor earlier. A scrolled
    /// list of full width is an exception, because the terminal scrolls it with fewer bytes.
    mutating func paint(since former: ScreenPlace?, glimpse: (CellBuffer, Rect) -> Void) {
        guard !layout.isTooSmall else { return paintTooSmall() }
        if !layout.right.isEmpty {
            if state.scene != nil, state.page == nil, state.modal == nil {
                let place = state.place
                if place.view != former?.view, place.view != .fleet {
                    paintTabs(y: layout.tabsY)
                    glimpse(buffer, rows(layout.tabsY..<layout.tabsY + 1))
                } else if place.view == .inventory, place == former || !layout.left.isEmpty {
                    let near = paintRowsAtCursor()
                    if !near.isEmpty { glimpse(buffer, rows(near)) }
                }
            }
            if state.page == nil { paintView() } else { paintPage() }
            if state.modal == nil { glimpse(buffer, layout.right) }
        }
        paintHeader()
        paintDivider()
        if !layout.left.isEmpty { paintQueuePane() }
        paintBottom()
        paintModal()
        paintLegend()
    }

    /// Rows of the right pane.
    private func rows(_ rows: Range<Int>) -> Rect {
        Rect(x: layout.right.x, y: rows.lowerBound, width: layout.right.width, height: rows.count)
    }

    private mutating func paintTooSmall() {
        let need = FrameLayout.smallest
        let (width, height) = (layout.size.width, layout.size.height)
        let lines = [
            "terminal too small", "\(width)x\(height), needs \(need.width)x\(need.height)",
        ]
        for (row, line) in lines.enumerated() {
            let x = max(0, (width - DisplayText.width(line)) / 2)
            let y = max(0, height / 2 - 1) + row
            buffer.put(line, x: x, y: y, role: row == 0 ? .title : .quiet, maxWidth: width)
        }
    }

    private mutating func paintDivider() {
        if let x = layout.dividerX {
            for y in layout.body.y..<layout.body.maxY {
                buffer.put(glyphs[.verticalRule], x: x, y: y, role: .faint)
            }
        }
        if let y = layout.ruleY {
            let rule = Rect(x: 0, y: y, width: layout.size.width, height: 1)
            buffer.fill(rule, with: glyphs[.horizontalRule], role: .faint)
            if let x = layout.dividerX {
                buffer.put(glyphs[.ruleJoin], x: x, y: y, role: .faint)
            }
        }
    }

    private mutating func paintView() {
        guard state.scene != nil else { return paintUnread() }
        if state.view == .queues { return paintQueuesView() }
        if state.view == .fleet { return paintFleet() }
        if state.view == .flow { return paintFlow() }
        if state.view == .debugger { return paintDebugger() }
        if state.isAll {
            paintAllHeadline(y: layout.body.y)
        } else {
            paintHeadline(y: layout.body.y)
        }
        if let y = layout.healthY { paintHealth(y: y) }
        if let y = layout.countsY { paintCounts(y: y) }
        paintTabs(y: layout.tabsY)
        paintPreview()
        switch state.view {
        case .inventory: paintInventory()
        case .groups: paintGroups()
        case .timers: paintTimers()
        case .activity: paintActivityView()
        case .failures: return paintFailures()
        case .runners: paintRunners()
        case .queues, .debugger, .flow, .fleet: break
        }
        guard let y = layout.nextY else { return }
        if state.view == .timers, let words = timelineNote() {
            buffer.put(words, x: contentX, y: y, maxWidth: contentWidth)
        } else {
            paintNext(y: y)
        }
    }

    /// Before the first read, or when it failed (K8).
    private mutating func paintUnread() {
        let x = contentX
        guard let trouble = state.reads.trouble?.error else {
            buffer.put("reading the store", x: x, y: layout.body.y + 1, role: .quiet)
            return
        }
        putText(trouble.message, .failed, y: layout.body.y + 1)
        putText(trouble.fix, .quiet, y: layout.body.y + 3)
        putText(
            "it is tried again every second; \(state.key(.back)) ends the program", .quiet,
            y: layout.body.y + 5)
    }

    /// The first column of texts in the right pane, and how wide they may be.
    var contentX: Int { layout.right.x + 1 }
    var contentWidth: Int { max(0, layout.right.width - 2) }

    /// Puts a text on at most `limit` lines; gives how many it took.
    @discardableResult
    mutating func putText(_ text: String, _ role: Role, y: Int, limit: Int = 2) -> Int {
        let lines = DisplayText.wrapped(
            text, to: max(1, contentWidth), limit: limit, glyphs: glyphs)
        for (row, line) in lines.enumerated() where y + row < layout.body.maxY {
            buffer.put(line, x: contentX, y: y + row, role: role)
        }
        return lines.count
    }

    /// An empty state: what there is not, and what to do about it with its command (K13).
    mutating func putEmpty(_ what: String, _ hint: String, command: String?) {
        var y = layout.rows.y + (layout.isRoomy ? 1 : 0)
        y += putText(what, .text, y: y, limit: 4)
        guard y < layout.body.maxY else { return }
        y += putText(hint, .quiet, y: y, limit: 4)
        guard let command, y < layout.body.maxY else { return }
        let line: StyledLine = [Span("$ ", .quiet), Span("sluice \(command)", .text)]
        buffer.put(line, x: contentX, y: y, maxWidth: contentWidth)
    }

    /// How a task's state looks and reads.
    func words(_ line: TaskLine) -> TaskWords {
        TaskWords(line: line, names: state.names, clock: clock, glyphs: glyphs)
    }

    var separator: String { " \(glyphs[.separator]) " }
}

/// The subject of a picture: a view, and the task in the first row of its list.
package struct ScreenPlace: Hashable, Sendable {
    let view: ConsoleView
    let first: TaskID?
}

extension ConsoleState {
    /// Renders the state at a size, without changing it. `glimpse` receives the parts that a key
    /// most likely changed as soon as they are ready. `former` is the previous place on the screen.
    package func view(
        _ size: Size, since former: ScreenPlace? = nil,
        glimpse: (CellBuffer, Rect) -> Void = { _, _ in }
    ) -> CellBuffer {
        var painter = Painter(self, size: size)
        painter.paint(since: former, glimpse: glimpse)
        return painter.buffer
    }

    package var place: ScreenPlace {
        let rows = list.page.rows
        return ScreenPlace(
            view: view, first: rows.indices.contains(list.top) ? rows[list.top].task.id : nil)
    }

    /// The position of the terminal's cursor in the input line, or `nil` without one.
    package func cursor(_ size: Size) -> Point? {
        let layout = FrameLayout(size: size, state: self)
        guard !layout.isTooSmall, let field = modalField else { return nil }
        let x = field.labelWidth + 1
        let room = max(1, size.width - x - 1)
        let window = field.editor.window(width: room, glyphs: settings.glyphs)
        return Point(x: x + window.cursorColumn, y: layout.messageY)
    }

    /// The input line, and the width of the label before it.
    var modalField: (editor: LineEditor, label: String, labelWidth: Int)? {
        switch modal {
        case .prompt(let prompt):
            let glue = prompt.label == ":" || prompt.label == "/" ? "" : "  "
            let label = prompt.label + glue
            return (prompt.editor, label, DisplayText.width(label))
        case .confirm(let confirmation):
            guard case .typed(let wanted, let editor) = confirmation.answer else { return nil }
            let label = "type \(wanted) to do it  "
            return (editor, label, DisplayText.width(label))
        case .stop, .columns, nil: return nil
        }
    }
}

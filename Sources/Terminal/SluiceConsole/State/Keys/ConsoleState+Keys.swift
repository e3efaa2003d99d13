import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Dispatches input in this order: an open question, the page on top, the arrows, the table of
/// actions.
extension ConsoleState {
    mutating func handle(_ event: InputEvent) {
        switch event {
        case .key(let key): handle(key)
        case .mouse(let mouse): handle(mouse)
        case .paste(let text): paste(text)
        case .focus, .ground, .cursor, .unknown: break
        }
    }

    /// Whether to hold a key until the first load. Keys that leave the console act immediately.
    func isEarly(_ event: InputEvent) -> Bool {
        guard scene == nil, reads.trouble == nil, case .key(let key) = event, key != .control("c")
        else { return false }
        // The way out of a place that does not answer.
        if key == .character("0"), !settings.fleet.isEmpty { return false }
        return settings.keys.meaning(of: key) != .key(.character("q"))
    }

    /// Handles the keys typed before the first load.
    mutating func handleEarly() {
        let events = early
        early = []
        for event in events { handle(event) }
    }

    mutating func handle(_ key: Key) {
        if key == .control("c") { return cancelOrQuit() }
        if key == .control("l") { return send(.repaint) }
        if modal != nil { return answerModal(key) }
        if message != nil, !underWay.awaitsAnswer { message = nil }
        seeking = nil
        if key == .escape, stopBulk() { return }
        let meaning = settings.keys.meaning(of: key)
        if meaning != .key(.character("q")), underWay.leaving == .asked {
            underWay.leaving = nil
        }
        switch meaning {
        case .key(let standard): handleStandard(standard, pressed: key)
        case .action(let id): perform(id)
        case .own(let own): perform(own.command)
        case .nothing: sayMeaningless(key)
        }
    }

    /// Handles a key of the table after the key map.
    private mutating func handleStandard(_ key: Key, pressed: Key) {
        if key == .control("p") { return perform(.commandLine) }
        if page != nil, handleOnPage(key) { return }
        if page == nil, handleMove(key) { return }
        if case .character(let character) = key, let digit = character.wholeNumberValue,
            page == nil || !isWhy
        {
            return showView(digit: digit)
        }
        if key == .escape { return goBack() }
        if key == .backTab { return show(view.previous) }
        guard let action = Action.of(key: key.name) else { return sayMeaningless(pressed) }
        perform(action.id)
    }

    private mutating func sayMeaningless(_ key: Key) {
        message = .refusal("\(key.name) means nothing here; \(self.key(.help)) shows the keys")
    }

    var isWhy: Bool {
        if case .why? = page { return true }
        return false
    }

    private mutating func paste(_ text: String) {
        guard case .prompt(var prompt)? = modal else {
            let line = key(.commandLine)
            message = .refusal("there is nothing to paste into; \(line) opens the command line")
            return
        }
        prompt.editor.insert(text)
        modal = .prompt(prompt)
        promptEdited()
    }

    private mutating func cancelOrQuit() {
        if modal != nil {
            dropModal()
            message = .note("nothing was changed")
        } else {
            quit()
        }
    }

    /// One step back; at the end, out.
    mutating func goBack(quits: Bool = false) {
        if !pages.isEmpty {
            pages.removeLast()
            reads.isStale = true
        } else if !marks.isEmpty, !quits {
            marks.clear()
        } else if list.filter != nil, view == .inventory, !quits {
            let former = list.cameFrom
            setFilter(nil)
            if let former { show(former) }
        } else if logFilter != nil, view == .activity, !quits {
            logFilter = nil
            reads.isStale = true
        } else if layout.isNarrow && focus == .queues || focus == .timers {
            focus = .view
        } else if quits {
            quit()
        } else {
            message = .note("\(key(.back)) ends the program")
        }
    }

    mutating func showView(digit: Int) {
        guard let wanted = ConsoleView(rawValue: digit) else {
            message = .refusal("there is no view \(digit)")
            return
        }
        show(wanted)
    }

    mutating func show(_ wanted: ConsoleView) {
        if wanted == .fleet { return showFleet() }
        if view == .fleet { return enterPlace(wanted) }
        pages = []
        if wanted.listsQueues || focus != .view { focus = .view }
        list.cameFrom = nil
        guard wanted != view else { return }
        view = wanted
        reads.isStale = true
        fitWindows()
    }
}

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

/// `/` in what a command printed, and in a difference.
extension ConsoleState {
    /// The letters that the list's filter matches in a task.
    var hits: [FoldedLetters] { view == .inventory ? list.filter?.hits ?? [] : [] }

    /// The letters that the text on top marks.
    var lettersInText: [FoldedLetters] { wordInText.isEmpty ? [] : [FoldedLetters(wordInText)] }

    /// Scrolls to the next line with a word, and wraps around.
    mutating func goOnInText(to word: String) {
        guard let page, let (lines, top) = page.text else { return }
        wordInText = word
        guard !word.isEmpty else { return }
        let letters = FoldedLetters(word)
        let places = lines.indices.filter { letters.stand(in: lines[$0]) }
        guard let first = places.first else {
            message = .refusal("no line has \"\(word)\"")
            return
        }
        let last = max(0, lines.count - layout.pageRect.height)
        let next = places.first { min($0, last) > top } ?? first
        pages[pages.count - 1] = page.showing(line: next, top: min(next, last))
        let count = NumberText.grouped(places.count)
        message = .note("\(count) line\(places.count == 1 ? " has" : "s have") \"\(word)\"")
    }
}

extension Page {
    /// The searchable lines, and the first visible one.
    fileprivate var text: (lines: [String], top: Int)? {
        switch self {
        case .text(_, let lines, let top): (lines, top)
        case .difference(let page): (page.lines.map(\.text), page.top)
        default: nil
        }
    }

    /// The page scrolled to a line, with the cursor on its item.
    fileprivate func showing(line: Int, top: Int) -> Page {
        switch self {
        case .text(let title, let lines, _): return .text(title: title, lines: lines, top: top)
        case .difference(var page):
            page.top = top
            page.choice = page.heads.lastIndex { $0 <= line } ?? 0
            return .difference(page)
        default: return self
        }
    }
}

/// The commands that do the same as keys.
extension ConsoleState {
    /// The command text of a verb. Uses the filter if `*` marked the tasks.
    func commandText(of verb: Verb? = nil) -> CommandText {
        CommandText(names: names, now: storeNow, filter: verb.flatMap(commandFilter))
    }

    private func commandFilter(of verb: Verb) -> TaskFilter? {
        guard let tasks = verb.onTasks, let request = marks.request, tasks.targets == targets
        else { return nil }
        return request.commandFilter(of: tasks.kind.states)
    }
}

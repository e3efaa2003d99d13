import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The pages over a view: why, a task, help, text.
extension Painter {
    mutating func paintPage() {
        guard let page = state.page else { return }
        switch page {
        case .why(let id, let choice):
            paintHeadline(y: layout.body.y, about: id)
            paintWhy(id, choice)
        case .detail(let id, let place):
            paintHeadline(y: layout.body.y, about: id)
            guard let text = state.detailText(place, width: layout.pageRect.width),
                text.detail.line.task.id == id
            else { return paintWaiting(id) }
            paintLines(text.lines, top: state.shownTop(place), marking: state.hits)
        case .help(let top, let find):
            paintTitle(find.isEmpty ? "Keys" : "Keys with \"\(find)\"")
            let lines = state.helpText(find, width: layout.pageRect.width).lines
            if lines.isEmpty { return putLine("no key or command has that in its help") }
            paintLines(lines, top: top)
        case .text(let title, let lines, let top):
            paintTitle("sluice \(title)")
            paintLines(
                lines.lazy.map { StyledLine($0) }, top: top, marking: state.lettersInText)
        case .difference(let page): paintDifference(page)
        case .changed(let task, let top):
            paintTitle("\(task.title(state.names)): before and after")
            paintLines(state.lines(of: task, width: layout.pageRect.width), top: top)
        case .settings(let queue, let choice): paintSettings(queue, choice)
        case .timeline(let page): paintTaskTimeline(page)
        }
    }

    private mutating func putLine(_ text: String) {
        buffer.put(text, x: contentX, y: layout.pageRect.y, role: .quiet, maxWidth: contentWidth)
    }

    mutating func paintTitle(_ title: String) {
        buffer.put(
            title, x: contentX, y: layout.body.y, role: .title, emphasis: true,
            maxWidth: contentWidth)
    }

    mutating func paintWaiting(_ id: TaskID) {
        buffer.put(
            "reading \(state.names.name(id))", x: contentX, y: layout.pageRect.y, role: .quiet)
    }

    /// Lines of a page from `top`, and how many there are where some are not seen.
    mutating func paintLines(
        _ lines: some RandomAccessCollection<StyledLine>, top: Int,
        marking hits: [FoldedLetters] = []
    ) {
        let area = layout.pageRect
        let first = min(max(0, top), max(0, lines.count - area.height))
        for (row, line) in lines.dropFirst(first).prefix(area.height).enumerated() {
            let line = hits.isEmpty ? line : line.marking(hits)
            buffer.put(line, x: area.x, y: area.y + row, maxWidth: area.width)
        }
        paintPlace(first, min(lines.count, first + area.height), of: lines.count)
    }

    /// Paints the range of visible lines, if some are hidden.
    mutating func paintPlace(_ first: Int, _ last: Int, of count: Int) {
        guard last - first < count else { return }
        let text = "\(first + 1)\(glyphs == .ascii ? "-" : "–")\(last) of \(count)"
        let x = contentX + contentWidth - DisplayText.width(text)
        let y = layout.isRoomy ? layout.pageRect.y - 1 : layout.body.y
        var lead = " "
        // An ellipsis shows that the covered line continues.
        if !layout.isRoomy, case .detail? = state.page { lead = "\(glyphs[.ellipsis]) " }
        buffer.put(lead + text, x: x - DisplayText.width(lead), y: y, role: .quiet)
    }
}

extension ConsoleState {
    /// The first visible line of a task's page.
    func shownTop(_ place: DetailPlace) -> Int {
        guard place.follows else { return place.top }
        let page = layout.pageRect
        let tail = detailText(place, width: page.width)?.tailTop(height: page.height) ?? 0
        return max(place.top, tail)
    }

    /// How many lines the page on top has, for scrolling.
    var pageLineCount: Int {
        let width = layout.pageRect.width
        switch page {
        case .detail(_, let place): return detailText(place, width: width)?.lines.count ?? 0
        case .help(_, let find): return helpText(find, width: width).lines.count
        case .text(_, let lines, _): return lines.count
        case .difference(let page): return page.lines.count
        case .changed(let task, _): return lines(of: task, width: width).count
        case .why, .settings, .timeline, nil: return 0
        }
    }
}

/// Questions that take more than a line: yes or no, and what to stop.
extension Painter {
    mutating func paintConfirmation(_ confirmation: Confirmation) {
        let room = max(1, layout.size.height / 2 - 2)
        let all = confirmation.lines.flatMap { wrapped($0, width: layout.size.width - 4) }
        let lines = all.prefix(room)
        let cut = all.count - lines.count
        let isTyped = state.modalField != nil
        let width = layout.size.width
        let top = paintPanel(height: lines.count + 2 + (isTyped ? 1 : 0))
        let answers: StyledLine =
            isTyped ? [] : [Span("  y", .key, emphasis: true), Span("/n", .key)]
        buffer.put(
            [Span(confirmation.title, .title, emphasis: true)] + answers, x: 1, y: top + 1,
            maxWidth: width - 2)
        for (row, line) in lines.enumerated() {
            let more = row == lines.count - 1 && cut > 0 ? " (\(cut) more lines)" : ""
            buffer.put(
                line + StyledLine(more, .quiet), x: 3, y: top + 2 + row, maxWidth: width - 4)
        }
        paintField(hint: "Esc: change nothing")
    }

    /// Wraps a sentence. A line with several colours stays on one line.
    private func wrapped(_ line: StyledLine, width: Int) -> [StyledLine] {
        guard line.spans.count == 1, let span = line.spans.first, line.width > width else {
            return [line]
        }
        return DisplayText.wrapped(span.text, to: max(1, width), limit: 6, glyphs: glyphs).map {
            [Span($0, span.role, emphasis: span.emphasis)]
        }
    }

    /// Clears a panel above the legend, below a rule; returns its first row.
    private mutating func paintPanel(height: Int) -> Int {
        let top = max(1, layout.legendY - height)
        let width = layout.size.width
        buffer.fill(Rect(x: 0, y: top, width: width, height: layout.legendY - top))
        buffer.fill(
            Rect(x: 0, y: top, width: width, height: 1), with: glyphs[.horizontalRule],
            role: .time)
        return top
    }

    mutating func paintStopMenu(_ menu: StopMenu) {
        let top = paintPanel(height: menu.entries.count + 2)
        let width = layout.size.width
        let end = buffer.put("stop", x: 1, y: top + 1, role: .title, emphasis: true)
        if let queue = menu.queue {
            buffer.put("this queue is \(queue)", x: end + 2, y: top + 1, role: .quiet)
        }
        let room = menu.entries.map { DisplayText.width($0.words) }.max() ?? 0
        for (row, entry) in menu.entries.enumerated() where top + 2 + row < layout.legendY {
            let y = top + 2 + row
            if row == menu.choice {
                buffer.paint(Rect(x: 0, y: y, width: width, height: 1), background: .selection)
            }
            let words: StyledLine = [
                Span("\(row + 1)", .key, emphasis: true),
                Span("  \(DisplayText.paddedRight(entry.words, to: room))  "),
                Span(entry.help, .quiet),
            ]
            buffer.put(words, x: 3, y: y, maxWidth: width - 4)
        }
    }

    mutating func paintColumnMenu(_ menu: ColumnMenu) {
        let names = state.columns.names
        let room = min(names.count, max(3, layout.legendY - 9))
        let top = paintPanel(height: room + 2)
        let width = layout.size.width
        let end = buffer.put("columns", x: 1, y: top + 1, role: .title, emphasis: true)
        buffer.put(
            "from left to right, after a task's sign and number", x: end + 2, y: top + 1,
            role: .quiet, maxWidth: width - end - 3)
        var window = ScrollWindow(total: names.count, height: room)
        window.move(to: menu.choice)
        let wide = names.map(\.rawValue.count).max() ?? 0
        let left = inventoryTable.withoutRoom
        for (row, place) in window.visible.enumerated() {
            let (name, y) = (names[place], top + 2 + row)
            if place == menu.choice {
                buffer.paint(Rect(x: 0, y: y, width: width, height: 1), background: .selection)
            }
            let isShown = !state.columns.hidden.contains(name)
            let words: StyledLine = [
                Span(isShown ? "[x] " : "[ ] ", .key, emphasis: isShown),
                Span(
                    DisplayText.paddedRight(name.rawValue, to: wide), isShown ? .text : .quiet),
                Span("  \(name.help)", .quiet),
                Span(left.contains(name) ? "  (no room)" : "", .time),
            ]
            buffer.put(words, x: 3, y: y, maxWidth: width - 4)
        }
    }
}

/// The form of a queue's settings.
extension Painter {
    mutating func paintSettings(_ queue: String, _ choice: QueueSetting) {
        guard let form = state.scene?.form(of: queue) else { return }
        let area = layout.pageRect
        let title = "Settings of \(queue)"
        buffer.put(
            title, x: contentX, y: layout.body.y, role: .title, emphasis: true,
            maxWidth: contentWidth)
        let types = form.settings.types.count
        let own = types == 1 ? "1 type has its own" : "\(types) types have their own"
        let status = sentence(form) + (types > 0 ? "; \(own)" : "")
        let x = contentX + contentWidth - DisplayText.width(status)
        if x > contentX + DisplayText.width(title) + 2 {
            buffer.put(status, x: x, y: layout.body.y, role: .quiet)
        }
        let columns = settingsColumns(form)
        let frames = columns.layout(width: contentWidth)
        buffer.putHeadings(columns, frames, x: contentX, y: area.y)
        let chosen = form.index(of: choice)
        let first = layout.firstSetting(chosen, of: form.rows.count)
        let shown = form.rows.indices.dropFirst(first).prefix(layout.settingsHeight)
        for index in shown {
            let y = area.y + 1 + index - first
            if index == chosen { paintSelection(y: y) }
            for frame in frames {
                buffer.put(
                    cell(frame.index, form.rows[index]), in: frame,
                    alignment: columns.all[frame.index].alignment, x: contentX, y: y)
            }
        }
        if layout.isRoomy {
            paintPlace(first, first + shown.count, of: form.rows.count)
        }
        paintAllowed(
            form.rows[chosen].setting, saysHelp: !frames.contains { $0.index == 4 },
            y: area.maxY - 1)
    }

    private func sentence(_ form: SettingsForm) -> String {
        let count = form.differing == 0 ? "none" : "\(form.differing)"
        let verb = form.differing < 2 ? "differs" : "differ"
        guard let preset = form.settings.preset else {
            return "no preset; \(count) \(verb) from a new queue's"
        }
        return "preset \(preset); \(count) \(verb)"
    }

    private func settingsColumns(_ form: SettingsForm) -> Columns {
        func width(_ texts: [String?]) -> Int {
            texts.map { DisplayText.width($0 ?? "-") }.max() ?? 1
        }
        let value = width(form.rows.map(\.value))
        let ground = max(width(form.rows.map(\.ground)), DisplayText.width(form.groundName))
        return Columns(
            [
                Column("", minimum: 1, priority: 20),
                Column("setting", minimum: 16, priority: 19),
                Column("value", minimum: 10, ideal: max(12, value), maximum: 60, priority: 18),
                Column(form.groundName, minimum: 8, ideal: ground, maximum: 60, priority: 17),
                Column("meaning", minimum: 41, maximum: 41, priority: 5),
            ], gap: contentWidth >= 50 ? 2 : 1)
    }

    private func cell(_ column: Int, _ row: SettingsForm.Row) -> StyledLine {
        switch column {
        case 0: return StyledLine(row.differs ? glyphs[.differs] : " ", emphasis: true)
        case 1: return StyledLine(row.setting.name)
        case 2:
            guard let value = row.value else { return StyledLine(glyphs[.dash], .faint) }
            return StyledLine(value, row.differs ? .title : .text, emphasis: row.differs)
        case 3:
            guard row.setting != .preset else { return StyledLine() }
            guard let ground = row.ground else { return StyledLine(glyphs[.dash], .faint) }
            return StyledLine(ground, .quiet)
        default: return StyledLine(row.setting.help, .quiet)
        }
    }

    /// The allowed values of the chosen setting.
    private mutating func paintAllowed(_ setting: QueueSetting, saysHelp: Bool, y: Int) {
        guard y > layout.pageRect.y + 1 else { return }
        var line: StyledLine = [Span("\(setting.name)  ", .text, emphasis: true)]
        let help = "\(setting.help)\(separator)"
        // The allowed values are more useful than the explanation.
        let room = contentWidth - line.width - DisplayText.width(setting.allowed)
        if saysHelp, DisplayText.width(help) <= room { line.append(help, .quiet) }
        line.append(setting.allowed, .quiet)
        buffer.put(line, x: contentX, y: y, maxWidth: contentWidth)
    }
}

extension FrameLayout {
    /// The number of visible settings, between the headings and the line below.
    var settingsHeight: Int { max(1, pageRect.height - 2) }

    /// The index of the first visible setting.
    func firstSetting(_ chosen: Int, of count: Int) -> Int {
        min(max(0, chosen - settingsHeight / 2), max(0, count - settingsHeight))
    }
}

/// The task under the cursor, right of the list or below it.
extension Painter {
    mutating func paintPreview() {
        var area = layout.preview
        guard !area.isEmpty else { return }
        guard let id = state.previewed else { return paintNoPreview(area) }
        paintPreviewRule(area)
        if let other = state.besidePreviewed {
            let words = state.stepping?.done == nil ? "is stepped" : "was stepped"
            buffer.put(
                "\(state.names.name(id)) \(words); the cursor is on \(state.names.name(other))",
                x: area.x, y: area.y, role: .time, maxWidth: area.width)
            area = Rect(x: area.x, y: area.y + 1, width: area.width, height: area.height - 1)
        }
        guard let text = state.detailText(DetailPlace(), width: area.width),
            text.detail.line.task.id == id
        else {
            return paintPreviewTitle(id, area)
        }
        let lines = text.preview(height: area.height).prefix(area.height)
        let hits = state.hits
        for (row, line) in lines.enumerated() {
            let marked = hits.isEmpty ? line : line.marking(hits)
            buffer.put(marked, x: area.x, y: area.y + row, maxWidth: area.width)
        }
        paintPreviewHour(area, below: lines.count)
    }

    /// The last hour at the foot of the preview, where a task leaves room.
    private mutating func paintPreviewHour(_ area: Rect, below lines: Int) {
        let height = 6
        guard area.height - lines > height else { return }
        paintHour(
            in: Rect(x: area.x, y: area.maxY - height, width: area.width, height: height))
    }

    /// A row of another view than the list that has no task.
    private mutating func paintNoPreview(_ area: Rect) {
        guard state.view != .inventory, let scene = state.scene else { return }
        paintPreviewRule(area)
        paintPreviewHour(area, below: 1)
        guard state.view != .failures || !scene.failures.isEmpty else { return }
        let words = state.view == .runners ? "it runs no task" : "no task belongs to this row"
        buffer.put(words, x: area.x, y: area.y, role: .quiet, maxWidth: area.width)
    }

    /// The known facts about a task before it loads, or after its step removed it.
    private mutating func paintPreviewTitle(_ id: TaskID, _ area: Rect) {
        let done = state.stepping?.done
        let line = state.list.line?.task
        let type = line?.id == id ? line?.type : done?.type
        let title = "\(state.names.name(id)) \(type ?? "")"
        buffer.put(
            title, x: area.x, y: area.y, role: .title, emphasis: true, maxWidth: area.width)
        if state.freeze != nil, let key = state.settings.keys.name(of: .detail) {
            let words = "the picture is frozen: \(key) reads it"
            buffer.put(words, x: area.x, y: area.y + 1, role: .quiet, maxWidth: area.width)
        }
        guard let done, done.id == id, area.height > 2 else { return }
        let words = state.names.text(AttemptText(done).sentence)
        let lines = DisplayText.wrapped(
            words, to: max(1, area.width), limit: area.height - 2, glyphs: glyphs)
        for (row, text) in lines.enumerated() {
            buffer.put(
                text, x: area.x, y: area.y + 2 + row, role: done.isSuccess ? .running : .failed,
                maxWidth: area.width)
        }
    }

    private mutating func paintPreviewRule(_ area: Rect) {
        if area.y > layout.body.y {
            let rule = Rect(x: area.x, y: area.y - 1, width: area.width, height: 1)
            return buffer.fill(rule, with: glyphs[.horizontalRule], role: .faint)
        }
        for y in layout.body.y..<layout.body.maxY {
            buffer.put(glyphs[.verticalRule], x: area.x - 2, y: y, role: .faint)
        }
        if let y = layout.ruleY {
            buffer.put(glyphs[.ruleJoin], x: area.x - 2, y: y, role: .faint)
        }
    }
}

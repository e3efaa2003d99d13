import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// View 1: the queue in its running order.
extension Painter {
    mutating func paintInventory() {
        let page = state.list.page
        let rows = layout.rows
        guard !page.rows.isEmpty else {
            paintFold()
            return paintEmptyInventory()
        }
        let table = inventoryTable
        buffer.putHeadings(
            table.columns, table.frames, x: contentX, y: layout.headingsY, isBold: hasKeys)
        let seen = seenRows
        guard !seen.isEmpty else { return }
        paintTaskRows(seen, table)
        paintFold()
        if isStatusBelow {
            buffer.put(
                listStatus, x: contentX, y: rows.y + seen.count + (state.ended == nil ? 0 : 1),
                role: .quiet,
                maxWidth: contentWidth)
        }
    }

    /// Whether the position in the list has a line below the rows; else the line of the next task
    /// has it.
    var isStatusBelow: Bool {
        let taken = seenRows.count + (state.ended == nil ? 0 : 1)
        return layout.isRoomy || taken < layout.rows.height
    }

    /// Paints the cursor's row and its neighbours, because the cursor usually came from one.
    /// Returns the painted rows.
    mutating func paintRowsAtCursor() -> Range<Int> {
        let cursor = state.list.cursor
        let near = (cursor - 1..<cursor + 2).clamped(to: seenRows)
        paintTaskRows(near, inventoryTable)
        let y = layout.rows.y + near.lowerBound - state.list.top
        return y..<y + near.count
    }

    /// The rows of the page that have a place on the screen.
    private var seenRows: Range<Int> {
        let first = state.list.top
        return first..<max(first, min(state.list.page.rows.count, first + layout.rows.height))
    }

    private mutating func paintTaskRows(_ indices: Range<Int>, _ table: InventoryTable) {
        for index in indices {
            paintTaskRow(index, table, y: layout.rows.y + index - state.list.top)
        }
    }

    /// `row 12 of 412`, as far as known, plus `follows` if the cursor keeps its row. Shows
    /// `row … of 412` until the target row is loaded.
    var listStatus: String {
        let page = state.list.page
        guard !page.rows.isEmpty else { return "" }
        var text = ""
        let total = page.total ?? (page.reachesStart && page.reachesEnd ? page.rows.count : nil)
        let isUnderWay = state.jump != nil || state.list.pendingMove != 0
        switch (state.list.position, total) {
        case (_, let total?) where isUnderWay:
            text = "row … of \(NumberText.grouped(total))"
        case (let row?, let total?):
            text = "row \(NumberText.grouped(row)) of \(NumberText.grouped(total))"
        case (let row?, nil): text = "row \(NumberText.grouped(row))"
        case (nil, let total?): text = "of \(NumberText.grouped(total)) rows"
        case (nil, nil): break
        }
        if state.isFollowing && !isUnderWay {
            text += (text.isEmpty ? "" : separator) + "follows"
        }
        if let filter = state.list.filter {
            text += (text.isEmpty ? "" : separator) + "only \(filter.description)"
        }
        if let remark = page.remark { text += (text.isEmpty ? "" : separator) + remark }
        if page.isTooLong {
            let limit = NumberText.grouped(SortedReader.limit)
            text += "\(separator)running order: over \(limit) are not sorted"
        } else if state.order != .running {
            text += separator + state.order.words
        }
        if let looked = page.searchWords {
            text += separator + looked
        } else if page.isCut {
            text += "\(separator)more may match further on"
        }
        return text
    }

    /// A task's name without the sign, as a column of names shows it.
    func bare(_ id: TaskID) -> String {
        let name = state.names.name(id)
        return name.hasPrefix("#") ? String(name.dropFirst()) : name
    }

    /// The visible columns and their positions.
    var inventoryTable: InventoryTable {
        var (shown, columns): ([InventoryColumn], [Column]) = ([], [])
        for one in InventoryColumn.all(state.columns) {
            guard let column = one.column(self) else { continue }
            shown.append(one)
            columns.append(column)
        }
        var all = Columns(columns, gap: contentWidth >= 74 ? 2 : 1)
        let table = InventoryTable(shown: shown, columns: all, width: contentWidth)
        // A cut about column is better than an empty one next to free width.
        guard let place = shown.firstIndex(where: { $0.name == .about }),
            table.withoutRoom.contains(.about)
        else { return table }
        all.all[place].minimum = Self.shortestAbout
        return InventoryTable(shown: shown, columns: all, width: contentWidth)
    }

    private static let shortestAbout = 8

    /// The number of digits in the longest visible task id.
    var idDigits: Int {
        state.names.isEmpty
            ? state.list.measure.digits
            : state.list.page.rows.map { bare($0.task.id).utf8.count }.max() ?? 4
    }

    private var priorityNames: PriorityNames {
        guard !state.isAll else { return PriorityNames() }
        return state.scene?.queue?.overview.queue.settings.priorityNames ?? PriorityNames()
    }

    /// As wide as the names of priorities, up to a word's length.
    var priorityColumn: Column? {
        // Hide the column if the order ignores priorities and no task has one.
        let order = state.scene?.queue?.overview.queue.settings.order
        guard order == .priority && !state.isAll || state.list.measure.hasPriority else {
            return nil
        }
        let widths = priorityNames.entries.map { DisplayText.width($0.name) }
        let width = min(12, max(3, widths.max() ?? 3))
        return Column(
            "pri", alignment: .right, minimum: 3, ideal: width, maximum: max(6, width), priority: 4)
    }

    func priority(_ task: QueueTask) -> StyledLine {
        guard let name = settings(of: task)?.priorityNames.name(of: task.priority) else {
            return Self.number(Int(task.priority))
        }
        return StyledLine(name)
    }

    private mutating func paintTaskRow(_ index: Int, _ table: InventoryTable, y: Int) {
        let line = state.list.page.rows[index]
        let isSelected = index == state.list.cursor && !state.isOnFold
        if isSelected { paintCursor(y: y) }
        let row = InventoryColumn.Row(
            line: line, words: words(line), index: index, isSelected: isSelected)
        for frame in table.frames {
            buffer.put(
                table.shown[frame.index].cell(self, row, frame.width), in: frame,
                alignment: table.columns.all[frame.index].alignment, x: contentX, y: y)
        }
    }

    /// Whether the view has the keys, and not the queues.
    var hasKeys: Bool { state.focus == .view || layout.isNarrow }

    /// The row of the cursor: lit where the keys are, elsewhere marked by a sign.
    mutating func paintCursor(y: Int) {
        guard !hasKeys else { return paintSelection(y: y) }
        buffer.put(glyphs[.cursor], x: layout.right.x, y: y, role: .quiet)
    }

    mutating func paintSelection(y: Int) {
        let row = Rect(x: layout.right.x, y: y, width: layout.right.width, height: 1)
        buffer.paint(row, background: .selection)
    }

    /// The sign of a row: changed a moment ago, marked, or its state.
    func mark(_ line: TaskLine, _ words: TaskWords) -> StyledLine {
        if state.marks.contains(line.task.id) { return StyledLine(glyphs[.marked], .title) }
        if let until = state.changed[line.task.id], until > state.now {
            return StyledLine(glyphs[.changed], words.role)
        }
        if let sign = stopMark(line) ?? faultMark(line) { return sign }
        return StyledLine(words.glyph.map { glyphs[$0] } ?? " ", words.role)
    }

    func groupCell(_ index: Int, width: Int) -> StyledLine {
        let rows = state.list.page.rows
        let task = rows[index].task
        guard let name = task.groupStart ?? task.groupMembers.first else { return StyledLine() }
        let bracket: Glyph
        if task.groupStart != nil {
            bracket = .groupStart
        } else {
            let goesOn = rows[(index + 1)...].contains { $0.task.groupMembers.contains(name) }
            bracket = goesOn ? .groupMiddle : .groupEnd
        }
        let holds = rows[index].heldBy != nil || task.groupStart != nil
        let role: Role = holds ? .held : .quiet
        return [
            Span("\(glyphs[bracket]) ", role),
            Span(GroupText.fitting(GroupText.name(task), width - 2, glyphs), role),
        ]
    }

    /// Whether this console can enqueue. Apps enqueue the tasks of other systems.
    var isEnqueuing: Bool { state.scene?.refusals[.enqueue] == nil }

    mutating func putEmptyForeign() {
        putEmpty(
            "No queue is there now.", "Its own app makes one with the first task of it.",
            command: nil)
    }

    private mutating func paintEmptyInventory() {
        guard let scene = state.scene else { return }
        guard let queue = scene.queue else {
            guard isEnqueuing else { return putEmptyForeign() }
            return putEmpty(
                "The store is empty.", "Enqueue a first task; its queue is created:",
                command: "enqueue QUEUE TYPE PAYLOAD")
        }
        let place = state.isAll ? "any queue" : queue.name
        let system = queue.system.map { $0.prefix { $0 != " " } }
        if let looked = state.list.page.searchWords, let filter = state.list.filter {
            return putEmpty(
                "Nothing yet in \(place) that matches \(filter.description).",
                "\(looked); Esc ends the search.", command: nil)
        }
        if let filter = state.list.filter {
            let enter = state.key(.detail)
            let ended =
                state.statesLeftOut.map { "; \(enter) or state:\($0) finds ended tasks" } ?? ""
            let others = state.isAll ? "" : " \(glyphs[.all]) all looks in every queue."
            return putEmpty(
                "Nothing in \(place) matches \(filter.description).\(others)",
                "Esc takes it away, / changes it\(ended).", command: nil)
        }
        if let system {
            return putEmpty(
                "Nothing waits, runs or failed in \(place).",
                "New tasks of \(system) appear here as they come; p holds them.", command: nil)
        }
        if state.isAll {
            guard isEnqueuing else {
                return putEmpty(
                    "Nothing waits, runs or failed in any queue.",
                    "New tasks of its own app appear here as they come.", command: nil)
            }
            return putEmpty(
                "Nothing waits, runs or failed in any queue.",
                "i enqueues a task, or from a shell:",
                command: "enqueue QUEUE TYPE PAYLOAD")
        }
        let done = queue.tally.succeeded + queue.tally.deleted
        let also = done > 0 ? " \(done) finished or deleted: /state:succeeded,deleted" : ""
        putEmpty(
            "Nothing waits, runs or failed in \(queue.name).\(also)",
            "i enqueues a task, or from a shell:",
            command: "\(ShellWord.command("enqueue", queue.name)) TYPE PAYLOAD")
    }
}

extension TaskPage {
    /// The progress of a running search, or `nil` if none runs.
    fileprivate var searchWords: String? {
        guard isCut, let search else { return nil }
        let found = search.hits.isEmpty ? "" : "\(NumberText.grouped(search.hits.count)) found, "
        return "\(found)\(NumberText.grouped(search.lookedThrough)) looked through"
    }
}

enum GroupText {
    /// The group of a task, with how many more it has.
    static func name(_ task: QueueTask) -> String {
        guard let name = task.groupStart ?? task.groupMembers.first else { return "" }
        let more = (task.groupStart == nil ? 0 : 1) + task.groupMembers.count - 1
        return more > 0 ? "\(name) +\(more)" : name
    }

    /// Shortens a name in its middle: the beginning shows the kind of group, the end identifies it.
    static func fitting(_ name: String, _ width: Int, _ glyphs: GlyphSet) -> String {
        guard width >= 8, DisplayText.width(name, glyphs: glyphs) > width else { return name }
        let head = DisplayText.truncated(name, to: width * 2 / 5, glyphs: glyphs)
        let room = width - DisplayText.width(head, glyphs: glyphs)
        var tail = name[...]
        while DisplayText.width(String(tail), glyphs: glyphs) > room { tail.removeFirst() }
        return head + tail
    }
}

/// The fold below the list.
extension Painter {
    /// `▸ ended and kept: 240 succeeded · 12 deleted`.
    mutating func paintFold() {
        guard let ended = state.ended, let y = state.foldY(layout) else { return }
        if state.isOnFold { paintCursor(y: y) }
        var parts: [String] = []
        if ended.succeeded > 0 { parts.append("\(NumberText.grouped(ended.succeeded)) succeeded") }
        if ended.deleted > 0 { parts.append("\(NumberText.grouped(ended.deleted)) deleted") }
        let glyph = glyphs[state.showsEnded ? .expanded : .collapsed]
        var line: StyledLine = [
            Span("\(glyph) ended and kept: \(parts.joined(separator: separator))", .quiet)
        ]
        if state.isOnFold {
            line.append("  \(glyphs.enter)", .key)
            line.append(state.showsEnded ? " hides them" : " shows them", .quiet)
        }
        buffer.put(line, x: contentX, y: y, maxWidth: contentWidth)
    }
}

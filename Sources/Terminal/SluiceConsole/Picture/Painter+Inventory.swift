import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// View 1: the queue in its running order.
extension Painter {
    mutating func paintInventory() {
        let page = state.list.page
        let rows = layout.rows
        guard !page.rows.isEmpty else { return paintEmptyInventory() }
        let columns = inventoryColumns
        let frames = columns.layout(width: contentWidth)
        buffer.putHeadings(columns, frames, x: contentX, y: layout.headingsY)
        let seen = seenRows
        guard !seen.isEmpty else { return }
        paintTaskRows(seen, columns, frames)
        if layout.isRoomy {
            buffer.put(
                listStatus, x: contentX, y: rows.y + seen.count, role: .quiet,
                maxWidth: contentWidth)
        }
    }

    /// Paints the row of the cursor and those beside it, from one of which it came as a rule; gives
    /// where they stand.
    mutating func paintRowsAtCursor() -> Range<Int> {
        let cursor = state.list.cursor
        let near = (cursor - 1..<cursor + 2).clamped(to: seenRows)
        let columns = inventoryColumns
        paintTaskRows(near, columns, columns.layout(width: contentWidth))
        let y = layout.rows.y + near.lowerBound - state.list.top
        return y..<y + near.count
    }

    /// The rows of the page that have a place on the screen.
    private var seenRows: Range<Int> {
        let first = state.list.top
        return first..<max(first, min(state.list.page.rows.count, first + layout.rows.height))
    }

    private mutating func paintTaskRows(
        _ indices: Range<Int>, _ columns: Columns, _ frames: [ColumnFrame]
    ) {
        for index in indices {
            paintTaskRow(index, columns, frames, y: layout.rows.y + index - state.list.top)
        }
    }

    /// `row 12 of 412`, as far as it is known; `row … of 412` while the row to which the cursor
    /// goes is still read.
    var listStatus: String {
        let page = state.list.page
        guard !page.rows.isEmpty else { return "" }
        var text = ""
        let total = page.total ?? (page.reachesStart && page.reachesEnd ? page.rows.count : nil)
        let isUnderWay = state.jump != nil || state.list.pendingMove != 0
        switch (state.list.position, total) {
        case (_, let total?) where isUnderWay:
            text = "row \(plain("…")) of \(NumberText.grouped(total))"
        case (let row?, let total?):
            text = "row \(NumberText.grouped(row)) of \(NumberText.grouped(total))"
        case (let row?, nil): text = "row \(NumberText.grouped(row))"
        case (nil, let total?): text = "of \(NumberText.grouped(total)) rows"
        case (nil, nil): break
        }
        if let filter = state.list.filter {
            text += (text.isEmpty ? "" : separator) + "only \(filter.description)"
        }
        if let looked = page.searchWords {
            text += separator + looked
        } else if page.isCut {
            text += "\(separator)more may match further on"
        }
        return text
    }

    /// A task's name without the sign, as a column of names shows it.
    private func bare(_ id: TaskID) -> String {
        let name = state.names.name(id)
        return name.hasPrefix("#") ? String(name.dropFirst()) : name
    }

    private var inventoryColumns: Columns {
        let measure = state.list.measure
        let digits =
            state.names.isEmpty
            ? measure.digits
            : state.list.page.rows.map { bare($0.task.id).utf8.count }.max() ?? 4
        // Where the order does not ask for priorities and no task has one the column would be
        // noise.
        let order = state.scene?.queue?.overview.queue.settings.order
        let hasPriority = order == .priority || measure.hasPriority
        let (group, type) = (measure.group, measure.type)
        let isWide = contentWidth >= 74
        return Columns(
            [
                Column("", minimum: 1, priority: 20),
                Column("task", alignment: .right, minimum: max(4, digits), priority: 19),
                Column(
                    "type", minimum: min(max(type, 4), 8), ideal: min(max(type, 8), 20),
                    maximum: 24,
                    priority: 18),
                measure.hasGroups
                    ? Column(
                        "  group", minimum: 8, ideal: min(group + 2, 18), maximum: 22, priority: 8)
                    : .absent,
                hasPriority ? priorityColumn : .absent,
                // Where no task must succeed for the queue to go on the column would be noise.
                measure.hasRequired ? Column("need", minimum: 8, maximum: 8, priority: 7) : .absent,
                Column("tries", alignment: .right, minimum: 5, maximum: 8, priority: 6),
                Column(
                    "state", minimum: 15, ideal: 17, maximum: 64, priority: 16, isFlexible: true),
                Column("age", alignment: .right, minimum: 4, ideal: 5, maximum: 11, priority: 5),
            ], gap: isWide ? 2 : 1)
    }

    private var priorityNames: PriorityNames {
        state.scene?.queue?.overview.queue.settings.priorityNames ?? PriorityNames()
    }

    /// As wide as the names of priorities, up to a word's length.
    private var priorityColumn: Column {
        let widths = priorityNames.entries.map { DisplayText.width($0.name) }
        let width = min(12, max(3, widths.max() ?? 3))
        return Column(
            "pri", alignment: .right, minimum: 3, ideal: width, maximum: max(6, width), priority: 4)
    }

    private func priority(_ task: QueueTask) -> StyledLine {
        guard let name = priorityNames.name(of: task.priority) else {
            return Self.number(Int(task.priority))
        }
        return StyledLine(name)
    }

    private mutating func paintTaskRow(
        _ index: Int, _ columns: Columns, _ frames: [ColumnFrame], y: Int
    ) {
        let line = state.list.page.rows[index]
        let isSelected = index == state.list.cursor
        if isSelected { paintSelection(y: y) }
        let words = words(line)
        for frame in frames {
            buffer.put(
                cell(frame, line, words, index, isSelected), in: frame,
                alignment: columns.all[frame.index].alignment, x: contentX, y: y)
        }
    }

    mutating func paintSelection(y: Int) {
        let row = Rect(x: layout.right.x, y: y, width: layout.right.width, height: 1)
        buffer.paint(row, background: .selection)
    }

    private func cell(
        _ frame: ColumnFrame, _ line: TaskLine, _ words: TaskWords, _ index: Int,
        _ isSelected: Bool
    ) -> StyledLine {
        let task = line.task
        switch frame.index {
        case 0: return mark(line, words)
        case 1: return StyledLine(bare(task.id), isSelected ? .title : .text)
        case 2: return StyledLine(task.type, isSelected ? .title : .text, emphasis: isSelected)
        case 3: return groupCell(index, width: frame.width)
        case 4: return priority(task)
        case 5: return StyledLine(task.isRequired ? "required" : "optional", needRole(task))
        case 6:
            let limit =
                task.attemptLimit
                ?? state.scene?.queue?.overview.queue.settings.attemptLimit
            return StyledLine(
                TaskWords.tries(task.attempts, limit), task.attempts == 0 ? .faint : .text)
        case 7: return words.state(width: frame.width)
        default: return StyledLine(clock.age(task.createdAt), .quiet)
        }
    }

    /// A required task stands out: giving it up stops its queue (Q6).
    private func needRole(_ task: QueueTask) -> Role { task.isRequired ? .text : .faint }

    /// The sign of a row: changed a moment ago, marked, or its state.
    func mark(_ line: TaskLine, _ words: TaskWords) -> StyledLine {
        if state.marks[line.task.id] != nil { return StyledLine(glyphs[.marked], .title) }
        if let until = state.changed[line.task.id], until > state.now {
            return StyledLine(glyphs[.changed], words.role)
        }
        return StyledLine(words.glyph.map { glyphs[$0] } ?? " ", words.role)
    }

    private func groupCell(_ index: Int, width: Int) -> StyledLine {
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
            Span(GroupWords.fitting(GroupWords.name(task), width - 2, glyphs), role),
        ]
    }

    private mutating func paintEmptyInventory() {
        guard let scene = state.scene else { return }
        guard let queue = scene.queue else {
            return putEmpty(
                "The store is empty.", "Make a first task; its queue is made with it:",
                command: "enqueue QUEUE TYPE PAYLOAD")
        }
        if let looked = state.list.page.searchWords, let filter = state.list.filter {
            return putEmpty(
                "Nothing yet in \(queue.name) that matches \(filter.description).",
                "\(looked); Esc ends the search.", command: nil)
        }
        if let filter = state.list.filter {
            return putEmpty(
                "Nothing in \(queue.name) matches \(filter.description).",
                "Esc takes the filter away, / changes it.", command: nil)
        }
        let done = queue.tally.succeeded + queue.tally.deleted
        let also = done > 0 ? " \(done) finished or deleted: / state:succeeded,deleted" : ""
        putEmpty(
            "Nothing waits, runs or failed in \(queue.name).\(also)",
            "i enqueues a task, or from a shell:",
            command: "\(ShellWord.command("enqueue", queue.name)) TYPE PAYLOAD")
    }
}

extension Column {
    /// Keeps the number of a column that is not shown: it never has room.
    static var absent: Column { Column("", minimum: 1 << 20, priority: -1) }
}

extension TaskPage {
    /// How far a search is that goes on; nil for one that has ended, or none.
    fileprivate var searchWords: String? {
        guard isCut, let search else { return nil }
        let found = search.hits.isEmpty ? "" : "\(NumberText.grouped(search.hits.count)) found, "
        return "\(found)\(NumberText.grouped(search.lookedThrough)) looked through"
    }
}

/// Words about groups.
enum GroupWords {
    /// The group of a task, with how many more it has.
    static func name(_ task: QueueTask) -> String {
        guard let name = task.groupStart ?? task.groupMembers.first else { return "" }
        let more = (task.groupStart == nil ? 0 : 1) + task.groupMembers.count - 1
        return more > 0 ? "\(name) +\(more)" : name
    }

    /// A name cut in its middle: what kind of group it is stands in front, which one at the end.
    static func fitting(_ name: String, _ width: Int, _ glyphs: GlyphSet) -> String {
        guard width >= 8, DisplayText.width(name) > width else { return name }
        let head = DisplayText.truncated(name, to: width * 2 / 5, glyphs: glyphs)
        let room = width - DisplayText.width(head)
        var tail = name[...]
        while DisplayText.width(String(tail)) > room { tail.removeFirst() }
        return head + tail
    }
}

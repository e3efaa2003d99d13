import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The place of the timeline in view 3, above the list.
struct TimelineLayout: Hashable, Sendable {
    let y: Int
    /// The number of rows it takes; 0 if it does not fit.
    let height: Int
    /// The rows of queues. The last one combines all others if there are more.
    let queues: Int
    /// Whether it has a line of words, a rule, and a blank line before the list.
    let isRoomy: Bool

    init(_ state: ConsoleState, y: Int, room: Int) {
        self.y = y
        let isSeen = state.view == .timers && state.page == nil
        let count = isSeen ? state.scene?.timeline?.queues.count ?? 0 : 0
        isRoomy = room >= 14
        guard count > 0, room >= 6 else {
            (height, queues) = (0, 0)
            return
        }
        queues = min(count, isRoomy ? max(2, (room - 5) / 3) : 2)
        height = queues + (isRoomy ? 4 : 1)
    }

    var labelsY: Int { y + (isRoomy ? 1 : 0) }
    var queuesY: Int { labelsY + (isRoomy ? 2 : 1) }
}

/// View 3, above the list: a line of time from now on, with a row for each queue.
extension Painter {
    mutating func paintTimeline(_ timers: [TimerLine]) {
        let place = layout.timeline
        guard place.height > 0, let line = state.scene?.timeline else { return }
        let rows = timelineRows(line, timers)
        let label = min(rows.map { DisplayText.width($0.name) }.max() ?? 0, contentWidth / 4)
        let axis = TimelineAxis(
            x: contentX + label + 2,
            width: min(Timeline.parts, contentWidth - label - 2 - TimelineAxis.laterWidth))
        guard axis.width > 20 else { return }
        if place.isRoomy {
            buffer.put(
                timelineWords(line, timers, rows, axis), x: contentX, y: place.y,
                maxWidth: contentWidth)
        }
        let hasLater = rows.contains { $0.counts[Timeline.parts] != nil }
        paintAxis(axis, place, hasLater: hasLater)
        for (index, row) in rows.enumerated() {
            let y = place.queuesY + index
            let isChosen = row.chosen != nil
            buffer.put(
                row.name, x: contentX, y: y, role: isChosen ? .title : .text, maxWidth: label)
            for x in stride(from: axis.x, to: axis.x + axis.width, by: 2) {
                buffer.put(glyphs[.emptyBlock], x: x, y: y, role: .faint)
            }
            for (column, count) in axis.columns(row.counts) {
                let isLit = row.chosen.map(axis.column) == column
                let x = axis.x + column
                buffer.put(mark(count), x: x, y: y, role: isLit ? .next : .time, emphasis: isLit)
                guard isLit else { continue }
                buffer.paint(Rect(x: x, y: y, width: 1, height: 1), background: .selection)
            }
        }
    }

    /// A queue with its moments by part, and the part of the chosen one.
    private struct TimelineRow {
        var name: String
        var counts: [Int: Int]
        var chosen: Int?

        mutating func add(_ other: TimelineRow) {
            counts.merge(other.counts, uniquingKeysWith: +)
            chosen = chosen ?? other.chosen
        }
    }

    /// Past timers since the last read appear at the beginning, like due ones.
    private func timelineRows(_ line: Timeline, _ timers: [TimerLine]) -> [TimelineRow] {
        let chosen = state.cursors[.timers]?.window.cursor
        var found: [String: TimelineRow] = [:]
        for name in line.queues {
            found[name] = TimelineRow(
                name: TimerLine.place(of: name), counts: line.beyond[name] ?? [:])
        }
        for (index, timer) in timers.enumerated() {
            let part = Timeline.part(of: timer.at - clock.now)
            found[timer.queue]?.counts[part, default: 0] += 1
            if index == chosen { found[timer.queue]?.chosen = part }
        }
        var rows = line.queues.compactMap { found[$0] }
        guard rows.count > layout.timeline.queues else { return rows }
        var rest = rows.removeLast()
        while rows.count >= layout.timeline.queues { rest.add(rows.removeLast()) }
        rest.name = "\(NumberText.grouped(line.queues.count - rows.count)) others"
        return rows + [rest]
    }

    /// `38 moments · the next in 0:07 · ▁ is one`, with a note if it is limited.
    private func timelineWords(
        _ line: Timeline, _ timers: [TimerLine], _ rows: [TimelineRow], _ axis: TimelineAxis
    ) -> StyledLine {
        var words = timelineCount(line, timers)
        if let next = timers.first {
            words.append("\(separator)the next in ", .quiet)
            words.append(clock.countdown(next.at), .time)
        }
        let most = rows.flatMap { axis.columns($0.counts).values }.max() ?? 0
        if most >= fullMark {
            words.append(separator, .quiet)
            words.append(mark(most), .time)
            words.append(" is \(fullMark) or more", .quiet)
        } else if most > 1, glyphs != .ascii {
            words.append(separator, .quiet)
            words.append(mark(1), .time)
            words.append(" is one, ", .quiet)
            words.append(mark(most), .time)
            words.append(" \(most)", .quiet)
        }
        return words
    }

    /// The note about timers that the list omits, if no line of words above shows it.
    func timelineNote() -> StyledLine? {
        guard let scene = state.scene, let line = scene.timeline, !layout.timeline.isRoomy,
            line.total > scene.timers.count
        else { return nil }
        return timelineCount(line, scene.timers)
    }

    /// How many timers there are, and how many of them are seen one by one.
    private func timelineCount(_ line: Timeline, _ timers: [TimerLine]) -> StyledLine {
        let total = max(line.total, timers.count)
        let count = NumberText.grouped(total)
        guard total > timers.count else {
            return StyledLine("\(count) timer\(total == 1 ? "" : "s")", .quiet)
        }
        var text = "\(count) timers, \(NumberText.grouped(timers.count)) in the list"
        if line.uncounted > 0 {
            text += "\(separator)\(NumberText.grouped(line.uncounted)) queues not counted behind it"
        }
        return StyledLine(text, .quiet)
    }

    private mutating func paintAxis(
        _ axis: TimelineAxis, _ place: TimelineLayout, hasLater: Bool
    ) {
        let end = axis.x + axis.width - 1
        if place.isRoomy {
            let rule = Rect(x: axis.x, y: place.labelsY + 1, width: axis.width, height: 1)
            buffer.fill(rule, with: glyphs[.horizontalRule], role: .faint)
        }
        var free = contentX
        for (index, mark) in TimelineAxis.marks.enumerated() {
            let x = axis.x + axis.column(Timeline.part(of: mark.milliseconds))
            let isLast = index == TimelineAxis.marks.count - 1
            let glyph: Glyph = x == axis.x ? .axisStart : isLast ? .axisEnd : .axisMark
            if place.isRoomy { buffer.put(glyphs[glyph], x: x, y: rule(place), role: .faint) }
            let width = mark.name.count
            let labelX = min(max(axis.x, x - width / 2), end - width + 1)
            guard labelX >= free else { continue }
            buffer.put(mark.name, x: labelX, y: place.labelsY, role: .quiet)
            free = labelX + width + 1
        }
        guard hasLater else { return }
        buffer.put(TimelineAxis.later, x: end + 3, y: place.labelsY, role: .quiet)
    }

    private func rule(_ place: TimelineLayout) -> Int { place.labelsY + 1 }

    /// A column for a count: each step of height doubles the count. In ASCII, the number itself.
    private func mark(_ count: Int) -> String {
        if glyphs == .ascii { return "\(min(count, fullMark))" }
        let top = glyphs.levels.count - 1
        let level = 1 + (Int.bitWidth - max(0, count - 1).leadingZeroBitCount)
        return glyphs.levels[min(top, level)]
    }

    private var fullMark: Int { glyphs == .ascii ? 9 : Timeline.countLimit }
}

/// The columns of the line of time.
private struct TimelineAxis {
    var x: Int
    var width: Int

    static let later = "later"
    static let laterWidth = later.count + 2
    static let marks: [(name: String, milliseconds: Int64)] = [
        ("1 s", 1000), ("10 s", 10_000), ("1 min", 60_000), ("10 min", 600_000),
        ("1 h", 3_600_000), ("1 day", 86_400_000),
    ]

    /// The screen column of a part. Later timers share one column after the line.
    func column(_ part: Int) -> Int {
        guard part < Timeline.parts else { return width + 4 }
        return part * (width - 1) / (Timeline.parts - 1)
    }

    func columns(_ counts: [Int: Int]) -> [Int: Int] {
        Dictionary(counts.map { (column($0.key), $0.value) }, uniquingKeysWith: +)
    }
}

/// The timeline over the view.
extension Painter {
    mutating func paintTaskTimeline(_ page: TimelinePage) {
        let area = layout.pageRect
        guard let timeline = state.scene?.taskTimeline, timeline.scope == page.scope else {
            paintTitle("Timeline")
            let words = state.scene?.timelineTrouble ?? "reading the attempts"
            putText(words, .quiet, y: area.y)
            return
        }
        let drawing = TimelineDrawing(
            timeline, page.window(timeline, layout, at: clock.realNow), clock: clock,
            names: state.names, glyphs: glyphs, width: area.width)
        let shown = page.seen(of: timeline, layout)
        // The place in the list shares its line with the headline where lines are few.
        let isShared = !layout.isRoomy && shown.count < timeline.rows.count
        let room = contentWidth - (isShared ? Self.placeWidth : 0)
        buffer.put(
            drawing.headline(room: room), x: contentX, y: layout.body.y, maxWidth: contentWidth)
        guard !timeline.rows.isEmpty else {
            putText("no attempt and no task is there", .quiet, y: area.y)
            return
        }
        buffer.put(drawing.heading, x: area.x, y: area.y, maxWidth: area.width)
        var y = area.y + 1
        for row in shown {
            let isChosen = row.key == page.chosen
            if isChosen { paintSelection(y: y) }
            buffer.put(
                drawing.line(row, isChosen: isChosen), x: area.x, y: y, maxWidth: area.width)
            y += 1
        }
        paintTimelineFoot(drawing, page, y: y + (layout.isRoomy ? 1 : 0))
        if shown.count < timeline.rows.count {
            paintPlace(page.top, page.top + shown.count, of: timeline.rows.count)
        }
    }

    /// The columns of `189–203 of 203` and two blanks.
    private static let placeWidth = 16

    private mutating func paintTimelineFoot(
        _ drawing: TimelineDrawing, _ page: TimelinePage, y: Int
    ) {
        guard layout.timelineFoot > 0 else { return }
        let area = layout.pageRect
        var y = y
        let row = page.place(in: drawing.timeline.rows).map { drawing.timeline.rows[$0] }
        if layout.isRoomy {
            buffer.put(drawing.legend, x: area.x, y: y, maxWidth: area.width)
            y += 2
        }
        let words = row.map(drawing.words) ?? []
        let whole = words.flatMap { $0.wrapped(to: area.width, indent: 2, glyphs: glyphs) }
        for line in whole.count <= area.maxY - y ? whole : words where y < area.maxY {
            buffer.put(line, x: area.x, y: y, maxWidth: area.width)
            y += 1
        }
        guard !layout.isRoomy, y < area.maxY else { return }
        buffer.put(drawing.legend, x: area.x, y: y, maxWidth: area.width)
    }
}

extension FrameLayout {
    /// The lines below the rows of a timeline: blank, legend, blank, and three of words.
    var timelineFoot: Int { isRoomy ? 6 : pageRect.height >= 6 ? 2 : 0 }

    /// The rows of a timeline, without its heading and its foot.
    var timelineRows: Int { max(1, pageRect.height - 1 - timelineFoot) }
}

import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The left pane: queues, above the timers.
extension Painter {
    mutating func paintQueuePane() {
        let area = layout.left
        let count = state.scene?.queueCount ?? 0
        let columns = queueColumns
        let frames = columns.layout(width: max(0, area.width - 2))
        let y = layout.queuePaneY - 1
        let hasKeys = state.focus == .queues && state.page == nil || layout.isNarrow
        buffer.putHeadings(columns, frames, x: 1, y: y, isBold: hasKeys)
        var row = layout.queueRowsY
        if let pane = layout.fleetPane {
            paintNeighbours(pane.above, columns, frames, y: y + 1)
            paintShownPlace(y: row - 1)
            paintNeighbours(pane.below, columns, frames, y: pane.belowY(row))
        }
        guard count > 0 else {
            let y = layout.fleetPane == nil ? y + 1 : row
            buffer.put("no queue yet", x: 3, y: y, role: .quiet, maxWidth: area.width - 4)
            return
        }
        let visible = state.queueCursor.window.visible.clamped(to: 0..<count)
        if layout.hasAllRow, layout.fleetPane == nil { paintAllRow(columns, frames, y: row - 1) }
        for place in visible where row < area.maxY {
            if let line = state.scene?.queue(at: place) {
                let isSelected = line.name == state.selectedQueue && !state.isAll
                paintQueueCursor(isSelected: isSelected, y: row)
                paintQueue(line, columns, frames, y: row, isSelected: isSelected)
            }
            row += 1
        }
        if visible.upperBound < count, row < area.maxY {
            let more = "\(NumberText.grouped(count - visible.upperBound)) more"
            buffer.put(more, x: 3, y: row, role: .quiet)
        }
        paintTimerPane()
    }

    /// The columns. Without room for failures, the states contain them.
    private var queueColumns: Columns {
        let asked = QueuePaneWidths(state.scene)
        let whole = queueColumns(asked, state: asked.state, fail: asked.fail)
        let frames = whole.layout(width: max(0, layout.left.width - 2))
        guard asked.fail > 0, !Self.showsFail(frames) else { return whole }
        return queueColumns(asked, state: asked.stateWithFail, fail: 0)
    }

    private static func showsFail(_ frames: [ColumnFrame]) -> Bool {
        frames.contains { $0.index == 3 }
    }

    private func queueColumns(_ asked: QueuePaneWidths, state: Int, fail: Int) -> Columns {
        // A state is never cut: a name says enough by its beginning.
        let (name, waits) = (asked.name, asked.waits)
        // Sign, state and the blanks between the columns leave this for names and numbers, which
        // are shortened by their unit before a state goes. Usual names stay whole, and where they
        // need it the priorities go.
        let room = layout.left.width - 2 - 4 - state
        let shortest = min(min(max(6, name), 14), max(6, room - 5))
        return Columns([
            Column("", minimum: 1, priority: 9),
            Column(
                "queues", minimum: shortest,
                ideal: min(max(6, name), 24), maximum: 40, priority: 8, isFlexible: true),
            Column("state", minimum: state, ideal: 9, maximum: 9, priority: 6),
            fail == 0
                ? Column("", minimum: 1 << 20, priority: -1)
                : Column("fail", alignment: .right, minimum: max(4, fail), priority: 5),
            Column("pri", alignment: .right, minimum: 3, maximum: 5, priority: 3),
            Column(
                "waits", alignment: .right, minimum: min(max(5, waits), max(5, room - shortest)),
                ideal: max(5, waits), priority: 7),
        ])
    }

    /// The row of a queue. The numbers of a place that is away are not of now.
    mutating func paintQueue(
        _ line: QueueLine, _ columns: Columns, _ frames: [ColumnFrame], y: Int, isSelected: Bool,
        isAway: Bool = false
    ) {
        guard !isAway else {
            let cells = [StyledLine("?", .quiet), StyledLine(line.name, .quiet)]
            for (cell, frame) in zip(cells + [StyledLine("away", .quiet)], frames) {
                buffer.put(cell, in: frame, alignment: .left, x: 1, y: y)
            }
            return
        }
        let look = QueueLook(line)
        for frame in frames {
            let column = columns.all[frame.index]
            let text: StyledLine
            switch frame.index {
            case 0: text = StyledLine(glyphs[look.glyph], look.role)
            case 1:
                text = StyledLine(line.name, isSelected ? .title : .text, emphasis: isSelected)
            case 2:
                let word = StyledLine(look.word, look.role)
                text =
                    Self.showsFail(frames)
                    ? word : Self.stateCell(word, Self.failCell(line.tally, glyphs))
            case 3: text = Self.failCell(line.tally, glyphs)
            case 4: text = Self.number(Int(line.overview.queue.settings.priority))
            default:
                let waits = line.tally.waiting
                text =
                    waits == 0
                    ? StyledLine(glyphs[.dash], .faint)
                    : StyledLine(
                        Figure.text(
                            waits, width: frame.width, isAbout: line.tally.isWaitingEstimated,
                            isBound: line.tally.bounded.contains(.due)))
            }
            buffer.put(text, in: frame, alignment: column.alignment, x: 1, y: y)
        }
    }

    /// `paused !1`: the state and the failures. Without room for both, the failures of a queue that
    /// runs or waits, as its sign says, and the state of another.
    static func stateCell(_ word: StyledLine, _ fail: StyledLine) -> StyledLine {
        guard fail.width > 0, !word.text.hasSuffix("failed") else { return word }
        guard word.width > 0 else { return fail }
        let both = word + StyledLine(" ") + fail
        if both.width <= QueuePaneWidths.longestState { return both }
        return ["running", "waiting"].contains(word.text) ? fail : word
    }

    /// `!182` failed, or `↺47` waiting for a retry. A bound of zero is no failure.
    static func failCell(
        _ tally: QueueTally, _ glyphs: GlyphSet, isLeast: Bool = false
    ) -> StyledLine {
        if tally.failed > 0 {
            let plus = tally.bounded.contains(.failed) ? "+" : ""
            return StyledLine(
                glyphs[.failed] + NumberText.grouped(tally.failed) + plus, .failed)
        }
        let retrying = tally.retrying + tally.dueRetries
        guard retrying > 0 else { return StyledLine() }
        let plus = isLeast || tally.dueRetries >= QueueOverview.dueRetryLimit ? "+" : ""
        return StyledLine(glyphs[.retry] + NumberText.grouped(retrying) + plus, .time)
    }

    /// A number, faint when it is zero.
    static func number(_ value: Int) -> StyledLine {
        StyledLine("\(value)", value == 0 ? .quiet : .text)
    }
}

/// How a queue's state looks: glyph, words and role (K5).
struct QueueLook {
    let glyph: Glyph
    /// The words of the line under its name.
    let words: String
    let role: Role
    /// The text of a state column.
    let word: String

    init(_ line: QueueLine) {
        let status = line.status
        if let unserved = line.unserved, [.running, .waiting, .failing].contains(status) {
            (glyph, role, word) = (.idle, .time, "waiting")
            words = "waiting: \(unserved)"
            return
        }
        words = status.words
        switch status {
        // The sign shows whether more tasks start, the word shows the problem.
        case .stuck where line.overview.state == .pausing:
            (glyph, role) = (line.overview.isAtStop ? .breakpoint : .paused, .failed)
        case .stuck: (glyph, role) = (.failed, .failed)
        case .atStop: (glyph, role) = (.breakpoint, .time)
        case .paused, .pausing: (glyph, role) = (.paused, .time)
        case .blocked, .noRunner, .waiting: (glyph, role) = (.idle, .time)
        case .running: (glyph, role) = (.running, .running)
        case .noRun, .empty: (glyph, role) = (.idle, .quiet)
        case .failing, .failed: (glyph, role) = (.failed, .failed)
        }
        // A number that has no room leaves its word: the column of failed ones has the number.
        if case .failed(let count) = status, count > 999 {
            word = "failed"
        } else {
            word = status.word
        }
    }
}

/// The widths that the cells of the queue pane need, in columns.
struct QueuePaneWidths: Hashable, Sendable {
    /// The longest name of a queue.
    let name: Int
    /// The longest state.
    let state: Int
    /// The longest state with its failures.
    let stateWithFail: Int
    /// The largest count of waiting tasks, including the row for all queues.
    let waits: Int

    /// The longest count of failures; 0 without failures.
    let fail: Int

    init(_ scene: LoadedScene?) {
        let others = scene?.fleet?.places.flatMap { $0.summary?.queues ?? [] } ?? []
        let queues = (scene?.queues ?? []) + others
        let all = NumberText.grouped(scene?.counts[.waiting] ?? 0).count
        waits = max(all, queues.map { NumberText.grouped($0.tally.waiting).count }.max() ?? 0)
        let cells =
            [scene.map { Painter.allFailCell($0, .unicode) } ?? StyledLine()]
            + queues.map { Painter.failCell($0.tally, .unicode) }
        fail = cells.map(\.width).max() ?? 0
        name = queues.map { DisplayText.width($0.name) }.max() ?? 6
        let looks = queues.map(QueueLook.init)
        state = looks.map(\.word.count).max() ?? 5
        stateWithFail =
            zip(looks, queues).map { look, line in
                Painter.stateCell(
                    StyledLine(look.word), Painter.failCell(line.tally, .unicode)
                ).width
            }.max() ?? 5
    }

    /// The longest usual name. Longer names do not widen the pane.
    static let usualName = 10
    /// The longest state, and the longest with its failures.
    static let longestState = 9
    private static let usualWaits = 5

    /// How wide the pane is on a screen of some width: below 110 columns up to four wider where
    /// usual names need it. States and numbers change all the time, and never move it.
    static func pane(on width: Int, name: Int) -> Int {
        guard width < 110 else { return 34 }
        let usual = 26 + (width - 80) * 8 / 30
        // Two margins, the sign, and a blank after each of three columns.
        let needed = 6 + min(name, usualName) + longestState + usualWaits
        return min(max(usual, needed), usual + 4, 34)
    }
}

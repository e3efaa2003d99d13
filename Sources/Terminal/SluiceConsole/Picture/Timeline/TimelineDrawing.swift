import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// A timeline as lines of text, for the screen and for a command.
struct TimelineDrawing {
    let timeline: TaskTimeline
    let window: TimelineWindow
    let clock: ScreenClock
    let names: TaskNames
    let glyphs: GlyphSet
    let width: Int

    private let number: Int
    private let type: Int
    private let took: Int
    private let prefix: String

    init(
        _ timeline: TaskTimeline, _ window: TimelineWindow?, clock: ScreenClock,
        names: TaskNames, glyphs: GlyphSet, width: Int
    ) {
        self.timeline = timeline
        self.window = window ?? TimelineWindow(timeline, at: clock.realNow)
        (self.clock, self.names, self.glyphs, self.width) = (clock, names, glyphs, width)
        let rows = timeline.rows
        let types = Set(rows.map(\.type))
        prefix = TypeText.prefix(of: types)
        number = min(12, max(4, rows.map { Self.label($0, names).count }.max() ?? 4))
        let longest = types.map { DisplayText.width($0, glyphs: glyphs) }.max() ?? 4
        type = width < 60 ? 0 : max(4, min(longest, width >= 110 ? 24 : 16))
        took = width < 50 ? 0 : 7
    }

    private static func label(_ row: TimelineRow, _ names: TaskNames) -> String {
        row.key.lane.map { "\($0.pid)/\($0.slot)" } ?? row.key.attempt.map { "try \($0)" }
            ?? names.name(row.task)
    }

    /// The first column of the bars, and their width.
    var chartX: Int { number + 3 + (type > 0 ? type + 2 : 0) }
    var chartWidth: Int { max(1, width - chartX - (took > 0 ? took + 1 : 0)) }

    /// The names of the columns, and the marks of the axis.
    var heading: StyledLine {
        var axis = Array(repeating: Character(" "), count: chartWidth)
        var free = 0
        for (column, words) in window.ticks(from: zero, width: chartWidth) {
            guard column >= free, column + words.count <= chartWidth else { continue }
            for (place, character) in words.enumerated() { axis[column + place] = character }
            free = column + words.count + 1
        }
        let first = isOfWorkers ? "slot" : isByAttempt ? "try" : "task"
        var text = "  " + DisplayText.paddedLeft(first, to: number) + " "
        if type > 0 { text += DisplayText.paddedRight("type", to: type) + "  " }
        text += String(axis)
        if took > 0 {
            text += DisplayText.paddedLeft(isOfWorkers ? "busy" : "took", to: took + 1)
        }
        return StyledLine(text, .quiet, emphasis: true)
    }

    /// The zero of the axis: the first attempt, or now for the slots of workers.
    private var zero: Timestamp { isOfWorkers ? clock.realNow : timeline.from }

    var isByAttempt: Bool {
        if case .attempts = timeline.scope { true } else { false }
    }

    var isOfWorkers: Bool {
        if case .workers = timeline.scope { true } else { false }
    }

    /// A row with its bars.
    func line(_ row: TimelineRow, isChosen: Bool = false) -> StyledLine {
        let (sign, role) = sign(of: row)
        var line: StyledLine = [Span(sign, role), Span(" ")]
        line.append(
            DisplayText.paddedLeft(Self.label(row, names), to: number, glyphs: glyphs) + " ",
            .quiet)
        if type > 0 {
            let word = TypeText.fitting(row.type, width: type, prefix, glyphs: glyphs)
            line.append(
                DisplayText.paddedRight(word, to: type, glyphs: glyphs) + "  ",
                isChosen ? .title : .text, emphasis: isChosen)
        }
        line = line + bars(row)
        let worked = row.worked(at: clock.realNow)
        if took > 0, row.began != nil {
            line.append(DisplayText.paddedLeft(DurationText.taken(worked), to: took + 1))
        }
        return line
    }

    /// The sign of the task's state.
    private func sign(of row: TimelineRow) -> (String, Role) {
        let last = row.bars.last { $0.kind.isWork }?.kind
        if row.key.attempt == nil {
            switch row.state {
            case .failed: return (glyphs[.failed], .failed)
            case .running: return (glyphs[.running], .next)
            case .waiting:
                let isRetry = last == .failed
                return (glyphs[isRetry ? .retry : .idle], isRetry ? .time : .quiet)
            case .succeeded, .deleted, nil: break
            }
        }
        switch last {
        case .failed: return (glyphs[.failed], .failed)
        case .running: return (glyphs[.running], .next)
        case .ran: return (glyphs == .ascii ? "+" : "✓", .running)
        default: return (" ", .quiet)
        }
    }

    private func bars(_ row: TimelineRow) -> StyledLine {
        var cells = [TimelineBar.Kind?](repeating: nil, count: chartWidth)
        for kind in TimelineSign.order {
            for bar in row.bars where bar.kind == kind {
                let end = bar.to ?? max(bar.from, clock.realNow)
                guard let columns = window.columns(bar.from, end, of: chartWidth) else { continue }
                for column in columns { cells[column] = kind }
            }
        }
        var line = StyledLine()
        var place = 0
        while place < cells.count {
            let kind = cells[place]
            let end = cells[place...].firstIndex { $0 != kind } ?? cells.count
            let sign = kind.map(TimelineSign.init)
            line.append(
                String(repeating: sign?.text(glyphs) ?? " ", count: end - place),
                sign?.role.inBar ?? .quiet)
            place = end
        }
        return line
    }

    /// The meaning of the signs that the picture has.
    var legend: StyledLine {
        let seen = Set(timeline.rows.flatMap { $0.bars.map(\.kind) })
        var line = StyledLine()
        for kind in TimelineBar.Kind.allCases where seen.contains(kind) {
            let sign = TimelineSign(kind)
            line.append(String(repeating: sign.text(glyphs), count: 2), sign.role.inBar)
            line.append(" \(sign.word)  ", .quiet)
        }
        line.append("0 is \(clock.real.time(zero))", .quiet)
        return line
    }
}

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
        let worked = isOfWorkers ? busy(row) : row.worked(at: clock.realNow)
        if took > 0, row.began != nil {
            line.append(DisplayText.paddedLeft(DurationText.taken(worked), to: took + 1))
        }
        return line
    }

    /// How long a slot had a task in the time of the picture.
    private func busy(_ row: TimelineRow) -> Int64 {
        var (sum, end) = (Int64(0), window.from)
        for bar in row.bars.filter(\.kind.isWork).sorted(by: { $0.from < $1.from }) {
            let (from, to) = (max(bar.from, end), min(bar.to ?? clock.realNow, window.to))
            guard to > from else { continue }
            (sum, end) = (sum + (to - from), to)
        }
        return sum
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

/// The words of a timeline: above it the whole, below it the chosen row.
extension TimelineDrawing {
    private var separator: String { " \(glyphs[.separator]) " }

    /// `startup  run ended 3s ago · 9 tasks · 4.2s · 7 succeeded · 1 failed`, with the parts that
    /// have room.
    func headline(room: Int) -> StyledLine {
        var line: StyledLine = [Span(title, .title, emphasis: true)]
        line.append("  \(countWords)", .text)
        for part in headlineParts {
            guard line.width + DisplayText.width(separator) + part.width <= room else { continue }
            line.append(separator, .quiet)
            line = line + part
        }
        return line
    }

    private var headlineParts: [StyledLine] {
        guard !timeline.rows.isEmpty else { return [] }
        let now = clock.realNow
        if isOfWorkers {
            let running = timeline.rows.count { $0.state == .running }
            let last = DurationText.short(window.length)
            return [
                StyledLine("\(running) busy", running > 0 ? .next : .quiet),
                StyledLine("the last \(last)", .quiet),
            ]
        }
        var parts = [StyledLine(DurationText.taken(workEnd - timeline.from), .text)]
        func count(_ word: String, _ role: Role, _ isCounted: (TimelineRow) -> Bool) {
            let count = timeline.rows.count(where: isCounted)
            if count > 0 { parts.append(StyledLine("\(count) \(word)", role)) }
        }
        count("succeeded", .running) { $0.bars.last?.kind == .ran }
        count("failed", .failed) { $0.bars.last?.kind == .failed }
        count("running", .next) { $0.bars.last?.kind == .running }
        count("retried", .time) { row in row.bars.count { $0.kind.isWork } > 1 }
        if let slowest = timeline.rows.max(by: { $0.worked(at: now) < $1.worked(at: now) }),
            slowest.began != nil, timeline.rows.count > 1
        {
            let time = DurationText.taken(slowest.worked(at: now))
            parts.append(StyledLine("slowest \(name(slowest)) \(time)", .quiet))
        }
        let idle = idlePercent
        if idle > 0 { parts.append(StyledLine("nothing ran for \(idle) % of it", .quiet)) }
        return parts
    }

    private var title: String {
        switch timeline.scope {
        case .queue(let name, _): name
        case .run(let name, let back):
            if let ended = timeline.runEnded {
                "\(name)  run\(back > 0 ? " -\(back)" : "") ended \(ago(ended))"
            } else {
                "\(name)  run in progress"
            }
        case .group(let group, let queue): "\(queue)  group \(group)"
        case .tasks: "tasks"
        case .attempts(let task): "\(names.name(task)) \(timeline.rows.first?.type ?? "")"
        case .workers: "workers"
        }
    }

    private func ago(_ moment: Timestamp) -> String {
        let age = clock.real.age(moment)
        return clock.format == .relative ? "\(age) ago" : "at \(age)"
    }

    private var countWords: String {
        let count = timeline.rows.count
        if isOfWorkers {
            let slots = "\(count) slot\(count == 1 ? "" : "s")"
            if let since = timeline.seenSince {
                return "\(slots)\(separator)seen since \(clock.real.time(since))"
            }
            return timeline.isCut ? "\(slots), the newest attempts" : slots
        }
        if isByAttempt {
            let count = timeline.rows.count { $0.key.attempt != nil }
            let words = "\(count) attempt\(count == 1 ? "" : "s")"
            return timeline.isCut ? "the newest \(words)" : words
        }
        guard timeline.isCut else { return NumberText.tasks(count) }
        let words = NumberText.tasks(count)
        if case .queue = timeline.scope { return "the newest \(words)" }
        return "\(words) of more"
    }

    private func name(_ row: TimelineRow) -> String {
        row.key.lane.map { "worker \($0.pid) slot \($0.slot)" }
            ?? row.key.attempt.map { "attempt \($0)" } ?? "\(names.name(row.task)) \(row.type)"
    }

    /// How much of the time had no attempt, in whole percents.
    private var idlePercent: Int {
        let now = clock.realNow
        let bars = timeline.rows.flatMap { $0.bars.filter(\.kind.isWork) }
            .sorted { $0.from < $1.from }
        var (busy, end) = (Int64(0), timeline.from)
        for bar in bars {
            let last = bar.to ?? now
            busy += max(0, last - max(bar.from, end))
            end = max(end, last)
        }
        let whole = workEnd - timeline.from
        return whole > 0 && !bars.isEmpty ? Int((1 - Double(busy) / Double(whole)) * 100) : 0
    }

    /// When the last attempt ended, or the moment of the picture.
    private var workEnd: Timestamp {
        timeline.isRunning ? max(timeline.to, clock.realNow) : timeline.to
    }

    /// The ends of the attempts of a row, and the causes of its waits.
    func words(_ row: TimelineRow) -> [StyledLine] {
        var attempts = StyledLine(name(row), .title, emphasis: true)
        let works = row.bars.filter(\.kind.isWork)
        // A slot may have many: its newest come first.
        for bar in isOfWorkers ? works.suffix(3).reversed() : Array(works.suffix(3)) {
            let attempt = works.count > 1 ? bar.attempt.map { "attempt \($0) " } ?? "" : ""
            let number = bar.task.map { "\(names.name($0)) \(bar.type ?? "") " } ?? attempt
            let words = bar.kind == .running ? "runs for \(running(bar))" : bar.words ?? ""
            attempts.append("  \(number)", .quiet)
            attempts.append(names.text(words), TimelineSign(bar.kind).role)
        }
        return [attempts] + [waitLine(row), pathLine].compactMap(\.self)
    }

    private func running(_ bar: TimelineBar) -> String {
        DurationText.taken(bar.milliseconds(at: clock.realNow))
    }

    private static let earlierShown = 6

    private func waitLine(_ row: TimelineRow) -> StyledLine? {
        let wait = timeline.wait(of: row)
        var parts: [StyledLine] = []
        if wait.turn > 0 {
            var line: StyledLine = [
                Span("waited \(DurationText.taken(wait.turn)) for its turn", .quiet)
            ]
            let shown = wait.earlier.prefix(Self.earlierShown).map {
                "\(names.name($0.task)) \($0.type) \(DurationText.taken($0.milliseconds))"
            }
            let rest = wait.earlier.count - shown.count
            let more = rest > 0 ? [" and \(NumberText.grouped(rest)) more"] : []
            if !isByAttempt {
                line.append(": ", .quiet)
                line.append(
                    shown.isEmpty
                        ? "no other task of \(row.queue) here ran then"
                        : shown.joined(separator: ", ") + more.joined())
            }
            parts.append(line)
        }
        if wait.held > 0 {
            parts.append(StyledLine("held for \(DurationText.taken(wait.held))", .held))
        }
        if wait.timed > 0 {
            let time = DurationText.taken(wait.timed)
            parts.append(StyledLine("\(time) until a retry or its time", .time))
        }
        guard var line = parts.first else { return nil }
        for part in parts.dropFirst() {
            line.append(separator, .quiet)
            line = line + part
        }
        return line
    }

    private static let stepsShown = 12

    /// The tasks that decided how long a run, a group or a selection took.
    private var pathLine: StyledLine? {
        switch timeline.scope {
        case .queue, .attempts, .workers: return nil
        case .run, .group, .tasks: break
        }
        let path = timeline.criticalPath
        guard path.count > 1 else { return nil }
        let shown = path.suffix(Self.stepsShown).map {
            "\(names.name($0.task)) \(DurationText.taken($0.milliseconds))"
        }
        let lead = path.count > shown.count ? "\(glyphs[.ellipsis]) " : ""
        var line: StyledLine = [Span("critical path  ", .quiet)]
        line.append(lead + shown.joined(separator: " \(glyphs[.arrow]) "))
        return line
    }

    /// Everything, for a command.
    var lines: [StyledLine] {
        let headline = headline(room: width)
        guard !timeline.rows.isEmpty else { return [headline] }
        let path = pathLine?.wrapped(to: width, indent: 2, glyphs: glyphs) ?? []
        return [headline, heading] + timeline.rows.map { line($0) } + [legend] + path
    }
}

import SluiceControl
import SluiceModel
import SluiceTerminalUI

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
        count("run", .next) { $0.bars.last?.kind == .running }
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

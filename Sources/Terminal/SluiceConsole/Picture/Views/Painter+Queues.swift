import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// View 7: every queue in the whole width.
extension Painter {
    mutating func paintQueuesView() {
        let queues = state.scene?.queues ?? []
        let count = state.scene?.queueCount ?? 0
        let title = count == 1 ? "1 queue" : "\(NumberText.grouped(count)) queues"
        let end = buffer.put(title, x: contentX, y: layout.body.y, role: .title, emphasis: true)
        let room = contentX + contentWidth - end - 2
        if let throughput = state.scene?.throughput,
            // All queues are empty only when the slowest is, which a sum does not show.
            let health = health(throughput, waiting: 0, room: room)
        {
            buffer.put(health, x: end + 2, y: layout.body.y, maxWidth: room)
        }
        paintTabs(y: layout.tabsY)
        guard count > 0 else {
            guard isEnqueuing else { return putEmptyForeign() }
            return putEmpty(
                "The store is empty.", "Enqueue a first task; its queue is created:",
                command: "enqueue QUEUE TYPE PAYLOAD")
        }
        let columns = queuesColumns(queues)
        let frames = columns.layout(width: contentWidth)
        buffer.putHeadings(columns, frames, x: contentX, y: layout.headingsY, isBold: true)
        let visible = state.queueCursor.window.visible.clamped(to: 0..<count)
        var y = layout.rows.y
        for place in visible where y < layout.rows.maxY {
            if let line = state.scene?.queue(at: place) {
                if line.name == state.selectedQueue { paintSelection(y: y) }
                for frame in frames {
                    buffer.put(
                        cell(frame, line), in: frame,
                        alignment: columns.all[frame.index].alignment, x: contentX, y: y)
                }
            }
            y += 1
        }
        if let y = layout.nextY, let line = state.selectedQueueLine {
            let hasSettings = frames.contains { $0.index == columns.all.count - 1 }
            paintQueueDetail(line, y: y, hasSettings: hasSettings)
        }
        paintPulse(in: layout.hour)
    }

    /// Columns with a smaller gap if more of them, the settings apart, have room then.
    private func queuesColumns(_ queues: [QueueLine]) -> Columns {
        let columns = Columns(everyQueuesColumn(queues), gap: contentWidth >= 100 ? 2 : 1)
        let close = Columns(columns.all, gap: 1)
        func shown(_ columns: Columns) -> Int {
            columns.layout(width: contentWidth).count { $0.index < columns.all.count - 1 }
        }
        return shown(close) > shown(columns) ? close : columns
    }

    /// The line below has the settings too, so that all else comes first.
    private static let settingsPriority = 6

    private func everyQueuesColumn(_ queues: [QueueLine]) -> [Column] {
        let name = queues.map { DisplayText.width($0.name) }.max() ?? 6
        let hasTimes = queues.contains { $0.throughput?.medianMilliseconds != nil }
        let isSeen = queues.contains { seenPerMinute($0) ?? 0 > 0 }
        let hasBlocked = queues.contains { $0.tally.blocked > 0 }
        let hasRuns = queues.contains { nextRun($0) != nil }
        func number(_ heading: String, priority: Int, minimum: Int = 5) -> Column {
            Column(heading, alignment: .right, minimum: minimum, maximum: 9, priority: priority)
        }
        func ends(
            _ heading: String, minimum: Int, priority: Int, isTimed: Bool = false
        ) -> Column {
            guard hasTimes || isSeen && !isTimed else { return .absent }
            return Column(
                heading, alignment: .right, minimum: minimum, priority: priority)
        }
        // The wait reason of the next run comes first. If both do not fit, the settings move below.
        let isNarrow = contentWidth < 130
        let curve = isNarrow ? 8 : 12
        let settings = queues.map { DisplayText.width(settingsCell($0).text) }.max() ?? 12
        return [
            Column("", minimum: 1, priority: 20),
            Column(
                "queue", minimum: min(max(6, name), 12), ideal: min(name, 24), maximum: 40,
                priority: 19),
            Column(
                "state", minimum: queues.map { QueueLook($0).word.count }.max() ?? 5, ideal: 9,
                maximum: 9, priority: 18),
            number("pri", priority: 10, minimum: 3),
            number("due", priority: 17), number("delayed", priority: 13, minimum: 7),
            number("held", priority: 11),
            hasBlocked ? number("blocked", priority: 13, minimum: 7) : .absent,
            number("runs", priority: 16, minimum: 4),
            number("failed", priority: 15, minimum: 6),
            number("oldest", priority: 9, minimum: 6),
            hasTimes || isSeen ? number("/min", priority: 8, minimum: 4) : .absent,
            ends("ended", minimum: curve, priority: 14),
            ends("wait p95", minimum: 8, priority: 12, isTimed: true),
            ends("", minimum: curve, priority: 10, isTimed: true),
            ends("took p95", minimum: 8, priority: 12, isTimed: true),
            ends("", minimum: curve, priority: 10, isTimed: true),
            ends("fail %", minimum: 6, priority: 12),
            ends("", minimum: curve, priority: 7),
            Column(
                "settings", minimum: hasRuns ? 12 : min(max(8, settings), 40),
                ideal: hasRuns ? 40 : 28, maximum: 90,
                priority: hasRuns ? 15 : Self.settingsPriority, isFlexible: true),
        ]
    }

    private func cell(_ frame: ColumnFrame, _ line: QueueLine) -> StyledLine {
        let look = QueueLook(line)
        let tally = line.tally
        let isSelected = line.name == state.selectedQueue
        func count(
            _ value: Int, _ role: Role, plus: Bool = false, _ estimate: QueueTally.Estimate? = nil
        ) -> StyledLine {
            let text = Figure.text(
                value, width: frame.width - (plus ? 1 : 0),
                isAbout: estimate.map(tally.estimated.contains) ?? false)
            // A bound of zero is no figure.
            if plus, value == 0 { return StyledLine("?", .quiet) }
            return StyledLine(text + (plus ? "+" : ""), value == 0 ? .quiet : role)
        }
        switch frame.index {
        case 0: return StyledLine(glyphs[look.glyph], look.role)
        case 1: return StyledLine(line.name, isSelected ? .title : .text, emphasis: isSelected)
        case 2: return StyledLine(look.word, look.role)
        case 3: return Self.number(Int(line.overview.queue.settings.priority))
        case 4: return count(tally.due, .text, plus: tally.isDueCapped, .due)
        case 5: return count(tally.retrying + tally.delayed, .time, .delayed)
        case 6: return count(tally.held, .held)
        case 7: return count(tally.blocked, .time)
        case 8:
            return count(
                tally.running + tally.taken, .running, plus: tally.bounded.contains(.running),
                .running)
        case 9:
            return count(
                tally.failed, .failed, plus: tally.bounded.contains(.failed), .failed)
        case 10:
            return StyledLine(
                line.overview.oldest.map { clock.age($0) } ?? glyphs[.dash],
                line.overview.oldest == nil ? .faint : .quiet)
        case 11: return perMinute(line, width: frame.width)
        case 12: return curve(line, .ended, width: frame.width)
        case 13: return figure(line, .waited)
        case 14: return curve(line, .waited, width: frame.width)
        case 15: return figure(line, .took)
        case 16: return curve(line, .took, width: frame.width)
        case 17: return figure(line, .failed)
        case 18: return curve(line, .failed, width: frame.width)
        default: return settingsCell(line)
        }
    }

    /// The ends in a minute that this console saw in a queue of another system.
    private func seenPerMinute(_ line: QueueLine) -> Int? {
        state.pulse.queues[line.name]?.seen.map { track in
            let ended = track.perMinute(at: clock.realNow).ended
            return ended.succeeded + ended.failed
        }
    }

    private func perMinute(_ line: QueueLine, width: Int) -> StyledLine {
        let seen = seenPerMinute(line)
        let value = seen ?? line.throughput?.perMinuteNow ?? 0
        let text = Figure.text(value, width: width, isAbout: seen != nil)
        return StyledLine(text, value == 0 ? .quiet : .text)
    }

    /// A paused queue starts no run on its schedule.
    private func nextRun(_ line: QueueLine) -> String? {
        let isPaused = line.overview.pauses.contains { $0.direction.stopsWork }
        return isPaused ? nil : QueueWords.nextRun(line, clock)
    }

    private func settingsCell(_ line: QueueLine) -> StyledLine {
        if let system = line.system { return StyledLine(system) }
        let settings = QueueWords.settings(line, separator, isShort: true)
        guard let run = nextRun(line) else { return StyledLine(settings, .quiet) }
        return [Span(run, .time), Span("  \(settings)", .quiet)]
    }

    /// The retry rules of its tasks.
    private func rules(_ settings: QueueSettings) -> [String] {
        var parts = ["retry \(settings.retry)"]
        parts.append(settings.attemptLimit.map { "\($0) attempts" } ?? "no attempt limit")
        if let timeout = settings.timeoutMilliseconds {
            parts.append("timeout \(DurationText.compact(timeout))")
        }
        if let types = settings.typeText { parts.append(types) }
        if let preset = settings.preset { parts.append("preset \(preset)") }
        return parts
    }

    /// `25 % of 600 attempts failed in 10m (view 5)`.
    private func failingWords(_ throughput: Throughput?) -> String? {
        guard let throughput, throughput.isFailing else { return nil }
        let all = throughput.succeeded + throughput.failed
        let percent = (throughput.failed * 100 + all / 2) / all
        let view = ConsoleView.failures.rawValue
        return "\(percent) % of \(NumberText.grouped(all)) attempts failed in 10m (view \(view))"
    }

    /// The selected queue in words: its pauses, or the rest of its settings.
    private mutating func paintQueueDetail(_ line: QueueLine, y: Int, hasSettings: Bool) {
        let settings = line.overview.queue.settings
        var text: StyledLine = [Span(line.name, .title, emphasis: true), Span("  ")]
        text = text + status(line)
        if line.isFailing, let words = failingWords(line.throughput) {
            text.append("  \(words)", .text)
        }
        let rules = line.system.map { [$0] } ?? rules(settings)
        var choices = [rules]
        if !hasSettings, line.system == nil {
            let rest = QueueWords.settings(line, separator)
            // No column has them, so that they come before the rules if only one has room.
            choices = (contentWidth >= 100 ? [rules + [rest], [rest]] : [rules + [rest]]) + choices
        }
        let room = contentWidth - text.width - 2
        let words = choices.first { DisplayText.width($0.joined(separator: separator)) <= room }
        // A rule that is cut says something else.
        for (place, word) in (words ?? rules).enumerated() {
            let glue = place == 0 ? "  " : separator
            guard text.width + DisplayText.width(glue + word) <= contentWidth else { break }
            text.append(glue + word, .quiet)
        }
        buffer.put(text, x: contentX, y: y, maxWidth: contentWidth)
    }
}

extension Column {
    /// Keeps the number of a column that is not shown: it never has room.
    fileprivate static var absent: Column { Column("", minimum: 1 << 20, priority: -1) }
}

/// The heading of the list of all queues, and their row in the left pane.
extension Painter {
    /// The row above the queues, which does not scroll with them.
    mutating func paintAllRow(_ columns: Columns, _ frames: [ColumnFrame], y: Int) {
        guard let scene = state.scene else { return }
        paintQueueCursor(isSelected: state.isAll, y: y)
        let isPaused = scene.storePauses.contains { $0.direction.stopsWork }
        for frame in frames {
            let column = columns.all[frame.index]
            let text: StyledLine
            switch frame.index {
            case 0: text = StyledLine(glyphs[.all], .quiet)
            case 1: text = StyledLine("all", state.isAll ? .title : .text, emphasis: state.isAll)
            case 2:
                let word = StyledLine(isPaused ? "paused" : "", .time)
                let hasColumn = frames.contains { $0.index == 3 }
                text = hasColumn ? word : Self.stateCell(word, Self.allFailCell(scene, glyphs))
            case 3: text = Self.allFailCell(scene, glyphs)
            case 4: text = StyledLine()
            default:
                let waits = scene.counts[.waiting]
                text =
                    waits == 0
                    ? StyledLine(glyphs[.dash], .faint)
                    : StyledLine(
                        Figure.text(
                            waits, width: frame.width, isAbout: scene.estimated,
                            isBound: scene.isBounded))
            }
            buffer.put(text, in: frame, alignment: column.alignment, x: 1, y: y)
        }
    }

    /// The failures of all queues, also of those that the pane does not reach. Without a failed
    /// task the retries are a lower bound: due ones are counted queue by queue.
    static func allFailCell(_ scene: LoadedScene, _ glyphs: GlyphSet) -> StyledLine {
        var tally = QueueTally(scene.counts)
        if scene.isBounded { tally.bounded = [.failed] }
        return failCell(tally, glyphs, isLeast: true)
    }

    /// The selected row of the left pane: lit where the keys are, elsewhere marked by a sign.
    mutating func paintQueueCursor(isSelected: Bool, y: Int) {
        guard isSelected else { return }
        guard state.focus == .queues else {
            buffer.put(glyphs[.cursor], x: 0, y: y, role: .quiet)
            return
        }
        let row = Rect(x: 0, y: y, width: layout.left.width, height: 1)
        buffer.paint(row, background: .selection)
    }

    mutating func paintAllHeadline(y: Int) {
        guard let scene = state.scene else { return }
        var text: StyledLine = [Span("all queues", .title, emphasis: true)]
        if let pause = scene.storePauses.first {
            text.append("  \(glyphs[.paused]) ", .time)
            text.append("paused", .time, emphasis: true)
            text.append(pauseWords(pause), .time)
        }
        buffer.put(text, x: contentX, y: y, maxWidth: contentWidth)
        let count = scene.queueCount
        let words =
            (count == 1 ? "1 queue" : "\(NumberText.grouped(count)) queues")
            + "\(separator)by number"
        let width = DisplayText.width(words)
        if text.width + 3 + width <= contentWidth {
            buffer.put(words, x: contentX + contentWidth - width, y: y, role: .quiet)
        }
    }

    /// The queue settings for a task of the list.
    func settings(of task: QueueTask) -> QueueSettings? {
        state.list.page.settings[task.queue] ?? state.scene?.queue?.overview.queue.settings
    }
}

extension QueueWords {
    /// The counts of all queues together that are not zero, by stored state.
    static func parts(
        _ counts: QueueCounts, lost: Int, isAbout: Bool = false, isCapped: Bool = false
    ) -> [Part] {
        var parts = [
            Part(
                word: "running", count: counts[.running] - lost, role: .running, letter: "R"),
            Part(
                word: "waiting", count: counts[.waiting] + lost, role: .next, letter: "W"),
            Part(word: "failed", count: counts[.failed], role: .failed, letter: "F"),
        ].filter { $0.count > 0 }
        for index in parts.indices {
            (parts[index].isAbout, parts[index].isCapped) = (isAbout, isCapped)
        }
        return parts
    }
}

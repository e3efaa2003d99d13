import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The bottom: the newest of the journal, the message line, the legend, and questions.
extension Painter {
    mutating func paintBottom() {
        let area = layout.activity
        let entries = (state.scene?.recent ?? []).suffix(area.height)
        if entries.isEmpty, area.height > 0, state.scene != nil {
            buffer.put("nothing has happened yet", x: 1, y: area.y, role: .quiet)
        }
        let words = entries.map { EntryText(LogLine(.journal($0)), names: state.names) }
        let widths = entryWidths(words, width: area.width - 2)
        for (row, entry) in words.enumerated() {
            paintEntry(entry, x: 1, y: area.y + row, width: area.width - 2, widths)
        }
        paintMessage()
    }

    /// The widths of the time and task columns, so that the events align.
    func entryWidths(_ entries: [EntryText], width: Int) -> (time: Int, task: Int) {
        let isWide = width >= 76
        let time = entries.map { DisplayText.width(clock.real.time($0.at)) }.max() ?? 8
        let widest = entries.map { DisplayText.width($0.task(isWide: isWide)) }.max() ?? 0
        let least = width >= 100 ? 16 : isWide ? 12 : 8
        let task = min(max(least, widest), width / (isWide ? 4 : 5))
        return (min(time, width), task)
    }

    /// One line of the journal: when, where, which task, what.
    mutating func paintEntry(
        _ words: EntryText, x: Int, y: Int, width: Int, _ widths: (time: Int, task: Int),
        withQueue: Bool = true, marking hits: [FoldedLetters] = []
    ) {
        let isWide = width >= 76
        let end = x + width
        buffer.put(clock.real.time(words.at), x: x, y: y, role: .quiet, maxWidth: width)
        var x = x + widths.time + 2
        if withQueue {
            let queueWidth = isWide ? 10 : 8
            buffer.put(words.queue ?? "", x: x, y: y, role: .quiet, maxWidth: queueWidth)
            x += queueWidth + 1
        }
        buffer.put(words.task(isWide: isWide), x: x, y: y, maxWidth: widths.task)
        x += widths.task + 1
        let text = StyledLine(words.text, words.role).marking(hits)
        buffer.put(text, x: x, y: y, maxWidth: max(0, end - x))
    }

    /// The message on its line, above a hint that is due; what does not fit takes the line above as
    /// well.
    private mutating func paintMessage() {
        var y = layout.messageY
        let shown = state.message ?? damage
        if let bulk = state.underWay.bulk, shown == nil || layout.messageLines > 1 {
            paint(bulk, y: y)
            y -= 1
        } else if let hint = state.hint, shown == nil || layout.messageLines > 2 {
            paint(hint, y: y)
            y -= 1
        }
        guard let message = shown else { return }
        if y < layout.messageY { clearLine(y) }
        paint(message, y: y)
    }

    /// The damage that keeps the shown data from being current: its file and place, and the way out
    /// (K8).
    private var damage: MessageLine? {
        guard state.scene != nil, let error = state.reads.trouble?.error,
            error.code == .damagedStore
        else { return nil }
        return MessageLine(text: error.description, role: .failed)
    }

    private mutating func paint(_ message: MessageLine, y: Int) {
        let width = layout.size.width
        let room = max(1, width - 2)
        let text = message.text
        let above = layout.messageLines - 1 - (layout.messageY - y)
        guard let command = message.shellLine else {
            paint(text, message.role, y: y, lines: above + 1)
            return
        }
        let line: StyledLine = [Span("$ ", .quiet), Span(command, .quiet)]
        let textWidth = DisplayText.width(text, glyphs: glyphs)
        let isLong = line.width + 3 + textWidth > room
        if isLong, above > 0 {
            let lines = paint(text, message.role, y: y, lines: above)
            clearLine(y - lines)
            buffer.put(line, x: 1, y: y - lines, maxWidth: room)
            return
        }
        let shown = isLong ? min(textWidth, room * 3 / 5) : textWidth
        let x = width - 1 - shown
        buffer.put(text, x: x, y: y, role: message.role, maxWidth: shown)
        buffer.put(line, x: 1, y: y, maxWidth: max(0, x - 3))
    }

    /// Paints a text upwards from its last line, in at most `most` lines (four at most). Returns
    /// the number of lines used.
    @discardableResult
    private mutating func paint(_ text: String, _ role: Role, y: Int, lines most: Int) -> Int {
        let room = max(1, layout.size.width - 2)
        let lines = DisplayText.wrapped(
            text, to: room, limit: min(max(1, most), 4), glyphs: glyphs)
        for (row, line) in lines.reversed().enumerated() {
            clearLine(y - row)
            buffer.put(line, x: 1, y: y - row, role: role, maxWidth: room)
        }
        return max(1, lines.count)
    }

    /// How far a bulk is: its command, a bar if there is room, the numbers and how to stop it.
    private mutating func paint(_ bulk: VerbsUnderWay.Sent, y: Int) {
        guard let course = bulk.course else { return }
        let room = max(1, layout.size.width - 2)
        let failed = course.progress.failed
        let parts = [
            course.progress.sentence(secondsLeft: course.isStopping ? nil : course.secondsLeft),
            failed > 0 ? "\(NumberText.grouped(failed)) not done" : nil,
            course.isStopping ? "stopping" : "Esc stops it",
        ].compactMap { $0 }
        var text = parts.joined(separator: separator)
        // The legend says how to stop it, too.
        if DisplayText.width(text) > room { text = parts[0] }
        let x = max(1, layout.size.width - 1 - DisplayText.width(text))
        clearLine(y)
        buffer.put(text, x: x, y: y, role: course.isStopping ? .time : .running, maxWidth: room)
        let line: StyledLine = [Span("$ ", .quiet), Span("sluice \(bulk.command)", .quiet)]
        // A long command leaves room for the bar while the command stays readable.
        var commandWidth = min(line.width, max(24, x - 15))
        let barWidth = min(20, x - commandWidth - 5)
        if barWidth < 4 {
            commandWidth = x - 3
        } else {
            let bar = ProgressBar(fraction: course.progress.fraction, width: barWidth)
            buffer.put(bar.line(.running, glyphs: glyphs), x: x - barWidth - 2, y: y)
        }
        if x > 24 { buffer.put(line, x: 1, y: y, maxWidth: commandWidth) }
    }

    /// Paints a hint with the keys that fit.
    private mutating func paint(_ hint: Hint, y: Int) {
        let room = layout.size.width - 2
        var line: StyledLine = [
            Span(hint.lead + (hint.steps.isEmpty ? "" : ":"), .next, emphasis: true)
        ]
        for (place, step) in hint.steps.enumerated() {
            var next = line
            next.append(place == 0 ? " " : separator, .quiet)
            next.append(step.lead)
            next.append(shown(step.key), .key, emphasis: true)
            next.append(" \(step.words)")
            guard place == 0 || next.width <= room else { break }
            line = next
        }
        buffer.put(line, x: 1, y: y, maxWidth: room)
    }

    /// Keys of the table, separated by blanks, as the person has them.
    private func shown(_ keys: String) -> String {
        keys.split(separator: " ").map { key in
            state.settings.keys.name(ofStandard: String(key)) ?? "\(key)?"
        }.joined(separator: " ")
    }

    private mutating func clearLine(_ y: Int) {
        buffer.fill(Rect(x: 0, y: y, width: layout.size.width, height: 1))
    }

    mutating func paintModal() {
        switch state.modal {
        case .prompt(let prompt): paintPrompt(prompt)
        case .confirm(let confirmation): paintConfirmation(confirmation)
        case .stop(let menu): paintStopMenu(menu)
        case .columns(let menu): paintColumnMenu(menu)
        case nil: break
        }
    }

    /// Paints the input line. Returns whether the hint fit on the same line.
    @discardableResult
    mutating func paintField(hint: String) -> Bool {
        guard let field = state.modalField else { return false }
        let (y, width) = (layout.messageY, layout.size.width)
        buffer.fill(Rect(x: 0, y: y, width: width, height: 1))
        let x = buffer.put(field.label, x: 1, y: y, role: .key, emphasis: true)
        let room = max(1, width - x - 1)
        let window = field.editor.window(width: room, glyphs: glyphs)
        let end = buffer.put(window.text, x: x, y: y)
        let hintX = width - 1 - DisplayText.width(hint)
        guard hintX > end + 2 else { return false }
        buffer.put(hint, x: hintX, y: y, role: .quiet)
        return true
    }

    private mutating func paintPrompt(_ prompt: Prompt) {
        if let palette = state.palette { paintPalette(palette, choice: prompt.choice) }
        let hasHint = paintField(hint: prompt.hint)
        var parts = [prompt.note].compactMap(\.self)
        // A form shows its hint above the line if it does not fit on it.
        if !hasHint, prompt.isForm, !prompt.isError { parts.append(prompt.hint) }
        guard !parts.isEmpty else { return }
        let note = parts.joined(separator: separator)
        // Errors and Tab completions are never cut, because an error ends with the fix.
        paint(
            note, prompt.isError ? .failed : .quiet, y: layout.messageY - 1,
            lines: layout.messageLines - 1)
    }
}

/// Whether a queue goes well: a line under its name.
extension Painter {
    /// A mark for each of the last minutes.
    func spark(_ throughput: Throughput, minutes: Int = 10) -> String {
        let values = throughput.perMinute.suffix(minutes).map(Double.init)
        return Sparkline(values).text(width: values.count, glyphs: glyphs)
    }

    mutating func paintHealth(y: Int) {
        guard let scene = state.scene, let line = scene.queue else { return }
        let x = layout.healthY == layout.tabsY ? tabsEnd + 2 : contentX
        let room = contentX + contentWidth - x
        if let system = line.system, !state.isAll {
            let end = buffer.put(system, x: x, y: y, role: .quiet, maxWidth: room)
            if let seen = seenHealth(line, room: x + room - end) { buffer.put(seen, x: end, y: y) }
        }
        guard let throughput = state.isAll ? scene.throughput : line.throughput else { return }
        let tally = line.tally
        let waiting = goesOn(line, scene) ? tally.due + tally.held + tally.blocked : 0
        let text =
            health(throughput, waiting: waiting, room: room)
            ?? StyledLine(
                room >= 36 ? "nothing ended in the last 10 minutes" : "10m: nothing ended",
                .quiet)
        buffer.put(text, x: x, y: y, maxWidth: room)
    }

    /// ` · ~17/min ▂▅▇  in 10m: ended ~15 · failed ~2`, as much of it as has room: the ends of a
    /// queue of another system that this console saw; nil where it saw none.
    private func seenHealth(_ line: QueueLine, room: Int) -> StyledLine? {
        guard let track = state.pulse.queues[line.name], let seen = track.seen else { return nil }
        let series = track.series(.quarter, at: clock.realNow)
        let tens = Throughput.windowMilliseconds / PulseSpan.quarter.partMilliseconds
        let good = series.succeeded.suffix(Int(tens)).map { $0 ?? 0 }
        let bad = series.failed.suffix(Int(tens)).map { $0 ?? 0 }
        let (ended, failed) = (Int(good.reduce(0, +)), Int(bad.reduce(0, +)))
        guard ended + failed > 0 else { return nil }
        let now = seen.perMinute(at: clock.realNow).ended
        let all = zip(good, bad).map(+)
        let minutes = stride(from: 0, to: all.count, by: 6).map { start in
            all[start..<min(start + 6, all.count)].reduce(0, +)
        }
        let marks = Sparkline(minutes).text(width: minutes.count, glyphs: glyphs)
        let role: Role = ended == 0 ? .failed : .running
        var parts: [StyledLine] = [
            [
                Span(separator, .quiet),
                Span("~\(NumberText.grouped(now.succeeded + now.failed))/min", .text),
            ], [Span(" \(marks)", role)],
            [
                Span("  in 10m: ", .quiet),
                Span("\(track.goodWord) ~\(NumberText.grouped(ended))", .running),
            ],
        ]
        if failed > 0 {
            parts.append([
                Span(separator, .quiet), Span("failed ~\(NumberText.grouped(failed))", .failed),
            ])
        }
        return parts.reduce(into: StyledLine()) { line, part in
            if line.width + part.width <= room { line = line + part }
        }
    }

    /// Whether due tasks start. A paused, stuck, blocked or unserved queue does not drain.
    private func goesOn(_ line: QueueLine, _ scene: LoadedScene) -> Bool {
        let overview = line.overview
        return !state.isAll && overview.state == .running && overview.pauses.isEmpty
            && !overview.isStuck && overview.lack == nil && line.tally.due > 0
            && (scene.next != nil || line.tally.running > 0)
    }

    /// `46/min ▂▅▇▆▃  in 10m: ok 69 · failed 30 (30 %) · p95 ~4s · empty in ~1m 10s`, as much of it
    /// as has room; nil where nothing ended in the last ten minutes.
    func health(_ throughput: Throughput, waiting: Int, room: Int) -> StyledLine? {
        guard let slow = throughput.slowMilliseconds else { return nil }
        if room < 40 { return shortHealth(throughput, slow, room: room) }
        var parts = [Span("ok \(NumberText.grouped(throughput.succeeded))", .running)]
        if throughput.failed > 0, let part = throughput.failedPart {
            let percent = max(1, Int((part * 100).rounded()))
            parts.append(
                Span("failed \(NumberText.grouped(throughput.failed)) (\(percent) %)", .failed))
        }
        parts.append(Span("p95 \(DurationText.about(slow))", .quiet))
        let words = DisplayText.width(parts.map(\.text).joined(separator: separator))
        let rate = Span("\(NumberText.grouped(throughput.perMinuteNow))/min ", .text)
        // Drop minutes from the chart before a word.
        let (usual, free) = (room < 60 ? 5 : 10, room - DisplayText.width(rate.text) - 2 - words)
        let minutes = (1..<usual).contains(free) ? free : usual
        var line: StyledLine = [rate, Span(spark(throughput, minutes: minutes), throughput.role)]
        // These figures count attempts, so show their time span unless p95 needs the room.
        let time = "in 10m: "
        if line.width + 2 + time.count + words <= room {
            parts[0].text = time + parts[0].text
        }
        if let left = throughput.millisecondsUntilEmpty(waiting: waiting) {
            parts.append(Span("empty in ~\(DurationText.short(left))", .quiet))
        }
        var glue = "  "
        for part in parts where line.width + DisplayText.width(glue + part.text) <= room {
            line = line + [Span(glue, .quiet), part]
            glue = separator
        }
        return line
    }
}

extension Painter {
    /// `46/min · failed 30 % · p95 ~4s`, for the line of the tabs.
    private func shortHealth(
        _ throughput: Throughput, _ slow: Int64, room: Int
    ) -> StyledLine {
        let rate = Span("\(NumberText.grouped(throughput.perMinuteNow))/min", .text)
        let tail: [Span] = [
            Span(separator, .quiet), Span("p95 \(DurationText.about(slow))", .quiet),
        ]
        let whole = StyledLine([rate] + tail)
        guard throughput.failed > 0, let part = throughput.failedPart else { return whole }
        let percent = max(1, Int((part * 100).rounded()))
        let failed = [Span(separator, .quiet), Span("failed \(percent) %", .failed)]
        let longer = StyledLine([rate] + failed + tail)
        return longer.width <= room ? longer : whole
    }
}

extension Throughput {
    /// The role of the marks, which include all outcomes: failed only if every attempt failed.
    var role: Role { succeeded == 0 && failed > 0 ? .failed : .running }
}

import SluiceControl
import SluiceModel
import SluiceTerminalUI

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

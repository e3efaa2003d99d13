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
        if let system = line.system, !state.isAll {
            buffer.put(system, x: contentX, y: y, role: .quiet, maxWidth: contentWidth)
        }
        guard let throughput = state.isAll ? scene.throughput : line.throughput else { return }
        let waiting = goesOn(line, scene) ? line.tally.due + line.tally.held : 0
        let text =
            health(throughput, waiting: waiting, room: contentWidth)
            ?? StyledLine("nothing ended in the last 10 minutes", .quiet)
        buffer.put(text, x: contentX, y: y, maxWidth: contentWidth)
    }

    /// Whether what is due starts: a queue that is paused, stuck, blocked or served by nobody does
    /// not empty.
    private func goesOn(_ line: QueueLine, _ scene: LoadedScene) -> Bool {
        let overview = line.overview
        return !state.isAll && overview.state == .running && overview.pauses.isEmpty
            && !overview.isStuck && overview.lack == nil && line.tally.due > 0
            && (scene.next != nil || line.tally.running > 0)
    }

    /// `46/min ▂▅▇▆▃  10m: ok 69 · failed 30 (30 %) · p95 4s · empty in ~1m 10s`, as much of it as
    /// has room; nil where nothing ended in the last ten minutes.
    func health(_ throughput: Throughput, waiting: Int, room: Int) -> StyledLine? {
        guard let slow = throughput.slowMilliseconds else { return nil }
        var line: StyledLine = [
            Span("\(NumberText.grouped(throughput.perMinuteNow))/min ", .text),
            Span(spark(throughput, minutes: room < 60 ? 5 : 10), .running),
        ]
        var glue = "  "
        func add(_ text: String, _ role: Role) {
            guard line.width + DisplayText.width(glue + text) <= room else { return }
            line.append(glue, .quiet)
            line.append(text, role)
            glue = separator
        }
        // These are attempts, of the time that the marks show: no counts of tasks.
        add("in 10m: ok \(NumberText.grouped(throughput.succeeded))", .running)
        if throughput.failed > 0, let part = throughput.failedPart {
            let percent = max(1, Int((part * 100).rounded()))
            add("failed \(NumberText.grouped(throughput.failed)) (\(percent) %)", .failed)
        }
        add("p95 \(DurationText.short(slow))", .quiet)
        if let left = throughput.millisecondsUntilEmpty(waiting: waiting) {
            add("empty in ~\(DurationText.short(left))", .quiet)
        }
        return line
    }
}

import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Breakpoints on the screen (G1).
extension Painter {
    /// The breakpoint that stopped the queue, and the keys to continue. `nil` if no breakpoint
    /// stopped it.
    func stopWords(_ line: QueueLine) -> StyledLine? {
        guard let pause = line.overview.pauses.first(where: { $0.cause == .breakpoint }) else {
            return nil
        }
        let room = contentWidth - DisplayText.width(line.name) - 2
        for brevity in [StopBrevity.whole, .short] {
            let words = stopWords(line, pause, brevity)
            if words.width <= room { return words }
        }
        return stopWords(line, pause, .shortest)
    }

    /// How much of a stop to show, from the full text to the shortest.
    private enum StopBrevity { case whole, short, shortest }

    private func stopWords(
        _ line: QueueLine, _ pause: Pause, _ brevity: StopBrevity
    ) -> StyledLine {
        let isShort = brevity != .whole
        let stop = line.stop(at: clock.realNow)
        let numbers = pause.by.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
        let words = brevity == .shortest ? stop?.briefPlace : stop?.place
        let place = words.map(state.names.text) ?? "holds it"
        var text: StyledLine = [
            Span("\(glyphs[.breakpoint]) ", .time),
            Span(
                "\(isShort ? numbers : pause.by)\(pause.stopSign) \(place)", .time, emphasis: true),
        ]
        if line.overview.state == .pausing {
            text.append(" (\(line.tally.running) running)", .time)
        }
        let others = line.overview.pauses.filter { $0.cause != .breakpoint }
        if let other = others.first, !isShort {
            text.append("\(separator)paused by \(other.by) too", .time)
        }
        // A read-only store, such as a tape, has no key to continue.
        guard DisabledReasons(state: state).readOnlyReason == nil else { return text }
        text.append(separator, .quiet)
        text.append(state.key(.step), .key, emphasis: true)
        let steps = stop?.moment == .before ? " steps over it" : " steps on"
        text.append(isShort ? " step" : steps, .quiet)
        text.append(separator, .quiet)
        text.append(state.key(.run), .key, emphasis: true)
        text.append(isShort ? " run" : " resumes", .quiet)
        return text
    }

    /// The mark of a row where a breakpoint would stop, or has stopped.
    func stopMark(_ line: TaskLine) -> StyledLine? {
        let queue = state.scene?.queue(named: line.task.queue)
        let isStop = queue?.stop(at: clock.realNow)?.task == line.task.id
        guard isStop || state.list.page.stops[line.task.id] != nil else { return nil }
        return StyledLine(glyphs[.breakpoint], isStop ? .next : .time)
    }
}

import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The foot of view 9: what came in, succeeded and failed, over one scale.
extension Painter {
    mutating func paintFlowChart(in area: Rect) {
        guard area.height > 2, area.width > 20 else { return }
        let series = state.flow.all.series(state.flowSpan, at: clock.realNow)
        let lines = [
            LinePlot.Line(series.came, .next, .dotted, sign: "."),
            LinePlot.Line(series.succeeded, .running, .solid, sign: "#"),
            LinePlot.Line(series.failed, .failed, .filled, sign: "x"),
        ]
        paintFlowTitle(lines, y: area.y)
        let gutter = 7
        let plot = Rect(
            x: area.x + gutter, y: area.y + 1, width: area.width - gutter,
            height: area.height - 2)
        paintFlowTimes(plot)
        let most = series.most
        guard most > 0 else {
            buffer.put(
                "nothing came or ended in this time", x: area.x, y: area.y + 1, role: .quiet,
                maxWidth: area.width)
            return
        }
        let top = Self.roundedUp(most)
        buffer.put(
            Figure.text(Int(top), width: gutter - 1), x: area.x, y: plot.y, role: .quiet)
        if plot.height > 1 { buffer.put("0", x: area.x, y: plot.maxY - 1, role: .quiet) }
        LinePlot(lines, top: top).paint(into: &buffer, plot, glyphs: glyphs)
    }

    private mutating func paintFlowTimes(_ plot: Rect) {
        let span = state.flowSpan
        let length = Int64(span.parts) * span.partMilliseconds
        for place in 0...2 {
            let moment = clock.realNow + -(length * Int64(2 - place) / 2)
            let text =
                place == 2
                ? "now"
                : clock.format == .relative
                    ? "\(DurationText.short(clock.realNow - moment)) ago"
                    : clock.real.time(moment, seconds: span == .twoMinutes)
            let start = [plot.x, plot.x + (plot.width - text.count) / 2, plot.maxX - text.count]
            buffer.put(text, x: start[place], y: plot.maxY, role: .quiet)
        }
    }

    private mutating func paintFlowTitle(_ lines: [LinePlot.Line], y: Int) {
        let flow = state.scene?.flow
        let isSeen = flow.map { $0.all.tally == nil } ?? false
        var text: StyledLine = [
            Span("last \(state.flowSpan.words)", .title, emphasis: true)
        ]
        for (line, word) in zip(lines, ["in", isSeen ? "ended" : "ok", "failed"]) {
            text.append("  \(LinePlot.sample(line, glyphs: glyphs)) ", line.role.inBar)
            text.append(word, line.role)
        }
        // A command looks once and has seen nothing come.
        if let since = state.flow.all.since, flow?.arrivedPerMinute.isEmpty ?? true {
            let words = "seen since \(clock.real.time(since))"
            text.append(separator + (isSeen ? words : "in: \(words)"), .quiet)
        }
        buffer.put(text, x: contentX, y: y, maxWidth: contentWidth)
    }

    /// The next of 1, 2, 5, 10, 20, 50, …
    static func roundedUp(_ value: Double) -> Double {
        var unit = 1.0
        while unit < 1e15 {
            for factor in [1.0, 2, 5] where value <= factor * unit { return factor * unit }
            unit *= 10
        }
        return value
    }
}

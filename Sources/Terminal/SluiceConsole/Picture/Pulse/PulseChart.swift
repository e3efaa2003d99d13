import SluiceControl
import SluiceModel
import SluiceTerminalUI

extension PulseTrack {
    /// The word for ends without a failure. A task of another system that left ended somehow.
    var goodWord: String { seen == nil ? "ok" : "ended" }
}

/// One of the charts of view 7.
struct PulseChart {
    /// The meaning of its values.
    enum Unit: Hashable {
        case count, duration
        /// How long something has lasted; zero for nothing.
        case age
    }
    let title: String
    let lines: [(line: LinePlot.Line, word: String)]
    let unit: Unit
    /// The words for a chart without a value.
    let empty: String
    /// Since when it is known.
    var since: Timestamp?

    /// The charts of a queue, the most important first.
    static func all(of track: PulseTrack, _ span: PulseSpan, at now: Timestamp) -> [PulseChart] {
        let series = track.series(span, at: now)
        let ended = PulseChart(
            title: "ended in \(span.partWords)",
            lines: [
                (.init(series.succeeded, .running, .solid, sign: "#"), track.goodWord),
                (.init(series.other, .time, .dotted, sign: "/"), "other"),
                (.init(series.failed, .failed, .filled, sign: "x"), "failed"),
            ], unit: .count,
            empty: track.seen == nil ? "nothing ended in this time" : "no end was seen",
            since: track.seen?.since)
        let took = PulseChart(
            title: "took",
            lines: [
                (.init(series.slow, .next, .solid, sign: "#"), "~p95"),
                (.init(series.median, .quiet, .dotted, sign: "."), "~p50"),
            ], unit: .duration, empty: "no attempt ended in this time")
        let wait = PulseChart(
            title: "wait from due to start",
            lines: [
                (.init(series.waitSlow, .time, .solid, sign: "#"), "~p95"),
                (.init(series.waitMedian, .quiet, .dotted, sign: "."), "~p50"),
            ], unit: .duration, empty: "no attempt began in this time")
        let begin = now + -Int64(span.parts) * span.partMilliseconds
        let waiting = PulseChart(
            title: "waiting",
            lines: [(.init(series.waiting, .text, .solid, sign: "#"), "tasks")], unit: .count,
            empty: "nothing waited", since: track.waiting.since.flatMap { $0 > begin ? $0 : nil })
        let oldest = PulseChart(
            title: "first due task waits",
            lines: [(.init(series.oldest, .time, .solid, sign: "#"), "for")], unit: .age,
            empty: "no task was due", since: track.firstDue.since)
        let kept = track.seen == nil ? [ended, wait, took, waiting] : [ended, waiting]
        return track.knowsAge ? kept + [oldest] : kept
    }

    private var most: Double {
        lines.flatMap { $0.line.values.compactMap(\.self) }.filter(\.isFinite).max() ?? 0
    }

    /// The upper edge of the scale: at least the greatest value.
    var top: Double {
        let most = most
        // An attempt may take no time that a clock shows.
        guard most > 0 || unit == .duration && isKnown else { return 0 }
        guard unit != .count else { return Painter.roundedUp(most) }
        return Self.durations.first { $0 >= most } ?? Painter.roundedUp(most / 86.4e6) * 86.4e6
    }

    /// Whether a part has a value, also zero.
    var isKnown: Bool { lines.contains { $0.line.values.contains { $0 != nil } } }

    private static let durations: [Double] = [
        1, 2, 3, 5, 8, 10, 20, 30, 50, 80, 100, 200, 300, 500, 800, 1e3, 2e3, 3e3, 5e3, 8e3,
        10e3, 15e3, 20e3, 30e3, 45e3, 60e3, 120e3, 180e3, 300e3, 480e3, 600e3, 900e3, 1.2e6,
        1.8e6, 2.7e6, 3.6e6, 7.2e6, 10.8e6, 18e6, 28.8e6, 43.2e6, 86.4e6,
    ]

    /// The words at the upper edge, in few columns.
    var topWords: String {
        unit == .count
            ? Figure.text(Int(min(top, 1e15)), width: 6)
            : DurationText.compact(Int64(min(top, 1e15)))
    }
}

/// The foot of view 7: charts of the chosen queue, each with its own scale.
extension Painter {
    mutating func paintPulse(in area: Rect) {
        guard area.height > 2, area.width > 30, let name = state.selectedQueue,
            let track = state.pulse.queues[name]
        else { return }
        // One look alone has seen nothing.
        let charts = PulseChart.all(of: track, state.pulseSpan, at: clock.realNow)
            .filter { chart in
                chart.since.map { !state.looksOnce || $0 < clock.realNow } ?? true
            }
        paintWords(of: track, name, in: area)
        let grid = Rect(x: area.x, y: area.y + 1, width: area.width, height: area.height - 1)
        let columns = grid.width >= 150 && grid.height < 12 ? 4 : grid.width >= 76 ? 2 : 1
        // Two rows of small charts show more than one row of large ones.
        let room = max((grid.height + 1) / 6, min(2, (grid.height + 1) / 5))
        let rows = max(1, min((charts.count + columns - 1) / columns, room))
        let gap = 3
        let height = (grid.height + 1) / rows - (rows > 1 ? 1 : 0)
        let shown = charts.prefix(columns * rows)
        for (place, chart) in shown.enumerated() {
            // The charts of the last row share its whole width.
            let inRow = min(columns, shown.count - place / columns * columns)
            let width = (grid.width - gap * (inRow - 1)) / inRow
            let x = grid.x + place % columns * (width + gap)
            let y = grid.y + place / columns * (height + 1)
            paint(chart, in: Rect(x: x, y: y, width: width, height: min(height, grid.maxY - y)))
        }
    }

    /// `last hour of jobs  412 wait now · ok 1,204 · failed 30 · at most 46 in a minute`, cut to
    /// the room.
    private mutating func paintWords(of track: PulseTrack, _ name: String, in area: Rect) {
        let span = state.pulseSpan
        let series = track.series(span, at: clock.realNow)
        let outcomes: [(String, Role, [Double?])] = [
            (track.goodWord, .running, series.succeeded), ("failed", .failed, series.failed),
            ("other", .time, series.other),
        ]
        var parts: [StyledLine] = []
        let waiting = state.scene?.queue(named: name)?.tally.waiting ?? 0
        if waiting > 0 {
            parts.append([
                Span(NumberText.grouped(waiting), .next), Span(" wait now", .quiet),
            ])
        }
        var sums = [Int](repeating: 0, count: span.parts)
        for (word, role, values) in outcomes {
            let counts = values.map { Int($0 ?? 0) }
            sums = zip(sums, counts).map(+)
            let count = counts.reduce(0, +)
            guard count > 0 else { continue }
            let figure = "\(track.seen == nil ? "" : "~")\(NumberText.grouped(count))"
            parts.append([Span("\(word) ", .quiet), Span(figure, role)])
        }
        let most = sums.max() ?? 0
        parts.append(
            StyledLine(
                most > 0
                    ? "at most \(NumberText.grouped(most)) in \(span.partWords)"
                    : track.seen == nil ? "nothing ended" : "no end was seen",
                .quiet))
        var line = StyledLine("last \(span.words) of \(name)", .quiet)
        for (place, part) in parts.enumerated() {
            let glue = place == 0 ? "  " : separator
            guard line.width + DisplayText.width(glue) + part.width <= area.width else { break }
            line = line + [Span(glue, .quiet)] + part
        }
        buffer.put(line, x: area.x, y: area.y, maxWidth: area.width)
    }

    private mutating func paint(_ chart: PulseChart, in area: Rect) {
        paintTitle(of: chart, in: area)
        let gutter = 7
        let plot = Rect(
            x: area.x + gutter, y: area.y + 1, width: area.width - gutter,
            height: area.height - 2)
        guard plot.height > 0, plot.width > 10 else { return }
        paintTimes(below: plot)
        let top = chart.top
        guard top > 0 else {
            buffer.put(
                chart.isKnown || chart.since == nil ? chart.empty : "not seen yet", x: area.x,
                y: plot.y, role: .quiet,
                maxWidth: area.width)
            return
        }
        buffer.put(chart.topWords, x: area.x, y: plot.y, role: .quiet, maxWidth: gutter - 1)
        if plot.height > 1 { buffer.put("0", x: area.x, y: plot.maxY - 1, role: .quiet) }
        LinePlot(chart.lines.map(\.line), top: top).paint(into: &buffer, plot, glyphs: glyphs)
    }

    private mutating func paintTitle(of chart: PulseChart, in area: Rect) {
        var text = StyledLine(chart.title, .title, emphasis: true)
        for (line, word) in chart.lines where line.values.contains(where: { $0 ?? 0 > 0 }) {
            text.append("  \(LinePlot.sample(line, glyphs: glyphs)) ", line.role.inBar)
            text.append(word, line.role)
        }
        if let since = chart.since {
            let words = "\(separator)seen since \(clock.real.time(since))"
            if text.width + DisplayText.width(words) <= area.width { text.append(words, .quiet) }
        }
        buffer.put(text, x: area.x, y: area.y, maxWidth: area.width)
    }

    private mutating func paintTimes(below plot: Rect) {
        let span = state.pulseSpan
        let length = Int64(span.parts) * span.partMilliseconds
        for place in 0...2 {
            let ago = length * Int64(2 - place) / 2
            let text =
                place == 2
                ? "now"
                : clock.format == .relative
                    ? "\(DurationText.short(ago)) ago"
                    : clock.real.time(clock.realNow + -ago, seconds: false)
            let start = [plot.x, plot.x + (plot.width - text.count) / 2, plot.maxX - text.count]
            guard place != 1 || plot.width > 3 * text.count else { continue }
            buffer.put(text, x: start[place], y: plot.maxY, role: .quiet)
        }
    }

    /// A figure of the whole span.
    func figure(_ line: QueueLine, _ kind: PulseCurve) -> StyledLine {
        let figures = state.pulse.queues[line.name]?.figures(
            state.pulseSpan, at: clock.realNow)
        let text: StyledLine?
        switch kind {
        case .failed:
            let isBad = line.isFailing || figures?.succeeded == 0
            let role: Role = figures?.failed == 0 ? .quiet : isBad ? .failed : .text
            text = figures?.failedShare.map { StyledLine($0, role) }
        case .waited: text = figures?.waitSlow.map { StyledLine(DurationText.about($0)) }
        case .took: text = figures?.tookSlow.map { StyledLine(DurationText.about($0)) }
        case .ended:
            text = figures.map { StyledLine(NumberText.grouped($0.succeeded + $0.failed)) }
        }
        return text ?? StyledLine(glyphs[.dash], .faint)
    }

    /// A small curve of a queue, as wide as its column.
    func curve(_ line: QueueLine, _ kind: PulseCurve, width: Int) -> StyledLine {
        guard let track = state.pulse.queues[line.name] else { return StyledLine() }
        let series = track.series(state.pulseSpan, at: clock.realNow)
        let values: [Double?]
        let role: Role
        switch kind {
        case .ended:
            values = zip(series.succeeded, series.failed).map { good, bad in
                good.map { $0 + (bad ?? 0) }
            }
            role = line.isFailing ? .failed : .running
        case .waited: (values, role) = (series.waitSlow, .time)
        case .took: (values, role) = (series.slow, .next)
        case .failed: (values, role) = (series.failedShare, .failed)
        }
        let text = Sparkline(
            PulseCurve.folded(values, to: width), maximum: kind == .failed ? 1 : nil
        ).text(width: width, glyphs: glyphs)
        return StyledLine(text, role.inBar)
    }
}

/// A small curve in the row of a queue.
enum PulseCurve: Hashable {
    case ended, waited, took, failed

    /// The greatest value of each of `width` equal parts.
    static func folded(_ values: [Double?], to width: Int) -> [Double] {
        guard width > 0, !values.isEmpty else { return [] }
        guard values.count > width else { return values.map { $0 ?? 0 } }
        return (0..<width).map { place in
            let part = values[place * values.count / width..<(place + 1) * values.count / width]
            return part.compactMap(\.self).max() ?? 0
        }
    }
}

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
        let waiting = PulseChart(
            title: "waiting",
            lines: [(.init(series.waiting, .text, .solid, sign: "#"), "tasks")], unit: .count,
            empty: "nothing waited", since: track.waiting.since)
        let oldest = PulseChart(
            title: "first due task waits",
            lines: [(.init(series.oldest, .time, .solid, sign: "#"), "for")], unit: .duration,
            empty: "no task was due", since: track.firstDue.since)
        return track.seen == nil
            ? [ended, wait, took, waiting, oldest] : [ended, waiting, oldest]
    }

    private var most: Double {
        lines.flatMap { $0.line.values.compactMap(\.self) }.filter(\.isFinite).max() ?? 0
    }

    /// The upper edge of the scale: at least the greatest value.
    var top: Double {
        let most = most
        guard most > 0 else { return 0 }
        guard unit == .duration else { return Painter.roundedUp(most) }
        let steps: [Double] = [
            1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 20e3, 30e3, 60e3, 120e3,
            300e3, 600e3, 1.2e6, 1.8e6, 3.6e6, 7.2e6, 18e6, 36e6, 86.4e6,
        ]
        return steps.first { $0 >= most } ?? Painter.roundedUp(most / 86.4e6) * 86.4e6
    }

    /// The words at the upper edge, in few columns.
    var topWords: String {
        unit == .count
            ? Figure.text(Int(min(top, 1e15)), width: 6)
            : DurationText.compact(Int64(min(top, 1e15)))
    }
}

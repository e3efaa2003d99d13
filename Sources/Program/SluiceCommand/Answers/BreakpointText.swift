import SluiceControl
import SluiceModel

/// Breakpoints as `--json` says them.
enum BreakpointJSON {
    /// Several, in their order.
    static func object(_ breakpoints: [Breakpoint]) -> JSONObject {
        ["breakpoints": .array(breakpoints.map(value))]
    }

    private static func value(_ breakpoint: Breakpoint) -> JSONValue {
        [
            "id": .integer(breakpoint.number),
            "where": .string(breakpoint.filter.description),
            "when": .string(breakpoint.moment.rawValue),
            "hits": JSONValue(breakpoint.hits),
            "atHit": JSONValue(breakpoint.atHit),
            "times": JSONValue(breakpoint.times),
            "until": JSONValue(breakpoint.until),
            "by": .string(breakpoint.by),
            "kept": .bool(breakpoint.owner == nil),
            "log": .bool(breakpoint.isLog),
        ]
    }

    /// Where one stopped a queue.
    static func hit(_ hit: BreakpointHit) -> JSONValue {
        [
            "breakpoint": .integer(hit.breakpoint),
            "when": .string(hit.moment.rawValue),
            "task": .integer(hit.task),
            "passed": .bool(hit.isPassed),
        ]
    }
}

/// Breakpoints for people.
enum BreakpointText {
    /// What there are, and where they stand.
    static func lines(
        _ breakpoints: [Breakpoint], stops: [(queue: String, hit: BreakpointHit)],
        now: Timestamp, width: Int?
    ) -> [String] {
        guard !breakpoints.isEmpty else {
            return ["no breakpoint: sluice break 'type:identify' sets one"]
        }
        var table = TextTable([
            .numbers("N"), .whole("WHEN"), .words("WHERE", limit: 60), .numbers("HITS"),
            .words("ENDS"), .words("BY", limit: 30), .words("NOTE", limit: 60),
        ])
        table.rows = breakpoints.map { breakpoint in
            [
                "\(breakpoint.number)", Breakpoint.words(of: breakpoint.moment),
                breakpoint.filter.description, "\(breakpoint.hits)",
                breakpoint.until.map { ClockText.relative($0, now: now) } ?? "when removed",
                breakpoint.by, note(breakpoint, stops),
            ]
        }
        return table.lines(width)
    }

    private static func note(
        _ breakpoint: Breakpoint, _ stops: [(queue: String, hit: BreakpointHit)]
    ) -> String {
        var notes = stops.filter { $0.hit.breakpoint == breakpoint.number }.map { stop in
            stop.hit.isPassed
                ? "holds \(stop.queue)" : "stops \(stop.queue) \(stop.hit.place)"
        }
        if breakpoint.isLog { notes.append("only a line") }
        if let atHit = breakpoint.atHit, breakpoint.hits < atHit {
            notes.append("from match \(atHit) on")
        }
        if let times = breakpoint.times {
            let left = max(0, times - breakpoint.stops)
            notes.append(left == 0 ? "spent" : "\(left) more")
        }
        if breakpoint.owner != nil { notes.append("ends with its console") }
        return notes.joined(separator: ", ")
    }
}

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
            "at": JSONValue(hit.at),
            "passed": .bool(hit.isPassed),
        ]
    }
}

/// Breakpoints for people.
enum BreakpointText {
    /// What there are, and where they stand.
    static func lines(
        _ breakpoints: [Breakpoint], stops: [QueueStop], names: TaskNames, now: Timestamp,
        width: Int?
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
                breakpoint.by, names.text(breakpoint.note(stops)),
            ]
        }
        return table.lines(width)
    }
}

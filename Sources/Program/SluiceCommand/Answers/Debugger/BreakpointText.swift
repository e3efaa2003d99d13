import SluiceControl
import SluiceModel

/// Breakpoints as `--json` says them.
enum BreakpointJSON {
    /// Several, in their order.
    static func object(_ breakpoints: [Breakpoint]) -> JSONObject {
        ["breakpoints": .array(breakpoints.map(value))]
    }

    private static func value(_ breakpoint: Breakpoint) -> JSONValue {
        var object: JSONObject = [
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
        if let limit = breakpoint.limit {
            object["guard"] = [
                "failedPercent": JSONValue(limit.percent), "of": JSONValue(limit.attempts),
                "inMs": JSONValue(limit.milliseconds),
                "pauseMs": JSONValue(limit.pauseMilliseconds),
                "firedAt": JSONValue(breakpoint.firing?.at),
                "failed": JSONValue(breakpoint.firing?.rate.failed),
                "attempts": JSONValue(breakpoint.firing?.rate.attempts),
            ]
        }
        return .object(object)
    }

    /// A breakpoint hit that stopped a queue.
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

enum BreakpointText {
    /// The breakpoints, with the queues that they have stopped.
    static func lines(
        _ breakpoints: [Breakpoint], stops: [QueueStop], withoutQueue: Set<Int64>,
        names: TaskNames, now: Timestamp, width: Int?
    ) -> [String] {
        guard !breakpoints.isEmpty else {
            return ["no breakpoint: sluice break 'type:identify' sets one"]
        }
        return TextTable<Breakpoint>([
            .numbers("N") { "\($0.number)" },
            .whole("WHEN") { Breakpoint.words(of: $0.moment) },
            .words("WHERE") { breakpoint in
                let limit = breakpoint.limit.map { ", \($0.words)" } ?? ""
                return "\(breakpoint.filter)\(limit)"
            },
            .numbers("HITS") { "\($0.hits)" },
            .words("ENDS") { $0.until.map { ClockText.relative($0, now: now) } ?? "when removed" },
            .words("BY", limit: 30) { $0.by },
            .words("NOTE") { breakpoint in
                let isGone = withoutQueue.contains(breakpoint.number)
                let note = [isGone ? "its queue does not exist" : "", breakpoint.note(stops)]
                return names.text(note.filter { !$0.isEmpty }.joined(separator: ", "))
            },
        ]).lines(breakpoints, width)
    }
}

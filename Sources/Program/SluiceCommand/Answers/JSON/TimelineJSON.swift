import SluiceControl
import SluiceModel

/// The bars of `timeline`, for scripts.
struct TimelineJSON {
    let timeline: TaskTimeline

    var value: JSONValue {
        [
            "from": JSONValue(timeline.from), "to": JSONValue(timeline.to),
            "more": .bool(timeline.isCut), "runEnded": JSONValue(timeline.runEnded),
            "rows": .array(timeline.rows.map(row)),
            "criticalPath": .array(timeline.criticalPath.map { JSONValue($0.task) }),
        ]
    }

    private func row(_ row: TimelineRow) -> JSONValue {
        let wait = timeline.wait(of: row)
        let earlier = wait.earlier.map { earlier -> JSONValue in
            ["id": JSONValue(earlier.task), "milliseconds": JSONValue(earlier.milliseconds)]
        }
        if let lane = row.key.lane {
            return [
                "worker": JSONValue(lane.process), "pid": JSONValue(lane.pid),
                "slot": JSONValue(lane.slot), "bars": .array(row.bars.map(bar)),
            ]
        }
        return [
            "id": JSONValue(row.task), "queue": .string(row.queue), "type": .string(row.type),
            "state": JSONValue(row.state?.rawValue), "bars": .array(row.bars.map(bar)),
            "waitedMilliseconds": JSONValue(wait.turn), "heldMilliseconds": JSONValue(wait.held),
            "timedMilliseconds": JSONValue(wait.timed), "waitedFor": .array(earlier),
        ]
    }

    private func bar(_ bar: TimelineBar) -> JSONValue {
        var object: JSONObject = [
            "kind": .string(bar.kind.rawValue), "from": JSONValue(bar.from),
            "to": JSONValue(bar.to), "attempt": JSONValue(bar.attempt),
        ]
        if let task = bar.task {
            object["id"] = JSONValue(task)
            object["type"] = JSONValue(bar.type)
        }
        return .object(object)
    }
}

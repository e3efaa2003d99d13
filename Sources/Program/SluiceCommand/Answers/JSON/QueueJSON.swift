import SluiceControl
import SluiceModel
import SluiceStore

/// An element of `queues`.
enum QueueJSON {
    static func value(_ overview: QueueOverview, _ names: TaskNames) -> JSONValue {
        let queue = overview.queue
        var object: JSONObject = [
            "name": .string(queue.name),
            "state": .string(overview.state.rawValue),
            "order": .string(queue.settings.order.rawValue),
            "priority": .integer(Int64(queue.settings.priority)),
            "concurrency": JSONValue(queue.settings.concurrency),
            "afterFailure": .string(queue.settings.afterFailure.rawValue),
            "start": .string(queue.settings.start.name),
            "counts": counts(overview.counts, lost: overview.lost),
            "due": JSONValue(overview.due),
            "dueCapped": .bool(overview.isDueCapped),
            "pauses": PauseJSON.array(overview.pauses, names),
            "run": run(queue.run, left: overview.left),
            "nextRun": JSONValue(overview.nextRun),
            "oldest": JSONValue(overview.oldest),
            "stuck": .bool(overview.isStuck),
        ]
        let names = queue.settings.priorityNames.entries
        if !names.isEmpty {
            var pairs = JSONObject()
            for entry in names { pairs[entry.name] = .integer(Int64(entry.priority)) }
            object["priorityNames"] = .object(pairs)
        }
        let ranks = queue.settings.ranks
        if !ranks.ranks.isEmpty { object["rank"] = .string(ranks.text) }
        if !queue.settings.types.isEmpty { object["types"] = types(queue.settings.types) }
        if let rate = queue.settings.rate { object["rate"] = .string(rate.text) }
        if let per = queue.settings.rate?.perText { object["per"] = .string(per) }
        if queue.settings.requiresTasks { object["required"] = true }
        if let rule = queue.settings.unique { object["unique"] = .string(rule.text) }
        if let isOn = queue.settings.forcedNetwork {
            object["network"] = .string(isOn ? "on" : "off")
        }
        if !queue.settings.summary.paths.isEmpty {
            object["summary"] = .string(queue.settings.summary.text)
        }
        return .object(object)
    }

    /// The settings that types have, each only if it is not the queue's. A limit of null is no
    /// limit.
    private static func types(_ types: [String: TypeSettings]) -> JSONValue {
        var object = JSONObject()
        for (type, own) in types.sorted(by: { $0.key < $1.key }) {
            var settings = JSONObject()
            if let limit = own.attempts { settings["attempts"] = JSONValue(limit.value) }
            if let rule = own.retry { settings["retry"] = .string(rule.description) }
            if let limit = own.timeout { settings["timeoutMilliseconds"] = JSONValue(limit.value) }
            if let limit = own.concurrency { settings["concurrency"] = JSONValue(limit) }
            if let rule = own.unique { settings["unique"] = JSONValue(rule.value?.text) }
            if let isSo = own.required { settings["required"] = .bool(isSo) }
            object[type] = .object(settings)
        }
        return .object(object)
    }

    /// How many tasks a queue holds; the last three are parts of the waiting ones. What a runner
    /// lost when it died is going to wait again (A2).
    static func counts(_ counts: QueueCounts, lost: Int = 0) -> JSONValue {
        [
            "waiting": JSONValue(counts[.waiting] + lost),
            "running": JSONValue(counts[.running] - lost),
            "succeeded": JSONValue(counts[.succeeded]),
            "failed": JSONValue(counts[.failed]),
            "deleted": JSONValue(counts[.deleted]),
            "held": JSONValue(counts.waiting(in: .held)),
            "skipped": JSONValue(counts.waiting(in: .skipped)),
            "parked": JSONValue(counts.waiting(in: .parked)),
        ]
    }

    private static func run(_ run: Run?, left: Int) -> JSONValue {
        guard let run else { return .null }
        return [
            "since": JSONValue(run.since),
            "attempted": JSONValue(run.attempted),
            "left": JSONValue(left),
        ]
    }
}

/// An application's inbox rows that no process has imported yet (T4).
enum InboxJSON {
    /// The object next to the queues.
    static func value(_ inbox: InboxSummary) -> JSONValue {
        let tasks = inbox.tasks.sorted { $0.key < $1.key }.map { name, count -> JSONValue in
            ["queue": .string(name), "tasks": JSONValue(count)]
        }
        return [
            "queues": .array(tasks), "tasksCapped": .bool(inbox.isCapped),
            "removals": JSONValue(inbox.removals),
            "removalsCapped": .bool(inbox.isRemovalsCapped),
            "refused": .array(inbox.refused.map(refusal)),
            "refusedCapped": .bool(inbox.hasMoreRefused),
        ]
    }

    private static func refusal(_ row: InboxSummary.Refusal) -> JSONValue {
        [
            "table": .string(row.table), "row": .integer(row.row),
            "queue": JSONValue(row.queue), "error": .string(row.error),
        ]
    }
}

enum PauseJSON {
    static func value(_ pause: Pause, _ names: TaskNames) -> JSONValue {
        var object: JSONObject = [
            "cause": .string(pause.cause.rawValue),
            "by": .string(pause.by),
            "reason": JSONValue(names.reason(of: pause)),
            "since": JSONValue(pause.since),
            "until": JSONValue(pause.until),
            "direction": .string(pause.direction.rawValue),
        ]
        if !pause.hits.isEmpty { object["hits"] = .array(pause.hits.map(BreakpointJSON.hit)) }
        return .object(object)
    }

    /// Several, in their order.
    static func array(_ pauses: [Pause], _ names: TaskNames) -> JSONValue {
        .array(pauses.map { value($0, names) })
    }
}

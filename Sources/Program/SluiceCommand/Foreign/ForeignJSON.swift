import SluiceControl
import SluiceForeignQueues
import SluiceModel

/// The contract's shapes for what other systems have; ids are texts.
enum ForeignJSON {
    /// An element of `queues`.
    static func queue(_ queue: ForeignQueue) -> JSONValue {
        [
            "name": .string(queue.name), "system": .string(queue.system),
            "state": .string(state(queue)),
            "counts": [
                "waiting": JSONValue(queue.waiting + queue.delayed + queue.skipped),
                "running": JSONValue(queue.inFlight), "taken": JSONValue(queue.taken),
                "succeeded": JSONValue(queue.succeeded), "failed": JSONValue(queue.failed),
                "held": JSONValue(queue.held),
                "delayed": JSONValue(queue.delayed), "skipped": JSONValue(queue.skipped),
                "blocked": JSONValue(queue.blocked),
            ],
            "estimated": names(queue.estimates), "bounded": names(queue.bounds),
            "due": JSONValue(queue.waiting - queue.blocked), "dueCapped": false,
            "pauses": pauses(queue),
            "run": .null, "nextRun": .null, "oldest": JSONValue(queue.oldest),
        ]
    }

    private static func names(_ unsure: Set<ForeignCount>) -> JSONValue {
        var names = Set(unsure.map(\.rawValue))
        // Delayed and skipped tasks count as waiting too.
        if !unsure.isDisjoint(with: [.delayed, .skipped]) {
            names.insert(ForeignCount.waiting.rawValue)
        }
        if !unsure.isDisjoint(with: [.waiting, .blocked]) { names.insert("due") }
        return JSONValue(names.sorted())
    }

    /// The word for a queue's activity. It is running if a worker has any of its tasks.
    static func state(_ queue: ForeignQueue) -> String {
        switch queue.status() {
        case .paused, .atStop: "paused"
        case .pausing: "pausing"
        case .running, .failing, .stuck: "running"
        case .waiting, .blocked, .noRunner: "waiting"
        case .noRun, .failed, .empty: "idle"
        }
    }

    /// Its hold, and its own system's pause.
    static func pauses(_ queue: ForeignQueue) -> JSONValue {
        var all: [JSONValue] = []
        if let hold = queue.hold {
            all.append([
                "cause": "person", "by": .string(hold.note.by),
                "reason": JSONValue(hold.note.reason), "since": JSONValue(hold.note.since),
                "until": .null, "direction": "work", "recipe": .string(hold.recipe),
                "leak": JSONValue(hold.leak), "slipped": JSONValue(hold.slipped),
            ])
        }
        if let own = queue.ownPause {
            all.append([
                "cause": "app", "by": .string(queue.system), "reason": .string(own),
                "since": .null, "until": .null, "direction": "work",
            ])
        }
        return .array(all)
    }

    static func task(_ task: ForeignTask) -> JSONObject {
        [
            "id": .string(task.reference), "reference": .string(task.reference),
            "queue": .string(task.queue), "type": .string(task.type),
            "state": .string(task.display.state.rawValue),
            "display": .string(task.display.word), "priority": JSONValue(task.priority),
            "attempts": JSONValue(task.attempts), "attemptLimit": JSONValue(task.attemptLimit),
            "notBefore": JSONValue(task.notBefore), "createdAt": JSONValue(task.createdAt),
            "label": JSONValue(task.label), "error": JSONValue(task.error),
        ]
    }

    /// `show`.
    static func detail(_ detail: ForeignDetail, system: String) -> JSONObject {
        var object = task(detail.task)
        object["system"] = .string(system)
        if let value = detail.payload.value {
            object["payload"] = value
        } else {
            object["payloadBase64"] = .string(Base64.encode(detail.payload.bytes))
        }
        object["payloadFormat"] = .string(detail.payload.format)
        object["payloadFixed"] = JSONValue(detail.payload.whyFixed)
        object["attemptLog"] = .array(
            detail.attempts.map { attempt in
                [
                    "number": JSONValue(attempt.number), "runner": JSONValue(attempt.runner),
                    "startedAt": JSONValue(attempt.startedAt),
                    "endedAt": JSONValue(attempt.endedAt), "outcome": JSONValue(attempt.outcome),
                    "error": JSONValue(attempt.error),
                ]
            })
        object["fields"] = .object(detail.fields)
        return object
    }

    /// An element of `timers`.
    static func timer(_ timer: ForeignTimer) -> JSONValue {
        [
            "id": .string(timer.task.reference), "queue": .string(timer.task.queue),
            "at": JSONValue(timer.at),
            "kind": timer.task.display == .retrying ? "retry" : "notBefore",
            "attempt": JSONValue(timer.task.attempts),
            "attemptLimit": JSONValue(timer.task.attemptLimit),
        ]
    }

    /// The worker with a running task.
    static func holder(_ holder: ForeignHolder?) -> JSONValue {
        guard let holder else { return .null }
        return [
            "worker": JSONValue(holder.worker), "since": JSONValue(holder.since),
            "heardAt": JSONValue(holder.heardAt), "advice": .string(holder.advice),
            "isGone": .bool(holder.isGone),
        ]
    }

    /// An element of `runners`.
    static func runner(_ runner: ForeignRunner) -> JSONValue {
        [
            "id": .string(runner.name), "host": JSONValue(runner.host),
            "pid": JSONValue(runner.processID), "slots": JSONValue(runner.slots),
            "running": JSONValue(runner.running), "queues": JSONValue(runner.queues),
            "heardAt": JSONValue(runner.heardAt),
        ]
    }
}

import SluiceControl
import SluiceModel

/// TASK of the contract, and what `show` adds to it.
enum TaskJSON {
    /// A task as a list gives it.
    static func object(_ line: TaskLine, in queue: QueueRecord) -> JSONObject {
        let task = line.task
        var object: JSONObject = [
            "id": .integer(task.id),
            "reference": .string(line.reference),
            "queue": .string(task.queue),
            "type": .string(task.type),
            "state": .string(task.state.name.rawValue),
            "display": .string(line.display.rawValue),
            "position": .integer(task.position),
            "priority": .integer(Int64(task.priority)),
            "sortKey": sortKey(task.sortKey),
            "groupStart": JSONValue(task.groupStart),
            "groupMembers": JSONValue(task.groupMembers),
            "attempts": JSONValue(task.attempts),
            "attemptLimit": JSONValue(queue.settings.attemptLimit(of: task)),
            "notBefore": JSONValue(task.waiting?.timer?.until),
            "createdAt": JSONValue(task.createdAt),
            "version": .integer(task.version),
            "label": JSONValue(task.label),
            "error": JSONValue(task.error),
            "blockers": BlockerJSON.array(line.blockers),
        ]
        object["priorityName"] =
            queue.settings.priorityNames.name(of: task.priority).map(JSONValue.string)
        return object
    }

    static func detail(_ detail: TaskDetail) -> JSONObject {
        var object = object(detail.line, in: detail.queue)
        let task = detail.line.task
        put(detail.payload, as: "payload", into: &object)
        object["attemptLog"] = .array(detail.attempts.map(AttemptJSON.value))
        object["losses"] = JSONValue(task.losses)
        putResult(detail.result, into: &object)
        putRest(of: task, into: &object)
        object["followUps"] = .array(detail.followUps.map(JSONValue.integer))
        object["twins"] = .array(detail.twins.map(JSONValue.integer))
        return object
    }

    /// Adds the fields of a task that a list omits.
    static func putRest(of task: QueueTask, into object: inout JSONObject) {
        object["expiresAt"] = JSONValue(task.expiresAt)
        object["requires"] = JSONValue(task.requires.map(\.rawValue).sorted())
        object["required"] = .bool(task.isRequired)
        object["unique"] = JSONValue(task.uniqueKey)
        object["session"] = JSONValue(task.session)
        put(task.clientString, into: &object)
        object["parent"] = JSONValue(task.parent)
        object["schedule"] = ScheduleJSON.value(task.scheduled)
        object["headers"] = TaskHeaders.json(task.headers)
    }

    /// The client string as text. Bytes that are not text appear as base64 under another name.
    static func put(_ string: ClientString?, into object: inout JSONObject) {
        object["clientString"] = JSONValue(string?.text)
        guard let string, string.text == nil else { return }
        object["clientStringBase64"] = .string(Base64.encode(string.bytes))
    }

    /// A result, or null.
    static func putResult(_ result: [UInt8]?, into object: inout JSONObject) {
        guard let result else {
            object["result"] = .null
            return
        }
        put(result, as: "result", into: &object)
    }

    /// Bytes that are UTF-8 JSON appear as their value, others as base64.
    static func put(_ bytes: [UInt8], as name: String, into object: inout JSONObject) {
        if let value = try? JSONValue.parse(bytes) {
            object[name] = value
        } else {
            object["\(name)Base64"] = .string(Base64.encode(bytes))
        }
    }

    private static func sortKey(_ key: SortKey?) -> JSONValue {
        switch key {
        case .integer(let number): .integer(number)
        case .text(let text): .string(text)
        case nil: .null
        }
    }
}

enum BlockerJSON {
    /// One blocker; its fix is a whole command line.
    static func value(_ blocker: Blocker) -> JSONValue {
        [
            "kind": .string(blocker.kind.rawValue),
            "cause": JSONValue(blocker.cause),
            "text": .string(blocker.text),
            "task": JSONValue(blocker.task),
            "until": JSONValue(blocker.until),
            "fix": JSONValue(blocker.fix.map { "sluice \(TaskNames().command($0))" }),
        ]
    }

    /// Several, in their order.
    static func array(_ blockers: [Blocker]) -> JSONValue { .array(blockers.map(value)) }
}

/// An execution of `attemptLog`.
enum AttemptJSON {
    static func value(_ attempt: AttemptRecord) -> JSONValue {
        var object: JSONObject = [
            "number": JSONValue(attempt.number),
            "runner": .integer(attempt.runner),
            "startedAt": JSONValue(attempt.startedAt),
            "endedAt": JSONValue(attempt.endedAt),
            "outcome": JSONValue(attempt.outcome?.rawValue),
            "then": JSONValue(attempt.consequence),
            "counted": .bool(attempt.isCounted),
            "error": JSONValue(attempt.error),
            "injected": .bool(attempt.injection != nil),
            "fault": JSONValue(attempt.injection?.fault),
            "log": JSONValue(attempt.plainLog),
        ]
        let stages = attempt.stageTimes
        if !stages.isEmpty {
            object["stages"] = .array(
                stages.map { time in
                    [
                        "name": .string(time.stage.name),
                        "afterMilliseconds": .integer(time.stage.afterMilliseconds),
                        "milliseconds": JSONValue(time.milliseconds),
                    ]
                })
        }
        let exchanges = attempt.exchanges
        if !exchanges.isEmpty { object["exchanges"] = .array(exchanges.map(\.json)) }
        return .object(object)
    }
}

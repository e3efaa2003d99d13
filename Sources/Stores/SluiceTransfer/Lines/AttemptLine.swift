import SluiceModel

/// An execution in the line of a task, with the names of `attemptLog`.
enum AttemptLine {
    static func value(_ attempt: AttemptRecord) -> JSONValue {
        var object: JSONObject = [
            "number": JSONValue(attempt.number), "runner": .integer(attempt.runner),
            "startedAt": JSONValue(attempt.startedAt),
        ]
        object["endedAt"] = attempt.endedAt.map { JSONValue($0) }
        object["outcome"] = attempt.outcome.map { .string($0.rawValue) }
        if attempt.isCounted { object["counted"] = true }
        object["error"] = attempt.error.map(JSONValue.string)
        object["fraction"] = attempt.fraction.map { JSONValue($0) }
        object["progress"] = attempt.progressText.map(JSONValue.string)
        if !attempt.log.isEmpty { object["log"] = JSONValue(attempt.log) }
        object["consequence"] = attempt.consequence.map(JSONValue.string)
        object["fault"] = attempt.injection.map { .integer($0.fault) }
        object["faultKind"] = attempt.injection.map { .string($0.kind.words) }
        return .object(object)
    }

    static func attempt(
        _ value: JSONValue, of task: QueueTask, now: Timestamp
    ) throws(QueueError) -> AttemptRecord {
        guard let object = value.object else {
            throw QueueError(
                .badValue, "attemptLog holds \(value.kindName)", fix: "write objects in it")
        }
        let fields = TaskFields(object: object, now: now)
        guard let number = try fields.number("number", in: 1...Int64(Int32.max)),
            let startedAt = try fields.moment("startedAt")
        else {
            throw QueueError(
                .badValue, "an entry of attemptLog lacks its number or startedAt",
                fix: "leave attemptLog as sluice export wrote it, or leave it out")
        }
        var attempt = AttemptRecord(
            task: task, number: Int(number),
            runner: try fields.number("runner", in: .min ... .max) ?? 0, startedAt: startedAt)
        attempt.endedAt = try fields.moment("endedAt")
        if let word = try fields.text("outcome") {
            guard let outcome = AttemptRecord.Outcome(rawValue: word) else {
                let known = AttemptRecord.Outcome.allCases.map(\.rawValue)
                throw fields.wrong("outcome", .string(word), known.joined(separator: ", "))
            }
            attempt.outcome = outcome
        }
        attempt.isCounted = try fields.flag("counted")
        attempt.error = try fields.text("error")
        attempt.fraction = fields.value("fraction")?.double
        attempt.progressText = try fields.text("progress")
        attempt.log = try fields.texts("log")
        attempt.consequence = try fields.text("consequence")
        attempt.injection = try injection(fields)
        return attempt
    }

    /// The injected fault (G2).
    private static func injection(_ fields: TaskFields) throws(QueueError) -> Injection? {
        guard let fault = try fields.number("fault", in: 1...(.max)),
            let words = try fields.text("faultKind")
        else { return nil }
        return Injection(fault: fault, kind: try Fault.Kind(words))
    }
}

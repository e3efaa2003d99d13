package import SluiceModel

/// Schedules as JSON.
extension Schedules {
    /// Nil where there is none.
    package var stored: JSONValue? { isEmpty ? nil : .array(all.map(\.stored)) }

    package init(stored: JSONValue) throws(QueueError) {
        self.init()
        for schedule in try StoredFields.list(stored, Schedule.init(stored:)) {
            self[schedule.name] = schedule
        }
    }
}

extension Schedule {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("name", name)
        fields.put("spec", spec.text)
        fields.put("timeZone", timeZone)
        fields.put("queue", queue)
        fields.put("type", type)
        if let text = String(validating: payload, as: UTF8.self) {
            fields.put("payload", text)
        } else {
            fields.put("payloadBase64", Base64.encode(payload))
        }
        fields.put("missed", missed)
        fields.put("next", next)
        fields.put("last", last)
        fields.put("isPaused", flag: isPaused)
        fields.put("by", by)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        let text = try fields.text("spec")
        let spec: ScheduleSpec
        do { spec = try ScheduleSpec(text) } catch {
            throw StoredFields.damage("a schedule, \(text)")
        }
        var payload = Array(try fields.optionalText("payload")?.utf8 ?? "".utf8)
        if let base64 = try fields.optionalText("payloadBase64") {
            guard let bytes = Base64.decode(base64) else { throw StoredFields.damage("a payload") }
            payload = bytes
        }
        self.init(
            name: try fields.text("name"), spec: spec, queue: try fields.text("queue"),
            type: try fields.text("type"), payload: payload, by: try fields.text("by"))
        timeZone = try fields.text("timeZone")
        missed = try fields.word("missed")
        next = try fields.optionalMoment("next")
        last = try fields.optionalMoment("last")
        isPaused = fields.flag("isPaused")
    }
}

extension ScheduledMoment {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("schedule", schedule)
        fields.put("at", at)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(schedule: try fields.text("schedule"), at: try fields.moment("at"))
    }
}

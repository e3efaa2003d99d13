import SluiceModel

/// Schedules as JSON.
extension Schedules {
    /// `nil` if empty.
    var stored: JSONValue? { isEmpty ? nil : all.stored }

    init(stored: JSONValue) throws(QueueError) {
        self.init()
        for schedule in try [Schedule].read(stored, at: "schedules") {
            self[schedule.name] = schedule
        }
    }
}

extension Schedule: StoredObject {
    func put(in fields: inout StoredFields) {
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
    }

    init(fields: StoredFields) throws(QueueError) {
        let text: String = try fields.required("spec")
        let spec: ScheduleSpec
        do { spec = try ScheduleSpec(text) } catch {
            throw StoredFields.damage("a schedule, \(text)")
        }
        let content: String = try fields.optional("payload") ?? ""
        var payload = Array(content.utf8)
        if let base64: String = try fields.optional("payloadBase64") {
            payload = try Base64.decode(base64).orDamage("a payload")
        }
        self.init(
            name: try fields.required("name"), spec: spec, queue: try fields.required("queue"),
            type: try fields.required("type"), payload: payload, by: try fields.required("by"))
        timeZone = try fields.required("timeZone")
        missed = try fields.required("missed")
        next = try fields.optional("next")
        last = try fields.optional("last")
        isPaused = fields.flag("isPaused")
    }
}

extension ScheduledMoment: StoredRecord {
    static var blank: Self { Self(schedule: "", at: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("schedule", &schedule)
        fields.pass("at", &at)
    }
}

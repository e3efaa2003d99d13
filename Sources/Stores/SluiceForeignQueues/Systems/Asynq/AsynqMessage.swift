import SluiceModel

/// A stored Asynq task: a protobuf message with known field numbers.
struct AsynqMessage {
    private let fields: ProtobufFields

    /// Nil for bytes that are no such message.
    init?(_ bytes: [UInt8]) {
        guard let fields = ProtobufFields(bytes) else { return nil }
        self.fields = fields
    }

    /// An integer field; 0 if absent.
    private func count(_ number: Int) -> Int { Int(clamping: fields.integer(number) ?? 0) }

    private func moment(_ number: Int) -> Timestamp? {
        fields.integer(number).flatMap { $0 > 0 ? ForeignTime.moment(seconds: Double($0)) : nil }
    }

    /// Its task, under the id of its key.
    func task(_ id: String, in queue: String, _ display: ForeignTask.Display) -> ForeignTask {
        var task = ForeignTask(
            reference: id, queue: queue, type: fields.text(1) ?? "?", display: display)
        task.attempts = count(6)
        // Asynq limits the retries, so add the first attempt.
        task.attemptLimit = count(5) + 1
        task.error = fields.text(7)
        task.label = payload.value?.text
        return task
    }

    /// The handler's payload: arbitrary bytes, most often JSON.
    var payload: ForeignPayload {
        let why = "Asynq is only shown here, not changed"
        guard let content = fields.bytes(2) else {
            return ForeignPayload(bytes: [], format: "none", value: .null, whyFixed: why)
        }
        if let json = try? JSONValue.parse(content) {
            return ForeignPayload(bytes: content, format: "json", value: json, whyFixed: why)
        }
        if let packed = MessagePackReader.value(content), packed.object != nil {
            return ForeignPayload(bytes: content, format: "msgpack", value: packed, whyFixed: why)
        }
        if let text = String(validating: content, as: UTF8.self), !text.utf8.contains(0) {
            return ForeignPayload(
                bytes: content, format: "text", value: .string(text), whyFixed: why)
        }
        return ForeignPayload(
            bytes: content, format: "protobuf", value: ProtobufReader.value(content),
            whyFixed: why)
    }

    /// Additional fields, by their names in Asynq's definition.
    var others: JSONObject {
        var others = JSONObject()
        for (name, number) in [("timeout", 8), ("retention", 12)] {
            if let seconds = fields.integer(number) { others[name] = .string("\(seconds) s") }
        }
        for (name, number) in [("unique_key", 10), ("group_key", 14)] {
            if let text = fields.text(number) { others[name] = .string(text) }
        }
        for (name, number) in [("deadline", 9), ("last_failed_at", 11), ("completed_at", 13)] {
            if let moment = moment(number) { others[name] = .string(TimeText.rfc3339(moment)) }
        }
        return others
    }
}

import SluiceModel

/// A whole task as JSON: the image that `undo` keeps.
extension QueueTask: StoredRecord {
    static var blank: Self { Self(id: 0, queue: "", type: "", position: 0, createdAt: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("id", &id)
        fields.pass("queue", &queue)
        fields.pass("type", &type)
        fields.pass("position", &position)
        fields.pass("priority", &priority)
        fields.pass("sortKey", &sortKey)
        fields.pass("groupStart", &groupStart)
        fields.pass("groupMembers", each: &groupMembers)
        var needs = NeedBits(self)
        fields.pass("needs", &needs.rawValue)
        (requires, isRequired) = (needs.requires, needs.contains(.required))
        fields.pass("attempts", &attempts)
        fields.pass("executions", &executions)
        fields.pass("offlineInSuccession", &offlineInSuccession)
        fields.pass("losses", &losses)
        fields.pass("lossesInSuccession", &lossesInSuccession)
        fields.pass("attemptLimit", &attemptLimit)
        fields.pass("expiresAt", &expiresAt)
        fields.pass("uniqueKey", &uniqueKey)
        fields.pass("session", &session)
        fields.pass(&clientString)
        fields.pass("collector", &collector)
        fields.pass("parent", &parent)
        fields.pass("scheduled", &scheduled)
        fields.pass("depth", &depth)
        fields.pass("label", &label)
        fields.pass("headers", &headers, TaskHeaders.stored, TaskHeaders.read(stored:))
        fields.pass("createdAt", &createdAt)
        fields.pass("updatedAt", &updatedAt)
        fields.pass("version", &version)
        fields.pass("state", &state)
        fields.pass("lastError", &lastError)
        fields.pass("isHeld", &isHeld)
        fields.pass("freshAt", &freshAt)
    }
}

extension TaskHeaders {
    /// None are not written.
    static func stored(_ headers: [String: String]) -> JSONValue? {
        headers.isEmpty ? nil : json(headers)
    }

    static func read(stored: JSONValue) throws(QueueError) -> [String: String] {
        try read(stored).orDamage("headers are no texts")
    }
}

extension FieldPass {
    /// A text, or bytes if not valid text.
    fileprivate func pass(_ string: inout ClientString?) {
        var (text, bytes) = (string?.text, string)
        pass("clientString", &text)
        if !reads(&bytes, try all.clientBytes("clientBytes")) {
            all.put("clientBytes", bytesOf: bytes)
        }
        string = text.map { ClientString($0) } ?? bytes
    }
}

extension StoredFields {
    /// The bytes of a client string that is no text.
    mutating func put(_ key: String, bytesOf string: ClientString?) {
        guard let string, string.text == nil else { return }
        put(key, Base64.encode(string.bytes))
    }

    func clientBytes(_ key: String) throws(QueueError) -> ClientString? {
        guard let text: String = try optional(key) else { return nil }
        return ClientString(bytes: try Base64.decode(text).orDamage("\(key) is no base64"))
    }
}

extension SortKey: StoredValue {
    var stored: JSONValue {
        switch self {
        case .integer(let number): .integer(number)
        case .text(let text): .string(text)
        }
    }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> SortKey {
        switch stored {
        case .integer(let number): .integer(number)
        case .string(let text): .text(text)
        default: throw StoredFields.damage("a sort key")
        }
    }
}

/// An attached process as JSON.
extension ProcessRecord: StoredRecord {
    static var blank: Self {
        Self(
            id: 0, role: .program, host: "", bootID: "", pid: 0, lockName: "",
            attachedAt: .unknown)
    }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("id", &id)
        fields.pass("role", &role)
        fields.pass("host", &host)
        fields.pass("bootID", &bootID)
        fields.pass("pid", &pid)
        fields.pass("startTime", &startTime)
        fields.pass("lockName", &lockName)
        fields.pass("attachedAt", &attachedAt)
        fields.pass("slots", &slots)
        fields.pass("types", &types)
        fields.pass("brokers", each: &brokers)
        fields.pass("contested", each: &contested)
        fields.pass("queues", &queues)
        fields.pass("pausedQueues", each: &pausedQueues)
        fields.pass("pausesStore", &pausesStore)
        fields.pass("network", &network)
        fields.pass("offlineUntil", &offlineUntil)
        fields.pass("isStopping", &isStopping)
        fields.pass("takesOnlyPermits", &takesOnlyPermits)
        fields.pass("editing", &editing)
        fields.pass("stopsAtBreakpoints", &stopsAtBreakpoints)
        fields.pass("takesFaults", &takesFaults)
        fields.pass("readsClock", &readsClock)
        fields.pass("isRecorded", &isRecorded)
        fields.pass("allowsCrash", &allowsCrash)
        fields.pass("keepsImages", &keepsImages)
    }
}

extension EditLease: StoredRecord {
    static var blank: Self {
        Self(task: 0, version: 0, by: "", until: .unknown, untilInstant: 0)
    }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("task", &task)
        fields.pass("version", &version)
        fields.pass("by", &by)
        fields.pass("until", &until)
        fields.pass("untilInstant", &untilInstant)
    }
}

extension QueueBroker: StoredObject {
    func put(in fields: inout StoredFields) {
        switch queues {
        case .prefix(let prefix): fields.put("prefix", prefix)
        case .chosen(let names): fields.put("queues", names)
        }
        fields.put("types", types)
    }

    init(fields: StoredFields) throws(QueueError) {
        let queues: Queues =
            if let names: [String] = try fields.optional("queues") {
                .chosen(names)
            } else {
                .prefix(try fields.required("prefix"))
            }
        self.init(queues, types: try fields.optional("types"))
    }
}

extension ContestedQueue: StoredRecord {
    static var blank: Self { Self(queue: "", handlers: []) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("queue", &queue)
        fields.pass("handlers", evenEmpty: &handlers)
    }
}

/// Wakes of a queue as JSON: in the column `wakes`, and in the image that `undo` keeps.
extension GroupWake: StoredRecord {
    static var blank: Self { Self(group: "") }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("group", &group)
        fields.pass("cursor", &cursor)
        fields.pass(&taking, having: "start")
    }
}

extension GroupWake.Taking: StoredRecord {
    static var blank: Self { Self(start: 0, position: 0, below: 0, deletedBy: nil) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("start", &start)
        fields.pass("position", &position)
        fields.pass("below", &below)
        fields.pass("deletedBy", &deletedBy)
        fields.pass(&verb, having: "event")
    }
}

extension GroupWake.VerbPlace: StoredRecord {
    static var blank: Self { Self(event: 0, person: "") }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("event", &event)
        fields.pass("person", &person)
    }
}

extension OrderKey: StoredValue {
    var stored: JSONValue { bytes.stored }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> OrderKey {
        let text = try String.read(stored, at: key)
        return OrderKey(bytes: try Hexadecimal.bytes(text).orDamage("a cursor"))
    }
}

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

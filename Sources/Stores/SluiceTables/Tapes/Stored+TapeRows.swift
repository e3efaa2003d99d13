import SluiceModel
import SluiceStore

/// What stands in columns elsewhere, as JSON.
extension AttemptRecord {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("task", task)
        fields.put("number", number)
        fields.put("queue", queue)
        fields.put("type", type)
        fields.put("runner", runner)
        fields.put("startedAt", startedAt)
        fields.put("endedAt", endedAt)
        fields.put("outcome", outcome)
        fields.put("isCounted", flag: isCounted)
        fields.put("error", error)
        fields.put("fraction", fraction)
        fields.put("progress", progressText)
        if !log.isEmpty { fields.put("log", JSONValue(log)) }
        fields.put("childPID", childPID)
        fields.put("childStart", childStartTime.map { Int64(bitPattern: $0) })
        fields.put("endSequence", endSequence)
        fields.put("consequence", consequence)
        fields.put("injection", injection?.stored)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        let place = QueueTask(
            id: try fields.integer("task"), queue: try fields.text("queue"),
            type: try fields.text("type"), position: 0, createdAt: .unknown)
        self.init(
            task: place, number: try fields.int("number"), runner: try fields.integer("runner"),
            startedAt: try fields.moment("startedAt"))
        endedAt = try fields.optionalMoment("endedAt")
        outcome = try fields.optionalWord("outcome")
        isCounted = fields.flag("isCounted")
        error = try fields.optionalText("error")
        if fields.object["fraction"] != nil { fraction = try fields.double("fraction") }
        progressText = try fields.optionalText("progress")
        log = try fields.optionalTexts("log") ?? []
        childPID = try fields.optionalInteger("childPID")
        childStartTime = try fields.optionalInteger("childStart").map { UInt64(bitPattern: $0) }
        endSequence = try fields.integer("endSequence")
        consequence = try fields.optionalText("consequence")
        injection = try fields.optional("injection", Injection.init(stored:))
    }
}

extension JournalEvent {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("sequence", sequence)
        fields.put("at", at)
        fields.put("kind", kind)
        fields.put("queue", queue)
        fields.put("task", task)
        fields.put("by", by)
        fields.put("text", text)
        fields.put("undoneBy", undoneBy)
        fields.put("bulk", bulk)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            sequence: try fields.integer("sequence"), at: try fields.moment("at"),
            kind: try fields.text("kind"), queue: try fields.optionalText("queue"),
            task: try fields.optionalInteger("task"), by: try fields.text("by"),
            text: try fields.text("text"), bulk: try fields.optionalInteger("bulk"))
        undoneBy = try fields.optionalInteger("undoneBy")
    }
}

extension Permit {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("id", id)
        fields.put("task", task)
        fields.put("version", version)
        fields.put("queue", queue)
        fields.put("issuer", issuer)
        fields.put("runner", runner)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            id: try fields.integer("id"), task: try fields.integer("task"),
            version: try fields.integer("version"), queue: try fields.text("queue"),
            issuer: try fields.integer("issuer"), runner: try fields.integer("runner"))
    }
}

extension StoreRecord {
    /// What of it is on a tape: not the recording itself, nor checkpoints and schedules.
    var storedOnTape: JSONValue {
        var fields = StoredFields()
        fields.put("identity", identity)
        fields.put("durability", durability)
        fields.put("pauses", pauses.stored)
        fields.put("forcedNetwork", forcedNetwork.map { JSONValue.bool($0) })
        fields.put("breakpoints", breakpoints.stored)
        fields.put("faults", faults.stored)
        fields.put("filters", TableWriter.stored(filters))
        fields.put("isProtected", flag: isProtected)
        fields.put("clock", clock?.stored)
        fields.put("version", version)
        return fields.value
    }

    init(storedOnTape value: JSONValue) throws(QueueError) {
        let fields = try StoredFields(value)
        self.init(identity: try fields.text("identity"))
        durability = try fields.word("durability")
        pauses = try fields.list("pauses", Pause.init(stored:))
        forcedNetwork = fields.object["forcedNetwork"]?.bool
        breakpoints =
            try fields.optional("breakpoints", Breakpoints.init(stored:)) ?? breakpoints
        faults = try fields.optional("faults", Faults.init(stored:)) ?? faults
        filters = try fields.optional("filters", TableReader.filters) ?? [:]
        isProtected = fields.flag("isProtected")
        clock = try fields.optional("clock", ClockSetting.init(stored:))
        version = try fields.integer("version")
    }
}

extension Recording {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("recorder", recorder)
        fields.put("by", by)
        fields.put("since", since)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            recorder: try fields.integer("recorder"), by: try fields.text("by"),
            since: try fields.moment("since"))
    }
}

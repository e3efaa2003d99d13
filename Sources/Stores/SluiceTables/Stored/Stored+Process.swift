import SluiceModel

/// An attached process as JSON.
extension ProcessRecord {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("id", id)
        fields.put("role", role)
        fields.put("host", host)
        fields.put("bootID", bootID)
        fields.put("pid", pid)
        fields.put("startTime", startTime.map { Int64(bitPattern: $0) })
        fields.put("lockName", lockName)
        fields.put("attachedAt", attachedAt)
        fields.put("slots", slots)
        fields.put("types", types.map { JSONValue($0) })
        if !brokers.isEmpty { fields.put("brokers", .array(brokers.map(\.stored))) }
        if !contested.isEmpty { fields.put("contested", .array(contested.map(\.stored))) }
        fields.put("queues", queues.map { JSONValue($0) })
        if !pausedQueues.isEmpty { fields.put("pausedQueues", JSONValue(pausedQueues)) }
        fields.put("pausesStore", flag: pausesStore)
        fields.put("network", network)
        fields.put("offlineUntil", offlineUntil)
        fields.put("isStopping", flag: isStopping)
        fields.put("takesOnlyPermits", flag: takesOnlyPermits)
        fields.put("editing", editing?.stored)
        fields.put("stopsAtBreakpoints", flag: stopsAtBreakpoints)
        fields.put("takesFaults", flag: takesFaults)
        fields.put("readsClock", flag: readsClock)
        fields.put("isRecorded", flag: isRecorded)
        fields.put("allowsCrash", flag: allowsCrash)
        fields.put("keepsImages", flag: keepsImages)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            id: try fields.integer("id"), role: try fields.word("role"),
            host: try fields.text("host"), bootID: try fields.text("bootID"),
            pid: try fields.integer("pid"), lockName: try fields.text("lockName"),
            attachedAt: try fields.moment("attachedAt"))
        startTime = try fields.optionalInteger("startTime").map { UInt64(bitPattern: $0) }
        slots = try fields.int("slots")
        types = try fields.optionalTexts("types")
        brokers =
            try fields.optional("brokers") { value throws(QueueError) in
                try StoredFields.list(value) { element throws(QueueError) in
                    try QueueBroker(stored: element)
                }
            } ?? []
        contested = try fields.list("contested", ContestedQueue.init(stored:))
        queues = try fields.optionalTexts("queues")
        pausedQueues = try fields.optionalTexts("pausedQueues") ?? []
        pausesStore = fields.flag("pausesStore")
        network = try fields.optionalWord("network")
        offlineUntil = try fields.optionalMoment("offlineUntil")
        isStopping = fields.flag("isStopping")
        takesOnlyPermits = fields.flag("takesOnlyPermits")
        editing = try fields.optional("editing", EditLease.init(stored:))
        stopsAtBreakpoints = fields.flag("stopsAtBreakpoints")
        takesFaults = fields.flag("takesFaults")
        readsClock = fields.flag("readsClock")
        isRecorded = fields.flag("isRecorded")
        allowsCrash = fields.flag("allowsCrash")
        keepsImages = fields.flag("keepsImages")
    }
}

extension EditLease {
    fileprivate var stored: JSONValue {
        var fields = StoredFields()
        fields.put("task", task)
        fields.put("version", version)
        fields.put("by", by)
        fields.put("until", until)
        fields.put("untilInstant", untilInstant)
        return fields.value
    }

    fileprivate init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            task: try fields.integer("task"), version: try fields.integer("version"),
            by: try fields.text("by"), until: try fields.moment("until"),
            untilInstant: try fields.integer("untilInstant"))
    }
}

/// A broker as JSON.
extension QueueBroker {
    fileprivate var stored: JSONValue {
        var fields = StoredFields()
        switch queues {
        case .prefix(let prefix): fields.put("prefix", prefix)
        case .chosen(let names): fields.put("queues", JSONValue(names))
        }
        fields.put("types", types.map { JSONValue($0) })
        return fields.value
    }

    fileprivate init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        let queues: Queues =
            if let names = try fields.optionalTexts("queues") {
                .chosen(names)
            } else {
                .prefix(try fields.text("prefix"))
            }
        self.init(queues, types: try fields.optionalTexts("types"))
    }
}

extension ContestedQueue {
    fileprivate var stored: JSONValue {
        var fields = StoredFields()
        fields.put("queue", queue)
        fields.put("handlers", JSONValue(handlers))
        return fields.value
    }

    fileprivate init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            queue: try fields.text("queue"),
            handlers: try fields.optionalTexts("handlers") ?? [])
    }
}

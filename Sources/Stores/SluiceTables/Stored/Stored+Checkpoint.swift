package import SluiceModel

/// Checkpoints as JSON.
extension Checkpoints {
    /// Nil where there never was one and nobody set how much is kept.
    package var stored: JSONValue? {
        guard last > 0 || byteLimit != Self.usualBytes else { return nil }
        var fields = StoredFields()
        fields.put("last", last)
        fields.put("bytes", bytes)
        if byteLimit != Self.usualBytes { fields.put("byteLimit", byteLimit) }
        fields.put("all", .array(all.map(\.stored)))
        return fields.value
    }

    package init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init()
        last = try fields.integer("last")
        bytes = try fields.integer("bytes")
        byteLimit = try fields.optionalInteger("byteLimit") ?? byteLimit
        all = try fields.list("all", Checkpoint.init(stored:))
    }
}

extension Checkpoint {
    fileprivate var stored: JSONValue {
        var fields = StoredFields()
        fields.put("number", number)
        fields.put("name", name)
        fields.put("at", at)
        fields.put("by", by)
        fields.put("sequence", sequence)
        fields.put("lastTask", lastTask)
        if !storePauses.isEmpty { fields.put("storePauses", storePauses.stored) }
        fields.put("forcedNetwork", forcedNetwork.map { $0 ? 1 : 0 as Int64 })
        fields.put("schedules", schedules.map { $0.stored ?? .array([]) })
        return fields.value
    }

    fileprivate init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            number: try fields.integer("number"), name: try fields.text("name"),
            at: try fields.moment("at"), by: try fields.text("by"),
            sequence: try fields.integer("sequence"), lastTask: try fields.integer("lastTask"),
            storePauses: try fields.optional("storePauses", [Pause].init(stored:)) ?? [],
            forcedNetwork: try fields.optionalInteger("forcedNetwork").map { $0 != 0 },
            schedules: try fields.optional("schedules", Schedules.init(stored:)))
    }
}

extension UndoRecord.CheckpointImage {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("number", number)
        fields.put("name", name)
        fields.put("before", before?.stored)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(taken: try fields.integer("number"), name: try fields.text("name"))
        before = try fields.optional("before", Checkpoint.init(stored:))
    }
}

extension UndoRecord.QueueImage {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("before", before.stored)
        fields.put("versionAfter", versionAfter)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        guard let before = try fields.optional("before", QueueRecord.init(stored:)) else {
            throw StoredFields.damage("the image of a queue")
        }
        self.init(before: before, versionAfter: try fields.integer("versionAfter"))
    }
}

extension UndoRecord.NetworkImage {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("forced", forced.map { $0 ? 1 : 0 as Int64 })
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(forced: try fields.optionalInteger("forced").map { $0 != 0 })
    }
}

/// A step as JSON.
extension StepImage {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("token", token)
        fields.put("task", task.stored)
        fields.put("attempt", attempt)
        fields.put("lastTask", lastTask)
        fields.put("takenBack", takenBack)
        fields.put("end", end?.stored)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        guard let task = try fields.optional("task", QueueTask.init(stored:)) else {
            throw StoredFields.damage("the task of a step")
        }
        self.init(
            token: try fields.integer("token"), task: task, attempt: try fields.int("attempt"),
            lastTask: try fields.integer("lastTask"))
        takenBack = try fields.optionalInteger("takenBack")
        end = try fields.optional("end", End.init(stored:))
    }
}

extension StepImage.End {
    fileprivate var stored: JSONValue {
        var fields = StoredFields()
        fields.put("sequence", sequence)
        fields.put("left", left?.stored)
        fields.put("images", .array(images.map(\.stored)))
        fields.put("payload", payload.map(Hexadecimal.stored))
        fields.put("endsRun", flag: endsRun)
        return fields.value
    }

    fileprivate init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            sequence: try fields.integer("sequence"),
            left: try fields.optional("left", QueueTask.init(stored:)),
            images: try fields.list("images", UndoRecord.TaskImage.init(stored:)),
            payload: try fields.optional("payload", Hexadecimal.bytes(stored:)))
        endsRun = fields.flag("endsRun")
    }
}

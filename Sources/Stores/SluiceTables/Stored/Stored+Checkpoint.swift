import SluiceModel

/// Checkpoints as JSON.
extension Checkpoints {
    /// `nil` if no checkpoint ever existed and the limit is the default.
    var stored: JSONValue? {
        guard last > 0 || byteLimit != Self.usualBytes else { return nil }
        var fields = StoredFields()
        fields.put("last", last)
        fields.put("bytes", bytes)
        if byteLimit != Self.usualBytes { fields.put("byteLimit", byteLimit) }
        fields.put("all", all)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init()
        last = try fields.required("last")
        bytes = try fields.required("bytes")
        byteLimit = try fields.optional("byteLimit") ?? byteLimit
        all = try fields.list("all")
    }
}

extension Checkpoint: StoredRecord {
    static var blank: Self {
        Self(number: 0, name: "", at: .unknown, by: "", sequence: 0, lastTask: 0)
    }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("number", &number)
        fields.pass("name", &name)
        fields.pass("at", &at)
        fields.pass("by", &by)
        fields.pass("sequence", &sequence)
        fields.pass("lastTask", &lastTask)
        fields.pass("storePauses", each: &storePauses)
        fields.pass("forcedNetwork", bit: &forcedNetwork)
        fields.pass(
            "schedules", &schedules, { $0.stored ?? .array([]) }, Schedules.init(stored:))
    }
}

extension UndoRecord.CheckpointImage: StoredRecord {
    static var blank: Self { Self(taken: 0, name: "") }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("number", &number)
        fields.pass("name", &name)
        fields.pass("before", &before)
    }
}

extension UndoRecord.QueueImage: StoredRecord {
    static var blank: Self { Self(before: .blank, versionAfter: 0) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("before", &before, missing: "the image of a queue")
        fields.pass("versionAfter", &versionAfter)
    }
}

extension UndoRecord.NetworkImage: StoredRecord {
    static var blank: Self { Self(forced: nil) }

    mutating func pass(_ fields: FieldPass) { fields.pass("forced", bit: &forced) }
}

extension FieldPass {
    func pass(_ key: String, bit: inout Bool?) {
        var number = bit.map { $0 ? 1 : 0 as Int64 }
        pass(key, &number)
        bit = number.map { $0 != 0 }
    }
}

/// A step as JSON.
extension StepImage: StoredRecord {
    static var blank: Self { Self(token: 0, task: .blank, attempt: 0, lastTask: 0) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("token", &token)
        fields.pass("task", &task, missing: "the task of a step")
        fields.pass("attempt", &attempt)
        fields.pass("lastTask", &lastTask)
        fields.pass("takenBack", &takenBack)
        fields.pass("end", &end)
    }
}

extension StepImage.End: StoredRecord {
    static var blank: Self { Self(sequence: 0, left: nil) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("sequence", &sequence)
        fields.pass("left", &left)
        fields.pass("images", evenEmpty: &images)
        fields.pass("payload", &payload)
        fields.pass("endsRun", &endsRun)
    }
}

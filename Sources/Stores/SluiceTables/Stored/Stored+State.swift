package import SluiceModel

/// States of a task as JSON: in the column `detail`, in the trash, and in the images of `undo`.
extension TaskState: StoredObject {
    func put(in fields: inout StoredFields) {
        fields.put("state", name)
        switch self {
        case .waiting(let waiting): waiting.put(in: &fields)
        case .running(let running): running.put(in: &fields)
        case .succeeded(let success): success.put(in: &fields)
        case .failed(let failure): failure.put(in: &fields)
        case .deleted(let trash): trash.put(in: &fields)
        }
    }

    init(fields: StoredFields) throws(QueueError) {
        self =
            switch try fields.required("state") as Name {
            case .waiting: .waiting(try Waiting(fields: fields))
            case .running: .running(try Running(fields: fields))
            case .succeeded: .succeeded(try Success(fields: fields))
            case .failed: .failed(try Failure(fields: fields))
            case .deleted: .deleted(try Trash(fields: fields))
            }
    }

    /// The value as JSON, as columns and exports hold it.
    package var stored: JSONValue { StoredFields(of: self).value }

    /// Reads it; throws `damagedStore` where something is missing or no such value.
    package init(stored: JSONValue) throws(QueueError) {
        try self.init(fields: StoredFields(stored))
    }
}

extension Waiting: StoredRecord {
    static var blank: Self { Self() }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("timer", &timer)
        fields.pass("skip", &skip)
        fields.pass("parking", &parking)
        fields.pass("attemptedInRun", &attemptedInRun)
        fields.pass("lingering", &lingering)
    }
}

extension Running: StoredRecord {
    static var blank: Self { Self(owner: 0, token: 0, attempt: 0, since: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("owner", &owner)
        fields.pass("token", &token)
        fields.pass("attempt", &attempt)
        fields.pass("since", &since)
        fields.pass("stop", &stop)
        fields.pass("notBefore", &notBefore)
        fields.pass("deletion", &deletion)
        fields.pass("isStep", &isStep)
        fields.pass("injection", &injection)
    }
}

extension Success: StoredRecord {
    static var blank: Self { Self(at: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("at", &at)
        fields.pass("isAcknowledged", &isAcknowledged)
    }
}

extension Failure: StoredRecord {
    static var blank: Self { Self(at: .unknown, reason: "", startPolicy: nil) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("at", &at)
        fields.pass("reason", &reason)
        fields.pass("startPolicy", &startPolicy)
        fields.pass("isAcknowledged", &isAcknowledged)
        fields.pass("lingering", &lingering)
    }
}

extension Trash: StoredRecord {
    static var blank: Self {
        Self(at: .unknown, by: "", former: .waiting(.blank), startPolicy: nil)
    }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("at", &at)
        fields.pass("by", &by)
        fields.pass("former", &former)
        fields.pass("startPolicy", &startPolicy)
        fields.pass("isAcknowledged", &isAcknowledged)
    }
}

extension WaitTimer: StoredRecord {
    static var blank: Self { Self(until: .unknown, cause: .notBefore, since: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("until", &until)
        fields.pass("cause", &cause)
        fields.pass("since", &since)
    }
}

extension Skip: StoredRecord {
    static var blank: Self { Self(by: "", since: .unknown, until: nil, endsWithRun: false) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("by", &by)
        fields.pass("since", &since)
        fields.pass("until", &until)
        fields.pass("endsWithRun", &endsWithRun)
    }
}

extension Parking: StoredRecord {
    static var blank: Self { Self(cause: .handler, detail: "", since: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("cause", &cause)
        fields.pass("detail", &detail)
        fields.pass("since", &since)
        fields.pass("owner", &owner)
        fields.pass("system", &system)
    }
}

extension Lingering: StoredRecord {
    static var blank: Self { Self(kind: .orphan, owner: 0, attempt: 0) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("kind", &kind)
        fields.pass("owner", &owner)
        fields.pass("attempt", &attempt)
        fields.pass("pid", &pid)
    }
}

extension Deletion: StoredRecord {
    static var blank: Self { Self(by: "") }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("by", &by)
        fields.pass("members", &members)
        fields.pass("isByClient", &isByClient)
    }
}

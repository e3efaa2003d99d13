package import SluiceModel
package import SluiceStore

/// A commit as JSON: in the rows that wait for a recorder, and in the lines of a tape (G6).
extension TapeCommit: StoredRecord {
    static var blank: Self { Self() }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("at", &at)
        fields.pass("changes", each: &changes)
        fields.pass("decisions", each: &decisions)
    }

    /// The value as JSON.
    package var stored: JSONValue { StoredFields(of: self).value }

    /// Reads it; throws `damagedStore` where something is missing or no such value.
    package init(stored: JSONValue) throws(QueueError) {
        try self.init(fields: StoredFields(stored))
    }
}

extension TapeChange: StoredObject {
    /// The first key identifies the kind.
    func put(in fields: inout StoredFields) {
        switch self {
        case .inserted(let new):
            fields.put("new", new.task)
            fields.put("payload", bytes: new.payload)
        case .updated(let task): fields.put("task", task)
        case .removed(let ids): fields.put("gone", ids)
        case .attempt(let attempt): fields.put("attempt", attempt)
        case .event(let event): fields.put("event", event)
        case .other(let change): fields.put(change)
        }
    }

    init(fields: StoredFields) throws(QueueError) {
        guard let first = fields.object.pairs.first else { throw StoredFields.damage("no change") }
        switch first.key {
        case "new":
            self = .inserted(
                NewTask(
                    task: try QueueTask(stored: first.value),
                    payload: try fields.bytes("payload") ?? []))
        case "task": self = .updated(try QueueTask(stored: first.value))
        case "gone": self = .removed(try StoredFields.numbers(first.value))
        case "attempt": self = .attempt(try AttemptRecord(stored: first.value))
        case "event": self = .event(try JournalEvent(stored: first.value))
        default: self = .other(try fields.storeChange(first.key, first.value))
        }
    }

    /// The value as JSON.
    package var stored: JSONValue { StoredFields(of: self).value }

    /// Reads the value; throws `damagedStore` if it is invalid.
    package init(stored: JSONValue) throws(QueueError) {
        try self.init(fields: StoredFields(stored))
    }
}

extension StoredFields {
    /// Bytes as the text that they are, or else as base64.
    mutating func put(_ key: String, bytes: [UInt8]?) {
        guard let bytes else { return put(key, JSONValue.null) }
        if let text = String(validating: bytes, as: UTF8.self) { return put(key, text) }
        var fields = StoredFields()
        fields.put("base64", Base64.encode(bytes))
        put(key, fields.value)
    }

    func bytes(_ key: String) throws(QueueError) -> [UInt8]? {
        guard let value = object[key], value != .null else { return nil }
        if let text = value.string { return Array(text.utf8) }
        return try Base64.decode(try StoredFields(value).required("base64"))
            .orDamage("\(key) is no base64")
    }

    static func numbers(_ value: JSONValue) throws(QueueError) -> [Int64] {
        try [Int64].read(value, at: "no number")
    }

    fileprivate mutating func put(_ change: StoreChange) {
        switch change {
        case .store(let record): put("store", record.stored)
        case .queue(let queue): put("queue", queue.stored)
        case .removedQueue(let name): put("queueGone", name)
        case .clearedRunMarks(let queue): put("runMarksGone", queue)
        case .process(let process): put("process", process.stored)
        case .removedProcess(let id): put("processGone", id)
        case .permit(let permit): put("permit", permit.stored)
        case .removedPermits(let ids): put("permitsGone", ids)
        case .payload(let payload, let id):
            put("payloadOf", id)
            put("payload", bytes: payload)
        case .result(let result, let id):
            put("resultOf", id)
            put("result", bytes: result)
        case .origin(let origin, let id):
            put("originOf", id)
            put("origin", origin)
        case .undone(let sequence, let undo):
            put("undone", sequence)
            put("by", undo)
        // They are on no tape.
        case .offer, .removedOffer, .movedRecords, .images, .removedImages, .step:
            break
        }
    }

    fileprivate func storeChange(
        _ key: String, _ value: JSONValue
    ) throws(QueueError) -> StoreChange {
        switch key {
        case "store": .store(try StoreRecord(stored: value))
        case "queue": .queue(try QueueRecord(stored: value))
        case "queueGone": .removedQueue(try required(key))
        case "runMarksGone": .clearedRunMarks(queue: try required(key))
        case "process": .process(try ProcessRecord(stored: value))
        case "processGone": .removedProcess(try required(key))
        case "permit": .permit(try Permit(stored: value))
        case "permitsGone": .removedPermits(try Self.numbers(value))
        case "payloadOf": .payload(try bytes("payload") ?? [], of: try required(key))
        case "resultOf": .result(try bytes("result"), of: try required(key))
        case "originOf": .origin(try required("origin"), of: try required(key))
        case "undone": .undone(try required(key), by: try required("by"))
        default: throw Self.damage("a change of the kind \(key)")
        }
    }
}

extension QueueTask {
    /// Its fields, as a tape has them: to compare two of them one by one.
    package var storedFields: JSONObject { stored.object ?? JSONObject() }
}

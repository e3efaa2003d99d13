package import SluiceModel
package import SluiceStore

/// A commit as JSON: in the rows that wait for a recorder, and in the lines of a tape (G6).
extension TapeCommit {
    /// The value as JSON.
    package var stored: JSONValue {
        var fields = StoredFields()
        fields.put("at", at)
        if !changes.isEmpty { fields.put("changes", .array(changes.map(\.stored))) }
        if !decisions.isEmpty { fields.put("decisions", .array(decisions.map(\.stored))) }
        return fields.value
    }

    /// Reads it; throws `damagedStore` where something is missing or no such value.
    package init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(at: try fields.optionalMoment("at"))
        changes = try fields.list("changes", TapeChange.init(stored:))
        decisions = try fields.list("decisions", TapeDecision.init(stored:))
    }
}

extension TapeChange {
    /// The value as JSON: its first key says what it is.
    package var stored: JSONValue {
        var fields = StoredFields()
        switch self {
        case .inserted(let new):
            fields.put("new", new.task.stored)
            fields.put("payload", bytes: new.payload)
        case .updated(let task): fields.put("task", task.stored)
        case .removed(let ids): fields.put("gone", .array(ids.map(JSONValue.integer)))
        case .attempt(let attempt): fields.put("attempt", attempt.stored)
        case .event(let event): fields.put("event", event.stored)
        case .other(let change): fields.put(change)
        }
        return fields.value
    }

    /// Reads it; throws `damagedStore` where it is none.
    package init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
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
        guard let bytes = Base64.decode(try StoredFields(value).text("base64")) else {
            throw Self.damage("\(key) is no base64")
        }
        return bytes
    }

    static func numbers(_ value: JSONValue) throws(QueueError) -> [Int64] {
        try list(value) { element throws(QueueError) in
            guard let number = element.integer else { throw damage("no number") }
            return number
        }
    }

    fileprivate mutating func put(_ change: StoreChange) {
        switch change {
        case .store(let record): put("store", record.storedOnTape)
        case .queue(let queue): put("queue", queue.stored)
        case .removedQueue(let name): put("queueGone", name)
        case .clearedRunMarks(let queue): put("runMarksGone", queue)
        case .process(let process): put("process", process.stored)
        case .removedProcess(let id): put("processGone", id)
        case .permit(let permit): put("permit", permit.stored)
        case .removedPermits(let ids): put("permitsGone", .array(ids.map(JSONValue.integer)))
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
        case "store": .store(try StoreRecord(storedOnTape: value))
        case "queue": .queue(try QueueRecord(stored: value))
        case "queueGone": .removedQueue(try text(key))
        case "runMarksGone": .clearedRunMarks(queue: try text(key))
        case "process": .process(try ProcessRecord(stored: value))
        case "processGone": .removedProcess(try integer(key))
        case "permit": .permit(try Permit(stored: value))
        case "permitsGone": .removedPermits(try Self.numbers(value))
        case "payloadOf": .payload(try bytes("payload") ?? [], of: try integer(key))
        case "resultOf": .result(try bytes("result"), of: try integer(key))
        case "originOf": .origin(try text("origin"), of: try integer(key))
        case "undone": .undone(try integer(key), by: try integer("by"))
        default: throw Self.damage("a change of the kind \(key)")
        }
    }
}

extension QueueTask {
    /// Its fields, as a tape has them: to compare two of them one by one.
    package var storedFields: JSONObject { stored.object ?? JSONObject() }
}

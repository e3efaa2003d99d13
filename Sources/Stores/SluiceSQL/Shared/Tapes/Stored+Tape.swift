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

/// A question to the rules, as JSON.
extension TapeDecision: StoredObject {
    func put(in fields: inout StoredFields) {
        switch question {
        case .claim(let request, let gave):
            fields.put("claim", request)
            fields.put("gave", gave)
        case .settle(let completions):
            fields.put("settle", completions)
        }
        fields.put("first", span.lowerBound)
        fields.put("end", span.upperBound)
    }

    init(fields: StoredFields) throws(QueueError) {
        let first: Int = try fields.required("first")
        let end: Int = try fields.required("end")
        guard 0 <= first, first <= end else { throw StoredFields.damage("a span of changes") }
        let question: Question
        if let claim = fields.object["claim"] {
            question = .claim(
                try ClaimRequest(stored: claim),
                gave: try fields.optional("gave", StoredFields.numbers) ?? [])
        } else {
            question = .settle(try fields.list("settle"))
        }
        self.init(question, span: first..<end)
    }
}

extension ClaimRequest: StoredRecord {
    static var blank: Self { Self(runner: 0, freeSlots: 0, inFlight: 0) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("runner", &runner)
        fields.pass("free", &freeSlots)
        fields.pass("inHand", &inFlight)
        fields.pass("isAlone", &isAlone)
        var served = turn.served
        fields.pass("turn", each: &served)
        turn = RoundRobin(served)
        fields.pass("isOffering", &isOffering)
        fields.pass(
            "begun", &begun,
            { $0.isEmpty ? nil : .array($0.sorted().map(JSONValue.integer)) },
            { value throws(QueueError) in Set(try StoredFields.numbers(value)) })
    }
}

extension Completion: StoredObject {
    func put(in fields: inout StoredFields) {
        fields.put("task", task)
        fields.put("token", token)
        fields.put("ending", ending)
        if let result { fields.put("result", bytes: result) }
        fields.put("followUps", followUps.isEmpty ? nil : followUps.count)
        fields.put("progress", progress)
        fields.put("chance", chance)
    }

    /// Restores follow-ups as empty ones of the same number: the tape contains their tasks.
    init(fields: StoredFields) throws(QueueError) {
        let ending: Ending = try fields.required("ending", missing: "an ending is missing")
        self.init(
            task: try fields.required("task"), token: try fields.required("token"), ending: ending)
        result = try fields.bytes("result")
        let count: Int = try fields.optional("followUps") ?? 0
        let none = FollowUp(queue: "", task: EnqueueRequest(type: "", payload: []))
        followUps = Array(repeating: none, count: max(0, min(count, 1 << 20)))
        progress = try fields.optional("progress")
        chance = try fields.required("chance")
    }
}

extension AttemptProgress: StoredRecord {
    static var blank: Self { Self() }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("fraction", &fraction)
        fields.pass("text", &text)
        fields.pass("log", each: &log)
        fields.pass("childPID", &childPID)
        fields.pass("childStart", &childStartTime)
    }
}

extension Ending: StoredObject {
    func put(in fields: inout StoredFields) {
        switch self {
        case .handler(let outcome, let restarts):
            fields.put("handler", outcome)
            fields.put("restarts", flag: restarts)
        case .stopped(let cause): fields.put("stopped", cause)
        case .timedOutToRestart: fields.put("timedOutToRestart", flag: true)
        case .abandoned(let cause): fields.put("abandoned", cause)
        case .lost: fields.put("lost", flag: true)
        }
    }

    init(fields: StoredFields) throws(QueueError) {
        if let outcome: HandlerOutcome = try fields.optional("handler") {
            self = .handler(outcome, restarts: fields.flag("restarts"))
        } else if let cause: StopCause = try fields.optional("stopped") {
            self = .stopped(cause)
        } else if let cause: StopCause = try fields.optional("abandoned") {
            self = .abandoned(cause)
        } else {
            self = fields.flag("lost") ? .lost : .timedOutToRestart
        }
    }
}

extension HandlerOutcome: StoredObject {
    func put(in fields: inout StoredFields) {
        switch self {
        case .success(let result):
            fields.put("outcome", "success")
            if let result { fields.put("result", bytes: result) }
        case .retry(let after, _):
            fields.put("outcome", "retry")
            fields.put("after", after)
        case .park: fields.put("outcome", "park")
        case .giveUp: fields.put("outcome", "giveUp")
        case .pauseQueue(let milliseconds, let isCounted, _):
            fields.put("outcome", "pauseQueue")
            fields.put("after", milliseconds)
            fields.put("isCounted", flag: isCounted)
        case .offline: fields.put("outcome", "offline")
        }
        fields.put("error", error)
    }

    init(fields: StoredFields) throws(QueueError) {
        let error: String? = try fields.optional("error")
        switch try fields.required("outcome") as String {
        case "success": self = .success(result: try fields.bytes("result"))
        case "retry":
            self = .retry(afterMilliseconds: try fields.optional("after"), error: error)
        case "park": self = .park(error: error)
        case "giveUp": self = .giveUp(error: error)
        case "pauseQueue":
            self = .pauseQueue(
                milliseconds: try fields.required("after"), isCounted: fields.flag("isCounted"),
                error: error)
        case "offline": self = .offline(error: error)
        case let word: throw StoredFields.damage("an outcome \(word)")
        }
    }
}

/// Values that the tables store in columns, as JSON.
extension AttemptRecord: StoredRecord {
    static var blank: Self { Self(task: .blank, number: 0, runner: 0, startedAt: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("task", &task)
        fields.pass("number", &number)
        fields.pass("queue", &queue)
        fields.pass("type", &type)
        fields.pass("runner", &runner)
        fields.pass("startedAt", &startedAt)
        fields.pass("endedAt", &endedAt)
        fields.pass("outcome", &outcome)
        fields.pass("isCounted", &isCounted)
        fields.pass("error", &error)
        fields.pass("fraction", &fraction)
        fields.pass("progress", &progressText)
        fields.pass("log", each: &log)
        fields.pass("childPID", &childPID)
        fields.pass("childStart", &childStartTime)
        fields.pass("endSequence", &endSequence)
        fields.pass("consequence", &consequence)
        fields.pass("injection", &injection)
    }
}

extension JournalEvent: StoredRecord {
    static var blank: Self {
        Self(at: .unknown, kind: "", queue: nil, task: nil, by: "", text: "")
    }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("sequence", &sequence)
        fields.pass("at", &at)
        fields.pass("kind", &kind)
        fields.pass("queue", &queue)
        fields.pass("task", &task)
        fields.pass("by", &by)
        fields.pass("text", &text)
        fields.pass("undoneBy", &undoneBy)
        fields.pass("bulk", &bulk)
    }
}

extension Permit: StoredRecord {
    static var blank: Self { Self(id: 0, task: 0, version: 0, queue: "", issuer: 0, runner: 0) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("id", &id)
        fields.pass("task", &task)
        fields.pass("version", &version)
        fields.pass("queue", &queue)
        fields.pass("issuer", &issuer)
        fields.pass("runner", &runner)
    }
}

/// The parts of it on a tape: without the recording itself, checkpoints and schedules.
extension StoreRecord: StoredRecord {
    static var blank: Self { Self(identity: "") }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("identity", &identity)
        fields.pass("durability", &durability)
        fields.pass("pauses", evenEmpty: &pauses)
        if !fields.reads(&forcedNetwork, fields.all.object["forcedNetwork"]?.bool) {
            fields.all.put("forcedNetwork", forcedNetwork.map(JSONValue.bool))
        }
        fields.pass("breakpoints", &breakpoints, \.stored, Breakpoints.init(stored:))
        fields.pass("faults", &faults, \.stored, Faults.init(stored:))
        fields.pass("filters", &filters, TableWriter.stored, TableReader.filters)
        fields.pass("isProtected", &isProtected)
        fields.pass("clock", &clock)
        fields.pass("version", &version)
    }
}

extension Recording: StoredRecord {
    static var blank: Self { Self(recorder: 0, by: "", since: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("recorder", &recorder)
        fields.pass("by", &by)
        fields.pass("since", &since)
    }
}

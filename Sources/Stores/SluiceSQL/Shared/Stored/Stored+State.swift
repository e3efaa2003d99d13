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

/// The data for `undo`, as JSON next to its event.
extension UndoRecord: StoredRecord {
    static var blank: Self { Self() }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("tasks", &tasks, Self.stored, Self.tasks(stored:))
        fields.pass("queue", &queue)
        fields.pass("queueVersionAfter", &queueVersionAfter)
        fields.pass("run", &run)
        fields.pass("storePauses", &storePausesBefore)
        fields.pass("breakpoints", each: &breakpoints)
        fields.pass("faults", each: &faults)
        fields.pass("clock", &clock)
        fields.pass("results", each: &results)
        fields.pass("queues", each: &queues)
        fields.pass("madeQueues", each: &madeQueues)
        fields.pass("network", &network)
        fields.pass("schedules", each: &schedules)
        fields.pass("checkpoints", each: &checkpoints)
        fields.pass("filters", each: &filters)
        fields.pass("ofRestore", &isOfRestore)
    }
}

/// Stores tasks created by a verb as ranges: the first number and the count. A bulk has many.
extension UndoRecord {
    private struct Made {
        var first: TaskID
        var count: Int64

        init(_ image: TaskImage) { (first, count) = (image.id, 1) }

        /// `nil` for a single image.
        init?(stored: JSONValue) throws(QueueError) {
            let fields = try StoredFields(stored)
            guard let first: TaskID = try fields.optional("made") else { return nil }
            (self.first, count) = (first, try fields.required("count"))
            guard count > 0, first <= .max - count else { throw StoredFields.damage("a count") }
        }

        var stored: JSONValue { ["made": .integer(first), "count": .integer(count)] }

        var images: [TaskImage] {
            (first..<first + count).map { TaskImage(id: $0, before: nil, versionAfter: 1) }
        }
    }

    /// `nil` if empty.
    private static func stored(_ tasks: [TaskImage]) -> JSONValue? {
        var values: [JSONValue] = []
        var made: Made?
        for image in tasks {
            let isMade =
                image.before == nil && image.payloadBefore == nil && image.versionAfter == 1
            if isMade, let run = made, run.first + run.count == image.id {
                made?.count += 1
                continue
            }
            if let made { values.append(made.stored) }
            made = isMade ? Made(image) : nil
            if !isMade { values.append(image.stored) }
        }
        if let made { values.append(made.stored) }
        return values.isEmpty ? nil : .array(values)
    }

    private static func tasks(stored: JSONValue) throws(QueueError) -> [TaskImage] {
        var tasks: [TaskImage] = []
        for element in stored.array ?? [] {
            if let made = try Made(stored: element) {
                tasks += made.images
            } else {
                tasks.append(try TaskImage(stored: element))
            }
        }
        return tasks
    }
}

extension UndoRecord.TaskImage: StoredRecord {
    static var blank: Self { Self(id: 0, before: nil, versionAfter: 0) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("id", &id)
        fields.pass("before", &before)
        fields.pass("payload", &payloadBefore)
        fields.pass("versionAfter", &versionAfter)
    }
}

extension UndoRecord.Change: StoredRecord, StoredObject, StoredValue where Value: StoredValue {
    static var blank: Self { Self(name: "", before: nil, after: nil) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("name", &name)
        fields.pass("before", &before)
        fields.pass("after", &after)
    }
}

extension UndoRecord.Former: StoredRecord, StoredObject, StoredValue where Value: StoredValue {
    static var blank: Self { Self(number: 0, before: nil) }

    mutating func pass(_ fields: FieldPass) {
        // A result is its task's.
        fields.pass(Value.self == [UInt8].self ? "id" : "number", &number)
        fields.pass("before", &before)
    }
}

extension [UInt8]: StoredValue {
    var stored: JSONValue { .string(Hexadecimal.text(self)) }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> [UInt8] {
        try stored.string.flatMap { Hexadecimal.bytes($0) }.orDamage("bytes")
    }
}

/// Bytes as a text of hexadecimal digits.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }

    /// The bytes encoded as `text`; `nil` if the format is not from `text(_:)`.
    static func bytes(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in text.utf8 {
            guard let value = value(digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

import SluiceModel

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

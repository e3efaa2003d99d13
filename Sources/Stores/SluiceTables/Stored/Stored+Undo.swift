import SluiceModel

/// What `undo` needs, as JSON beside its event.
extension UndoRecord {
    var stored: JSONValue {
        var fields = StoredFields()
        if !tasks.isEmpty { fields.put("tasks", .array(storedTasks)) }
        fields.put("queue", queue?.stored)
        fields.put("queueVersionAfter", queueVersionAfter)
        fields.put("run", run)
        fields.put("storePauses", storePausesBefore?.stored)
        fields.put("breakpoints", breakpoints, as: { $0.stored })
        fields.put("faults", faults, as: { $0.stored })
        fields.put("clock", clock?.stored)
        fields.put("results", results, by: "id", as: Hexadecimal.stored)
        if !queues.isEmpty { fields.put("queues", .array(queues.map(\.stored))) }
        if !madeQueues.isEmpty {
            fields.put("madeQueues", .array(madeQueues.map(JSONValue.string)))
        }
        fields.put("network", network?.stored)
        fields.put("schedules", schedules, as: { $0.stored })
        if !checkpoints.isEmpty { fields.put("checkpoints", .array(checkpoints.map(\.stored))) }
        fields.put("filters", filters, as: JSONValue.string)
        fields.put("ofRestore", flag: isOfRestore)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init()
        isOfRestore = fields.flag("ofRestore")
        for element in fields.object["tasks"]?.array ?? [] {
            if let made = try Made(stored: element) {
                tasks += made.images
            } else {
                tasks.append(try TaskImage(stored: element))
            }
        }
        queue = try fields.optional("queue", QueueRecord.init(stored:))
        queueVersionAfter = try fields.optionalInteger("queueVersionAfter")
        run = try fields.optionalInteger("run")
        storePausesBefore = try fields.optional("storePauses", [Pause].init(stored:))
        breakpoints = try fields.formers("breakpoints", Breakpoint.init(stored:))
        faults = try fields.formers("faults", Fault.init(stored:))
        clock = try fields.optional("clock", ClockImage.init(stored:))
        results = try fields.formers("results", by: "id", Hexadecimal.bytes(stored:))
        queues = try fields.list("queues", QueueImage.init(stored:))
        madeQueues = try fields.list("madeQueues", StoredFields.text)
        network = try fields.optional("network", NetworkImage.init(stored:))
        schedules = try fields.changes("schedules", Schedule.init(stored:))
        checkpoints = try fields.list("checkpoints", CheckpointImage.init(stored:))
        filters = try fields.changes("filters", StoredFields.text)
    }
}

/// Tasks that a verb made stand by their first number and how many follow: a bulk has many.
extension UndoRecord {
    private struct Made {
        var first: TaskID
        var count: Int64

        init(_ image: TaskImage) { (first, count) = (image.id, 1) }

        /// Nil for what is one image.
        init?(stored: JSONValue) throws(QueueError) {
            let fields = try StoredFields(stored)
            guard let first = try fields.optionalInteger("made") else { return nil }
            (self.first, count) = (first, try fields.integer("count"))
            guard count > 0, first <= .max - count else { throw StoredFields.damage("a count") }
        }

        var stored: JSONValue {
            var fields = StoredFields()
            fields.put("made", first)
            fields.put("count", count)
            return fields.value
        }

        var images: [TaskImage] {
            (first..<first + count).map { TaskImage(id: $0, before: nil, versionAfter: 1) }
        }
    }

    private var storedTasks: [JSONValue] {
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
        return values
    }
}

extension UndoRecord.TaskImage {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("id", id)
        fields.put("before", before?.stored)
        fields.put("payload", payloadBefore.map(Hexadecimal.stored))
        fields.put("versionAfter", versionAfter)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            id: try fields.integer("id"),
            before: try fields.optional("before", QueueTask.init(stored:)),
            payloadBefore: try fields.optional("payload", Hexadecimal.bytes(stored:)),
            versionAfter: try fields.integer("versionAfter"))
    }
}

/// Images of what has a number or a name; none is written where there are none.
extension StoredFields {
    fileprivate mutating func put<Value>(
        _ key: String, _ images: [UndoRecord.Former<Value>], by number: String = "number",
        as stored: (Value) -> JSONValue
    ) {
        put(key, each: images) { fields, image in
            fields.put(number, image.number)
            fields.put("before", image.before.map(stored))
        }
    }

    fileprivate mutating func put<Value>(
        _ key: String, _ changes: [UndoRecord.Change<Value>], as stored: (Value) -> JSONValue
    ) {
        put(key, each: changes) { fields, change in
            fields.put("name", change.name)
            fields.put("before", change.before.map(stored))
            fields.put("after", change.after.map(stored))
        }
    }

    private mutating func put<Image>(
        _ key: String, each images: [Image], _ write: (inout StoredFields, Image) -> Void
    ) {
        guard !images.isEmpty else { return }
        let values = images.map { image in
            var fields = StoredFields()
            write(&fields, image)
            return fields.value
        }
        put(key, .array(values))
    }

    fileprivate func formers<Value>(
        _ key: String, by number: String = "number",
        _ value: (JSONValue) throws(QueueError) -> Value
    ) throws(QueueError) -> [UndoRecord.Former<Value>] {
        try list(key) { stored throws(QueueError) in
            let fields = try StoredFields(stored)
            return .init(
                number: try fields.integer(number), before: try fields.optional("before", value))
        }
    }

    fileprivate func changes<Value>(
        _ key: String, _ value: (JSONValue) throws(QueueError) -> Value
    ) throws(QueueError) -> [UndoRecord.Change<Value>] {
        try list(key) { stored throws(QueueError) in
            let fields = try StoredFields(stored)
            return .init(
                name: try fields.text("name"), before: try fields.optional("before", value),
                after: try fields.optional("after", value))
        }
    }

    fileprivate static func text(_ value: JSONValue) throws(QueueError) -> String {
        guard let text = value.string else { throw damage("a text") }
        return text
    }
}

/// Bytes as a text of hexadecimal digits.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func stored(_ bytes: [UInt8]) -> JSONValue { .string(text(bytes)) }

    static func bytes(stored: JSONValue) throws(QueueError) -> [UInt8] {
        guard let bytes = stored.string.flatMap({ bytes($0) }) else {
            throw StoredFields.damage("bytes")
        }
        return bytes
    }

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }

    /// The bytes of `text`; nil when it is none of `text(_:)`.
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

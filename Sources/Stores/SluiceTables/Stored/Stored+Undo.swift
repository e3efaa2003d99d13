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
        if !breakpoints.isEmpty { fields.put("breakpoints", .array(breakpoints.map(\.stored))) }
        if !faults.isEmpty { fields.put("faults", .array(faults.map(\.stored))) }
        fields.put("clock", clock?.stored)
        if !results.isEmpty { fields.put("results", .array(results.map(\.stored))) }
        if !queues.isEmpty { fields.put("queues", .array(queues.map(\.stored))) }
        if !madeQueues.isEmpty {
            fields.put("madeQueues", .array(madeQueues.map(JSONValue.string)))
        }
        fields.put("network", network?.stored)
        if !schedules.isEmpty { fields.put("schedules", .array(schedules.map(\.stored))) }
        if !checkpoints.isEmpty { fields.put("checkpoints", .array(checkpoints.map(\.stored))) }
        if !filters.isEmpty { fields.put("filters", .array(filters.map(\.stored))) }
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
        breakpoints = try fields.list("breakpoints", BreakpointImage.init(stored:))
        faults = try fields.list("faults", FaultImage.init(stored:))
        clock = try fields.optional("clock", ClockImage.init(stored:))
        results = try fields.list("results", ResultImage.init(stored:))
        queues = try fields.list("queues", QueueImage.init(stored:))
        madeQueues = try fields.list("madeQueues") { value throws(QueueError) in
            guard let name = value.string else { throw StoredFields.damage("madeQueues") }
            return name
        }
        network = try fields.optional("network", NetworkImage.init(stored:))
        schedules = try fields.list("schedules", ScheduleImage.init(stored:))
        checkpoints = try fields.list("checkpoints", CheckpointImage.init(stored:))
        filters = try fields.list("filters", FilterImage.init(stored:))
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

extension UndoRecord.FilterImage {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("name", name)
        fields.put("before", before)
        fields.put("after", after)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            name: try fields.text("name"), before: try fields.optionalText("before"),
            after: try fields.optionalText("after"))
    }
}

extension UndoRecord.TaskImage {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("id", id)
        fields.put("before", before?.stored)
        fields.put("payload", payloadBefore.map { Hexadecimal.text($0) })
        fields.put("versionAfter", versionAfter)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        var payload: [UInt8]?
        if let text = try fields.optionalText("payload") {
            payload = Hexadecimal.bytes(text)
            if payload == nil { throw StoredFields.damage("a payload") }
        }
        self.init(
            id: try fields.integer("id"),
            before: try fields.optional("before", QueueTask.init(stored:)),
            payloadBefore: payload, versionAfter: try fields.integer("versionAfter"))
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

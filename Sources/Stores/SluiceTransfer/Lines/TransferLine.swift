import SluiceModel
import SluiceSQL
import SluiceStore

/// One line of a file of lines: a task with the names of its JSON and what else there is to say
/// about its past, or a queue.
enum TransferLine {
    /// Additional fields of an export line, compared with a new task.
    static let past: Set<String> = [
        "id", "reference", "queue", "state", "attempts", "createdAt", "error", "attemptLog",
        "losses", "result", "resultBase64", "origin", "parentOrigin", "life", "executions",
        "lossesInSuccession", "offlineInSuccession", "depth",
    ]

    /// The line of an item, without its newline.
    static func text(_ item: TransferItem) -> String {
        switch item {
        case .queue(let queue): JSONValue.object(object(queue)).text
        case .task(let item): JSONValue.object(object(item.task)).text
        }
    }

    private static func object(_ queue: TransferQueue) -> JSONObject {
        var object: JSONObject = [
            "queue": .string(queue.name), "settings": queue.settings.stored,
        ]
        if !queue.pauses.isEmpty { object["pauses"] = .array(queue.pauses.map(\.stored)) }
        return object
    }

    private static func object(_ incoming: IncomingTask) -> JSONObject {
        let task = incoming.task
        var object: JSONObject = [
            "origin": .string(incoming.origin), "id": .integer(task.id),
            "queue": .string(task.queue), "type": .string(task.type),
        ]
        put(incoming.payload, as: "payload", into: &object)
        object["state"] = .string(task.state.name.rawValue)
        object["createdAt"] = JSONValue(task.createdAt)
        putFields(of: task, into: &object)
        putPast(of: task, into: &object)
        object["parentOrigin"] = incoming.parentOrigin.map(JSONValue.string)
        if let result = incoming.result { put(result, as: "result", into: &object) }
        if !incoming.attempts.isEmpty {
            object["attemptLog"] = .array(incoming.attempts.map(AttemptLine.value))
        }
        return object
    }

    /// Writes only values that differ from the default.
    private static func putFields(of task: QueueTask, into object: inout JSONObject) {
        if task.priority != 0 { object["priority"] = .integer(Int64(task.priority)) }
        switch task.sortKey {
        case .integer(let number)?: object["sortKey"] = .integer(number)
        case .text(let text)?: object["sortKey"] = .string(text)
        case nil: break
        }
        object["groupStart"] = task.groupStart.map(JSONValue.string)
        if !task.groupMembers.isEmpty { object["groupMembers"] = JSONValue(task.groupMembers) }
        if let timer = task.waiting?.timer, timer.cause == .notBefore {
            object["notBefore"] = JSONValue(timer.until)
        }
        object["attemptLimit"] = task.attemptLimit.map { JSONValue($0) }
        object["expiresAt"] = task.expiresAt.map { JSONValue($0) }
        if !task.requires.isEmpty {
            object["requires"] = JSONValue(task.requires.map(\.rawValue).sorted())
        }
        if task.isRequired { object["required"] = true }
        // Always with its policy, for the colons in a key.
        object["unique"] = task.uniqueKey.map { .string("\($0):keep") }
        object["label"] = task.label.map(JSONValue.string)
        if !task.headers.isEmpty { object["headers"] = TaskHeaders.json(task.headers) }
        object["session"] = task.session.map(JSONValue.string)
        if let string = task.clientString {
            if let text = string.text {
                object["clientString"] = .string(text)
            } else {
                object["clientStringBase64"] = .string(Base64.encode(string.bytes))
            }
        }
    }

    private static func putPast(of task: QueueTask, into object: inout JSONObject) {
        let counts = [
            ("attempts", task.attempts), ("executions", task.executions),
            ("losses", task.losses), ("lossesInSuccession", task.lossesInSuccession),
            ("offlineInSuccession", task.offlineInSuccession), ("depth", task.depth),
        ]
        for (name, count) in counts where count != 0 { object[name] = JSONValue(count) }
        object["error"] = task.lastError.map(JSONValue.string)
        let isPlain = task.waiting.map { $0 == Waiting() } ?? (task.running != nil)
        if !isPlain { object["life"] = task.state.stored }
    }

    /// Bytes that are exactly the text of a JSON value appear as the value, others as base64.
    private static func put(_ bytes: [UInt8], as name: String, into object: inout JSONObject) {
        // `null` means a missing result.
        let isNoValue = name == "result" && bytes.elementsEqual("null".utf8)
        if !isNoValue, let value = try? JSONValue.parse(bytes), value.bytes == bytes {
            object[name] = value
        } else {
            object["\(name)Base64"] = .string(Base64.encode(bytes))
        }
    }
}

extension TransferLine {
    /// The item of a line; `number` is its place in the file, `now` what times such as `+5m` count
    /// from. A line that names no queue has the queue "".
    static func item(
        _ line: [UInt8], number: Int, now: Timestamp
    ) throws(QueueError) -> TransferItem {
        let object = try TaskLines.object(of: line)
        if object["type"] == nil, object["settings"] != nil { return .queue(try queue(object)) }
        try TaskLines.refuseUnknown(
            object, but: past.union(["display", "position", "version", "blockers", "parent"]))
        let fields = TaskFields(object: object, now: now)
        let origin = try fields.text("origin") ?? TaskOrigin.line(number, line)
        return .task(TransferTask(try task(fields, origin: origin), line: number))
    }

    private static func queue(_ object: JSONObject) throws(QueueError) -> TransferQueue {
        guard let name = object["queue"]?.string else {
            throw QueueError(
                .badValue, "a line with settings names no queue", fix: "add \"queue\":\"NAME\"")
        }
        try Names.check(name, of: "queue")
        let settings = try kept("settings", object["settings"] ?? .null, QueueSettings.init)
        var pauses: [Pause] = []
        for pause in object["pauses"]?.array ?? [] {
            pauses.append(try kept("pauses", pause, Pause.init(stored:)))
        }
        return TransferQueue(name: name, settings: settings, pauses: pauses)
    }

    /// A value in the store's own format.
    private static func kept<Value>(
        _ key: String, _ value: JSONValue, _ read: (JSONValue) throws(QueueError) -> Value
    ) throws(QueueError) -> Value {
        do throws(QueueError) {
            return try read(value)
        } catch {
            let what = error.message.split(separator: ": ").last.map(String.init) ?? ""
            throw QueueError(
                .badValue, "\(key) cannot be read: \(what)",
                fix: "leave it as sluice export wrote it, or leave it out")
        }
    }

    private static func task(
        _ fields: TaskFields, origin: String
    ) throws(QueueError) -> IncomingTask {
        let request = try fields.request()
        // An export writes numbers: names are for people, and belong to a queue's settings.
        if let name = request.priorityName {
            throw fields.wrong("priority", .string(name), "a whole number")
        }
        let queue = try fields.text("queue") ?? ""
        if !queue.isEmpty { try Names.check(queue, of: "queue") }
        let id = try fields.number("id", in: 0 ... .max) ?? 0
        let created = try fields.moment("createdAt") ?? fields.now
        var task = request.task(id: id, queue: queue, createdAt: created, now: fields.now)
        task.state = try state(fields) ?? task.state
        try readPast(fields, into: &task)
        var incoming = IncomingTask(task: task, payload: request.payload, origin: origin)
        incoming.parentOrigin = try fields.text("parentOrigin")
        incoming.result = try result(fields)
        incoming.takesExpiry = fields.object["origin"] == nil
        for value in fields.object["attemptLog"]?.array ?? [] {
            incoming.attempts.append(try AttemptLine.attempt(value, of: task, now: fields.now))
        }
        return incoming
    }

    /// The state, if it is not that of a new task.
    private static func state(_ fields: TaskFields) throws(QueueError) -> TaskState? {
        if let life = fields.object["life"], !life.isNull {
            return try kept("life", life, TaskState.init(stored:))
        }
        guard let word = try fields.text("state") else { return nil }
        switch TaskState.Name(rawValue: word) {
        case .waiting?: return nil
        case .running?: return .waiting(Waiting())
        case .succeeded?: return .succeeded(Success(at: fields.now))
        case .failed?:
            let reason = try fields.text("error") ?? "given up"
            return .failed(Failure(at: fields.now, reason: reason, startPolicy: .hold))
        case .deleted?:
            return .deleted(
                Trash(
                    at: fields.now, by: "import", former: .waiting(Waiting()), startPolicy: .hold))
        case nil:
            throw fields.wrong(
                "state", .string(word),
                TaskState.Name.allCases.map(\.rawValue).joined(separator: ", "))
        }
    }

    private static func readPast(
        _ fields: TaskFields, into task: inout QueueTask
    ) throws(QueueError) {
        func count(_ key: String) throws(QueueError) -> Int {
            Int(try fields.number(key, in: 0...Int64(Int32.max)) ?? 0)
        }
        task.attempts = try count("attempts")
        task.executions = max(try count("executions"), task.attempts)
        task.losses = try count("losses")
        task.lossesInSuccession = try count("lossesInSuccession")
        task.offlineInSuccession = try count("offlineInSuccession")
        task.depth = try count("depth")
        task.lastError = try fields.text("error")
    }

    private static func result(_ fields: TaskFields) throws(QueueError) -> [UInt8]? {
        if let bytes = try fields.bytes("resultBase64") { return bytes }
        return fields.value("result")?.bytes
    }
}

import SluiceModel
import SluiceStore
import SluiceTables

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

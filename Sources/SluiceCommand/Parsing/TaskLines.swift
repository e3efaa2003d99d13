import QueueModel
import QueueStore

/// The lines of `enqueue --jsonl`: each an object with the names of a task's JSON.
enum TaskLines {
    /// What a line may say.
    static let fields = [
        "type", "payload", "payloadBase64", "priority", "sortKey", "groupStart", "groupMembers",
        "notBefore", "attemptLimit", "expiresAt", "requires", "required", "unique", "label",
        "session", "clientString", "clientStringBase64",
    ]
    /// What a task's JSON also says, and what a new task cannot take over.
    static let passedOver: Set<String> = [
        "id", "reference", "queue", "state", "display", "position", "attempts", "createdAt",
        "version", "error", "blockers", "attemptLog", "losses", "result", "resultBase64", "parent",
        "followUps",
    ]

    /// The requests of all lines; empty lines are passed over. Throws with the number of the first
    /// bad line, and then nothing of the file is enqueued.
    static func requests(_ bytes: [UInt8], now: Timestamp) throws(QueueError) -> [EnqueueRequest] {
        var requests: [EnqueueRequest] = []
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard line.contains(where: { ![9, 13, 32].contains($0) }) else { continue }
            do throws(QueueError) {
                requests.append(try request(Array(line), now: now))
            } catch {
                let fix = error.fix.isEmpty ? "mend that line" : error.fix
                throw QueueError(
                    error.code, "line \(number): \(error.message)",
                    fix: "\(fix); nothing was enqueued")
            }
        }
        return requests
    }

    private static func request(
        _ line: [UInt8], now: Timestamp
    ) throws(QueueError) -> EnqueueRequest {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(line)
        } catch {
            throw QueueError(
                .badValue, "no JSON, column \(error.column): \(error.message)",
                fix: #"write {"type":"identify","payload":{}}"#)
        }
        guard let object = value.object else {
            throw QueueError(
                .badValue, "it is \(value.kindName)",
                fix: #"write an object such as {"type":"identify"}"#)
        }
        try refuseUnknown(object)
        return try TaskLine(object: object, now: now).request()
    }

    private static func refuseUnknown(_ object: JSONObject) throws(QueueError) {
        for key in object.keys where !fields.contains(key) && !passedOver.contains(key) {
            let near = Spelling.nearest(to: key, among: fields)
            throw QueueError(
                .badValue, "there is no field \"\(key)\"",
                fix: near.map { "did you mean \"\($0)\"?" }
                    ?? "fields are \(fields.joined(separator: ", "))")
        }
    }
}

/// One line of the file.
private struct TaskLine {
    let object: JSONObject
    let now: Timestamp

    func request() throws(QueueError) -> EnqueueRequest {
        guard let type = try text("type") else {
            throw QueueError(.badValue, "\"type\" is missing", fix: #"add "type":"NAME""#)
        }
        try Names.check(type, of: "type")
        var request = EnqueueRequest(type: type, payload: try payload())
        request.priority = try number("priority", in: .min ... .max) ?? 0
        request.sortKey = try sortKey()
        request.groupStart = try text("groupStart")
        request.groupMembers = try texts("groupMembers")
        request.notBefore = try moment("notBefore")
        request.attemptLimit = try number("attemptLimit", in: 1...Int64(Int32.max)).map(Int.init)
        request.expiresAt = try moment("expiresAt")
        request.requires = try CommandLineParser.requirements(try texts("requires"), of: "requires")
        request.isRequired = try flag("required")
        if let key = try text("unique") {
            (request.uniqueKey, request.uniquePolicy) = CommandLineParser.unique(key)
        }
        request.label = try text("label")
        request.session = try text("session")
        request.clientString = try clientString()
        return request
    }

    /// The value of a key; null is as if it were not there.
    private func value(_ key: String) -> JSONValue? {
        object[key].flatMap { $0.isNull ? nil : $0 }
    }

    private func wrong(_ key: String, _ value: JSONValue, _ allowed: String) -> QueueError {
        let text = value.text
        let shown = text.utf8.count > 60 ? "\(text.prefix(60))…" : text
        return QueueError(.badValue, "\(key) is \(shown)", fix: "allowed: \(allowed)")
    }

    private func payload() throws(QueueError) -> [UInt8] {
        switch (object["payload"], try bytes("payloadBase64")) {
        case (nil, nil): return []
        case (let value?, nil): return value.bytes
        case (nil, let bytes?): return bytes
        case (_?, _?):
            throw QueueError(
                .badValue, "both payload and payloadBase64", fix: "leave one of them away")
        }
    }

    private func clientString() throws(QueueError) -> ClientString? {
        switch (try text("clientString"), try bytes("clientStringBase64")) {
        case (let text?, nil): return ClientString(text)
        case (nil, let bytes): return bytes.map { ClientString(bytes: $0) }
        case (_?, _?):
            throw QueueError(
                .badValue, "both clientString and clientStringBase64",
                fix: "leave one of them away")
        }
    }

    private func bytes(_ key: String) throws(QueueError) -> [UInt8]? {
        guard let value = value(key) else { return nil }
        guard let bytes = value.string.flatMap(Base64.decode) else {
            throw wrong(key, value, "bytes in base64")
        }
        return bytes
    }

    private func text(_ key: String) throws(QueueError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else { throw wrong(key, value, "a string") }
        return text
    }

    private func texts(_ key: String) throws(QueueError) -> [String] {
        guard let value = value(key) else { return [] }
        guard let texts = value.array?.map(\.string), !texts.contains(nil) else {
            throw wrong(key, value, "an array of strings")
        }
        return texts.compactMap { $0 }
    }

    private func number(
        _ key: String, in range: ClosedRange<Int64>
    ) throws(QueueError) -> Int64? {
        guard let value = value(key) else { return nil }
        guard let number = value.integer, range.contains(number) else {
            throw wrong(key, value, "a whole number" + (range.lowerBound > 0 ? " from 1" : ""))
        }
        return number
    }

    private func flag(_ key: String) throws(QueueError) -> Bool {
        guard let value = value(key) else { return false }
        guard let flag = value.bool else { throw wrong(key, value, "true, false") }
        return flag
    }

    private func moment(_ key: String) throws(QueueError) -> Timestamp? {
        guard let value = value(key) else { return nil }
        guard let moment = value.string.flatMap({ TimeText.moment($0, now: now) }) else {
            throw wrong(key, value, "a time such as 2026-01-31T14:03:22Z, or +5m")
        }
        return moment
    }

    private func sortKey() throws(QueueError) -> SortKey? {
        guard let value = value("sortKey") else { return nil }
        if let number = value.integer { return .integer(number) }
        guard let text = value.string else { throw wrong("sortKey", value, "a number or a string") }
        return .text(text)
    }
}

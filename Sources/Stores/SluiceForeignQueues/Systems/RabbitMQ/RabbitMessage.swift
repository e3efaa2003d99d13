import SluiceModel

/// A message as the management interface shows it: Celery's by its headers, Dramatiq's by its body,
/// any other as it is.
struct RabbitMessage {
    private let told: JSONValue
    private let properties: JSONObject
    private let headers: JSONObject
    /// The first bytes of the body, up to the limit of the read.
    let body: [UInt8]
    private let length: Int
    private let dramatiq: DramatiqMessage?

    /// The maximum number of bytes to read from a body.
    static let bodyLimit = 50_000

    init?(_ told: JSONValue) {
        guard let text = told["payload"]?.string else { return nil }
        self.told = told
        // Without properties the interface says an empty array.
        properties = told["properties"]?.object ?? [:]
        headers = properties["headers"]?.object ?? [:]
        let isPacked = told["payload_encoding"]?.string == "base64"
        guard let bytes = isPacked ? Base64.decode(text) : Array(text.utf8) else { return nil }
        body = bytes
        length = told["payload_bytes"]?.integer.map { Int(clamping: $0) } ?? body.count
        dramatiq = DramatiqMessage(body)
    }

    /// A message from AMQP, shown as a message of this queue.
    init(_ content: AMQPContent, in queue: String, key: String = "") {
        let read = (try? content.withExpiration())?.read
        properties = (try? read?()) ?? [:]
        // A move by the name of a queue has replaced the key that it came by.
        let isLost = key.isEmpty || RabbitPlaces.isOwn(key)
        told = ["routing_key": .string(isLost ? queue : key)]
        headers = properties["headers"]?.object ?? [:]
        body = Array(content.body.prefix(Self.bodyLimit))
        length = content.body.count
        dramatiq = DramatiqMessage(body)
    }

    private var celeryName: String? {
        headers["id"]?.string == nil ? nil : headers["task"]?.string
    }

    /// The headers that identify one attempt of a Celery task; `nil` for other messages.
    var execution: JSONObject? {
        guard celeryName != nil, let id = headers["id"] else { return nil }
        var headers: JSONObject = ["x-match": "all", "id": id]
        headers["retries"] = self.headers["retries"]?.integer.map { .integer($0) }
        return headers
    }

    /// Its own id; else a number made of its content, which is the same at each look.
    var id: String {
        if celeryName != nil, let id = headers["id"]?.string { return id }
        if let id = properties["message_id"]?.string, !id.isEmpty { return id }
        if let id = dramatiq?.id, !id.isEmpty { return id }
        let digits = String(fingerprint, radix: 16)
        return "m" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    private var fingerprint: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        // Omit the headers, which brokers extend, so that the hash does not depend on the route.
        let pairs = properties.pairs.filter { $0.key != "headers" }.sorted { $0.key < $1.key }
        let plain = JSONObject(pairs.map { ($0.key, $0.value) })
        for byte in JSONValue.object(plain).bytes + body {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return hash
    }

    /// Its task, under an id that no other one of the same look has.
    func task(
        _ reference: String, in queue: String, _ display: ForeignTask.Display
    ) -> ForeignTask {
        var task =
            dramatiq?.task(reference, in: queue, display)
            ?? ForeignTask(
                reference: reference, queue: queue,
                type: celeryName ?? properties["type"]?.string ?? routingKey, display: display)
        task.priority = properties["priority"]?.integer
        if let sent = properties["timestamp"]?.integer {
            task.createdAt = ForeignTime.moment(seconds: Double(sent))
        }
        if celeryName != nil {
            let named = headers["kwargsrepr"]?.string ?? "{}"
            let call = task.type + (headers["argsrepr"]?.string ?? "")
            task.label = call + (named == "{}" ? "" : " \(named)")
            task.attempts = headers["retries"]?.integer.map { Int(clamping: $0) }
            task.notBefore = headers["eta"]?.string.flatMap(TimeText.rfc3339)
        } else if dramatiq == nil {
            task.label = String(validating: body, as: UTF8.self).map { String($0.prefix(200)) }
        }
        if let deaths = headers["x-death"]?.array, let last = deaths.first {
            let counts = deaths.compactMap { $0["count"]?.integer }
            task.attempts = Int(
                clamping: counts.reduce(Int64(0)) { $0.addingReportingOverflow($1).0 })
            task.error = Self.death(last)
            if display == .failed {
                task.endedAt = last["time"]?.integer.flatMap {
                    ForeignTime.moment(seconds: Double($0))
                }
            }
        }
        return task
    }

    private var routingKey: String {
        let key = told["routing_key"]?.string ?? ""
        return key.isEmpty ? "message" : key
    }

    /// `rejected in mail, 2 times`.
    private static func death(_ entry: JSONValue) -> String {
        let count = entry["count"]?.integer ?? 1
        return "\(entry["reason"]?.string ?? "dead-lettered") in "
            + "\(entry["queue"]?.string ?? "?"), \(count) \(count == 1 ? "time" : "times")"
    }

    var payload: ForeignPayload {
        if let dramatiq, length <= body.count { return dramatiq.payload }
        let type = properties["content_type"]?.string
        guard length <= body.count else {
            return ForeignPayload(
                bytes: body, format: "\(type ?? "bytes"), the first \(body.count) of \(length)",
                value: nil, whyFixed: "it has more than \(Self.bodyLimit) bytes")
        }
        let value = Self.value(body, type)
        let parts = value?.array
        let call: JSONValue? =
            celeryName == nil
            ? nil
            : parts.flatMap { parts in
                parts.count == 3
                    ? ["args": parts[0], "kwargs": parts[1], "embed": parts[2]] : nil
            }
        let isJSON = type == Self.json || type == nil && value != nil
        let format = isJSON ? "json" : type ?? "bytes"
        return ForeignPayload(
            bytes: body, format: format, value: call ?? value,
            whyFixed: isJSON && value != nil ? nil : "its body is \(format), not JSON")
    }

    private static let json = "application/json"

    /// The same message with another payload; throws where it cannot have one.
    static func edited(
        _ content: AMQPContent, in queue: String, _ value: JSONValue
    ) throws -> AMQPContent {
        let old = RabbitMessage(content, in: queue)
        let payload = old.payload
        if let why = payload.whyFixed {
            throw QueueError.notLegal("it cannot be edited: \(why)")
        }
        var edited = content
        if let dramatiq = old.dramatiq {
            edited.body = try dramatiq.edited(value)
        } else if old.celeryName != nil {
            let call = try CeleryMessage.call(value, payload.value)
            edited = try edited.with(
                headers: CeleryMessage.reprs(of: old.headers, call.arguments, call.named))
            edited.body =
                JSONValue.array([.array(call.arguments), .object(call.named), call.embed]).bytes
        } else {
            edited.body = value.bytes
        }
        return edited
    }

    /// Its last failure, if its app keeps that in it.
    var attempt: ForeignAttempt? { dramatiq?.attempt }

    /// The queue that dead-lettered it last, and its routing key there; nil for others.
    var origin: (queue: String, key: String)? {
        guard let last = headers["x-death"]?.array?.first, let queue = last["queue"]?.string
        else { return nil }
        return (queue, last["routing-keys"]?.array?.first?.string ?? queue)
    }

    private static func value(_ bytes: [UInt8], _ type: String?) -> JSONValue? {
        switch type {
        case "application/x-msgpack": return MessagePackReader.value(bytes)
        case "application/x-python-serialize":
            var text = PickleText()
            return PickleReader.value(bytes).map { text.json($0) }
        default: return try? JSONValue.parse(bytes)
        }
    }

    /// The exchange, the routing key, the properties and the headers, by their own names.
    var fields: JSONObject {
        var fields = JSONObject()
        fields["exchange"] = told["exchange"]
        fields["routing_key"] = told["routing_key"]
        fields["redelivered"] = told["redelivered"]
        for pair in properties.pairs where pair.key != "headers" { fields[pair.key] = pair.value }
        for pair in dramatiq?.fields.pairs ?? [] { fields[pair.key] = pair.value }
        // The interface writes a value that is void as this word.
        for pair in headers.pairs
        where pair.key != "stack" && !pair.value.isNull && pair.value != "undefined" {
            fields["headers.\(pair.key)"] = pair.value
        }
        return fields
    }
}

extension RabbitMessage {
    /// Whether a delivery has the same task as `task`, by its id and its body.
    static func matcher(of task: AMQPDelivery) -> (AMQPDelivery) -> Bool {
        let id = RabbitMessage(task.content, in: "").id
        return { other in
            other.content.body == task.content.body && RabbitMessage(other.content, in: "").id == id
        }
    }
}

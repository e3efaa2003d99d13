import SluiceModel

extension RowTable {
    /// Symfony Messenger with the `doctrine` transport. A trigger of its table notifies on each
    /// update. In MySQL, a finished row remains for a while with a delivery time in the year 9999.
    static let symfony = RowTable(
        name: "symfony", title: "Symfony Messenger", table: "messenger_messages",
        needs: [
            "id", "body", "headers", "queue_name", "created_at", "available_at", "delivered_at",
        ],
        queue: "queue_name", time: "available_at", clock: .date, hold: .time("available_at"),
        ready: "@delivered_at IS NULL AND @queue_name <> 'failed'",
        states: [
            (.running, "@delivered_at IS NOT NULL AND @delivered_at < '9999-01-01 00:00:00'"),
            (.failed, "@delivered_at IS NULL AND @queue_name = 'failed'"),
            (.succeeded, "@delivered_at >= '9999-01-01 00:00:00'"),
        ],
        watched: ["delivered_at", "queue_name"], created: "created_at",
        order: [("@available_at", false), ("@id", false)], large: ["body", "headers"],
        read: { SymfonyMessage($0).content },
        edit: { row, value in ["body": .string(try SymfonyMessage(row).edited(value))] },
        holder: { row in
            ForeignHolder(
                worker: "a consumer of Symfony",
                since: RowClock.date.moment(row["delivered_at"]), heardAt: nil,
                advice: "Symfony gives it to another consumer when its redeliver_timeout has "
                    + "passed, which is 1 h unless the transport says otherwise")
        },
        risks: ["its available_at is 4,000 years later"])
}

/// A message: JSON with its class in the headers, or an envelope in PHP's own form with slashes.
private struct SymfonyMessage {
    private let body: String
    private let headers: JSONValue?
    /// The envelope, if PHP serialized it.
    private let envelope: JSONValue?

    init(_ row: JSONValue) {
        body = row["body"]?.string ?? ""
        headers = row["headers"].flatMap { $0.object == nil ? $0.string : $0.text }
            .flatMap { try? JSONValue.parse($0) }
        envelope = Self.envelope(body)
    }

    private static func envelope(_ body: String) -> JSONValue? {
        let bytes = body.hasSuffix("}") ? Array(body.utf8) : Base64.decode(body) ?? []
        guard bytes.starts(with: Array("O:".utf8)) else { return nil }
        return PHPReader.value(plain(bytes))
    }

    /// Without the slashes of PHP's `addslashes`.
    private static func plain(_ bytes: [UInt8]) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var place = 0
        while place < bytes.count {
            var byte = bytes[place]
            if byte == UInt8(ascii: "\\"), place + 1 < bytes.count {
                place += 1
                byte = bytes[place] == UInt8(ascii: "0") ? 0 : bytes[place]
            }
            plain.append(byte)
            place += 1
        }
        return plain
    }

    private var message: JSONValue? { envelope?["message"] }
    private var json: JSONValue? { try? JSONValue.parse(body) }

    var content: RowContent {
        let name = headers?["type"]?.string ?? message?[PHPReader.classKey]?.string ?? "?"
        let value = envelope ?? json
        var content = RowContent(
            type: name,
            payload: ForeignPayload(
                bytes: Array(body.utf8),
                format: envelope != nil ? "php" : json != nil ? "json" : "text",
                value: value ?? .string(body),
                whyFixed: json == nil ? "it is no JSON, but an object of PHP" : nil))
        content.label = (message.map(Self.properties) ?? json).map { String($0.text.prefix(200)) }
        content.error = error
        return content
    }

    private static func properties(_ value: JSONValue) -> JSONValue {
        guard let object = value.object else { return value }
        let own = object.pairs.filter { $0.key != PHPReader.classKey }
        return .object(JSONObject(own.map { ($0.key, $0.value) }))
    }

    /// The last error out of the stamps of the envelope.
    private var error: String? {
        let stamps = envelope?["stamps"]?.object?.pairs.first {
            $0.key.hasSuffix("ErrorDetailsStamp")
        }
        guard let last = stamps?.value.array?.last else { return nil }
        let text = last["exceptionMessage"]?.string ?? ""
        return last["exceptionClass"]?.string.map { "\($0): \(text)" } ?? text
    }

    func edited(_ value: JSONValue) throws -> String {
        guard let json else {
            throw QueueError.notLegal("it cannot be edited: it is no JSON, but an object of PHP")
        }
        guard (json.object == nil) == (value.object == nil) else {
            throw QueueError(
                .badValue, "the payload has another form than the one that is there",
                fix: "give an object for an object, as sluice show has it")
        }
        return value.text
    }
}

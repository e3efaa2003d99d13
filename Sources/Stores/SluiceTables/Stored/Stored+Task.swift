import SluiceModel

/// A whole task as JSON: the image that `undo` keeps.
extension QueueTask: StoredRecord {
    static var blank: Self { Self(id: 0, queue: "", type: "", position: 0, createdAt: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("id", &id)
        fields.pass("queue", &queue)
        fields.pass("type", &type)
        fields.pass("position", &position)
        fields.pass("priority", &priority)
        fields.pass("sortKey", &sortKey)
        fields.pass("groupStart", &groupStart)
        fields.pass("groupMembers", each: &groupMembers)
        var needs = NeedBits(self)
        fields.pass("needs", &needs.rawValue)
        (requires, isRequired) = (needs.requires, needs.contains(.required))
        fields.pass("attempts", &attempts)
        fields.pass("executions", &executions)
        fields.pass("offlineInSuccession", &offlineInSuccession)
        fields.pass("losses", &losses)
        fields.pass("lossesInSuccession", &lossesInSuccession)
        fields.pass("attemptLimit", &attemptLimit)
        fields.pass("expiresAt", &expiresAt)
        fields.pass("uniqueKey", &uniqueKey)
        fields.pass("session", &session)
        fields.pass(&clientString)
        fields.pass("collector", &collector)
        fields.pass("parent", &parent)
        fields.pass("scheduled", &scheduled)
        fields.pass("depth", &depth)
        fields.pass("label", &label)
        fields.pass("headers", &headers, TaskHeaders.stored, TaskHeaders.read(stored:))
        fields.pass("createdAt", &createdAt)
        fields.pass("updatedAt", &updatedAt)
        fields.pass("version", &version)
        fields.pass("state", &state)
        fields.pass("lastError", &lastError)
        fields.pass("isHeld", &isHeld)
        fields.pass("freshAt", &freshAt)
    }
}

extension TaskHeaders {
    /// None are not written.
    static func stored(_ headers: [String: String]) -> JSONValue? {
        headers.isEmpty ? nil : json(headers)
    }

    static func read(stored: JSONValue) throws(QueueError) -> [String: String] {
        try read(stored).orDamage("headers are no texts")
    }
}

extension FieldPass {
    /// A text, or bytes if not valid text.
    fileprivate func pass(_ string: inout ClientString?) {
        var (text, bytes) = (string?.text, string)
        pass("clientString", &text)
        if !reads(&bytes, try all.clientBytes("clientBytes")) {
            all.put("clientBytes", bytesOf: bytes)
        }
        string = text.map { ClientString($0) } ?? bytes
    }
}

extension StoredFields {
    /// The bytes of a client string that is no text.
    mutating func put(_ key: String, bytesOf string: ClientString?) {
        guard let string, string.text == nil else { return }
        put(key, Base64.encode(string.bytes))
    }

    func clientBytes(_ key: String) throws(QueueError) -> ClientString? {
        guard let text: String = try optional(key) else { return nil }
        return ClientString(bytes: try Base64.decode(text).orDamage("\(key) is no base64"))
    }
}

extension SortKey: StoredValue {
    var stored: JSONValue {
        switch self {
        case .integer(let number): .integer(number)
        case .text(let text): .string(text)
        }
    }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> SortKey {
        switch stored {
        case .integer(let number): .integer(number)
        case .string(let text): .text(text)
        default: throw StoredFields.damage("a sort key")
        }
    }
}

import SluiceModel

/// A whole task as JSON: the image that `undo` keeps.
extension QueueTask {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("id", id)
        fields.put("queue", queue)
        fields.put("type", type)
        fields.put("position", position)
        fields.put("priority", priority)
        fields.put("sortKey", sortKey?.stored)
        fields.put("groupStart", groupStart)
        if !groupMembers.isEmpty { fields.put("groupMembers", JSONValue(groupMembers)) }
        fields.put("needs", NeedBits(self).rawValue)
        fields.put("attempts", attempts)
        fields.put("executions", executions)
        fields.put("offlineInSuccession", offlineInSuccession)
        fields.put("losses", losses)
        fields.put("lossesInSuccession", lossesInSuccession)
        fields.put("attemptLimit", attemptLimit)
        fields.put("expiresAt", expiresAt)
        fields.put("uniqueKey", uniqueKey)
        fields.put("session", session)
        fields.put("clientString", clientString?.text)
        fields.put("clientBytes", bytesOf: clientString)
        fields.put("collector", collector)
        fields.put("parent", parent)
        fields.put("scheduled", scheduled?.stored)
        fields.put("depth", depth)
        fields.put("label", label)
        fields.put("createdAt", createdAt)
        fields.put("updatedAt", updatedAt)
        fields.put("version", version)
        fields.put("state", state.stored)
        fields.put("lastError", lastError)
        fields.put("isHeld", flag: isHeld)
        fields.put("freshAt", freshAt)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        let state = try fields.optional("state", TaskState.init(stored:))
        guard let state else { throw StoredFields.damage("state is missing") }
        self.init(
            id: try fields.integer("id"), queue: try fields.text("queue"),
            type: try fields.text("type"), position: try fields.integer("position"),
            createdAt: try fields.moment("createdAt"), state: state)
        priority = Int(try fields.integer("priority"))
        sortKey = try fields.optional("sortKey", SortKey.init(stored:))
        groupStart = try fields.optionalText("groupStart")
        groupMembers = try fields.optionalTexts("groupMembers") ?? []
        let needs = NeedBits(rawValue: try fields.integer("needs"))
        requires = needs.requires
        isRequired = needs.contains(.required)
        attempts = try fields.int("attempts")
        executions = try fields.int("executions")
        offlineInSuccession = try fields.int("offlineInSuccession")
        losses = try fields.int("losses")
        lossesInSuccession = try fields.int("lossesInSuccession")
        attemptLimit = try fields.optionalInt("attemptLimit")
        expiresAt = try fields.optionalMoment("expiresAt")
        uniqueKey = try fields.optionalText("uniqueKey")
        session = try fields.optionalText("session")
        clientString = try fields.clientBytes("clientBytes")
        if let text = try fields.optionalText("clientString") { clientString = ClientString(text) }
        collector = try fields.optionalInteger("collector")
        parent = try fields.optionalInteger("parent")
        scheduled = try fields.optional("scheduled", ScheduledMoment.init(stored:))
        depth = try fields.int("depth")
        label = try fields.optionalText("label")
        updatedAt = try fields.moment("updatedAt")
        version = try fields.integer("version")
        lastError = try fields.optionalText("lastError")
        isHeld = fields.flag("isHeld")
        freshAt = try fields.moment("freshAt")
    }
}

extension StoredFields {
    /// The bytes of a client string that is no text.
    mutating func put(_ key: String, bytesOf string: ClientString?) {
        guard let string, string.text == nil else { return }
        put(key, Base64.encode(string.bytes))
    }

    func clientBytes(_ key: String) throws(QueueError) -> ClientString? {
        guard let text = try optionalText(key) else { return nil }
        guard let bytes = Base64.decode(text) else { throw Self.damage("\(key) is no base64") }
        return ClientString(bytes: bytes)
    }
}

extension SortKey {
    var stored: JSONValue {
        switch self {
        case .integer(let number): .integer(number)
        case .text(let text): .string(text)
        }
    }

    init(stored: JSONValue) throws(QueueError) {
        switch stored {
        case .integer(let number): self = .integer(number)
        case .string(let text): self = .text(text)
        default: throw StoredFields.damage("a sort key")
        }
    }
}

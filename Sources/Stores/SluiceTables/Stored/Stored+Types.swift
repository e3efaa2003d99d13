import SluiceModel

/// The settings and ranks of types in the settings of a queue.
extension TypeSettings: StoredObject {
    private static let unlimited = "none"

    func put(in fields: inout StoredFields) {
        fields.put("attemptLimit", attempts.map(Self.stored))
        fields.put("retry", retry)
        fields.put("timeout", timeout.map(Self.stored))
        fields.put("concurrency", concurrency)
        fields.put("unique", unique.map(Self.stored))
        fields.put("required", required.map { $0 ? 1 : 0 as Int64 })
    }

    init(fields: StoredFields) throws(QueueError) {
        self.init()
        attempts = try fields.optional("attemptLimit", Self.limit)
        retry = try fields.optional("retry")
        timeout = try fields.optional("timeout", Self.limit)
        concurrency = try fields.optional("concurrency")
        unique = try fields.optional("unique", Self.limit)
        let number: Int64? = try fields.optional("required")
        required = number.map { $0 != 0 }
    }

    private static func stored(_ limit: Limit<some StoredValue>) -> JSONValue {
        limit.value?.stored ?? .string(unlimited)
    }

    private static func limit<Value: StoredValue>(
        _ stored: JSONValue
    ) throws(QueueError) -> Limit<Value> {
        stored.string == unlimited ? .unlimited : .most(try Value.read(stored, at: "a limit"))
    }
}

extension [String: TypeSettings] {
    /// `nil` if empty.
    var stored: JSONValue? {
        guard !isEmpty else { return nil }
        var object = JSONObject()
        for (type, settings) in sorted(by: { $0.key < $1.key }) { object[type] = settings.stored }
        return .object(object)
    }

    init(stored: JSONValue) throws(QueueError) {
        self.init()
        for pair in try stored.object.orDamage("types").pairs {
            self[pair.key] = try TypeSettings(stored: pair.value)
        }
    }
}

extension TypeRanks.Rank: StoredObject, StoredValue {
    func put(in fields: inout StoredFields) {
        fields.put("types", types)
        fields.put("priority", priority)
    }

    init(fields: StoredFields) throws(QueueError) {
        self.init(
            types: try fields.list("types"), priority: try fields.required("priority"))
    }
}

extension TypeRanks {
    /// `nil` if empty.
    var stored: JSONValue? { ranks.isEmpty ? nil : ranks.stored }

    init(stored: JSONValue) throws(QueueError) {
        self = try TypeRanks(try [Rank].read(stored, at: "ranks")).orDamage("ranks")
    }
}

extension UniqueRule: StoredObject, StoredValue {
    func put(in fields: inout StoredFields) {
        fields.put("path", path.name)
        fields.put("policy", policy.rawValue)
        fields.put("time", time.text)
    }

    init(fields: StoredFields) throws(QueueError) {
        let path: String = try fields.required("path")
        let policy: String = try fields.required("policy")
        let time: String = try fields.required("time")
        self = try UniqueRule(text: "\(path):\(policy):\(time)").orDamage("unique")
    }
}

package import SluiceModel

/// The pairs of a JSON object in a column. Absent values are not written; invalid values are
/// damage.
struct StoredFields {
    private(set) var object = JSONObject()

    init() {}

    init(of value: some StoredObject) { value.put(in: &self) }

    init(_ value: JSONValue) throws(QueueError) {
        object = try value.object.orDamage("an object")
    }

    init(text: String) throws(QueueError) {
        try self.init(Self.parse(text))
    }

    static func parse(_ text: String) throws(QueueError) -> JSONValue {
        do {
            return try JSONValue.parse(text)
        } catch {
            throw damage(error.description)
        }
    }

    /// The error for an invalid row.
    static func damage(_ what: String) -> QueueError { .damagedRow(what) }

    var value: JSONValue { .object(object) }
    var text: String { value.text }
    var isEmpty: Bool { object.isEmpty }
}

extension StoredFields {
    mutating func put(_ key: String, _ value: JSONValue?) { object[key] = value }

    mutating func put(_ key: String, _ value: (some StoredValue)?) { put(key, value?.stored) }

    mutating func put(_ key: String, _ values: [some StoredValue]?) { put(key, values?.stored) }

    /// None are not written.
    mutating func put(_ key: String, each values: [some StoredValue]) {
        put(key, values.isEmpty ? nil : values)
    }

    /// Writes only true.
    mutating func put(_ key: String, flag: Bool) { object[key] = flag ? .bool(true) : nil }

    func optional<Value: StoredValue>(_ key: String) throws(QueueError) -> Value? {
        try optional(key) { value throws(QueueError) in try Value.read(value, at: key) }
    }

    func optional<Value: StoredValue>(_ key: String) throws(QueueError) -> [Value]? {
        try optional(key) { value throws(QueueError) in try [Value].read(value, at: key) }
    }

    /// The mapped value of a key, or `nil` without one.
    func optional<Value>(
        _ key: String, _ map: (JSONValue) throws(QueueError) -> Value
    ) throws(QueueError) -> Value? {
        guard let value = object[key] else { return nil }
        return try map(value)
    }

    func required<Value: StoredValue>(
        _ key: String, missing: String? = nil
    ) throws(QueueError) -> Value {
        try optional(key).orDamage(missing ?? "\(key) is missing")
    }

    func list<Value: StoredValue>(_ key: String) throws(QueueError) -> [Value] {
        try optional(key) ?? []
    }

    func flag(_ key: String) -> Bool { object[key]?.bool ?? false }
}

extension QueueError {
    /// A row does not hold what belongs there.
    package static func damagedRow(_ what: String) -> QueueError {
        QueueError(
            .damagedStore, "a row of the store cannot be read: \(what)",
            fix: "sluice doctor --repair fixes it, and keeps the damaged file")
    }
}

package import SluiceModel

/// The pairs of a JSON object that stands in a column: what is absent is not written, and what does
/// not fit its place is damage.
struct StoredFields {
    private(set) var object = JSONObject()

    init() {}

    init(_ value: JSONValue) throws(QueueError) {
        guard let object = value.object else { throw Self.damage("an object") }
        self.object = object
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

    /// What a row that does not fit is reported as.
    static func damage(_ what: String) -> QueueError { .damagedRow(what) }

    var value: JSONValue { .object(object) }
    var text: String { value.text }
    var isEmpty: Bool { object.isEmpty }
}

extension StoredFields {
    mutating func put(_ key: String, _ value: JSONValue?) { object[key] = value }

    mutating func put(_ key: String, _ number: Int64?) {
        object[key] = number.map(JSONValue.integer)
    }

    mutating func put(_ key: String, _ number: Int?) { put(key, number.map(Int64.init)) }

    mutating func put(_ key: String, _ moment: Timestamp?) { put(key, moment?.milliseconds) }

    mutating func put(_ key: String, _ text: String?) { object[key] = text.map(JSONValue.string) }

    mutating func put(_ key: String, _ number: Double?) {
        object[key] = number.map { JSONValue($0) }
    }

    /// Only true is written.
    mutating func put(_ key: String, flag: Bool) { object[key] = flag ? .bool(true) : nil }

    mutating func put(_ key: String, _ word: (some RawRepresentable<String>)?) {
        put(key, word?.rawValue)
    }
}

extension StoredFields {
    func optionalInteger(_ key: String) throws(QueueError) -> Int64? {
        guard let value = object[key] else { return nil }
        guard let number = value.integer else { throw Self.damage("\(key) is no integer") }
        return number
    }

    func integer(_ key: String) throws(QueueError) -> Int64 {
        try required(try optionalInteger(key), key)
    }

    func optionalInt(_ key: String) throws(QueueError) -> Int? {
        try optionalInteger(key).map(Int.init)
    }

    func int(_ key: String) throws(QueueError) -> Int { Int(try integer(key)) }

    func optionalMoment(_ key: String) throws(QueueError) -> Timestamp? {
        try optionalInteger(key).map(Timestamp.init)
    }

    func moment(_ key: String) throws(QueueError) -> Timestamp {
        Timestamp(milliseconds: try integer(key))
    }

    func optionalText(_ key: String) throws(QueueError) -> String? {
        guard let value = object[key] else { return nil }
        guard let text = value.string else { throw Self.damage("\(key) is no text") }
        return text
    }

    func text(_ key: String) throws(QueueError) -> String {
        try required(try optionalText(key), key)
    }

    func double(_ key: String) throws(QueueError) -> Double {
        try required(object[key]?.double, key)
    }

    func flag(_ key: String) -> Bool { object[key]?.bool ?? false }

    func optionalWord<Word: RawRepresentable<String>>(
        _ key: String, _ type: Word.Type = Word.self
    ) throws(QueueError) -> Word? {
        guard let text = try optionalText(key) else { return nil }
        guard let word = Word(rawValue: text) else { throw Self.damage("\(key) is \(text)") }
        return word
    }

    func word<Word: RawRepresentable<String>>(
        _ key: String, _ type: Word.Type = Word.self
    ) throws(QueueError) -> Word {
        try required(try optionalWord(key), key)
    }

    func optionalTexts(_ key: String) throws(QueueError) -> [String]? {
        guard let value = object[key] else { return nil }
        return try Self.texts(value)
    }

    /// The value of a key, mapped; nil where there is none.
    func optional<Value>(
        _ key: String, _ map: (JSONValue) throws(QueueError) -> Value
    ) throws(QueueError) -> Value? {
        guard let value = object[key] else { return nil }
        return try map(value)
    }

    func list<Value>(
        _ key: String, _ map: (JSONValue) throws(QueueError) -> Value
    ) throws(QueueError) -> [Value] {
        guard let value = object[key] else { return [] }
        return try Self.list(value, map)
    }

    static func list<Value>(
        _ value: JSONValue, _ map: (JSONValue) throws(QueueError) -> Value
    ) throws(QueueError) -> [Value] {
        guard let elements = value.array else { throw damage("no array") }
        var values: [Value] = []
        for element in elements { values.append(try map(element)) }
        return values
    }

    static func texts(_ value: JSONValue) throws(QueueError) -> [String] {
        try list(value) { element throws(QueueError) in
            guard let text = element.string else { throw damage("no text") }
            return text
        }
    }

    private func required<Value>(_ value: Value?, _ key: String) throws(QueueError) -> Value {
        guard let value else { throw Self.damage("\(key) is missing") }
        return value
    }
}

extension QueueError {
    /// A row does not hold what belongs there.
    package static func damagedRow(_ what: String) -> QueueError {
        QueueError(
            .damagedStore, "a row of the store cannot be read: \(what)",
            fix: "sluice doctor --repair mends it, and keeps the damaged file")
    }
}

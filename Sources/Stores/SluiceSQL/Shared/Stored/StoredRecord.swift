import SluiceModel

/// A value stored as the fields of a JSON object.
protocol StoredObject: StoredValue {
    func put(in fields: inout StoredFields)

    /// Reads it; throws `damagedStore` where something is missing or no such value.
    init(fields: StoredFields) throws(QueueError)
}

extension StoredObject {
    var stored: JSONValue { StoredFields(of: self).value }

    init(stored: JSONValue) throws(QueueError) { try self.init(fields: StoredFields(stored)) }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> Self {
        try Self(fields: StoredFields(stored))
    }
}

/// A record with one list of fields for writing and reading.
protocol StoredRecord: StoredObject {
    /// The initial value before reading.
    static var blank: Self { get }

    /// Passes each field once, in the order of writing.
    mutating func pass(_ fields: FieldPass)
}

extension StoredRecord {
    func put(in fields: inout StoredFields) {
        var record = self
        let pass = FieldPass(fields, isReading: false)
        record.pass(pass)
        fields = pass.all
    }

    init(fields: StoredFields) throws(QueueError) {
        self = .blank
        let pass = FieldPass(fields, isReading: true)
        self.pass(pass)
        if let damage = pass.damage { throw damage }
    }
}

/// One pass over the fields of a record, which writes or reads them all. Only the record knows it,
/// so accesses never overlap.
final class FieldPass {
    @exclusivity(unchecked) var all: StoredFields
    private let isReading: Bool
    /// The first invalid value.
    @exclusivity(unchecked) private(set) var damage: QueueError?

    fileprivate init(_ fields: StoredFields, isReading: Bool) {
        (all, self.isReading) = (fields, isReading)
    }

    /// Reads a value, unless the pass writes.
    func reads<Value>(
        _ value: inout Value, _ read: @autoclosure () throws(QueueError) -> Value
    ) -> Bool {
        guard isReading else { return false }
        do throws(QueueError) { value = try read() } catch { damage = damage ?? error }
        return true
    }

    func pass<Value: StoredValue>(_ key: String, _ value: inout Value, missing: String? = nil) {
        if !reads(&value, try all.required(key, missing: missing)) { all.put(key, value) }
    }

    func pass<Value: StoredValue>(_ key: String, _ value: inout Value?) {
        if !reads(&value, try all.optional(key)) { all.put(key, value) }
    }

    /// A missing value leaves the variable unchanged.
    func pass<Value: StoredValue>(_ key: String, ifThere value: inout Value) {
        let former = value
        if !reads(&value, try all.optional(key) ?? former) { all.put(key, value) }
    }

    /// Writes only true.
    func pass(_ key: String, _ flag: inout Bool) {
        if !reads(&flag, all.flag(key)) { all.put(key, flag: flag) }
    }

    func pass<Value: StoredValue>(_ key: String, _ values: inout [Value]?) {
        if !reads(&values, try all.optional(key)) { all.put(key, values) }
    }

    /// None are not written.
    func pass<Value: StoredValue>(_ key: String, each values: inout [Value]) {
        if !reads(&values, try all.list(key)) { all.put(key, each: values) }
    }

    func pass<Value: StoredValue>(_ key: String, evenEmpty values: inout [Value]) {
        if !reads(&values, try all.list(key)) { all.put(key, values) }
    }

    /// A missing value leaves the variable unchanged.
    func pass<Value>(
        _ key: String, _ value: inout Value, _ write: (Value) -> JSONValue?,
        _ read: (JSONValue) throws(QueueError) -> Value
    ) {
        let former = value
        if !reads(&value, try all.optional(key, read) ?? former) { all.put(key, write(value)) }
    }

    func pass<Value>(
        _ key: String, _ value: inout Value?, _ write: (Value) -> JSONValue?,
        _ read: (JSONValue) throws(QueueError) -> Value
    ) {
        if !reads(&value, try all.optional(key, read)) { all.put(key, value.flatMap(write)) }
    }

    /// A value whose fields are stored among the record's own.
    func pass(_ value: inout some StoredObject) {
        if !reads(&value, try .init(fields: all)) { value.put(in: &all) }
    }

    /// The same, if it has a certain key.
    func pass<Value: StoredObject>(_ value: inout Value?, having key: String) {
        if !reads(&value, all.object[key] == nil ? nil : try Value(fields: all)) {
            value?.put(in: &all)
        }
    }
}

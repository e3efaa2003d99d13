import SluiceModel
import SluiceStore

/// A value stored under a key of a JSON object.
protocol StoredValue {
    var stored: JSONValue { get }

    /// Reads the value; throws `damagedStore` if it is invalid.
    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> Self

    /// Reads one of a list.
    static func element(_ stored: JSONValue, of key: String) throws(QueueError) -> Self
}

extension StoredValue {
    static func element(_ stored: JSONValue, of key: String) throws(QueueError) -> Self {
        try read(stored, at: key)
    }
}

extension Int64: StoredValue {
    var stored: JSONValue { .integer(self) }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> Int64 {
        try stored.integer.orDamage("\(key) is no integer")
    }

    static func element(_ stored: JSONValue, of key: String) throws(QueueError) -> Int64 {
        try stored.integer.orDamage(key)
    }
}

extension Int: StoredValue {
    var stored: JSONValue { .integer(Int64(self)) }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> Int {
        Int(try Int64.read(stored, at: key))
    }
}

extension UInt64: StoredValue {
    var stored: JSONValue { .integer(Int64(bitPattern: self)) }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> UInt64 {
        UInt64(bitPattern: try Int64.read(stored, at: key))
    }
}

extension Timestamp: StoredValue {
    var stored: JSONValue { .integer(milliseconds) }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> Timestamp {
        Timestamp(milliseconds: try Int64.read(stored, at: key))
    }
}

extension Double: StoredValue {
    var stored: JSONValue { JSONValue(self) }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> Double {
        try stored.double.orDamage("\(key) is missing")
    }
}

extension String: StoredValue {
    var stored: JSONValue { .string(self) }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> String {
        try stored.string.orDamage("\(key) is no text")
    }

    static func element(_ stored: JSONValue, of key: String) throws(QueueError) -> String {
        try stored.string.orDamage("no text")
    }
}

extension Array where Element: StoredValue {
    var stored: JSONValue { .array(map(\.stored)) }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> [Element] {
        try stored.array.orDamage("no array").map { value throws(QueueError) in
            try Element.element(value, of: key)
        }
    }
}

/// One of several words.
protocol StoredWord: StoredValue, RawRepresentable<String> {}

extension StoredWord {
    var stored: JSONValue { .string(rawValue) }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> Self {
        let text = try String.read(stored, at: key)
        return try Self(rawValue: text).orDamage("\(key) is \(text)")
    }
}

extension AfterFailure: StoredWord {}
extension AttemptRecord.Outcome: StoredWord {}
extension Breakpoint.Moment: StoredWord {}
extension Durability: StoredWord {}
extension Lingering.Kind: StoredWord {}
extension NetworkState: StoredWord {}
extension Parking.Cause: StoredWord {}
extension Pause.Cause: StoredWord {}
extension Pause.Direction: StoredWord {}
extension ProcessRecord.Role: StoredWord {}
extension QueueOrder: StoredWord {}
extension Schedule.Missed: StoredWord {}
extension StartFailurePolicy: StoredWord {}
extension StateName: StoredWord {}
extension StopCause: StoredWord {}
extension WaitTimer.Cause: StoredWord {}

extension Optional {
    func orDamage(_ what: @autoclosure () -> String) throws(QueueError) -> Wrapped {
        guard let self else { throw StoredFields.damage(what()) }
        return self
    }
}

/// A JSON value that keeps its source form: exact integers, the text of other numbers, and the
/// order of keys.
///
/// Two objects are equal if they have the same keys and values in the same order.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Any other number by its exact text: fractions, exponents, `-0`, integers beyond 64 bits. The
    /// text must be a valid JSON number, because it becomes output unchanged.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// A text, or null.
    package init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

    /// A whole number, or null.
    package init(_ integer: Int64?) { self = integer.map(JSONValue.integer) ?? .null }

    /// A whole number, or null.
    package init(_ integer: Int?) { self = integer.map { .integer(Int64($0)) } ?? .null }

    /// True, false, or null.
    package init(_ bool: Bool?) { self = bool.map(JSONValue.bool) ?? .null }

    /// A time as RFC 3339 in UTC, or null.
    package init(_ moment: Timestamp?) { self.init(moment.map(TimeText.rfc3339)) }

    /// A number; null for what JSON cannot spell (infinite, not a number) and for nil.
    package init(_ number: Double?) {
        guard let number, number.isFinite else {
            self = .null
            return
        }
        self = .number(number.description)
    }

    package init(_ texts: [String]) { self = .array(texts.map(JSONValue.string)) }

    /// The kind of value for sentences: `a string`.
    package var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Whether it is null.
    package var isNull: Bool { self == .null }

    package var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// A whole number of 64 bits, exactly.
    package var integer: Int64? {
        if case .integer(let number) = self { return number }
        return nil
    }

    /// Any number as a binary fraction, rounded if it must be.
    package var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let text): Double(text)
        default: nil
        }
    }

    /// True or false.
    package var bool: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// The elements of an array.
    package var array: [JSONValue]? {
        if case .array(let elements) = self { return elements }
        return nil
    }

    /// The pairs of an object.
    package var object: JSONObject? {
        if case .object(let object) = self { return object }
        return nil
    }

    /// The value of a key; nil if this is no object or has no such key.
    package subscript(key: String) -> JSONValue? { object?[key] }

    /// An element of an array; nil if this is no array or it is shorter.
    package subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .string(text) }

    /// A whole number.
    package init(integerLiteral integer: Int64) { self = .integer(integer) }

    /// True or false.
    package init(booleanLiteral value: Bool) { self = .bool(value) }

    /// A list.
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// An object, its keys in the order given.
    package init(dictionaryLiteral pairs: (String, JSONValue)...) {
        self = .object(JSONObject(pairs))
    }
}

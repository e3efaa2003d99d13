import SluiceModel

/// A value out of a pickle, as data: nothing of it is imported, made or called. A tree of bounded
/// depth, size and count; a part past these bounds is cut.
struct PickleValue {
    indirect enum Kind {
        case none
        case bool(Bool)
        case integer(Int64)
        /// A whole number past 64 bits, in hexadecimal.
        case largeInteger(String)
        case number(Double)
        case text(String)
        case bytes([UInt8])
        case list([PickleValue])
        case tuple([PickleValue])
        case set([PickleValue])
        case dictionary([(PickleValue, PickleValue)])
        /// The name of something in a module.
        case global(String)
        /// A call that a real unpickler would make, with the state for its result.
        case call(PickleValue, arguments: PickleValue, state: PickleValue?)
        /// A part beyond the depth or count limit.
        case cut
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }
}

/// A value of a pickle as JSON, and whether writing it back would lose anything.
struct PickleText {
    private static let depthLimit = 64
    private static let countLimit = 20_000
    /// A longer name of a pair whose key is no text is cut: each level of keys in keys would
    /// double it.
    private static let nameLimitBytes = 1024

    /// Whether the whole value consists of kinds that JSON has.
    private(set) var isPlain = true
    private var left = countLimit

    /// The JSON of a value; objects and calls are texts in angle brackets.
    mutating func json(_ value: PickleValue, depth: Int = 0) -> JSONValue {
        left -= 1
        guard depth < Self.depthLimit, left > 0 else {
            isPlain = false
            return .string("…")
        }
        switch value.kind {
        case .none: return .null
        case .bool(let bool): return .bool(bool)
        case .integer(let integer): return .integer(integer)
        case .number(let number):
            if !number.isFinite { isPlain = false }
            return number.isFinite ? JSONValue(number) : .string("\(number)")
        case .text(let text): return .string(text)
        case .list(let elements):
            return .array(elements.map { json($0, depth: depth + 1) })
        case .dictionary(let pairs): return object(pairs, depth)
        default:
            isPlain = false
            return other(value, depth)
        }
    }

    private mutating func object(_ pairs: [(PickleValue, PickleValue)], _ depth: Int) -> JSONValue {
        var object = JSONObject()
        for (key, value) in pairs {
            var name = "…"
            if case .text(let text) = key.kind {
                name = text
            } else {
                let whole = json(key, depth: depth + 1).text
                if whole.utf8.count <= Self.nameLimitBytes { name = whole }
                isPlain = false
            }
            object[name] = json(value, depth: depth + 1)
        }
        return .object(object)
    }

    private mutating func other(_ value: PickleValue, _ depth: Int) -> JSONValue {
        switch value.kind {
        case .largeInteger(let digits): return .string("0x\(digits)")
        case .bytes(let bytes):
            return .string(
                String(validating: bytes, as: UTF8.self).map { "b'\($0)'" }
                    ?? "<\(bytes.count) bytes>")
        case .tuple(let elements), .set(let elements):
            return .array(elements.map { json($0, depth: depth + 1) })
        case .global(let name): return .string("<\(name)>")
        case .call(let callable, let arguments, let state):
            var parts = ["call": json(callable, depth: depth + 1)] as JSONObject
            parts["arguments"] = json(arguments, depth: depth + 1)
            if let state { parts["state"] = json(state, depth: depth + 1) }
            return .object(parts)
        default: return .string("…")
        }
    }
}

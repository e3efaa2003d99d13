/// The place of a value in a JSON payload: `payload.items[0].name`.
package struct PayloadPath: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        /// The value of a key; of one that comes twice the last.
        case key(String)
        /// An element, from 0.
        case index(Int)
    }

    /// The way from the whole payload.
    package let steps: [Step]
    /// The bytes of each key.
    fileprivate let keys: [[UInt8]]

    /// A way down.
    package init(_ steps: [Step]) {
        self.steps = steps
        keys = steps.map { if case .key(let key) = $0 { Array(key.utf8) } else { [] } }
    }

    /// The value at the path: a string's content, or the source of another value; `nil` if missing.
    package func text(in payload: [UInt8]) -> String? {
        value(in: payload) { JSONWalk.text($0) ?? String(validating: $0, as: UTF8.self) } ?? nil
    }
}

extension PayloadPath {
    /// The source of the value at the path; `nil` if missing.
    package func written(in payload: [UInt8]) -> String? {
        value(in: payload) { String(decoding: $0, as: UTF8.self) }
    }

    /// The value at the path as a filter spells it; `nil` if missing, and for a list or an object.
    func scalar(in payload: [UInt8]) -> PayloadScalar? {
        value(in: payload) { PayloadScalar(of: $0) } ?? nil
    }

    private func value<Value>(
        in payload: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) -> Value
    ) -> Value? {
        payload.withUnsafeBufferPointer { value(in: $0, body) }
    }

    /// The bytes of the value there. A step into a text continues in the JSON that the text holds.
    fileprivate func value<Value>(
        in payload: UnsafeBufferPointer<UInt8>, depth: Int = FoldedJSON.depth,
        _ body: (UnsafeBufferPointer<UInt8>) -> Value
    ) -> Value? {
        var walk = JSONWalk(payload)
        if let place = walk.value(at: self) {
            return body(UnsafeBufferPointer(rebasing: payload[place]))
        }
        guard depth > 0, let fold = walk.fold,
            let text = JSONWalk.text(UnsafeBufferPointer(rebasing: payload[fold.text])),
            let folded = FoldedJSON(text)
        else { return nil }
        let rest = PayloadPath(Array(steps[fold.step...]))
        return folded.bytes.withUnsafeBufferPointer {
            rest.value(in: $0, depth: depth - 1, body)
        }
    }
}

/// A condition on the value at a path.
package enum PayloadCheck: Hashable, Sendable {
    /// It is there; null is.
    case exists
    /// It is a string with this content, or a number, true, false or null with this source.
    case equals(PayloadScalar, isNegated: Bool)
    case compares(TaskFilter.Comparison, PayloadScalar)
    /// The expression matches it: a text as it reads, anything else that is no list or object as
    /// it is written.
    case matches(RegularExpression)

    /// Whether it holds of a payload. Without a value at the path nothing does, nor for a payload
    /// that is not JSON as far as it must be read.
    package func holds(at path: PayloadPath, in payload: [UInt8]) -> Bool {
        payload.withUnsafeBufferPointer { holds(at: path, in: $0) }
    }

    /// The same for a payload in other memory.
    func holds(at path: PayloadPath, in payload: UnsafeBufferPointer<UInt8>) -> Bool {
        path.value(in: payload) { holds($0) } ?? false
    }

    private func holds(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .exists: true
        case .equals(let scalar, let isNegated): scalar.equals(value) != isNegated
        case .compares(let comparison, let scalar): scalar.isCompared(comparison, value)
        case .matches(let expression):
            JSONWalk.text(value).map { expression.matches($0) } ?? false
        }
    }
}

/// A value as a filter writes it.
package struct PayloadScalar: Hashable, Sendable {
    package let text: String
    private let bytes: [UInt8]
    private let integer: Int64?
    let number: Double?

    /// A value of a payload, so that it equals what `equals` says; nil for a list or an object.
    fileprivate init?(of value: UnsafeBufferPointer<UInt8>) {
        switch value.first {
        case UInt8(ascii: "{"), UInt8(ascii: "["), nil: return nil
        case UInt8(ascii: "\""):
            guard value.contains(UInt8(ascii: "\\")) else {
                self.init(String(decoding: value.dropFirst().dropLast(), as: UTF8.self))
                return
            }
            guard let text = JSONWalk.text(value) else { return nil }
            self.init(text)
        default: self.init(String(decoding: value, as: UTF8.self))
        }
    }

    package init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
        let value = try? JSONValue.parse(bytes)
        integer = value?.integer
        number = value?.double
    }

    /// Whether it has the form of a number.
    package var isNumber: Bool { number != nil }

    fileprivate func equals(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        switch value.first {
        case UInt8(ascii: "\""): JSONWalk.isText(value, bytes)
        case UInt8(ascii: "{"), UInt8(ascii: "["): false
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): value.elementsEqual(bytes)
        default: isCompared(.equal, value)
        }
    }

    fileprivate func isCompared(
        _ comparison: TaskFilter.Comparison, _ value: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let number else { return false }
        if let integer, let other = JSONWalk.smallInteger(value) {
            return comparison.holds(other, integer)
        }
        guard let found = try? JSONValue.parse(Array(value)) else { return false }
        if let integer, let other = found.integer { return comparison.holds(other, integer) }
        return found.double.map { comparison.holds($0, number) } ?? false
    }
}

/// Finds one value in the bytes of a JSON text, without storing the values it passes.
struct JSONWalk {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    /// The first step into a text, and the place of that text; nil without one.
    private(set) var fold: (step: Int, text: Range<Int>)?

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The bytes of the value at the path; `nil` if missing.
    mutating func value(at path: PayloadPath) -> Range<Int>? {
        passBlanks()
        var end = bytes.count
        for (place, step) in path.steps.enumerated() {
            if next == UInt8(ascii: "\"") {
                fold = (place, index..<end)
                return nil
            }
            let found =
                switch step {
                case .key: value(of: path.keys[place])
                case .index(let number): element(number)
                }
            guard let found else { return nil }
            index = found.lowerBound
            end = found.upperBound
        }
        return index..<end
    }

    private mutating func value(of key: [UInt8]) -> Range<Int>? {
        guard consume(UInt8(ascii: "{")) else { return nil }
        var found: Range<Int>?
        passBlanks()
        if next == UInt8(ascii: "}") { return nil }
        while true {
            let start = index
            guard next == UInt8(ascii: "\""), passString() else { return nil }
            let isIt = Self.isText(UnsafeBufferPointer(rebasing: bytes[start..<index]), key)
            passBlanks()
            guard consume(UInt8(ascii: ":")) else { return nil }
            passBlanks()
            let value = index
            guard pass() else { return nil }
            if isIt { found = value..<index }
            passBlanks()
            if next == UInt8(ascii: "}") { return found }
            guard consume(UInt8(ascii: ",")) else { return nil }
            passBlanks()
        }
    }

    private mutating func element(_ place: Int) -> Range<Int>? {
        guard consume(UInt8(ascii: "[")) else { return nil }
        passBlanks()
        if next == UInt8(ascii: "]") { return nil }
        var count = 0
        while true {
            let start = index
            guard pass() else { return nil }
            if count == place { return start..<index }
            count += 1
            passBlanks()
            guard consume(UInt8(ascii: ",")) else { return nil }
            passBlanks()
        }
    }

    /// Passes over one value.
    private mutating func pass() -> Bool {
        switch next {
        case nil: return false
        case UInt8(ascii: "\""): return passString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): return passNested()
        default:
            let start = index
            while let next, !Self.endsWord(next) { index += 1 }
            return index > start
        }
    }

    private mutating func passNested() -> Bool {
        var depth = 0
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                guard passString() else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { return true }
        }
        return false
    }

    private mutating func passString() -> Bool {
        index += 1
        while let byte = next {
            index += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return true }
        }
        return false
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]")
            || byte == UInt8(ascii: "}") || byte == UInt8(ascii: ":")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 32 || byte == 10 || byte == 13 || byte == 9
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func passBlanks() {
        while let next, Self.isBlank(next) { index += 1 }
    }

    /// Whether a string in its quotes reads so.
    static func isText(_ string: UnsafeBufferPointer<UInt8>, _ wanted: [UInt8]) -> Bool {
        guard string.contains(UInt8(ascii: "\\")) else {
            return string.count == wanted.count + 2
                && string.dropFirst().dropLast().elementsEqual(wanted)
        }
        return (try? JSONValue.parse(Array(string)))?.string.map { Array($0.utf8) == wanted }
            ?? false
    }

    /// A whole number of a few digits, which most are.
    static func smallInteger(_ value: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard (1...15).contains(value.count), value[0] != UInt8(ascii: "0") || value.count == 1
        else { return nil }
        var number: Int64 = 0
        for byte in value {
            guard JSONParser.isDigit(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return number
    }

    /// The text of a value that is not a list or an object.
    static func text(_ value: UnsafeBufferPointer<UInt8>) -> String? {
        switch value.first {
        case UInt8(ascii: "\""): (try? JSONValue.parse(Array(value)))?.string
        case UInt8(ascii: "{"), UInt8(ascii: "["), nil: nil
        default: String(decoding: value, as: UTF8.self)
        }
    }
}

import SluiceModel

/// Decodes a pickle (protocols 0 to 5) as data: names and calls stay text. Size, steps and memory
/// are limited; unknown input gives `nil`.
///
/// Values refer to each other by array index, so depth and cycles cost no more than their steps.
/// `PickleTree` builds the bounded tree.
struct PickleReader {
    private static let sizeLimit = 16 << 20
    private static let stepLimit = 2_000_000
    /// The longest whole number in bytes; Python itself prints no longer ones.
    private static let integerLimitBytes = 4096
    /// The place of a mark, which is no value.
    private static let mark = -1

    private let bytes: [UInt8]
    private var place = 0
    private var nodes: [PickleNode] = []
    private var stack: [Int] = []
    private var memo: [Int: Int] = [:]
    /// Whether an opcode could not be decoded.
    private var isBroken = false

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func value(_ bytes: [UInt8]) -> PickleValue? {
        guard bytes.count <= sizeLimit, !bytes.isEmpty else { return nil }
        var reader = PickleReader(bytes)
        for _ in 0..<stepLimit {
            guard let code = reader.byte() else { return nil }
            if code == UInt8(ascii: ".") {
                return reader.top.map { PickleTree.value(of: reader.nodes, root: $0) }
            }
            guard reader.step(code), !reader.isBroken else { return nil }
        }
        return nil
    }

    private mutating func byte() -> UInt8? {
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        return bytes[place]
    }

    private mutating func consume(_ count: Int) -> [UInt8] {
        guard count >= 0, count <= bytes.count - place else {
            isBroken = true
            return []
        }
        defer { place += count }
        return Array(bytes[place..<place + count])
    }

    /// A number of `count` bytes, the smallest first.
    private mutating func number(_ count: Int) -> Int {
        let value = consume(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard value <= UInt64(Int.max) else {
            isBroken = true
            return 0
        }
        return Int(value)
    }

    private mutating func line() -> String {
        guard let end = bytes[min(place, bytes.count)...].firstIndex(of: 10) else {
            isBroken = true
            return ""
        }
        defer { place = end + 1 }
        return String(decoding: bytes[place..<end], as: UTF8.self)
    }

    private mutating func push(_ node: PickleNode) -> Bool {
        stack.append(nodes.count)
        nodes.append(node)
        return true
    }

    /// The value at the top of the stack; nil where a mark or nothing is there.
    private var top: Int? { stack.last.flatMap { $0 == Self.mark ? nil : $0 } }

    private mutating func pop() -> Int {
        if let value = top {
            stack.removeLast()
            return value
        }
        isBroken = true
        nodes.append(.none)
        return nodes.count - 1
    }

    /// Removes and returns the values after the last mark, and removes the mark.
    private mutating func popToMark() -> [Int] {
        guard let place = stack.lastIndex(of: Self.mark) else {
            isBroken = true
            return []
        }
        defer { stack.removeSubrange(place...) }
        return Array(stack[(place + 1)...])
    }

    private mutating func text(_ count: Int) -> Bool {
        push(.text(String(decoding: consume(count), as: UTF8.self)))
    }

    /// One code; false for one that is not known.
    private mutating func step(_ code: UInt8) -> Bool {
        switch code {
        case 0x80: _ = consume(1)
        case 0x95: _ = consume(8)
        case UInt8(ascii: "("):
            stack.append(Self.mark)
            return true
        case UInt8(ascii: "0"): _ = pop()
        case UInt8(ascii: "1"): _ = popToMark()
        case UInt8(ascii: "2"):
            guard let last = top else { return false }
            stack.append(last)
        case 0x94: return remember(memo.count)
        case UInt8(ascii: "q"): return remember(number(1))
        case UInt8(ascii: "r"): return remember(number(4))
        case UInt8(ascii: "p"): return remember(Int(line()) ?? -1)
        case UInt8(ascii: "h"): return recall(number(1))
        case UInt8(ascii: "j"): return recall(number(4))
        case UInt8(ascii: "g"): return recall(Int(line()) ?? -1)
        default: return plain(code) ?? textual(code) ?? container(code) ?? object(code) ?? false
        }
        return true
    }

    private mutating func remember(_ index: Int) -> Bool {
        guard let last = top else { return false }
        memo[index] = last
        return true
    }

    private mutating func recall(_ index: Int) -> Bool {
        guard let value = memo[index] else { return false }
        stack.append(value)
        return true
    }

    private mutating func plain(_ code: UInt8) -> Bool? {
        switch code {
        case UInt8(ascii: "N"): return push(.none)
        case 0x88: return push(.bool(true))
        case 0x89: return push(.bool(false))
        case UInt8(ascii: "K"): return push(.integer(Int64(number(1))))
        case UInt8(ascii: "M"): return push(.integer(Int64(number(2))))
        case UInt8(ascii: "J"):
            return push(.integer(Int64(Int32(truncatingIfNeeded: number(4)))))
        case 0x8A: return long(number(1))
        case 0x8B: return long(number(4))
        case UInt8(ascii: "I"):
            let text = line()
            if text == "00" || text == "01" { return push(.bool(text == "01")) }
            return Int64(text).map { push(.integer($0)) } ?? false
        case UInt8(ascii: "L"):
            let text = line()
            let digits = text.hasSuffix("L") ? String(text.dropLast()) : text
            guard digits.utf8.count <= Self.integerLimitBytes else { return false }
            return push(Int64(digits).map { .integer($0) } ?? .largeInteger(digits))
        case UInt8(ascii: "F"): return Double(line()).map { push(.number($0)) } ?? false
        case UInt8(ascii: "G"):
            let pattern = consume(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return push(.number(Double(bitPattern: pattern)))
        default: return nil
        }
    }

    private mutating func long(_ count: Int) -> Bool {
        guard count <= Self.integerLimitBytes else { return false }
        let digits = consume(count)
        guard count > 8 else {
            let isNegative = (digits.last ?? 0) & 0x80 != 0
            let start = isNegative ? UInt64.max : 0
            let value = digits.reversed().reduce(start) { $0 << 8 | UInt64($1) }
            return push(.integer(Int64(bitPattern: value)))
        }
        let text = digits.reversed().map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return push(.largeInteger(text.joined()))
    }

    private mutating func textual(_ code: UInt8) -> Bool? {
        switch code {
        case UInt8(ascii: "X"): return text(number(4))
        case 0x8C: return text(number(1))
        case 0x8D: return text(number(8))
        case UInt8(ascii: "V"): return push(.text(line()))
        case UInt8(ascii: "S"):
            let quoted = line()
            return push(.text(String(quoted.dropFirst().dropLast())))
        case UInt8(ascii: "U"): return push(.bytes(consume(number(1))))
        case UInt8(ascii: "T"): return push(.bytes(consume(number(4))))
        case UInt8(ascii: "C"): return push(.bytes(consume(number(1))))
        case UInt8(ascii: "B"): return push(.bytes(consume(number(4))))
        case 0x8E, 0x96: return push(.bytes(consume(number(8))))
        default: return nil
        }
    }

    private mutating func container(_ code: UInt8) -> Bool? {
        switch code {
        case UInt8(ascii: "]"): return push(.list([]))
        case UInt8(ascii: "}"): return push(.dictionary([]))
        case UInt8(ascii: ")"): return push(.tuple([]))
        case 0x8F: return push(.set([]))
        case UInt8(ascii: "l"): return push(.list(popToMark()))
        case UInt8(ascii: "t"): return push(.tuple(popToMark()))
        case UInt8(ascii: "d"): return push(.dictionary(Self.paired(popToMark())))
        case 0x91: return push(.set(popToMark()))
        case 0x85, 0x86, 0x87:
            let count = Int(code) - 0x84
            let elements = Array(stack.suffix(count))
            guard elements.count == count, !elements.contains(Self.mark) else { return false }
            stack.removeLast(count)
            return push(.tuple(elements))
        case UInt8(ascii: "a"):
            let element = pop()
            return grow([element])
        case UInt8(ascii: "e"), 0x90:
            let elements = popToMark()
            return grow(elements)
        case UInt8(ascii: "s"):
            let value = pop()
            let key = pop()
            return fill([key, value])
        case UInt8(ascii: "u"):
            let elements = popToMark()
            return fill(elements)
        default: return nil
        }
    }

    private static func paired(_ all: [Int]) -> [(Int, Int)] {
        stride(from: 0, to: all.count - 1, by: 2).map { (all[$0], all[$0 + 1]) }
    }

    /// Adds to the list or set at the top, in place: a copy for each element would be quadratic.
    private mutating func grow(_ elements: [Int]) -> Bool {
        guard let last = top else { return false }
        switch nodes[last] {
        case .list(var all):
            nodes[last] = .none
            all += elements
            nodes[last] = .list(all)
        case .set(var all):
            nodes[last] = .none
            all += elements
            nodes[last] = .set(all)
        // An object that takes elements one by one: they are left out of its text.
        case .call: break
        default: return false
        }
        return true
    }

    private mutating func fill(_ elements: [Int]) -> Bool {
        guard let last = top else { return false }
        switch nodes[last] {
        case .dictionary(var all):
            nodes[last] = .none
            all += Self.paired(elements)
            nodes[last] = .dictionary(all)
        case .call: break
        default: return false
        }
        return true
    }

    /// The place of a value that is on no stack.
    private mutating func made(_ node: PickleNode) -> Int {
        nodes.append(node)
        return nodes.count - 1
    }

    /// Decodes opcodes that a real unpickler would use to import or call.
    private mutating func object(_ code: UInt8) -> Bool? {
        switch code {
        case UInt8(ascii: "c"):
            let module = line()
            return push(.global("\(module).\(line())"))
        case 0x93:
            let name = pop()
            guard case .text(let module) = nodes[pop()], case .text(let word) = nodes[name]
            else { return false }
            return push(.global("\(module).\(word)"))
        case UInt8(ascii: "R"), 0x81:
            let arguments = pop()
            return push(.call(pop(), arguments: arguments, state: nil))
        case 0x92:
            _ = pop()
            let arguments = pop()
            return push(.call(pop(), arguments: arguments, state: nil))
        case UInt8(ascii: "b"):
            let state = pop()
            guard let last = top else { return false }
            if case .call(let callable, let arguments, _) = nodes[last] {
                nodes[last] = .call(callable, arguments: arguments, state: state)
            }
            return true
        case UInt8(ascii: "o"):
            let all = popToMark()
            guard let first = all.first else { return false }
            let arguments = made(.tuple(Array(all.dropFirst())))
            return push(.call(first, arguments: arguments, state: nil))
        case UInt8(ascii: "i"):
            let module = line()
            let name = made(.global("\(module).\(line())"))
            let arguments = made(.tuple(popToMark()))
            return push(.call(name, arguments: arguments, state: nil))
        case UInt8(ascii: "P"): return push(.global("persistent.\(line())"))
        case UInt8(ascii: "Q"):
            _ = pop()
            return push(.global("persistent"))
        default: return nil
        }
    }
}

/// A value of a pickle as its reader keeps it: its parts are named by their places.
enum PickleNode {
    case none
    case bool(Bool)
    case integer(Int64)
    case largeInteger(String)
    case number(Double)
    case text(String)
    case bytes([UInt8])
    case list([Int])
    case tuple([Int])
    case set([Int])
    case dictionary([(Int, Int)])
    case global(String)
    case call(Int, arguments: Int, state: Int?)
}

/// The tree of a pickle's values from its root, cut at a depth, a count and a size. A value that
/// several others hold comes again in each, and a circle ends at the depth.
struct PickleTree {
    private static let depthLimit = 64
    private static let countLimit = 20_000
    private static let sizeLimit = 16 << 20

    private let nodes: [PickleNode]
    private var countLeft = countLimit
    private var sizeLeft = sizeLimit

    private init(_ nodes: [PickleNode]) { self.nodes = nodes }

    /// The tree of the value at `root`.
    static func value(of nodes: [PickleNode], root: Int) -> PickleValue {
        var tree = PickleTree(nodes)
        return tree.value(root, depth: 0)
    }

    private mutating func value(_ place: Int, depth: Int) -> PickleValue {
        countLeft -= 1
        guard depth < Self.depthLimit, countLeft > 0 else { return PickleValue(.cut) }
        let below = depth + 1
        switch nodes[place] {
        case .none: return PickleValue(.none)
        case .bool(let bool): return PickleValue(.bool(bool))
        case .integer(let integer): return PickleValue(.integer(integer))
        case .number(let number): return PickleValue(.number(number))
        case .largeInteger(let digits): return sized(.largeInteger(digits), digits.utf8.count)
        case .text(let text): return sized(.text(text), text.utf8.count)
        case .bytes(let bytes): return sized(.bytes(bytes), bytes.count)
        case .global(let name): return sized(.global(name), name.utf8.count)
        case .list(let all): return PickleValue(.list(values(all, below)))
        case .tuple(let all): return PickleValue(.tuple(values(all, below)))
        case .set(let all): return PickleValue(.set(values(all, below)))
        case .dictionary(let pairs): return PickleValue(.dictionary(self.pairs(pairs, below)))
        case .call(let callable, let arguments, let state):
            let parts = (value(callable, depth: below), value(arguments, depth: below))
            return PickleValue(
                .call(parts.0, arguments: parts.1, state: state.map { value($0, depth: below) }))
        }
    }

    private mutating func sized(_ kind: PickleValue.Kind, _ size: Int) -> PickleValue {
        guard size <= sizeLeft else { return PickleValue(.cut) }
        sizeLeft -= size
        return PickleValue(kind)
    }

    /// The elements up to the count, and one that is cut if there are more.
    private mutating func values(_ places: [Int], _ depth: Int) -> [PickleValue] {
        var found: [PickleValue] = []
        for place in places {
            found.append(value(place, depth: depth))
            if countLeft <= 0 { break }
        }
        return found
    }

    private mutating func pairs(
        _ places: [(Int, Int)], _ depth: Int
    ) -> [(PickleValue, PickleValue)] {
        var found: [(PickleValue, PickleValue)] = []
        for (key, value) in places {
            let name = self.value(key, depth: depth)
            found.append((name, self.value(value, depth: depth)))
            if countLeft <= 0 { break }
        }
        return found
    }
}

/// A dictionary in key order whose copies share unchanged nodes: a B-tree of small nodes. A change
/// copies the shared nodes on the path to its key, so its cost is logarithmic.
struct OrderedMap<Key: Comparable, Value> {
    /// The keys that are not before the first and before the second; nil is without an end.
    struct Span {
        var after: Key?
        var before: Key?
    }

    private var root = Node()

    subscript(key: Key) -> Value? {
        get { root.value(of: key) }
        set {
            guard let newValue else { return remove(key) }
            guard let sibling = root.insert(newValue, at: key) else { return }
            root = Node(children: [root, sibling])
        }
    }

    var isEmpty: Bool { root.keys.isEmpty }

    /// The smallest key and the largest.
    var bounds: ClosedRange<Key>? {
        guard let first = root.first, let last = root.last else { return nil }
        return first...last
    }

    /// All values in the order of their keys.
    var values: [Value] {
        var values: [Value] = []
        visit { _, value in
            values.append(value)
            return true
        }
        return values
    }

    /// Calls `wantsMore` with the entries of a span, in order or backwards, until it returns false.
    func visit(
        _ span: Span = Span(), isBackwards: Bool = false, _ wantsMore: (Key, Value) -> Bool
    ) {
        _ = root.visit(span, isBackwards: isBackwards, wantsMore)
    }

    private mutating func remove(_ key: Key) {
        root.remove(key)
        while root.children.count == 1 { root = root.children[0] }
    }

    /// A leaf, which has values, or a branch, which has children. None but the root is empty.
    fileprivate struct Node {
        /// How many keys a node has at most.
        private static var width: Int { 32 }
        /// In a leaf, the keys of its values. In a branch, one lower bound per child: not after the
        /// child's first key, and after the last key of the previous child.
        var keys: [Key] = []
        var values: [Value] = []
        var children: [Node] = []

        init() {}

        init(children: [Node]) {
            keys = children.map { $0.keys[0] }
            self.children = children
        }

        var first: Key? { children.isEmpty ? keys.first : children[0].first }
        var last: Key? { children.isEmpty ? keys.last : children[children.count - 1].last }

        func value(of key: Key) -> Value? {
            guard children.isEmpty else { return children[child(of: key)].value(of: key) }
            let index = index(of: key)
            return index < keys.count && keys[index] == key ? values[index] : nil
        }

        /// Gives the half that is split off when the node has become too wide.
        mutating func insert(_ value: Value, at key: Key) -> Node? {
            guard !children.isEmpty else { return insertInLeaf(value, at: key) }
            let index = child(of: key)
            if key < keys[index] { keys[index] = key }
            guard let sibling = children[index].insert(value, at: key) else { return nil }
            keys.insert(sibling.keys[0], at: index + 1)
            children.insert(sibling, at: index + 1)
            return splitOff()
        }

        private mutating func insertInLeaf(_ value: Value, at key: Key) -> Node? {
            let index = index(of: key)
            if index < keys.count, keys[index] == key {
                values[index] = value
                return nil
            }
            keys.insert(key, at: index)
            values.insert(value, at: index)
            return splitOff()
        }

        private mutating func splitOff() -> Node? {
            guard keys.count > Self.width else { return nil }
            let half = keys.count / 2
            var sibling = Node()
            sibling.keys = Array(keys[half...])
            keys.removeSubrange(half...)
            if children.isEmpty {
                sibling.values = Array(values[half...])
                values.removeSubrange(half...)
            } else {
                sibling.children = Array(children[half...])
                children.removeSubrange(half...)
            }
            return sibling
        }

        mutating func remove(_ key: Key) {
            guard children.isEmpty else {
                let index = child(of: key)
                children[index].remove(key)
                guard children[index].keys.isEmpty else { return }
                children.remove(at: index)
                keys.remove(at: index)
                return
            }
            let index = index(of: key)
            guard index < keys.count, keys[index] == key else { return }
            keys.remove(at: index)
            values.remove(at: index)
        }

        /// Returns whether the caller wants more.
        func visit(
            _ span: Span, isBackwards: Bool, _ wantsMore: (Key, Value) -> Bool
        ) -> Bool {
            let isLeaf = children.isEmpty
            let first = span.after.map { isLeaf ? index(of: $0) : child(of: $0) } ?? 0
            let end = span.before.map(index) ?? keys.count
            for step in 0..<max(0, end - first) {
                let index = isBackwards ? end - 1 - step : first + step
                let more =
                    isLeaf
                    ? wantsMore(keys[index], values[index])
                    : children[index].visit(span, isBackwards: isBackwards, wantsMore)
                guard more else { return false }
            }
            return true
        }

        /// The index of the only child that may contain a key.
        private func child(of key: Key) -> Int {
            let index = index(of: key)
            return index < keys.count && keys[index] == key ? index : max(0, index - 1)
        }

        /// The first index whose key is not before another.
        private func index(of key: Key) -> Int {
            var (low, high) = (0, keys.count)
            while low < high {
                let middle = (low + high) / 2
                if keys[middle] < key { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}

extension OrderedMap: Sendable where Key: Sendable, Value: Sendable {}
extension OrderedMap.Node: Sendable where Key: Sendable, Value: Sendable {}

extension OrderedMap where Key == Int64 {
    /// Calls `wantsMore` with the values of a range of numbers, in order or backwards, until it
    /// returns false.
    func visit(
        _ numbers: ClosedRange<Int64>, isBackwards: Bool, _ wantsMore: (Value) -> Bool
    ) {
        let end = numbers.upperBound == .max ? nil : numbers.upperBound + 1
        visit(Span(after: numbers.lowerBound, before: end), isBackwards: isBackwards) {
            wantsMore($1)
        }
    }
}

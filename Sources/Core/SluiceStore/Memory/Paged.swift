/// A dictionary in pages: a change of a copy copies the page of its key and the table of pages, and
/// not all that there is.
struct Paged<Key: PageKey, Value> {
    private var pages: [Int: [Key: Value]] = [:]

    subscript(key: Key) -> Value? {
        get { pages[key.page]?[key] }
        _modify {
            let page = key.page
            defer { if pages[page]?.isEmpty == true { pages[page] = nil } }
            yield &pages[page, default: [:]][key]
        }
    }

    subscript(key: Key, default none: @autoclosure () -> Value) -> Value {
        get { self[key] ?? none() }
        _modify { yield &pages[key.page, default: [:]][key, default: none()] }
    }

    /// All values, in no order.
    var values: some Sequence<Value> { pages.values.lazy.flatMap(\.values) }
}

extension Paged: Sendable where Key: Sendable, Value: Sendable {}

/// A key that says in which page it lies.
protocol PageKey: Hashable {
    var page: Int { get }
}

/// Numbers of one page follow each other, so that pages are in the order of their numbers.
extension Int64: PageKey {
    var page: Int { Int(self >> 7) }
}

extension String: PageKey {
    var page: Int { hashValue & 511 }
}

extension Paged where Key == Int64 {
    /// The smallest number and the largest.
    var bounds: ClosedRange<Int64>? {
        guard let first = pages.keys.min().flatMap({ pages[$0]?.keys.min() }),
            let last = pages.keys.max().flatMap({ pages[$0]?.keys.max() })
        else { return nil }
        return first...last
    }

    /// Tells the values of numbers from one to another in their order, or against it, as long as
    /// more are wanted.
    func visit(
        _ numbers: ClosedRange<Int64>, isBackwards: Bool, _ wantsMore: (Value) -> Bool
    ) {
        func inOrder<Number: Comparable>(_ numbers: [Number]) -> [Number] {
            isBackwards ? numbers.sorted(by: >) : numbers.sorted()
        }
        let wanted = numbers.lowerBound.page...numbers.upperBound.page
        for page in inOrder(pages.keys.filter(wanted.contains)) {
            guard let values = pages[page] else { continue }
            for number in inOrder(values.keys.filter(numbers.contains)) {
                if let value = values[number], !wantsMore(value) { return }
            }
        }
    }
}

/// A dictionary in 512 pages by the hash of its keys: a change of a copy copies the page of its key
/// and the table of pages, and not all that there is.
struct Paged<Key: Hashable, Value> {
    private var pages: [Int: [Key: Value]] = [:]

    subscript(key: Key) -> Value? {
        get { pages[Self.page(of: key)]?[key] }
        _modify {
            let page = Self.page(of: key)
            defer { if pages[page]?.isEmpty == true { pages[page] = nil } }
            yield &pages[page, default: [:]][key]
        }
    }

    subscript(key: Key, default none: @autoclosure () -> Value) -> Value {
        get { self[key] ?? none() }
        _modify { yield &pages[Self.page(of: key), default: [:]][key, default: none()] }
    }

    private static func page(of key: Key) -> Int { key.hashValue & 511 }
}

extension Paged: Sendable where Key: Sendable, Value: Sendable {}

/// The pairs of a JSON object in their order.
///
/// Keys are the same when their UTF-8 bytes are. Of a key that comes twice the last value wins, at
/// the place of the first.
package struct JSONObject: Sendable {
    /// A key with its value.
    package struct Pair: Hashable, Sendable {
        package let key: String
        package var value: JSONValue
    }

    /// The pairs in their order.
    package private(set) var pairs: [Pair] = []
    /// The index of each key, only for objects too large for a linear search.
    private var places: [[UInt8]: Int] = [:]

    private static let searchedOneByOne = 64

    /// An object without keys.
    package init() {}

    package init(_ pairs: some Sequence<(String, JSONValue)>) {
        for (key, value) in pairs { self[key] = value }
    }

    /// The keys in their order.
    package var keys: [String] { pairs.map(\.key) }

    package var count: Int { pairs.count }

    package var isEmpty: Bool { pairs.isEmpty }

    /// The value of a key, or `nil`. Appends a new key, and `nil` removes the key (set `.null` for
    /// a null).
    package subscript(key: String) -> JSONValue? {
        get { place(of: key).map { pairs[$0].value } }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?): pairs[place].value = value
            case (let place?, nil):
                pairs.remove(at: place)
                index()
            case (nil, let value?): append(Pair(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    private func place(of key: String) -> Int? {
        if pairs.count > Self.searchedOneByOne { return places[Array(key.utf8)] }
        var wanted = key
        return wanted.withUTF8 { wanted in
            // Compare lengths first, because most keys differ in length.
            pairs.firstIndex { $0.key.utf8.count == wanted.count && $0.key.isSpelled(wanted) }
        }
    }

    private mutating func append(_ pair: Pair) {
        pairs.append(pair)
        if pairs.count == Self.searchedOneByOne + 1 {
            index()
        } else if pairs.count > Self.searchedOneByOne {
            places[Array(pair.key.utf8)] = pairs.count - 1
        }
    }

    private mutating func index() {
        places = [:]
        guard pairs.count > Self.searchedOneByOne else { return }
        for (place, pair) in pairs.enumerated() { places[Array(pair.key.utf8)] = place }
    }
}

extension String {
    /// Whether its UTF-8 bytes are these.
    fileprivate func isSpelled(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.elementsEqual(bytes) }
            ?? utf8.elementsEqual(bytes)
    }
}

extension JSONObject: Hashable {
    /// Equal with the same pairs in the same order.
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.pairs == right.pairs
    }

    /// Takes in the pairs in their order.
    package func hash(into hasher: inout Hasher) { hasher.combine(pairs) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object of pairs; the last of equal keys wins.
    package init(dictionaryLiteral pairs: (String, JSONValue)...) { self.init(pairs) }
}

import SluiceModel

/// A row of the index of a store in memory: the places of some tasks in their order.
typealias IndexRow = OrderedMap<IndexPlace, Void>

/// The sort position of a task in an index row: by a key, then by its number. Two integers hold the
/// first sixteen bytes of the key, which compare faster than bytes.
struct IndexPlace: Comparable, Sendable {
    let id: TaskID
    private let high: UInt64
    private let low: UInt64
    private let count: Int
    private let rest: [UInt8]

    init(_ key: OrderKey, _ id: TaskID) {
        self.id = id
        high = Self.number(key.bytes, 0)
        low = Self.number(key.bytes, 8)
        count = key.bytes.count
        rest = count > 16 ? Array(key.bytes[16...]) : []
    }

    /// A position by a number, then by the task's number.
    init(_ number: Int64, _ id: TaskID) {
        self.id = id
        high = UInt64(bitPattern: number) ^ (1 << 63)
        low = UInt64(bitPattern: id) ^ (1 << 63)
        count = 16
        rest = []
    }

    static func < (left: IndexPlace, right: IndexPlace) -> Bool {
        if left.high != right.high { return left.high < right.high }
        if left.low != right.low { return left.low < right.low }
        if left.rest != right.rest { return left.rest.lexicographicallyPrecedes(right.rest) }
        if left.count != right.count { return left.count < right.count }
        return left.id < right.id
    }

    static func == (left: IndexPlace, right: IndexPlace) -> Bool {
        left.id == right.id && left.high == right.high && left.low == right.low
            && left.count == right.count && left.rest == right.rest
    }

    /// Eight bytes from an index on as a big-endian number; missing bytes count as 0.
    private static func number(_ bytes: [UInt8], _ first: Int) -> UInt64 {
        guard bytes.count < first + 8 else {
            return bytes.withUnsafeBytes {
                UInt64(
                    bigEndian: $0.loadUnaligned(fromByteOffset: first, as: UInt64.self))
            }
        }
        guard bytes.count > first else { return 0 }
        var number: UInt64 = 0
        for index in first..<(first + 8) {
            number = number << 8 | UInt64(index < bytes.count ? bytes[index] : 0)
        }
        return number
    }
}

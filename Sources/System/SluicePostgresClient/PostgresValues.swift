import SluiceCPostgres

/// The values of one statement, in order: texts, numbers as texts, and bytes.
package struct PostgresValues: Sendable {
    private struct Place {
        var start: Int
        var count: Int
        var isNull = false
        var isBinary = false
    }

    private var bytes: [CChar] = []
    private var places: [Place] = []

    /// None yet.
    package init() {}

    /// How many there are.
    package var count: Int { places.count }

    /// Takes all values away, and keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    /// Adds a text, which must not contain the character zero: PostgreSQL has none.
    package mutating func add(_ text: String) {
        let start = bytes.count
        for byte in text.utf8 { bytes.append(CChar(bitPattern: byte)) }
        places.append(Place(start: start, count: bytes.count - start))
        bytes.append(0)
    }

    package mutating func add(_ number: Int64) { add(String(number)) }

    package mutating func add(_ number: Double) { add(number.description) }

    /// Adds bytes.
    package mutating func add(_ data: [UInt8]) {
        let start = bytes.count
        data.withUnsafeBytes { bytes.append(contentsOf: $0.bindMemory(to: CChar.self)) }
        places.append(Place(start: start, count: data.count, isBinary: true))
        bytes.append(0)
    }

    package mutating func addNull() { places.append(Place(start: 0, count: 0, isNull: true)) }

    /// The values as the C side takes them.
    func withPointers<Result>(_ body: (UnsafePointer<cpq_value>?) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { buffer in
            let values = places.map { place in
                cpq_value(
                    bytes: place.isNull ? nil : buffer.baseAddress.map { $0 + place.start },
                    count: Int32(truncatingIfNeeded: place.count),
                    is_binary: place.isBinary ? 1 : 0)
            }
            return values.withUnsafeBufferPointer { body($0.baseAddress) }
        }
    }
}

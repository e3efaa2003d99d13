import SluiceC

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

/// One-dimensional arrays, in the server's binary format.
extension PostgresValues {
    /// Adds an array of BIGINT.
    package mutating func add(integers: [Int64?]) {
        addArray(of: 20, integers) { number, bytes in
            append(UInt64(bitPattern: number), to: &bytes)
        }
    }

    /// Adds an array of DOUBLE PRECISION.
    package mutating func add(doubles: [Double?]) {
        addArray(of: 701, doubles) { number, bytes in append(number.bitPattern, to: &bytes) }
    }

    /// Adds an array of TEXT; none of them may contain the character zero.
    package mutating func add(texts: [String?]) {
        addArray(of: 25, texts) { text, bytes in bytes.append(contentsOf: text.utf8) }
    }

    /// Adds an array of BYTEA.
    package mutating func add(blobs: [[UInt8]?]) {
        addArray(of: 17, blobs) { blob, bytes in bytes.append(contentsOf: blob) }
    }

    /// `type` is the number of the elements' type in every server's catalogue.
    private mutating func addArray<Element>(
        of type: UInt32, _ elements: [Element?], _ encode: (Element, inout [UInt8]) -> Void
    ) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + elements.count * 12)
        // Dimensions, whether there are NULLs, the type, how many, and the first index.
        let hasNulls: UInt32 = elements.contains { $0 == nil } ? 1 : 0
        for word in [1, hasNulls, type, UInt32(truncatingIfNeeded: elements.count), 1] {
            append(word, to: &bytes)
        }
        for element in elements {
            let start = bytes.count
            append(UInt32.max, to: &bytes)
            guard let element else { continue }
            encode(element, &bytes)
            let count = UInt32(truncatingIfNeeded: bytes.count - start - 4)
            for place in 0..<4 {
                bytes[start + place] = UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32(place)))
            }
        }
        add(bytes)
    }
}

private func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
}

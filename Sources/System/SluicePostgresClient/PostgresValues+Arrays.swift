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

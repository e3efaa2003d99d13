import SluiceC

/// The rows of an answer, their values in binary as the server holds them.
package final class PostgresRows {
    private let result: OpaquePointer
    package let count: Int

    /// Takes over an answer of libpq's.
    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(cpq_row_count(result))
    }

    deinit { cpq_result_free(result) }

    package func isNull(_ row: Int, _ column: Int32) -> Bool {
        cpq_is_null(result, Int32(row), column) != 0
    }

    private func buffer(_ row: Int, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: cpq_bytes(result, Int32(row), column),
            count: Int(cpq_length(result, Int32(row), column)))
    }

    /// An integer or Boolean of any width; 0 for NULL.
    package func integer(_ row: Int, _ column: Int32) -> Int64 {
        let bytes = buffer(row, column)
        guard let first = bytes.first else { return 0 }
        // Most significant byte first, in two's complement.
        var number = first & 0x80 == 0 ? UInt64(0) : UInt64.max
        if bytes.count == 1 { number = 0 }
        for byte in bytes { number = number << 8 | UInt64(byte) }
        return Int64(bitPattern: number)
    }

    /// A number of double precision; 0 for NULL.
    package func double(_ row: Int, _ column: Int32) -> Double {
        Double(bitPattern: UInt64(bitPattern: integer(row, column)))
    }

    /// A text; empty for NULL.
    package func text(_ row: Int, _ column: Int32) -> String {
        String(decoding: buffer(row, column), as: UTF8.self)
    }

    /// The bytes of a value; none for NULL.
    package func bytes(_ row: Int, _ column: Int32) -> [UInt8] { Array(buffer(row, column)) }
}

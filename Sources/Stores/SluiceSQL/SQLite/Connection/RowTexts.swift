import SluiceCSQLite
import SluiceModel

/// The texts of a row that people read, apart from its payload, in SQLite's memory.
struct RowTexts {
    private let values: UnsafeMutablePointer<OpaquePointer?>?
    private let count: Int

    /// Decides about rows by a `RowCondition`.
    static let isWanted: csq_is_wanted = { context, payload, size, values, count in
        guard let condition = context?.assumingMemoryBound(to: RowCondition.self) else { return 0 }
        let bytes = UnsafeBufferPointer(
            start: payload?.assumingMemoryBound(to: UInt8.self), count: payload == nil ? 0 : size)
        let texts = RowTexts(values: values, count: Int(count))
        return condition.pointee.holds(bytes) { texts.mayHold($0) } ? 1 : 0
    }

    /// Whether one of the texts contains these letters, or the JSON in the last one, `detail`, may
    /// contain them.
    private func mayHold(_ letters: FoldedLetters) -> Bool {
        for place in 0..<count {
            guard let value = values?[place], let start = sqlite3_value_text(value) else {
                continue
            }
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
            if letters.stand(in: bytes) { return true }
            guard place == count - 1 else { continue }
            // Escapes and bytes that are no text need a decoded task to decide.
            if bytes.contains(UInt8(ascii: "\\")) || Self.clientBytes.stand(in: bytes) {
                return true
            }
        }
        return false
    }

    private static let clientBytes = FoldedLetters("clientBytes")
}

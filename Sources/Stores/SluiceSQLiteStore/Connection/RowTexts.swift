import SluiceCSQLite
import SluiceModel

/// What a person reads of a row beside its payload, where it lies in SQLite's hands.
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

    /// Whether letters stand in one of them, or may stand in what the last one, `detail`, holds as
    /// JSON.
    private func mayHold(_ letters: FoldedLetters) -> Bool {
        for place in 0..<count {
            guard let value = values?[place], let start = sqlite3_value_text(value) else {
                continue
            }
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
            if letters.stand(in: bytes) { return true }
            guard place == count - 1 else { continue }
            // What is escaped, or no text, is looked at by whoever makes a task of the row.
            if bytes.contains(UInt8(ascii: "\\")) || Self.clientBytes.stand(in: bytes) {
                return true
            }
        }
        return false
    }

    private static let clientBytes = FoldedLetters("clientBytes")
}

import SluiceModel

/// A Python `datetime` without a time zone in a pickle, interpreted as UTC.
enum PickleMoment {
    /// The ten bytes of a `datetime` without a zone; nil for another value.
    static func bytes(_ value: PickleValue) -> [UInt8]? {
        guard case .call(let callable, let arguments, nil) = value.kind,
            case .global(let name) = callable.kind, name == "datetime.datetime",
            case .tuple(let parts) = arguments.kind, parts.count == 1,
            case .bytes(let bytes) = parts[0].kind, bytes.count == 10
        else { return nil }
        return bytes
    }

    /// The ten bytes of a moment.
    static func bytes(of moment: Timestamp) -> [UInt8] {
        let digits = TimeText.rfc3339(moment).split { !$0.isNumber }.compactMap { Int($0) }
        let micros = digits.count > 6 ? digits[6] * 1000 : 0
        return [
            digits[0] >> 8, digits[0] & 0xff, digits[1], digits[2], digits[3], digits[4],
            digits[5], micros >> 16, micros >> 8 & 0xff, micros & 0xff,
        ].map { UInt8(truncatingIfNeeded: $0) }
    }

    /// The timestamp; `nil` if the value is not a `datetime`.
    static func moment(_ value: PickleValue) -> Timestamp? {
        guard case .call(let callable, let arguments, _) = value.kind,
            case .global(let name) = callable.kind, name == "datetime.datetime",
            case .tuple(let parts) = arguments.kind, let first = parts.first,
            case .bytes(let bytes) = first.kind, bytes.count == 10
        else { return nil }
        // The highest bit of the month says which of two equal times of a day is meant.
        let month = Int(bytes[2] & 0x7f)
        let text = [
            (Int(bytes[0]) << 8 + Int(bytes[1]), 4), (month, 2), (Int(bytes[3]), 2),
            (Int(bytes[4]), 2), (Int(bytes[5]), 2), (Int(bytes[6]), 2),
        ].map { number, width in
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        let micros = Int64(bytes[7]) << 16 + Int64(bytes[8]) << 8 + Int64(bytes[9])
        return TimeText.rfc3339(
            "\(text[0])-\(text[1])-\(text[2])T\(text[3]):\(text[4]):\(text[5])Z"
        ).map { $0 + micros / 1000 }
    }
}

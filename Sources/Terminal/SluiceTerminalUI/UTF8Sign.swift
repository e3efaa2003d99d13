/// The first scalar of bytes that start with one of 0x80 or more.
enum UTF8Sign {
    /// A scalar and how many bytes it took.
    case scalar(Unicode.Scalar, Int)
    /// Valid so far, but needs more bytes.
    case incomplete
    /// Not UTF-8: this many bytes belong together.
    case broken(Int)

    init(_ bytes: ArraySlice<UInt8>) {
        guard let lead = bytes.first, let length = Self.length(of: lead) else {
            self = .broken(1)
            return
        }
        var value = UInt32(lead) & (0x7f >> UInt32(length))
        for (offset, byte) in bytes.prefix(length).enumerated().dropFirst() {
            guard byte & 0xc0 == 0x80 else {
                self = .broken(offset)
                return
            }
            value = value << 6 | UInt32(byte & 0x3f)
        }
        guard bytes.count >= length else {
            self = .incomplete
            return
        }
        let minimum: UInt32 = length == 2 ? 0x80 : (length == 3 ? 0x800 : 0x1_0000)
        guard value >= minimum, let scalar = Unicode.Scalar(value) else {
            self = .broken(length)
            return
        }
        self = .scalar(scalar, length)
    }

    private static func length(of lead: UInt8) -> Int? {
        switch lead {
        case 0xc2...0xdf: 2
        case 0xe0...0xef: 3
        case 0xf0...0xf4: 4
        default: nil
        }
    }
}

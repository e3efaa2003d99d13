/// Emulates a terminal that joins emoji, because libvterm joins none. Keeps only the first part of
/// a joined emoji, without skin tones.
struct PictureJoiner {
    private var held: [UInt8] = []
    private var isJoined = false

    /// The bytes without joined parts. Holds back an incomplete scalar until its rest arrives.
    mutating func take(_ bytes: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        for byte in bytes {
            held.append(byte)
            guard held.count >= Self.length(held[0]) else { continue }
            let scalar = held
            held = []
            if scalar == Self.joiner {
                isJoined = true
            } else if !(isJoined && scalar.count > 2) && !Self.isSkinTone(scalar) {
                kept += scalar
                isJoined = false
            } else {
                isJoined = false
            }
        }
        return kept
    }

    private static let joiner: [UInt8] = [0xe2, 0x80, 0x8d]

    private static func isSkinTone(_ scalar: [UInt8]) -> Bool {
        scalar.starts(with: [0xf0, 0x9f, 0x8f]) && (0xbb...0xbf).contains(scalar[3])
    }

    private static func length(_ first: UInt8) -> Int {
        switch first {
        case 0xc0..<0xe0: 2
        case 0xe0..<0xf0: 3
        case 0xf0...: 4
        default: 1
        }
    }
}

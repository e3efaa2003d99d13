/// Characters beyond ASCII that steer a terminal, hide, break a line, or turn the direction of
/// text: C1 controls, and those that the console shows by their number.
enum DeceptiveScalar {
    /// How many bytes such a character at a place of UTF-8 has; 0 for another character.
    static func width(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int {
        func byte(_ offset: Int) -> UInt8 {
            place + offset < bytes.count ? bytes[place + offset] : 0
        }
        switch (bytes[place], byte(1), byte(2)) {
        // U+0080 to U+009F, and U+00AD.
        case (0xC2, 0x80...0x9F, _), (0xC2, 0xAD, _): return 2
        case (0xD8, 0x9C, _): return 2  // U+061C
        case (0xE1, 0xA0, 0x8E): return 3  // U+180E
        // U+200B, U+200E, U+200F, U+2028 to U+202E, U+2060 to U+206F.
        case (0xE2, 0x80, 0x8B), (0xE2, 0x80, 0x8E...0x8F), (0xE2, 0x80, 0xA8...0xAE): return 3
        case (0xE2, 0x81, 0xA0...0xAF): return 3
        // U+FEFF, U+FFF9 to U+FFFB.
        case (0xEF, 0xBB, 0xBF), (0xEF, 0xBF, 0xB9...0xBB): return 3
        case (0xF3, 0xA0, 0x80...0x81): return 4  // U+E0000 to U+E007F
        default: return 0
        }
    }
}

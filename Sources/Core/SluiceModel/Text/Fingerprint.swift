/// FNV-1a in 64 bits: it tells one text from another one, and keeps no secret.
package struct Fingerprint: Hashable, Sendable {
    /// What it is by now.
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Of nothing yet; another seed gives another one.
    package init(seed: UInt64 = 0) { value ^= seed }

    /// That of some bytes.
    package init(of bytes: ArraySlice<UInt8>) {
        self.init()
        bytes.withUnsafeBufferPointer { for byte in $0 { take(byte) } }
    }

    /// That of a text's bytes.
    package init(of text: String) {
        self.init()
        for byte in text.utf8 { take(byte) }
    }

    /// Goes on with one byte.
    mutating func take(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}

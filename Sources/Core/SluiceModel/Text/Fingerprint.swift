/// FNV-1a in 64 bits: distinguishes texts, but is not cryptographic.
package struct Fingerprint: Hashable, Sendable {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Creates an empty fingerprint; each seed gives another one.
    package init(seed: UInt64 = 0) { value ^= seed }

    /// Creates the fingerprint of some bytes.
    package init(of bytes: ArraySlice<UInt8>) {
        self.init()
        bytes.withUnsafeBufferPointer { for byte in $0 { consume(byte) } }
    }

    /// Creates the fingerprint of a text's bytes.
    package init(of text: String) {
        self.init()
        for byte in text.utf8 { consume(byte) }
    }

    /// Adds one byte.
    mutating func consume(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}

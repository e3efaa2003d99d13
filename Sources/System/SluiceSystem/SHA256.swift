import SluiceC

/// The SHA-256 of bytes (FIPS 180-4).
package enum SHA256 {
    /// The digest as 64 lower-case hexadecimal digits.
    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digest = [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            if let start = digest.baseAddress { csys_sha256(bytes, bytes.count, start) }
            count = 32
        }
        let digits = Array("0123456789abcdef".utf8)
        let text = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}

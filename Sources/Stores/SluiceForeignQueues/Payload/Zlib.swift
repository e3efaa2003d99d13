import SluiceCZlib

/// Content compressed by zlib.
package enum Zlib {
    /// The maximum decompressed size.
    static let limitBytes = 16 << 20
    private static let pieceBytes = 64 << 10

    /// The header and the end of compressed data, as zlib's `windowBits`.
    private enum Format: Int32 {
        /// No header, as in a zip archive.
        case raw = -15
        /// The header of zlib or gzip, and a checksum at the end.
        case any = 47
    }

    /// The content of zlib or gzip data; nil for other, incomplete or damaged data, and over the
    /// limit.
    static func content(_ bytes: [UInt8], limitBytes: Int = limitBytes) -> [UInt8]? {
        unpacked(bytes, .any, limitBytes)
    }

    /// The content of compressed data without a header.
    package static func raw(_ bytes: [UInt8], limitBytes: Int) -> [UInt8]? {
        unpacked(bytes, .raw, limitBytes)
    }

    /// Bytes as zlib data.
    static func packed(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(UInt(bytes.count))
        return [UInt8](unsafeUninitializedCapacity: Int(count)) { packed, size in
            // With room for compressBound it fails for want of memory alone.
            precondition(compress(packed.baseAddress, &count, bytes, UInt(bytes.count)) == Z_OK)
            size = Int(count)
        }
    }

    /// The CRC-32 of bytes, as zip archives have it.
    package static func checksum(_ bytes: [UInt8]) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(0, bytes, bytes.count))
    }

    private static func unpacked(
        _ bytes: [UInt8], _ format: Format, _ limit: Int
    ) -> [UInt8]? {
        guard UInt32(exactly: bytes.count) != nil else { return nil }
        var stream = z_stream()
        guard cz_begin(&stream, format.rawValue) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var (content, code) = ([UInt8](), Z_OK)
        bytes.withUnsafeBufferPointer { input in
            // zlib only reads its input.
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(input.count)
            while code == Z_OK, content.count <= limit {
                content += [UInt8](unsafeUninitializedCapacity: pieceBytes) { piece, count in
                    (stream.next_out, stream.avail_out) = (piece.baseAddress, UInt32(pieceBytes))
                    code = inflate(&stream, Z_NO_FLUSH)
                    count = pieceBytes - Int(stream.avail_out)
                }
            }
        }
        let isWhole = code == Z_STREAM_END && stream.avail_in == 0
        return isWhole && content.count <= limit ? content : nil
    }
}

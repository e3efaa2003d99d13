/// Decompresses zlib and gzip data, up to a limit.
///
/// Returns `nil` for incomplete data or data over the limit; the caller then shows the raw bytes.
package enum Inflate {
    /// The maximum decompressed size.
    static let limitBytes = 16 << 20

    /// The decompressed content; `nil` if the bytes are not zlib or gzip data.
    static func content(_ bytes: [UInt8], limitBytes: Int = limitBytes) -> [UInt8]? {
        guard bytes.count > 6 else { return nil }
        if bytes[0] == 0x1F, bytes[1] == 0x8B {
            guard let start = gzipStart(bytes) else { return nil }
            return plain(bytes, from: start, limitBytes)
        }
        let head = Int(bytes[0]) << 8 | Int(bytes[1])
        guard bytes[0] & 0x0F == 8, head.isMultiple(of: 31), bytes[1] & 0x20 == 0,
            let content = plain(bytes, from: 2, limitBytes), bytes.count >= 6
        else { return nil }
        let sum = bytes.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return adler(content) == sum ? content : nil
    }

    /// The content of DEFLATE data without a header, as in a zip archive.
    package static func raw(_ bytes: [UInt8], limitBytes: Int) -> [UInt8]? {
        plain(bytes, from: 0, limitBytes)
    }

    /// Uncompressed zlib data, which every reader of zlib accepts.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var all: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(0xFFFF)
            rest = rest.dropFirst(piece.count)
            let (low, high) = (UInt8(piece.count & 0xFF), UInt8(piece.count >> 8))
            all += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high]
            all += piece
        } while !rest.isEmpty
        let sum = adler(bytes)
        return all + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
    }

    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return high << 16 | low
    }

    /// The start of the compressed data, after gzip's optional header fields.
    private static func gzipStart(_ bytes: [UInt8]) -> Int? {
        guard bytes.count > 18, bytes[2] == 8 else { return nil }
        let flags = bytes[3]
        var place = 10
        if flags & 4 != 0 {
            place += 2 + Int(bytes[10]) + Int(bytes[11]) << 8
        }
        for flag in [UInt8(8), 16] where flags & flag != 0 {
            guard place < bytes.count, let end = bytes[place...].firstIndex(of: 0) else {
                return nil
            }
            place = end + 1
        }
        if flags & 2 != 0 { place += 2 }
        return place < bytes.count ? place : nil
    }

    private static func plain(_ bytes: [UInt8], from start: Int, _ limit: Int) -> [UInt8]? {
        var inflater = Inflater(bytes, from: start, limitBytes: limit)
        return inflater.run() ? inflater.output : nil
    }
}

/// The reader of DEFLATE (RFC 1951).
private struct Inflater {
    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
        131, 163, 195, 227, 258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
        2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
    ]
    private static let codeOrder = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ]

    private let bytes: [UInt8]
    private let limit: Int
    private var place: Int
    private var held = 0
    private var heldCount = 0
    private(set) var output: [UInt8] = []

    init(_ bytes: [UInt8], from start: Int, limitBytes: Int) {
        self.bytes = bytes
        place = start
        limit = limitBytes
    }

    /// Decodes every block. Returns false for invalid, incomplete or too large data.
    mutating func run() -> Bool {
        while true {
            guard let isLast = bits(1), let kind = bits(2) else { return false }
            let isWhole =
                switch kind {
                case 0: copyStored()
                case 1: copy(Self.fixedLengths, Self.fixedDistances)
                case 2: copyDynamic()
                default: false
                }
            guard isWhole else { return false }
            if isLast == 1 { return true }
        }
    }

    private mutating func bits(_ count: Int) -> Int? {
        while heldCount < count {
            guard place < bytes.count else { return nil }
            held |= Int(bytes[place]) << heldCount
            place += 1
            heldCount += 8
        }
        defer {
            held >>= count
            heldCount -= count
        }
        return held & ((1 << count) - 1)
    }

    private mutating func copyStored() -> Bool {
        (held, heldCount) = (0, 0)
        guard place + 4 <= bytes.count else { return false }
        let count = Int(bytes[place]) | Int(bytes[place + 1]) << 8
        let check = Int(bytes[place + 2]) | Int(bytes[place + 3]) << 8
        place += 4
        guard count ^ check == 0xFFFF, place + count <= bytes.count,
            output.count + count <= limit
        else { return false }
        output += bytes[place..<place + count]
        place += count
        return true
    }

    private static let fixedLengths = Codes(
        (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = Codes(Array(repeating: 5, count: 30))

    private mutating func copyDynamic() -> Bool {
        guard let lengths = bits(5), let distances = bits(5), let codes = bits(4),
            lengths <= 29, distances <= 29
        else { return false }
        var sizes = Array(repeating: 0, count: 19)
        for index in 0..<(codes + 4) {
            guard let size = bits(3) else { return false }
            sizes[Self.codeOrder[index]] = size
        }
        let all = lengths + 257 + distances + 1
        guard let found = codeLengths(Codes(sizes), count: all) else { return false }
        return copy(
            Codes(Array(found[..<(lengths + 257)])), Codes(Array(found[(lengths + 257)...])))
    }

    private mutating func codeLengths(_ codes: Codes, count: Int) -> [Int]? {
        var found: [Int] = []
        while found.count < count {
            guard let symbol = symbol(codes) else { return nil }
            if symbol < 16 {
                found.append(symbol)
                continue
            }
            let (size, base, value) =
                symbol == 16 ? (2, 3, found.last) : symbol == 17 ? (3, 3, 0) : (7, 11, 0)
            guard let more = bits(size), let value else { return nil }
            found += Array(repeating: value, count: base + more)
        }
        return found.count == count ? found : nil
    }

    private mutating func symbol(_ codes: Codes) -> Int? {
        var (code, first, index) = (0, 0, 0)
        for size in 1...15 {
            guard let bit = bits(1) else { return nil }
            code |= bit
            let count = codes.counts[size]
            if code - count < first { return codes.symbols[index + (code - first)] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        return nil
    }

    private mutating func copy(_ lengths: Codes, _ distances: Codes) -> Bool {
        while let symbol = symbol(lengths) {
            if symbol == 256 { return true }
            if symbol < 256 {
                guard output.count < limit else { return false }
                output.append(UInt8(symbol))
                continue
            }
            guard symbol - 257 < Self.lengthBases.count,
                let more = bits(Self.lengthBits[symbol - 257]),
                let far = self.symbol(distances), far < Self.distanceBases.count,
                let further = bits(max(0, far / 2 - 1))
            else { return false }
            let length = Self.lengthBases[symbol - 257] + more
            let distance = Self.distanceBases[far] + further
            guard distance <= output.count, output.count + length <= limit else { return false }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
        return false
    }
}

/// A canonical code of Huffman's: how many codes have each length, and their symbols in order.
private struct Codes {
    var counts = Array(repeating: 0, count: 16)
    var symbols: [Int]

    init(_ sizes: [Int]) {
        for size in sizes { counts[size] += 1 }
        var places = Array(repeating: 0, count: 17)
        for size in 1...15 { places[size + 1] = places[size] + counts[size] }
        symbols = Array(repeating: 0, count: sizes.count)
        for (symbol, size) in sizes.enumerated() where size > 0 {
            symbols[places[size]] = symbol
            places[size] += 1
        }
        counts[0] = 0
    }
}

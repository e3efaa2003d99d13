import SluiceForeignQueues
import SluiceSystem

/// The reason why an archive cannot be read.
struct ArchiveError: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}

/// The files in a zip archive, by the directory at its end. It reads no encrypted content, and no
/// archive over 4 GiB.
struct ZipArchive {
    /// One file or link. The name is as the archive has it, so it may lead anywhere.
    struct Entry {
        fileprivate(set) var name = ""
        fileprivate(set) var sizeBytes = 0
        fileprivate(set) var isPlainFile = true
        fileprivate var isEncrypted = false
        fileprivate var method = 0
        fileprivate var packedBytes = 0
        fileprivate var checksum: UInt32 = 0
        fileprivate var offset = 0
    }

    private static let directoryLimitBytes = 16 << 20
    private static let endBytes = 22
    private static let longestComment = 0xFFFF

    let entries: [Entry]
    private let file: FileDescriptor
    private let sizeBytes: Int

    /// Whether a file begins as a zip archive.
    static func isThere(_ path: String) -> Bool {
        guard Files.kind(path) == .file, let file = try? FileDescriptor(opening: path, flags: 0),
            case .bytes(let head)? = try? file.read(atMost: 4)
        else { return false }
        return head == [0x50, 0x4B, 3, 4]
    }

    init(_ path: String) throws {
        file = try FileDescriptor(opening: path, flags: 0)
        sizeBytes = Int(try file.status().sizeBytes)
        let tail = min(sizeBytes, Self.endBytes + Self.longestComment)
        let end = try Self.read(file, from: sizeBytes - tail, count: tail)
        let last = end.count - Self.endBytes
        guard last >= 0,
            let place = (0...last).last(where: { end[$0...].starts(with: [0x50, 0x4B, 5, 6]) })
        else { throw ArchiveError("it has no directory at its end") }
        let record = ByteFields(end[place...])
        let (count, size) = (try record.short(10), try record.long(12))
        let start = try record.long(16)
        guard count < 0xFFFF, start < 0xFFFF_FFFF else {
            throw ArchiveError("it has more than 65,534 files or 4 GiB")
        }
        guard size <= Self.directoryLimitBytes, start + size <= sizeBytes else {
            throw ArchiveError("its directory is damaged")
        }
        let directory = try Self.read(file, from: start, count: size)
        var (entries, rest) = ([Entry](), directory[...])
        for _ in 0..<count { entries.append(try Self.entry(&rest)) }
        self.entries = entries
    }

    /// The whole content of an entry, whose checksum is right.
    func content(of entry: Entry) throws -> [UInt8] {
        guard !entry.isEncrypted else { throw ArchiveError("\(entry.name) is encrypted") }
        let head = ByteFields(try Self.read(file, from: entry.offset, count: 30)[...])
        guard try head.long(0) == 0x0403_4B50 else {
            throw ArchiveError("\(entry.name) is not at its place")
        }
        let start = entry.offset + 30 + (try head.short(26)) + (try head.short(28))
        let packed = try Self.read(file, from: start, count: entry.packedBytes)
        let content =
            switch entry.method {
            case 0: packed
            case 8: Zlib.raw(packed, limitBytes: entry.sizeBytes)
            default: throw ArchiveError("\(entry.name) is packed by method \(entry.method)")
            }
        guard let content, content.count == entry.sizeBytes,
            Zlib.checksum(content) == entry.checksum
        else { throw ArchiveError("\(entry.name) is damaged") }
        return content
    }

    private static func entry(_ rest: inout ArraySlice<UInt8>) throws -> Entry {
        let fields = ByteFields(rest)
        guard try fields.long(0) == 0x0201_4B50 else {
            throw ArchiveError("its directory is damaged")
        }
        let (name, extra) = (try fields.short(28), try fields.short(30))
        let whole = 46 + name + extra + (try fields.short(32))
        guard whole <= rest.count else { throw ArchiveError("its directory is damaged") }
        var entry = Entry()
        entry.name = String(decoding: rest.dropFirst(46).prefix(name), as: UTF8.self)
        entry.isEncrypted = try fields.short(8) & 1 != 0
        entry.method = try fields.short(10)
        entry.checksum = UInt32(try fields.long(16))
        entry.packedBytes = try fields.long(20)
        entry.sizeBytes = try fields.long(24)
        entry.offset = try fields.long(42)
        let mode = UInt32(try fields.long(38)) >> 16
        // The kind of a file in a mode of Unix: 0o10 is a plain file.
        let kind = mode >> 12
        entry.isPlainFile = !entry.name.hasSuffix("/") && (kind == 0 || kind == 0o10)
        rest = rest.dropFirst(whole)
        return entry
    }

    private static func read(_ file: FileDescriptor, from start: Int, count: Int) throws -> [UInt8]
    {
        try file.seek(toByte: Int64(start))
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard case .bytes(let more) = try file.read(atMost: count - bytes.count) else {
                throw ArchiveError("it ends too early")
            }
            bytes += more
        }
        return bytes
    }
}

/// Little-endian numbers at places of some bytes.
private struct ByteFields {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    func short(_ place: Int) throws -> Int { try number(place, 2) }

    func long(_ place: Int) throws -> Int { try number(place, 4) }

    private func number(_ place: Int, _ count: Int) throws -> Int {
        let field = bytes.dropFirst(place).prefix(count)
        guard field.count == count else { throw ArchiveError("it ends too early") }
        return field.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

import SluiceSystem

/// The process that holds the write lock of a file, as listed by the kernel. `nil` if the lock is
/// free or the holder is not visible.
///
/// This does not open the lock's file: closing it would release this process's own locks on it.
struct FileBlocker {
    let process: Int32
    let program: String

    /// The offset of SQLite's write lock in the index of the log, and in a file without one.
    private static let writerByte = "120"
    private static let limitBytes = 16 << 20

    init?(_ path: String) {
        guard let index = (try? Files.status("\(path)-shm")) ?? nil,
            let table = try? Files.read("/proc/locks", limitBytes: Self.limitBytes)
        else { return nil }
        for line in table.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " ")).map {
                String(decoding: $0, as: UTF8.self)
            }
            // `1: POSIX ADVISORY WRITE 4711 fe:01:1234 120 120`; who waits has an arrow before it.
            guard fields.count == 8, fields[1] == "POSIX", fields[3] == "WRITE",
                fields[5].hasSuffix(":\(index.inode)"), fields[6] == Self.writerByte,
                let process = Int32(fields[4]), process > 0,
                process != ProcessIdentity.processID
            else { continue }
            let name = (try? Files.read("/proc/\(process)/comm", limitBytes: 64)) ?? []
            let word = String(decoding: name.prefix { $0 > 32 && $0 < 127 }, as: UTF8.self)
            (self.process, program) = (process, word.isEmpty ? "unknown" : word)
            return
        }
        return nil
    }
}

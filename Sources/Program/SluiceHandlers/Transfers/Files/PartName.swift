import SluiceModel
import SluiceSystem

/// The names of a download's temporary files, next to its destination.
struct PartName: Hashable, Sendable {
    static let stateLimitBytes = 1 << 20
    /// The age of an abandoned file before a later download in the same folder removes it.
    static let keptMilliseconds: Int64 = 7 * 86_400_000
    private static let prefix = ".sluice-"

    /// The partial content.
    let part: String
    let state: String

    /// The names for a task, by its idempotency key.
    init(key: String) {
        let safe = PercentText.encoded(key).suffix(150)
        part = "\(Self.prefix)\(safe).part"
        state = "\(Self.prefix)\(safe).state"
    }

    /// The alternative name for content whose destination was taken. The first has no number, the
    /// others have.
    static func kept(_ name: String, task: TaskID, number: Int) -> String {
        let ending = ".sluice-\(task)\(number > 1 ? "-\(number)" : "")"
        // A name has at most 255 bytes.
        let bytes = Array(name.utf8)
        var end = min(bytes.count, 255 - ending.utf8.count)
        while end > 0, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self) + ending
    }

    /// Removes files abandoned for a week. A file in use is locked and stays.
    static func sweep(_ folder: OpenFolder, nowMilliseconds: Int64) throws(SystemError) {
        for name in try folder.names() where name.hasPrefix(prefix) {
            let isOurs = [".part", ".state", ".state.new"].contains(where: name.hasSuffix)
            guard isOurs, let status = try folder.status(name), status.kind == .file,
                nowMilliseconds - status.modifiedNanoseconds / 1_000_000 > keptMilliseconds,
                let file = try folder.reading(name), try file.tryLock()
            else { continue }
            try folder.remove(name)
        }
    }
}

import CSystem
import Glibc

/// A watch on one folder (and the names in it) or one file, by inotify.
///
/// Network file systems tell nothing of what other machines do: ask from time to time as well.
public final class DirectoryWatch: Sendable {
    /// The descriptor: readable when there are notices.
    public let descriptor: FileDescriptor
    /// What is watched.
    public let path: String

    private static let headBytes = 16

    /// Starts to watch for what is named.
    public init(_ path: String, for kinds: WatchEvent.Kinds = .all) throws(SystemError) {
        let number = csys_inotify()
        guard number >= 0 else { throw .last(.watch, path: path) }
        descriptor = FileDescriptor(owning: number)
        self.path = path
        try add(path, for: kinds)
    }

    /// Watches another file or folder as well, or the same for something else; notices about what
    /// is no name in a folder do not say which it is.
    public func add(_ path: String, for kinds: WatchEvent.Kinds = .all) throws(SystemError) {
        guard csys_inotify_add(descriptor.number, path, kinds.rawValue) >= 0 else {
            throw .last(.watch, path: path)
        }
    }

    /// The notices that came since the last call, without waiting.
    public func drain() throws(SystemError) -> [WatchEvent] {
        var events: [WatchEvent] = []
        do {
            while case .bytes(let bytes) = try descriptor.read(atMost: RawDescriptor.chunkBytes) {
                events += Self.decode(bytes)
            }
        } catch {
            throw SystemError(.watch, path: path, reason: error.reason)
        }
        return events
    }

    static func decode(_ bytes: [UInt8]) -> [WatchEvent] {
        var events: [WatchEvent] = []
        bytes.withUnsafeBytes { buffer in
            var at = 0
            while at + headBytes <= buffer.count {
                let mask = buffer.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
                let count = Int(buffer.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
                let end = at + headBytes + count
                guard end <= buffer.count else { return }
                let name = buffer[(at + headBytes)..<end].prefix { $0 != 0 }
                let text = name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
                events.append(WatchEvent(name: text, kinds: WatchEvent.Kinds(rawValue: mask)))
                at = end
            }
        }
        return events
    }
}

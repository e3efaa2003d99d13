/// A watch on folders (and the names in them) and files, through the inotify instance that all
/// watches of a process share.
///
/// Without a free instance or watch for this user it polls: each second it reports `overflow`,
/// until it gets a watch. Network file systems do not report changes by other machines: poll from
/// time to time as well.
package final class DirectoryWatch: Sendable {
    private let instance: WatchInstance
    private let box: WatchInstance.BoxID

    package init(
        _ path: String, for kinds: WatchEvent.Kinds = .all,
        sharing instance: WatchInstance = .own
    ) throws(SystemError) {
        self.instance = instance
        box = try instance.open()
        do {
            try instance.add(path, for: kinds, to: box)
        } catch {
            instance.close(box)
            throw error
        }
    }

    deinit { instance.close(box) }

    /// Watches another file or folder as well, or the same for something else too.
    package func add(_ path: String, for kinds: WatchEvent.Kinds = .all) throws(SystemError) {
        try instance.add(path, for: kinds, to: box)
    }

    /// Watches something no longer.
    package func remove(_ path: String) { instance.remove(path, from: box) }

    /// The descriptors to poll: readable when notices may exist. Read this again before each wait.
    package var interests: [PollInterest] { instance.interests(of: box) }

    /// Whether the system reports all changes; otherwise it polls each second.
    package var isNotified: Bool { instance.isNotified(box) }

    /// The notices that came since the last call, without waiting.
    package func drain() throws(SystemError) -> [WatchEvent] { try instance.drain(box) }
}

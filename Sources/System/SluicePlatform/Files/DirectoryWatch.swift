/// A watch on folders (and the names in them) and files, by the inotify instance that all watches
/// of a process share.
///
/// Where the user has no instance left, or no watch, it looks by itself: each second it says that
/// anything may have changed (`overflow`), until it can be told again. Network file systems tell
/// nothing of what other machines do: ask from time to time as well.
package final class DirectoryWatch: Sendable {
    private let instance: WatchInstance
    private let box: WatchInstance.BoxID

    /// Starts to watch for what is named.
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

    /// What to wait for: readable when there may be notices. Ask again before each wait.
    package var interests: [PollInterest] { instance.interests(of: box) }

    /// Whether all of it is told by the system; else it looks by itself each second.
    package var isTold: Bool { instance.isTold(box) }

    /// The notices that came since the last call, without waiting.
    package func drain() throws(SystemError) -> [WatchEvent] { try instance.drain(box) }
}

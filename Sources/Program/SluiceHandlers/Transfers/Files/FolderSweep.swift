import SluicePlatform

/// Clears folders of what downloads that nobody goes on with left in them: each folder once in the
/// life of a handler. The number of a folder that was removed is soon another's, so no memory of
/// them is kept for longer than that.
final class FolderSweep: Sendable {
    private let swept = Protected<Set<[UInt64]>>([])

    func sweep(_ folder: OpenFolder) throws(SystemError) {
        let status = try folder.status()
        let isFirst = swept.withLock { $0.insert([status.device, status.inode]).inserted }
        guard isFirst else { return }
        try PartName.sweep(folder, nowMilliseconds: SystemClock.nowMilliseconds())
    }
}

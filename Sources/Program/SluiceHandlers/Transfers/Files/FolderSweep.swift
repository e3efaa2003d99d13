import SluiceSystem

/// Removes leftovers of abandoned downloads, once per folder in a handler's lifetime. It does not
/// remember folders longer, because the system reuses inode numbers.
final class FolderSweep: Sendable {
    private let swept = Protected<Set<[UInt64]>>([])

    func sweep(_ folder: OpenFolder) throws(SystemError) {
        let status = try folder.status()
        let isFirst = swept.withLock { $0.insert([status.device, status.inode]).inserted }
        guard isFirst else { return }
        try PartName.sweep(folder, nowMilliseconds: SystemClock.nowMilliseconds())
    }
}

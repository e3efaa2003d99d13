import SluiceC

/// How many files, pipes and sockets this process may have open.
package enum DescriptorLimit {
    /// The soft limit before it was raised, or `nil`.
    private static let former = Protected<UInt64?>(nil)

    /// Raises the limit of this process to the system's maximum. Started programs keep the old
    /// limit: some of them iterate over all descriptor numbers.
    package static func raise() {
        former.withLock { former in
            var (soft, hard) = (UInt64(0), UInt64(0))
            guard former == nil, csys_descriptor_limits(&soft, &hard) == 0, soft < hard,
                csys_set_descriptor_limit(hard) == 0
            else { return }
            former = soft
        }
    }

    /// How many there may be now.
    package static var current: Int {
        var (soft, hard) = (UInt64(0), UInt64(0))
        guard csys_descriptor_limits(&soft, &hard) == 0 else { return 1024 }
        return Int(clamping: soft)
    }

    /// The limit for a child; 0 for the limit of this process.
    static var ofChildren: UInt64 { former.withLock { $0 } ?? 0 }

    /// Whether this process, or the machine, can open nothing more now.
    package static var isReached: Bool {
        do throws(SystemError) {
            _ = try FileDescriptor(opening: "/dev/null", flags: 0)
            return false
        } catch {
            return error.isShortage
        }
    }
}

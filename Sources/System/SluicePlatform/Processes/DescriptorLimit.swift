import SluiceCSystem

/// How many files, pipes and sockets this process may have open.
package enum DescriptorLimit {
    /// What it was before it was raised; nil while it was not.
    private static let former = Protected<UInt64?>(nil)

    /// Allows this process as many as the system allows it. The programs that it starts have as
    /// many as before: some of them go through all numbers that they may have.
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

    /// How many a child may have; 0 for as many as this process.
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

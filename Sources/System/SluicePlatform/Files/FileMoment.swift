import Glibc
import SluiceCSystem

/// A moment that the processes of a machine have in common, kept as the time at which a file that
/// nobody reads was last read: to set it writes no byte and needs no room on the disk.
///
/// Two who set it at once leave the one or the other. A backup program may set it to something
/// else: who asks has to know what can be true.
package final class FileMoment: Sendable {
    private let file: FileDescriptor

    /// That of a file; nil where it is not there, or is somebody else's, who alone may set it.
    package init?(_ path: String) {
        guard let file = try? FileDescriptor(readingPlain: path) else { return nil }
        let known = csys_access_time(file.number)
        guard known >= 0, csys_set_access_time(file.number, known) == 0 else { return nil }
        self.file = file
    }

    /// The moment in nanoseconds; setting fails in silence, as if another had set it after that.
    package var nanoseconds: Int64 {
        get { csys_access_time(file.number) }
        set { _ = csys_set_access_time(file.number, newValue) }
    }
}

/// What of the machine matters for a fair share of it.
package enum Machine {
    /// How many processors it has in use.
    package static let processors = Int(csys_processors())
}

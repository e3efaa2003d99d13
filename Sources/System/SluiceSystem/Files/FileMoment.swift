import Glibc
import SluiceC

/// A time shared by the processes of a machine, stored as the access time of a file that is never
/// read. Setting it writes no byte and needs no disk space.
///
/// After two concurrent updates either may remain. A backup program may change it, so readers must
/// check for plausible values.
package final class FileMoment: Sendable {
    private let file: FileDescriptor

    /// The time of a file; `nil` if the file is missing or belongs to another user, as only the
    /// owner may set it.
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

/// Facts about the machine for a fair share of it.
package enum Machine {
    package static let processors = Int(csys_processors())
}

import Glibc
import SluiceC

/// The network state of this machine.
package enum Network {
    /// Whether it has a route to the world at all; nothing is sent to find out.
    package static var hasRoute: Bool { WayOut.now().isThere }

    /// Whether an error number of a connection says that there is no network, rather than that one
    /// peer did not answer.
    package static func isMissing(errorNumber: Int32) -> Bool {
        errorNumber == ENETUNREACH || errorNumber == ENETDOWN
    }

    /// The bytes written to a socket that its peer has not acknowledged; `nil` if unknown.
    package static func unacknowledgedBytes(socket: Int32) -> Int? {
        guard socket >= 0 else { return nil }
        let count = csys_unacknowledged_bytes(socket)
        return count >= 0 ? Int(count) : nil
    }

    /// How many milliseconds ago a TCP socket received something last; nil where it never did.
    package static func millisecondsSinceReceived(socket: Int32) -> Int64? {
        guard socket >= 0 else { return nil }
        let milliseconds = csys_milliseconds_since_received(socket)
        return milliseconds >= 0 ? milliseconds : nil
    }
}

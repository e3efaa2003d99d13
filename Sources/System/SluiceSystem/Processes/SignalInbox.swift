import Glibc
import SluiceC

/// Signals of this process as input to poll.
///
/// A signal goes to every inbox for it. The release of the last one restores its former action.
package final class SignalInbox: Sendable {
    /// The descriptor: readable when a signal came.
    package let descriptor: FileDescriptor
    private let writeEnd: FileDescriptor
    private let signals: [Signal]

    /// Starts to take the signals.
    package init(_ signals: [Signal]) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard csys_pipe2(&ends, O_NONBLOCK) == 0 else { throw .last(.pipe) }
        descriptor = FileDescriptor(owning: ends[0])
        writeEnd = FileDescriptor(owning: ends[1])
        self.signals = signals
        for signal in signals {
            guard csys_signal_to_pipe(signal.rawValue, ends[1]) == 0 else {
                throw .last(.signal, path: signal.description)
            }
        }
    }

    deinit {
        for signal in signals { csys_signal_restore(signal.rawValue, writeEnd.number) }
    }

    /// The signals that came since the last call, in their order; a burst may come as one.
    package func drain() throws(SystemError) -> [Signal] {
        guard case .bytes(let bytes) = try descriptor.read(atMost: 4096) else { return [] }
        return bytes.map { Signal(rawValue: Int32($0)) }
    }

    /// Makes a write to a closed pipe an error (EPIPE) instead of the end of the process.
    ///
    /// Children do not inherit this.
    package static func ignorePipeSignal() {
        csys_signal_ignore(SIGPIPE, 1)
    }
}

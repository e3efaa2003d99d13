import Glibc

/// The standard streams of this process.
package enum Standard {
    package enum Output: Equatable, Sendable {
        case output
        case errors

        /// The descriptor's number.
        package var descriptor: Int32 { self == .output ? STDOUT_FILENO : STDERR_FILENO }
    }

    package static let inputDescriptor = STDIN_FILENO

    /// Writes all bytes without a buffer.
    ///
    /// If the reader of a pipe has closed it, the error has `isBrokenPipe`. This needs
    /// `SignalInbox.ignorePipeSignal()`; without that call the process ends.
    package static func write(
        _ bytes: [UInt8], to output: Output = .output
    ) throws(SystemError) {
        try RawDescriptor.writeAll(output.descriptor, bytes)
    }

    /// Writes a text as UTF-8.
    package static func write(_ text: String, to output: Output = .output) throws(SystemError) {
        try write(Array(text.utf8), to: output)
    }

    /// Reads once from standard input.
    package static func read(
        atMost count: Int
    ) throws(SystemError) -> FileDescriptor.ReadResult {
        try RawDescriptor.read(inputDescriptor, atMost: count)
    }

    /// Reads standard input to its end; throws when it has more than `limitBytes`.
    package static func readAll(limitBytes: Int) throws(SystemError) -> [UInt8] {
        try RawDescriptor.readAll(inputDescriptor, limitBytes: limitBytes)
    }
}

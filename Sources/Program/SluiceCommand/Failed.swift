import SluiceModel

/// Why a command ended without an answer, with its exit code.
struct Failed: Error, Hashable, Sendable {
    var error: QueueError
    var exit: ExitCode

    /// The end of a command by an error.
    init(_ error: QueueError, exit: ExitCode) {
        self.error = error
        self.exit = exit
    }
}

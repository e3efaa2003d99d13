import SluiceModel
import SluiceSystem

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

extension QueueError {
    /// The error itself, or one of the system's in the words that scripts know.
    init(describing error: any Error) {
        switch error {
        case let error as QueueError: self = error
        case let failed as Failed: self = failed.error
        case let error as SystemError:
            self = QueueError(.denied, error.sentence, fix: Self.fix(error))
        default: self = QueueError(.denied, "\(error)")
        }
    }

    private static func fix(_ error: SystemError) -> String {
        error.isMissing ? "check the name" : "check its name and rights"
    }
}

import SluiceModel

/// The exit codes that scripts rely on.
enum ExitCode: Int32, CaseIterable, Hashable, Sendable {
    case done = 0
    case refused = 1
    /// A usage or configuration error, or the store cannot be opened.
    case usage = 2
    /// The output names the tasks that were not changed.
    case partlyDone = 3
    /// An expectation did not hold.
    case notHeld = 4
    /// Writing to standard output failed; the message says whether a change was made.
    case unwritten = 5
    case interrupted = 130

    /// The code of an error; `atOpening` says that it came while the store was opened.
    init(_ error: QueueError, atOpening: Bool = false) {
        switch error.code {
        case .noStore, .notAStore, .newerSchema, .damagedStore, .badName, .badValue, .badFilter,
            .badHandlers, .noTerminal:
            self = .usage
        case .serverGone, .denied:
            self = atOpening ? .usage : .refused
        default:
            self = .refused
        }
    }
}

import SluiceRunner
import SluiceSystem

/// Ends processes that a command left in its group (A3). They first get a grace period to end or
/// leave the group, then TERM, and KILL after a timeout.
struct GroupEnd {
    private static let graceNanoseconds: UInt64 = 200_000_000
    private static let timeoutNanoseconds = UInt64(stopPatienceMilliseconds) * 1_000_000
    private static let namedLimit = 5

    /// The processes still running.
    private(set) var survivors: [Survivor] = []
    /// When the next means is due; nil for never.
    private(set) var dueAt: UInt64?
    /// The last signal sent to the group.
    private(set) var told: Signal?

    /// Records a signal to the whole group.
    mutating func tell(_ signal: Signal, at instant: UInt64) {
        guard told != .kill else { return }
        if signal == .kill {
            dueAt = nil
        } else if told == nil {
            dueAt = instant + Self.timeoutNanoseconds
        }
        told = signal
    }

    /// Decides the signal and the log line for the processes that outlive the child. A group that
    /// was already signalled gets no second TERM.
    mutating func find(
        _ survivors: [Survivor], at instant: UInt64
    ) -> (signal: Signal, line: String?)? {
        self.survivors = survivors
        if told == .kill { return (.kill, nil) }
        guard told == nil else { return nil }
        guard let end = dueAt else {
            dueAt = instant + Self.graceNanoseconds
            return nil
        }
        guard end <= instant else { return nil }
        tell(.terminate, at: instant)
        return (.terminate, "it left \(names) running in its group, told to end")
    }

    /// The log line for processes killed after the timeout.
    var lineOfKilled: String { "\(names) in its group did not end and was killed" }

    private var names: String {
        let named = survivors.prefix(Self.namedLimit).map { "\($0.name) (pid \($0.processID))" }
        let more = survivors.count - named.count
        return named.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}

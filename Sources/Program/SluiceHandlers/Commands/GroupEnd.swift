import SluicePlatform
import SluiceRunner

/// How what a command leaves running in its group comes to its end (A3): a moment in which it may
/// end or leave the group by itself, then TERM, and KILL when its time after that is over.
struct GroupEnd {
    private static let graceNanoseconds: UInt64 = 200_000_000
    private static let timeoutNanoseconds = UInt64(stopPatienceMilliseconds) * 1_000_000
    private static let namedLimit = 5

    /// What goes on now.
    private(set) var survivors: [Survivor] = []
    /// When the next means is due; nil for never.
    private(set) var dueAt: UInt64?
    /// What the group was told last.
    private(set) var told: Signal?

    /// The whole group is told.
    mutating func tell(_ signal: Signal, at instant: UInt64) {
        guard told != .kill else { return }
        if signal == .kill {
            dueAt = nil
        } else if told == nil {
            dueAt = instant + Self.timeoutNanoseconds
        }
        told = signal
    }

    /// The child has ended and these go on: what they are told now, and what the log says of it.
    /// What heard of its end with the child is not told again.
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

    /// What the log says of those whose time is over.
    var lineOfKilled: String { "\(names) in its group did not end and was killed" }

    private var names: String {
        let named = survivors.prefix(Self.namedLimit).map { "\($0.name) (pid \($0.processID))" }
        let more = survivors.count - named.count
        return named.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}

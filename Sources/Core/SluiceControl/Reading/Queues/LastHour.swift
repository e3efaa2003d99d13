package import SluiceModel
import SluiceStore

/// How many attempts ended in each minute of the last hour, by outcome: from counts that are kept.
package struct LastHour: Hashable, Sendable {
    /// The number of minutes, including the present one.
    package static let minutes = 60

    private var ends: [EndedOutcome: [Int64: Int]] = [:]

    /// By what ended since the hour began.
    package init(_ counts: [EndedCounts]) {
        for count in counts where count.total > 0 {
            guard case .attempts(let outcome, _) = count.what else { continue }
            ends[outcome, default: [:]][EndedCounts.minute(of: count.minute), default: 0] +=
                count.total
        }
    }

    /// The number of attempts with this outcome in each minute before `now`, oldest first. The last
    /// minute is still open.
    package func ended(_ outcome: EndedOutcome, before now: Timestamp) -> [Int] {
        let last = EndedCounts.minute(of: now)
        let minutes = ends[outcome] ?? [:]
        return (0..<Self.minutes).map { minutes[last - Int64(Self.minutes - 1 - $0)] ?? 0 }
    }

    /// `7 attempts failed in the last hour`; nil where none did.
    package func failedWords(before now: Timestamp) -> String? {
        let count = ended(.failed, before: now).reduce(0, +)
        guard count > 0 else { return nil }
        let attempts = count == 1 ? "1 attempt" : "\(NumberText.grouped(count)) attempts"
        return "\(attempts) failed in the last hour"
    }
}

extension Reading {
    /// The last hour of a queue; nil asks for all together.
    package func lastHour(of queue: String?) throws -> LastHour {
        let since = real + -Int64(LastHour.minutes - 1) * EndedCounts.minuteMilliseconds
        return LastHour(try store.endedCounts(.attempts, queue: queue, since: since))
    }
}

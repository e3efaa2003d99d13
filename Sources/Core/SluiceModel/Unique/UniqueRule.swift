/// How long a task has its unique key (T5).
package enum UniqueTime: Hashable, Sendable {
    /// While it waits.
    case waiting
    /// Until it has ended.
    case end
    /// Until it has ended, and for this time after its enqueue.
    case milliseconds(Int64)

    /// The time that a text such as `10m` means, or nil.
    package init?(text: String) {
        switch text {
        case "waiting": self = .waiting
        case "end": self = .end
        default:
            guard let time = DurationText.milliseconds(text), time > 0 else { return nil }
            self = .milliseconds(time)
        }
    }

    /// The text that `init(text:)` reads.
    package var text: String {
        switch self {
        case .waiting: "waiting"
        case .end: "end"
        case .milliseconds(let time): DurationText.compact(time)
        }
    }
}

/// The unique key of a queue's tasks as a place of their payloads (T5).
package struct UniqueRule: Hashable, Sendable {
    /// The place of the key.
    package let path: PayloadPath
    /// The effect of an enqueue while a task has the key.
    package let policy: UniquePolicy
    /// How long a task has its key.
    package let time: UniqueTime

    /// The rule that a text such as `order`, `order:replace` or `order:keep:10m` means, or nil.
    package init?(text: String) {
        var words = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let time = words.count > 1 ? words.last.flatMap(UniqueTime.init(text:)) : nil
        if time != nil { words.removeLast() }
        let policy = words.count > 1 ? words.last.flatMap(UniquePolicy.init(rawValue:)) : nil
        if policy != nil { words.removeLast() }
        guard let paths = PayloadPath.list(words.joined(separator: ":")), paths.count == 1 else {
            return nil
        }
        (path, self.policy, self.time) = (paths[0], policy ?? .keep, time ?? .waiting)
    }

    /// The text that `init(text:)` reads.
    package var text: String {
        let isLong = time != .waiting
        let words = [
            path.name, policy == .keep && !isLong ? nil : policy.rawValue, isLong ? time.text : nil,
        ]
        return words.compactMap(\.self).joined(separator: ":")
    }
}

extension QueueSettings {
    /// The rule for the tasks of a type; nil without one.
    package func unique(ofType type: String) -> UniqueRule? {
        guard !types.isEmpty, let own = types[type]?.unique else { return unique }
        return own.value
    }

    /// Whether tasks that end now can be found by their keys for a time after their enqueue.
    package func keepsKeys(for time: UniqueTime) -> Bool {
        guard case .milliseconds(let wanted) = time else { return true }
        guard case .milliseconds(let kept) = keepFinished else { return false }
        return kept >= wanted && retentionMilliseconds ?? .max >= wanted
    }

    /// Throws `badValue` if the queue forgets ended tasks before a key's time is over.
    package func checkKeys(for time: UniqueTime, queue: String) throws(QueueError) {
        guard !keepsKeys(for: time) else { return }
        let retention = retentionMilliseconds == nil ? "" : " --retention \(time.text)"
        throw QueueError(
            .badValue,
            "\(queue) forgets ended tasks, and their keys, earlier than after \(time.text)",
            fix: "sluice "
                + ShellWord.command("queue set", queue, " --keep-finished \(time.text)\(retention)")
        )
    }

    /// Throws `badValue` if that is so for a rule of the queue or of a type.
    package func checkKeys(queue: String) throws(QueueError) {
        if let unique { try checkKeys(for: unique.time, queue: queue) }
        for own in types.values {
            if let rule = own.unique?.value { try checkKeys(for: rule.time, queue: queue) }
        }
    }
}

import SluiceModel

/// How a list is ordered: as its tasks run (in the list of all queues by number), or otherwise.
package enum ListOrder: String, Hashable, Sendable, CaseIterable {
    case running, number, age, change, tries, duration, error

    /// The text after the row number.
    var words: String {
        switch self {
        case .running: "in the running order"
        case .number: "by number"
        case .age: "by age"
        case .change: "by last change"
        case .tries: "by tries"
        case .duration: "by duration"
        case .error: "by error"
        }
    }

    /// Which tasks come first.
    var sentence: String {
        switch self {
        case .running: "the running order"
        case .number: "by number"
        case .age: "by age, the oldest first"
        case .change: "by last change, the newest first"
        case .tries: "by tries, the most first"
        case .duration: "by the duration of the last attempt, the longest first"
        case .error: "by error, those without one last"
        }
    }

    /// The order after this one, round and round.
    var next: ListOrder {
        let all = Self.allCases
        let place = all.firstIndex(of: self) ?? 0
        return all[(place + 1) % all.count]
    }

    /// Sorts tasks by this order. Calls `duration` only when the order needs it.
    func sorted(
        _ tasks: [QueueTask], duration: (QueueTask) throws -> Int64
    ) rethrows -> [QueueTask] {
        func sort<Key: Comparable>(_ key: (QueueTask) throws -> Key) rethrows -> [QueueTask] {
            try tasks.map { (try key($0), $0) }
                .sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }.map(\.1)
        }
        switch self {
        case .running: return tasks
        case .number: return sort(\.id)
        case .age: return sort(\.createdAt)
        case .change: return sort { -$0.updatedAt.milliseconds }
        case .tries: return sort { -$0.attempts }
        case .duration: return try sort { -(try duration($0)) }
        case .error:
            // Tasks without a value follow all texts.
            return sort { Self.error(of: $0).map { "0\($0)" } ?? "1" }
        }
    }

    private static func error(of task: QueueTask) -> String? {
        if case .failed(let failure) = task.state, !failure.reason.isEmpty { return failure.reason }
        return task.lastError
    }
}

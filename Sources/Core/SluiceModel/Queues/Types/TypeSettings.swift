/// The settings of a queue for the tasks of one type (Q14). A missing value is the queue's.
package struct TypeSettings: Hashable, Sendable {
    /// A limit, or its absence although the queue may have one.
    package enum Limit<Value: Hashable & Sendable>: Hashable, Sendable {
        case unlimited
        case most(Value)

        /// `nil` for no limit.
        package init(_ value: Value?) {
            self = value.map(Limit.most) ?? .unlimited
        }

        /// `nil` for no limit.
        package var value: Value? {
            switch self {
            case .unlimited: nil
            case .most(let value): value
            }
        }
    }
    /// How many types of a queue may have settings.
    package static let limit = 100

    /// Counted executions allowed.
    package var attempts: Limit<Int>?
    /// How long a task waits after a failure.
    package var retry: RetryRule?
    /// The limit of one execution in milliseconds.
    package var timeout: Limit<Int64>?

    /// The maximum number of its running tasks, within the queue's; `nil` for no maximum.
    package var concurrency: Int?
    /// The place of the unique key.
    package var unique: Limit<UniqueRule>?
    package var required: Bool?

    /// No settings.
    package init() {}

    /// Whether each value is the queue's.
    package var isEmpty: Bool { self == TypeSettings() }
}

/// The values that apply to a task: its own, its type's, or the queue's (Q14).
extension QueueSettings {
    package var hasTypes: Bool { !types.isEmpty || !ranks.ranks.isEmpty }

    /// Whether a type has its own concurrency.
    package var limitsTypes: Bool {
        !types.isEmpty && types.values.contains { $0.concurrency != nil }
    }

    /// The free places of each type with its own concurrency, after these tasks took theirs.
    package func typePlaces(besides taken: [QueueTask]) -> [String: Int] {
        var places = types.compactMapValues(\.concurrency)
        for task in taken { places[task.type]? -= 1 }
        return places
    }

    /// Counted executions allowed; `nil` for no limit.
    package func attemptLimit(of task: QueueTask) -> Int? {
        if let own = task.attemptLimit { return own }
        guard !types.isEmpty, let limit = types[task.type]?.attempts else { return attemptLimit }
        return limit.value
    }

    /// Whether new tasks of a type are required (Q6).
    package func isRequired(type: String) -> Bool {
        types.isEmpty ? requiresTasks : types[type]?.required ?? requiresTasks
    }

    /// How long the task waits after a failure.
    package func retry(of task: QueueTask) -> RetryRule {
        types.isEmpty ? retry : types[task.type]?.retry ?? retry
    }

    /// The limit of one execution; `nil` for none.
    package func timeoutMilliseconds(of task: QueueTask) -> Int64? {
        guard !types.isEmpty, let limit = types[task.type]?.timeout else {
            return timeoutMilliseconds
        }
        return limit.value
    }
}

/// The running order of a queue (Q1).
public enum QueueOrder: String, Hashable, Sendable, CaseIterable {
    case fifo, lifo, priority, key
}

/// Whether other tasks overtake a failed task (`advance`) or wait for it (`block`, B7) (Q3).
public enum AfterFailure: String, Hashable, Sendable, CaseIterable {
    case advance, block
}

/// The condition that starts a queue's work (Q4).
package enum StartMode: Hashable, Sendable {
    /// Due tasks run.
    case continuous
    /// Only `run` and `step` start anything.
    case manual
    /// Runs begin at a count of fresh tasks, or a delay after the first of them.
    case batched(count: Int, delayMilliseconds: Int64)

    package var kind: StartKind {
        switch self {
        case .continuous: .continuous
        case .manual: .manual
        case .batched: .batched
        }
    }

    /// The name that commands and JSON use.
    package var name: String { kind.rawValue }
}

/// The start mode without the parameters of a batch (Q4).
public enum StartKind: String, Hashable, Sendable, CaseIterable {
    case continuous, batched, manual
}

/// How long a queue keeps tasks that succeeded (Q9).
public enum KeepFinished: Hashable, Sendable {
    case none
    case last(Int)
    case milliseconds(Int64)
    case acknowledged
}

/// The fate of a start's members after it failed permanently, expired or was deleted (Q10).
public enum StartFailurePolicy: String, Hashable, Sendable, CaseIterable {
    case hold, release
    /// They sit out the run that is open, and are free from its end on.
    case skipRun
    case giveUp
}

/// The settings of a queue, with the defaults of Q11.
package struct QueueSettings: Hashable, Sendable {
    /// The order of tasks.
    package var order = QueueOrder.fifo
    /// The names of priorities (Q1).
    package var priorityNames = PriorityNames()
    /// The maximum number of running tasks, at least 1 (Q2).
    package var concurrency = 1
    /// The concurrency of a copied queue: its system has no such limit.
    package static let anyConcurrency = 1_000_000
    /// How many tasks may start in a period; nil for no limit (Q13).
    package var rate: Rate?
    /// The effect of a failure on later tasks.
    package var afterFailure = AfterFailure.advance
    /// The condition that starts work.
    package var start = StartMode.continuous
    /// Runners serve queues with due work by descending priority (Q5).
    package var priority = 0
    /// Counted executions allowed; nil for no limit (Q7).
    package var attemptLimit: Int? = 10
    /// How long a task waits after a failure.
    package var retry = RetryRule.exponential(
        baseMilliseconds: 1000, factor: 2, capMilliseconds: 3_600_000, jitter: 0.1)
    /// The limit of one execution; nil for none (Q8).
    package var timeoutMilliseconds: Int64?
    /// Running, or holding a `block` queue, longer than this shows as stuck (Q8).
    package var stuckAfterMilliseconds: Int64 = 300_000
    /// After this a waiting task counts as failed; nil for never (Q8).
    package var expiresAfterMilliseconds: Int64?
    /// Whether the starts of groups expire like any other task (Q8).
    package var startsExpire = true
    /// Which succeeded tasks stay (Q9).
    package var keepFinished = KeepFinished.last(100)
    /// How long given-up tasks stay; nil until purged (Q9).
    package var retentionMilliseconds: Int64?
    /// The fate of members when their start fails permanently (Q10).
    package var whenStartFails = StartFailurePolicy.hold
    /// How many tasks may wait; nil for no limit (T6).
    package var maximumLength: Int?
    /// How deep a chain of follow-ups may be (T6).
    package var maximumDepth = 100
    /// How many bytes a payload may have (T6).
    package var maximumPayloadBytes = 1 << 20
    /// The places of a payload that say what a task is about (Q12).
    package var summary = SummaryPaths()
    /// Whether each task is required, unless its type is not (Q6).
    package var requiresTasks = false
    /// The place of each task's unique key; nil for no keys but their own (T5).
    package var unique: UniqueRule?
    /// The settings of types by name, none of them empty (Q14).
    package var types: [String: TypeSettings] = [:]
    /// The running order of types (Q15).
    package var ranks = TypeRanks()
    /// The network as a person forced it for this queue; nil follows the store (B6).
    package var forcedNetwork: Bool?
    /// The preset that the settings came from, for the screen.
    package var preset: String?

    /// Creates the default settings (Q11).
    package init() {}

    /// Strict order: one at a time, and a failure blocks (Q3).
    package var isStrict: Bool { afterFailure == .block && concurrency == 1 }
}

/// The name of a preset (Q11): one of the five, or what a person typed, which may be none.
public struct PresetName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// As commands and JSON say it.
    public var rawValue: String

    /// Creates a name at run time.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a name from a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// `customer-io`.
    public static let customerIO: PresetName = "customer-io"
    /// `yap`.
    public static let yap: PresetName = "yap"
    /// `delayed-job`.
    public static let delayedJob: PresetName = "delayed-job"
    /// `transfer`.
    public static let transfer: PresetName = "transfer"
    /// `startup`.
    public static let startup: PresetName = "startup"
}

extension QueueSettings {
    /// The presets of Q11, one for each of the five systems, by name.
    package static let presets: [(name: String, settings: QueueSettings)] = [
        ("customer-io", customerIO), ("yap", yap), ("delayed-job", delayedJob),
        ("transfer", transfer), ("startup", startup),
    ]

    /// The settings of a preset; `nil` for an unknown name.
    package static func preset(named name: String) -> QueueSettings? {
        guard var settings = presets.first(where: { $0.name == name })?.settings else { return nil }
        settings.preset = name
        return settings
    }

    private static var customerIO: QueueSettings {
        var settings = QueueSettings()
        settings.keepFinished = .none
        settings.start = .batched(count: 10, delayMilliseconds: 30_000)
        settings.attemptLimit = nil
        settings.retry = .fixed(milliseconds: 0)
        settings.timeoutMilliseconds = 600_000
        settings.whenStartFails = .skipRun
        settings.expiresAfterMilliseconds = 3 * 86_400_000
        settings.startsExpire = false
        return settings
    }

    private static var yap: QueueSettings {
        var settings = QueueSettings()
        settings.keepFinished = .none
        settings.afterFailure = .block
        settings.attemptLimit = nil
        settings.retry = .fixed(milliseconds: 10_000)
        settings.timeoutMilliseconds = 600_000
        return settings
    }

    private static var delayedJob: QueueSettings {
        var settings = QueueSettings()
        settings.keepFinished = .none
        settings.order = .priority
        settings.priorityNames =
            PriorityNames([("normal", 1), ("medium", 5), ("high", 10)]) ?? PriorityNames()
        settings.retry = .linear(baseMilliseconds: 20_000, stepMilliseconds: 4_000)
        settings.timeoutMilliseconds = 600_000
        return settings
    }

    private static var transfer: QueueSettings {
        var settings = QueueSettings()
        settings.concurrency = 4
        settings.attemptLimit = nil
        settings.retry = .exponential(
            baseMilliseconds: 1000, factor: 2, capMilliseconds: 300_000, jitter: 0.1)
        settings.keepFinished = .acknowledged
        return settings
    }

    private static var startup: QueueSettings {
        var settings = QueueSettings()
        settings.keepFinished = .none
        settings.order = .priority
        settings.start = .manual
        settings.attemptLimit = 1
        settings.retry = .fixed(milliseconds: 1000)
        return settings
    }
}

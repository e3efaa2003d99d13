/// Fields that few tasks use.
@usableFromInline
struct OptionalFields: Hashable, Sendable {
    var sortKey: SortKey?
    var groupStart: String?
    var groupMembers: [String] = []
    var requires: Set<Requirement> = []
    var isRequired = false
    var offlineInSuccession = 0
    var losses = 0
    var lossesInSuccession = 0
    var attemptLimit: Int?
    var expiresAt: Timestamp?
    var uniqueKey: String?
    var session: String?
    var clientString: ClientString?
    var collector: ProcessID?
    var parent: TaskID?
    var depth = 0
    var label: String?
    var lastError: String?
    var scheduled: ScheduledMoment?
    var headers: [String: String] = [:]
}

extension Shared<OptionalFields> {
    /// None of it: all plain tasks share this one.
    static let plain = Shared(OptionalFields())
}

/// Rarely used fields. Setting an equal value costs nothing.
extension QueueTask {
    /// Only the order `key` reads it.
    public var sortKey: SortKey? {
        get { optional.value.sortKey }
        set { if optional.value.sortKey != newValue { optional.value.sortKey = newValue } }
    }

    /// The group that this task starts.
    public var groupStart: String? {
        get { optional.value.groupStart }
        set { if optional.value.groupStart != newValue { optional.value.groupStart = newValue } }
    }

    /// The groups that this task is a member of.
    public var groupMembers: [String] {
        get { optional.value.groupMembers }
        set {
            if optional.value.groupMembers != newValue { optional.value.groupMembers = newValue }
        }
    }

    /// The requirements before it may start.
    public var requires: Set<Requirement> {
        get { optional.value.requires }
        set { if optional.value.requires != newValue { optional.value.requires = newValue } }
    }

    /// Whether giving it up pauses its queue (Q6).
    public var isRequired: Bool {
        get { optional.value.isRequired }
        set { if optional.value.isRequired != newValue { optional.value.isRequired = newValue } }
    }

    /// Uncounted executions in succession because there was no network.
    package var offlineInSuccession: Int {
        get { optional.value.offlineInSuccession }
        set {
            guard optional.value.offlineInSuccession != newValue else { return }
            optional.value.offlineInSuccession = newValue
        }
    }

    /// Executions whose process died, all of them and those in succession (A2).
    package var losses: Int {
        get { optional.value.losses }
        set { if optional.value.losses != newValue { optional.value.losses = newValue } }
    }

    /// Losses since the last execution that came to an end.
    package var lossesInSuccession: Int {
        get { optional.value.lossesInSuccession }
        set {
            guard optional.value.lossesInSuccession != newValue else { return }
            optional.value.lossesInSuccession = newValue
        }
    }

    /// Counted executions allowed; nil takes the queue's.
    public var attemptLimit: Int? {
        get { optional.value.attemptLimit }
        set {
            if optional.value.attemptLimit != newValue { optional.value.attemptLimit = newValue }
        }
    }

    /// From here on a waiting task counts as failed (Q8).
    public var expiresAt: Timestamp? {
        get { optional.value.expiresAt }
        set { if optional.value.expiresAt != newValue { optional.value.expiresAt = newValue } }
    }

    /// Unique among the waiting tasks of its queue and type (T5).
    public var uniqueKey: String? {
        get { optional.value.uniqueKey }
        set { if optional.value.uniqueKey != newValue { optional.value.uniqueKey = newValue } }
    }

    /// The session that handed it over (section 8), or nil.
    public var session: String? {
        get { optional.value.session }
        set { if optional.value.session != newValue { optional.value.session = newValue } }
    }

    /// The value that the session's owner receives with the result.
    public var clientString: ClientString? {
        get { optional.value.clientString }
        set {
            if optional.value.clientString != newValue { optional.value.clientString = newValue }
        }
    }

    /// The attached process that waits for its end, or did (S3). Not part of the version.
    package var collector: ProcessID? {
        get { optional.value.collector }
        set { if optional.value.collector != newValue { optional.value.collector = newValue } }
    }

    /// The task whose handler enqueued it.
    public var parent: TaskID? {
        get { optional.value.parent }
        set { if optional.value.parent != newValue { optional.value.parent = newValue } }
    }

    /// The number of ancestors (T6).
    public var depth: Int {
        get { optional.value.depth }
        set { if optional.value.depth != newValue { optional.value.depth = newValue } }
    }

    /// A person's word for it.
    public var label: String? {
        get { optional.value.label }
        set { if optional.value.label != newValue { optional.value.label = newValue } }
    }

    /// The schedule that made it, and the moment that it is for.
    public var scheduled: ScheduledMoment? {
        get { optional.value.scheduled }
        set { if optional.value.scheduled != newValue { optional.value.scheduled = newValue } }
    }

    /// Texts by name that its producer gives to its handler, such as `traceparent` (T7).
    public var headers: [String: String] {
        get { optional.value.headers }
        set { if optional.value.headers != newValue { optional.value.headers = newValue } }
    }

    /// The last error that a handler gave.
    public var lastError: String? {
        get { optional.value.lastError }
        set { if optional.value.lastError != newValue { optional.value.lastError = newValue } }
    }
}

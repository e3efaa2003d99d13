/// What few tasks have.
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
}

extension Shared<OptionalFields> {
    /// None of it: all plain tasks share this one.
    static let plain = Shared(OptionalFields())
}

/// What few tasks have; to set it to what it is costs nothing.
extension QueueTask {
    /// Only the order `key` reads it.
    public var sortKey: SortKey? {
        get { rare.value.sortKey }
        set { if rare.value.sortKey != newValue { rare.value.sortKey = newValue } }
    }

    /// The group that this task starts.
    public var groupStart: String? {
        get { rare.value.groupStart }
        set { if rare.value.groupStart != newValue { rare.value.groupStart = newValue } }
    }

    /// The groups that this task is a member of.
    public var groupMembers: [String] {
        get { rare.value.groupMembers }
        set { if rare.value.groupMembers != newValue { rare.value.groupMembers = newValue } }
    }

    /// What must be there before it may start.
    public var requires: Set<Requirement> {
        get { rare.value.requires }
        set { if rare.value.requires != newValue { rare.value.requires = newValue } }
    }

    /// Whether giving it up pauses its queue (Q6).
    public var isRequired: Bool {
        get { rare.value.isRequired }
        set { if rare.value.isRequired != newValue { rare.value.isRequired = newValue } }
    }

    /// Uncounted executions in succession because there was no network.
    package var offlineInSuccession: Int {
        get { rare.value.offlineInSuccession }
        set {
            guard rare.value.offlineInSuccession != newValue else { return }
            rare.value.offlineInSuccession = newValue
        }
    }

    /// Executions whose process died, all of them and those in succession (A2).
    package var losses: Int {
        get { rare.value.losses }
        set { if rare.value.losses != newValue { rare.value.losses = newValue } }
    }

    /// Losses since the last execution that came to an end.
    package var lossesInSuccession: Int {
        get { rare.value.lossesInSuccession }
        set {
            guard rare.value.lossesInSuccession != newValue else { return }
            rare.value.lossesInSuccession = newValue
        }
    }

    /// Counted executions allowed; nil takes the queue's.
    public var attemptLimit: Int? {
        get { rare.value.attemptLimit }
        set { if rare.value.attemptLimit != newValue { rare.value.attemptLimit = newValue } }
    }

    /// From here on a waiting task counts as failed (Q8).
    public var expiresAt: Timestamp? {
        get { rare.value.expiresAt }
        set { if rare.value.expiresAt != newValue { rare.value.expiresAt = newValue } }
    }

    /// Unique among the waiting tasks of its queue and type (T5).
    public var uniqueKey: String? {
        get { rare.value.uniqueKey }
        set { if rare.value.uniqueKey != newValue { rare.value.uniqueKey = newValue } }
    }

    /// The session that handed it over (section 8), or nil.
    public var session: String? {
        get { rare.value.session }
        set { if rare.value.session != newValue { rare.value.session = newValue } }
    }

    /// What the session's owner wants back with the result.
    public var clientString: ClientString? {
        get { rare.value.clientString }
        set { if rare.value.clientString != newValue { rare.value.clientString = newValue } }
    }

    /// The attached process that waits for its end, or did (S3). Not part of the version.
    package var collector: ProcessID? {
        get { rare.value.collector }
        set { if rare.value.collector != newValue { rare.value.collector = newValue } }
    }

    /// The task whose handler enqueued it.
    public var parent: TaskID? {
        get { rare.value.parent }
        set { if rare.value.parent != newValue { rare.value.parent = newValue } }
    }

    /// How many parents stand above it (T6).
    public var depth: Int {
        get { rare.value.depth }
        set { if rare.value.depth != newValue { rare.value.depth = newValue } }
    }

    /// A person's word for it.
    public var label: String? {
        get { rare.value.label }
        set { if rare.value.label != newValue { rare.value.label = newValue } }
    }

    /// The schedule that made it, and the moment that it is for.
    public var scheduled: ScheduledMoment? {
        get { rare.value.scheduled }
        set { if rare.value.scheduled != newValue { rare.value.scheduled = newValue } }
    }

    /// The last error that a handler gave.
    public var lastError: String? {
        get { rare.value.lastError }
        set { if rare.value.lastError != newValue { rare.value.lastError = newValue } }
    }
}

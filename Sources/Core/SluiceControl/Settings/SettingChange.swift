public import SluiceModel

/// One setting of a queue and its new value.
public enum SettingChange: Hashable, Sendable {
    case preset(PresetName)
    case order(QueueOrder)
    case priorityNames(PriorityNames)
    case summary(SummaryPaths)
    case concurrency(Int)
    case rate(String?)
    case burst(Int?)
    /// The place whose values have the rate each, such as `payload.user`; nil for none.
    case per(String?)
    case afterFailure(AfterFailure)
    case start(StartKind)
    case batchCount(Int)
    case batchDelay(Int64)
    case priority(Int)
    case attempts(Int?)
    case retry(RetryRule)
    case timeout(Int64?)
    case stuckAfter(Int64)
    case keepFinished(KeepFinished)
    case retention(Int64?)
    case maximumPayload(Int)
    case expires(Int64?)
    case startsExpire(Bool)
    case whenStartFails(StartFailurePolicy)
    case maximumLength(Int?)
    case maximumDepth(Int)
    /// The place of the unique key, such as `order:replace`; nil for none.
    case unique(String?)
    /// Whether new tasks are required.
    case required(Bool)
    /// The running order of types, such as `network,login,push=scheme`, or `none`.
    case rank(String)
    /// The attempts, the retry rule or the timeout of a type's tasks.
    indirect case ofType(String, SettingChange)
    /// A setting of a type, by its name, that follows the queue again.
    case likeQueue(type: String, String)
}

extension QueueSettings {
    /// Changes one setting; throws `badValue` for one that is out of its range.
    package mutating func apply(_ change: SettingChange) throws(QueueError) {
        switch change {
        case .preset(let name): self = try Self.named(name.rawValue).keeping(self)
        case .order(let value): order = value
        case .priorityNames(let names): priorityNames = names
        case .summary(let paths): summary = paths
        case .concurrency(let value): concurrency = try Self.atLeast(1, value, "concurrency")
        case .rate(let text): try setRate(text)
        case .burst(let count): try setBurst(count)
        case .per(let text): try setPlace(text)
        case .afterFailure(let value): afterFailure = value
        case .start(let kind): start = startMode(kind)
        case .batchCount(let count): try setBatch(count: count)
        case .batchDelay(let delay): try setBatch(delay: delay)
        case .priority(let value): priority = value
        case .attempts(let value):
            attemptLimit = value == nil ? nil : try Self.atLeast(1, value ?? 1, "attempts")
        case .retry(let rule): retry = rule
        case .timeout(let value): timeoutMilliseconds = value
        case .stuckAfter(let value): stuckAfterMilliseconds = value
        case .keepFinished(let value): keepFinished = value
        case .retention(let value): retentionMilliseconds = value
        case .maximumPayload(let value): maximumPayloadBytes = value
        case .expires(let value): expiresAfterMilliseconds = value
        case .startsExpire(let value): startsExpire = value
        case .whenStartFails(let value): whenStartFails = value
        case .maximumLength(let value):
            maximumLength = value == nil ? nil : try Self.atLeast(1, value ?? 1, "max-length")
        case .maximumDepth(let value): maximumDepth = try Self.atLeast(1, value, "max-depth")
        case .required(let value): requiresTasks = value
        case .unique(let text): unique = try text.map(Self.unique)
        case .rank(let text): ranks = ranks.changed(to: try TypeRanks.order(text))
        case .ofType(let type, let change): try apply(change, toType: type)
        case .likeQueue(let type, let setting): try reset(setting, ofType: type)
        }
    }

    private static func named(_ name: String) throws(QueueError) -> QueueSettings {
        if let settings = preset(named: name) { return settings }
        let names = presets.map(\.name)
        throw QueueError(
            .badValue, "there is no preset \"\(name)\"",
            fix: "allowed: \(names.joined(separator: ", "))")
    }

    private static func atLeast(
        _ least: Int, _ value: Int, _ name: String
    ) throws(QueueError) -> Int {
        guard value < least else { return value }
        throw QueueError(.badValue, "\(name) is \(value)", fix: "allowed: \(least) or more")
    }

    private static func rate(_ text: String) throws(QueueError) -> Rate {
        if let rate = Rate(text: text) { return rate }
        throw QueueError(
            .badValue, "rate is \"\(text)\"", fix: "allowed: \(QueueSetting.rate.allowed)")
    }

    /// A new rate counts by the same keys.
    private mutating func setRate(_ text: String?) throws(QueueError) {
        var changed = try text.map(Self.rate)
        changed?.per = rate?.per
        rate = changed
    }

    private mutating func setPlace(_ text: String?) throws(QueueError) {
        guard rate != nil || text == nil else {
            throw QueueError(.badValue, "the queue has no rate", fix: "add --rate N/D")
        }
        guard let text else {
            rate?.per = nil
            return
        }
        guard let place = Rate.place(text) else {
            throw QueueError(
                .badValue, "per is \"\(text)\"", fix: "allowed: \(QueueSetting.per.allowed)")
        }
        rate?.per = place
    }

    private static func unique(_ text: String) throws(QueueError) -> UniqueRule {
        if let rule = UniqueRule(text: text) { return rule }
        throw QueueError(
            .badValue, "unique is \"\(text)\"", fix: "allowed: \(QueueSetting.unique.allowed)")
    }

    private mutating func setBurst(_ burst: Int?) throws(QueueError) {
        guard let rate else {
            throw QueueError(.badValue, "the queue has no rate", fix: "add --rate N/D")
        }
        guard let changed = rate.with(burst: burst) else {
            throw QueueError(
                .badValue, "burst is \(burst ?? 0)", fix: "allowed: 1 to \(rate.count)")
        }
        self.rate = changed
    }

    private func startMode(_ kind: StartKind) -> StartMode {
        switch kind {
        case .continuous: .continuous
        case .manual: .manual
        case .batched:
            start.kind == .batched ? start : .batched(count: 10, delayMilliseconds: 30_000)
        }
    }

    private mutating func setBatch(count: Int? = nil, delay: Int64? = nil) throws(QueueError) {
        guard case .batched(let oldCount, let oldDelay) = start else {
            throw QueueError(
                .badValue, "the queue is \(start.name), so it has no batch",
                fix: "add --start batched")
        }
        start = .batched(
            count: try Self.atLeast(1, count ?? oldCount, "batch-count"),
            delayMilliseconds: delay ?? oldDelay)
    }
}

package import SluiceModel

extension QueueSettings {
    /// How many tasks run: `2 at a time`.
    package var concurrencyWords: String {
        (concurrency == Self.anyConcurrency ? "any number" : "\(concurrency)") + " at a time"
    }

    /// The present value in the form that `queue set` takes; `nil` if the setting does not apply,
    /// such as a batch setting of an unbatched queue.
    package func change(for setting: QueueSetting) -> SettingChange? {
        switch setting {
        case .preset: preset.map { .preset(PresetName(rawValue: $0)) }
        case .order: .order(order)
        case .priorityNames: .priorityNames(priorityNames)
        case .rank: .rank(ranks.text)
        case .summary: .summary(summary)
        case .unique: .unique(unique?.text)
        case .required: .required(requiresTasks)
        case .concurrency: .concurrency(concurrency)
        case .rate: .rate(rate?.text)
        case .burst: rate.map { .burst($0.burst) }
        case .per: rate.map { .per($0.perText) }
        case .afterFailure: .afterFailure(afterFailure)
        case .priority: .priority(priority)
        case .start: .start(start.kind)
        case .batchCount: batch.map { .batchCount($0.count) }
        case .batchDelay: batch.map { .batchDelay($0.delay) }
        case .attempts: .attempts(attemptLimit)
        case .retry: .retry(retry)
        case .timeout: .timeout(timeoutMilliseconds)
        case .stuckAfter: .stuckAfter(stuckAfterMilliseconds)
        case .whenStartFails: .whenStartFails(whenStartFails)
        case .keepFinished: .keepFinished(keepFinished)
        case .retention: .retention(retentionMilliseconds)
        case .expires: .expires(expiresAfterMilliseconds)
        case .startsExpire: .startsExpire(startsExpire)
        case .maximumPayload: .maximumPayload(maximumPayloadBytes)
        case .maximumLength: .maximumLength(maximumLength)
        case .maximumDepth: .maximumDepth(maximumDepth)
        }
    }

    private var batch: (count: Int, delay: Int64)? {
        guard case .batched(let count, let delay) = start else { return nil }
        return (count, delay)
    }

    /// The base settings for comparison: the preset's, or the defaults.
    package var ground: QueueSettings {
        preset.flatMap(QueueSettings.preset) ?? QueueSettings()
    }

    /// The settings that differ from `others`.
    package func differences(from others: QueueSettings) -> [QueueSetting] {
        QueueSetting.allCases.filter { change(for: $0) != others.change(for: $0) }
    }

    /// These settings with one change; throws `badValue` if it is out of range.
    package func changed(_ change: SettingChange) throws(QueueError) -> QueueSettings {
        var settings = self
        try settings.apply(change)
        return settings
    }
}

extension SettingChange {
    /// Which setting of the queue it changes; `nil` for one of a type.
    package var setting: QueueSetting? {
        switch self {
        case .preset: .preset
        case .order: .order
        case .priorityNames: .priorityNames
        case .summary: .summary
        case .concurrency: .concurrency
        case .rate: .rate
        case .burst: .burst
        case .per: .per
        case .afterFailure: .afterFailure
        case .start: .start
        case .batchCount: .batchCount
        case .batchDelay: .batchDelay
        case .priority: .priority
        case .attempts: .attempts
        case .retry: .retry
        case .timeout: .timeout
        case .stuckAfter: .stuckAfter
        case .keepFinished: .keepFinished
        case .retention: .retention
        case .maximumPayload: .maximumPayload
        case .expires: .expires
        case .startsExpire: .startsExpire
        case .whenStartFails: .whenStartFails
        case .maximumLength: .maximumLength
        case .maximumDepth: .maximumDepth
        case .rank: .rank
        case .unique: .unique
        case .required: .required
        case .ofType, .likeQueue: nil
        }
    }

    /// The value as `queue set` takes it.
    public var text: String {
        switch self {
        case .preset(let name): name.rawValue
        case .start(let kind): kind.rawValue
        case .order(let order): order.rawValue
        case .priorityNames(let names): names.text
        case .summary(let paths): paths.text
        case .afterFailure(let after): after.rawValue
        case .whenStartFails(let policy): policy.rawValue
        case .concurrency(let count), .batchCount(let count), .maximumDepth(let count): "\(count)"
        case .priority(let value): "\(value)"
        case .rate(let text), .per(let text), .unique(let text): text ?? "none"
        case .attempts(let count), .maximumLength(let count), .burst(let count):
            count.map { "\($0)" } ?? "none"
        case .batchDelay(let time), .stuckAfter(let time): DurationText.compact(time)
        case .timeout(let time), .retention(let time), .expires(let time):
            time.map(DurationText.compact) ?? "none"
        case .retry(let rule): rule.description
        case .keepFinished(let keep): keep.text
        case .maximumPayload(let bytes): SizeText.compact(bytes)
        case .startsExpire(let isSo), .required(let isSo): isSo ? "yes" : "no"
        case .rank(let order): order
        case .ofType(_, let change): change.text
        case .likeQueue: "default"
        }
    }
}

extension KeepFinished {
    fileprivate var text: String {
        switch self {
        case .none: "none"
        case .last(let count): "\(count)"
        case .milliseconds(let time): DurationText.compact(time)
        case .acknowledged: "acknowledged"
        }
    }
}

extension AfterFailure {
    /// The words that people read.
    package var words: String {
        switch self {
        case .advance: "a failure does not block"
        case .block: "a failure blocks"
        }
    }
}

/// The settings of types, and their ranks (Q14, Q15).
extension QueueSettings {
    /// Changes a setting of a type; throws `badValue` for one that only the queue has.
    mutating func apply(_ change: SettingChange, toType named: String) throws(QueueError) {
        let queue = try changed(change)
        try setType(named) { own throws(QueueError) in
            switch change {
            case .attempts: own.attempts = TypeSettings.Limit(queue.attemptLimit)
            case .retry(let rule): own.retry = rule
            case .timeout(let time): own.timeout = TypeSettings.Limit(time)
            case .concurrency: own.concurrency = queue.concurrency
            case .unique: own.unique = TypeSettings.Limit(queue.unique)
            case .required(let isSo): own.required = isSo
            default: throw QueueSetting.refusal(ofType: named, change.name)
            }
        }
    }

    /// Makes a type follow the queue in a setting.
    mutating func reset(_ setting: String, ofType named: String) throws(QueueError) {
        try setType(named) { own throws(QueueError) in
            switch QueueSetting(rawValue: setting) {
            case .attempts: own.attempts = nil
            case .retry: own.retry = nil
            case .timeout: own.timeout = nil
            case .concurrency: own.concurrency = nil
            case .unique: own.unique = nil
            case .required: own.required = nil
            default: throw QueueSetting.refusal(ofType: named, setting)
            }
        }
    }

    private mutating func setType(
        _ named: String, _ change: (inout TypeSettings) throws(QueueError) -> Void
    ) throws(QueueError) {
        try Names.check(named, of: "type")
        let type = Names.composed(named)
        var own = types[type] ?? TypeSettings()
        try change(&own)
        types[type] = own.isEmpty ? nil : own
        guard types.count <= TypeSettings.limit else {
            throw QueueError(
                .badValue, "the queue has settings for \(TypeSettings.limit) types already",
                fix: "--type TYPE with --retry default and so on removes those of a type")
        }
    }

    /// The settings of a type in the form that `queue set` takes.
    package func changes(ofType type: String) -> [SettingChange] {
        guard let own = types[type] else { return [] }
        return [
            own.attempts.map { .ofType(type, .attempts($0.value)) },
            own.retry.map { .ofType(type, .retry($0)) },
            own.timeout.map { .ofType(type, .timeout($0.value)) },
            own.concurrency.map { .ofType(type, .concurrency($0)) },
            own.unique.map { .ofType(type, .unique($0.value?.text)) },
            own.required.map { .ofType(type, .required($0)) },
        ].compactMap(\.self)
    }

    /// The setting of a change with its present value; `nil` for one that does not apply.
    func words(of change: SettingChange) -> String? {
        guard let named = change.type else {
            return change.setting.flatMap { self.change(for: $0) }.map {
                "\(change.name) \($0.text)"
            }
        }
        let type = Names.composed(named)
        let own = changes(ofType: type).first { $0.name == change.name }
        return "\(change.name) of \(type) \(own?.text ?? "default")"
    }

    /// Each type with its settings in words, by name.
    package var typeWords: [(type: String, words: String)] {
        types.keys.sorted().map { type in
            let words = changes(ofType: type).map { "\($0.name) \($0.text)" }
            return (type, words.joined(separator: ", "))
        }
    }

    /// The same as one text; `nil` without types.
    package var typeText: String? {
        let all = typeWords.map { "\($0.type): \($0.words)" }
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    /// These settings of a preset, with the parts of former settings that a preset does not decide:
    /// names that differ from the former preset's, the summary, types with their ranks, and what a
    /// person forced.
    func keeping(_ former: QueueSettings) -> QueueSettings {
        var settings = self
        let names = former.priorityNames
        if !names.entries.isEmpty, names != former.ground.priorityNames {
            settings.priorityNames = names
        }
        (settings.summary, settings.types) = (former.summary, former.types)
        (settings.unique, settings.requiresTasks) = (former.unique, former.requiresTasks)
        settings.ranks = former.ranks
        settings.forcedNetwork = former.forcedNetwork
        return settings
    }
}

extension QueueSetting {
    /// The settings that a type may have.
    package static let ofTypes: [QueueSetting] = [
        .attempts, .retry, .timeout, .concurrency, .unique, .required,
    ]

    /// Parses the value of a type's setting; `default` makes the type follow the queue.
    package func change(_ text: String, ofType type: String) throws(QueueError) -> SettingChange {
        guard Self.ofTypes.contains(self) else { throw Self.refusal(ofType: type, name) }
        if text == "default" { return .likeQueue(type: type, name) }
        return .ofType(type, try change(text, orElse: "default, \(allowed)"))
    }

    static func refusal(ofType type: String, _ setting: String) -> QueueError {
        QueueError(
            .badValue, "--\(setting) is a setting of the queue, not of the type \"\(type)\"",
            fix: "with --type: \(ofTypes.map(\.option).joined(separator: ", ")); "
                + "--rank orders types")
    }
}

extension SettingChange {
    /// The type that it is about; `nil` for the queue.
    package var type: String? {
        switch self {
        case .ofType(let type, _), .likeQueue(let type, _): type
        default: nil
        }
    }

    /// The name of its setting, without the dashes of the option.
    package var name: String {
        switch self {
        case .ofType(_, let change): change.name
        case .likeQueue(_, let name): name
        default: setting?.name ?? ""
        }
    }
}

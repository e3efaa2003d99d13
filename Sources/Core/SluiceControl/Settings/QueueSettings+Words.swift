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

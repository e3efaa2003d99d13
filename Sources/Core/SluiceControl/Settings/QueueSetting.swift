package import SluiceModel

/// A setting of a queue, as in `queue set` and in the console's form. Each case may depend on
/// earlier ones.
package enum QueueSetting: String, Hashable, Sendable, CaseIterable {
    case preset, order, concurrency, rate, burst, per
    case afterFailure = "after-failure"
    case priority, start
    case batchCount = "batch-count"
    case batchDelay = "batch-delay"
    case attempts, retry, timeout
    case stuckAfter = "stuck-after"
    case whenStartFails = "when-start-fails"
    case keepFinished = "keep-finished"
    case retention, expires
    case startsExpire = "starts-expire"
    case maximumPayload = "max-payload"
    case maximumLength = "max-length"
    case maximumDepth = "max-depth"
    case priorityNames = "names"
    case rank, summary, unique, required

    /// Its name, without the dashes of the option.
    package var name: String { rawValue }

    /// The option of `queue set`.
    package var option: String { "--\(rawValue)" }

    package var help: String {
        switch self {
        case .preset: "all settings of one of the five systems"
        case .order: "the running order"
        case .priorityNames: "names of priorities"
        case .rank: "the order of types, for the order priority"
        case .concurrency: "how many run at a time"
        case .rate: "maximum starts in a period"
        case .burst: "how many the rate lets start together"
        case .per: "the payload place whose values each have the rate"
        case .afterFailure: "whether others overtake"
        case .priority: "the larger queue is served first"
        case .start: "what starts the work"
        case .batchCount: "fresh tasks that begin a run"
        case .batchDelay: "the wait after the first fresh task"
        case .attempts: "maximum attempts"
        case .retry: "the wait after a failure"
        case .timeout: "of one attempt; a handler's goes first"
        case .stuckAfter: "longer than this shows as stuck"
        case .whenStartFails: "the fate of a failed start's members"
        case .keepFinished: "which finished tasks stay"
        case .retention: "how long given-up tasks stay"
        case .expires: "waiting longer than this counts as failed"
        case .startsExpire: "whether starts of groups expire"
        case .maximumPayload: "the largest payload"
        case .maximumLength: "how many tasks may wait"
        case .maximumDepth: "how deep follow-ups may go"
        case .summary: "the payload places that lists show"
        case .unique: "the place of the unique key"
        case .required: "whether giving up new tasks pauses it"
        }
    }

    /// The words that it may be, where these are all.
    package var choices: [String]? {
        switch self {
        case .preset: QueueSettings.presets.map(\.name)
        case .order: QueueOrder.allCases.map(\.rawValue)
        case .afterFailure: AfterFailure.allCases.map(\.rawValue)
        case .start: StartKind.allCases.map(\.rawValue)
        case .whenStartFails: StartFailurePolicy.allCases.map(\.rawValue)
        case .startsExpire, .required: ["yes", "no"]
        default: nil
        }
    }

    /// The allowed values in words.
    package var allowed: String {
        switch self {
        case .concurrency, .batchCount, .maximumDepth: "a whole number of at least 1"
        case .priority: "a whole number"
        case .priorityNames: "none, or NAME=N such as login=30,push=20"
        case .rank: "none, or types such as network,login,push=scheme"
        case .summary: "none, or up to \(SummaryPaths.limit) paths such as to,items[0].name"
        case .unique: "none, or PATH[:keep|replace|reject][:end|D] such as order:replace"
        case .attempts, .maximumLength: "none, or a whole number of at least 1"
        case .rate: "none, or N/D such as 10/1m: 1 to 1000000 in 1ms to 366d"
        case .burst: "none, or a whole number from 1 to the rate's"
        case .per: "none, or a path such as payload.user"
        case .batchDelay, .stuckAfter: "a duration such as 250ms, 30s, 15m, 2h, 3d"
        case .timeout, .retention, .expires: "none, or a duration such as 30s, 15m, 3d"
        case .retry:
            "fixed(10s), linear(20s,4s), exponential(1s,2,1h,0.1), polynomial(1s,4,1h)"
        case .keepFinished: "none, a number, a duration such as 3d, acknowledged"
        case .maximumPayload: "a size such as 512, 64KiB, 2MiB"
        case .preset, .order, .afterFailure, .start, .whenStartFails, .startsExpire, .required:
            (choices ?? []).joined(separator: ", ")
        }
    }

    /// The type of the option's value.
    var value: Command.Value {
        if let choices { return .choice(choices) }
        switch self {
        case .batchDelay, .stuckAfter: return .duration
        case .attempts, .maximumLength, .burst: return .text("N|none")
        case .rate: return .text("N/D|none")
        case .timeout, .retention, .expires: return .text("D|none")
        case .keepFinished: return .text("none|N|D|acknowledged")
        case .priorityNames: return .text("NAME=N,…")
        case .rank: return .text("TYPE,…")
        case .summary: return .text("PATH,…")
        case .unique: return .text("PATH[:…]")
        case .per: return .text("PATH|none")
        case .retry: return .retryRule
        case .maximumPayload: return .size
        default: return .number
        }
    }
}

extension QueueSetting {
    /// Parses a value; throws `badValue` with the option, the text and the allowed values.
    package func change(_ text: String) throws(QueueError) -> SettingChange {
        try change(text, orElse: allowed)
    }

    func change(_ text: String, orElse allowed: String) throws(QueueError) -> SettingChange {
        if self == .rank {
            _ = try TypeRanks.order(text)
            return .rank(text)
        }
        if let change = worded(text) ?? counted(text) ?? timed(text) { return change }
        let word = NumberText.fault(of: text, else: "not allowed")
        throw QueueError(
            .badValue, "\(option): \"\(text)\" is \(word)", fix: "allowed: \(allowed)")
    }

    private func worded(_ text: String) -> SettingChange? {
        switch self {
        case .preset:
            choices?.contains(text) == true ? .preset(PresetName(rawValue: text)) : nil
        case .order: QueueOrder(rawValue: text).map(SettingChange.order)
        case .rate:
            text == "none" ? .rate(nil) : Rate(text: text).map { SettingChange.rate($0.text) }
        case .per:
            text == "none" ? .per(nil) : Rate.place(text).map { _ in SettingChange.per(text) }
        case .unique:
            text == "none"
                ? .unique(nil) : UniqueRule(text: text).map { SettingChange.unique($0.text) }
        case .priorityNames: PriorityNames(text: text).map(SettingChange.priorityNames)
        case .summary: SummaryPaths(text: text).map(SettingChange.summary)
        case .afterFailure: AfterFailure(rawValue: text).map(SettingChange.afterFailure)
        case .start: StartKind(rawValue: text).map(SettingChange.start)
        case .retry: RetryRule(text).map(SettingChange.retry)
        case .whenStartFails:
            StartFailurePolicy(rawValue: text).map(SettingChange.whenStartFails)
        case .startsExpire: Self.truths[text].map(SettingChange.startsExpire)
        case .required: Self.truths[text].map(SettingChange.required)
        default: nil
        }
    }

    private static let truths = ["yes": true, "true": true, "no": false, "false": false]

    private func counted(_ text: String) -> SettingChange? {
        let count = Int32(text).flatMap { $0 >= 1 ? Int($0) : nil }
        switch self {
        case .concurrency: return count.map(SettingChange.concurrency)
        case .priority: return Int(text).map(SettingChange.priority)
        case .batchCount: return count.map(SettingChange.batchCount)
        case .attempts: return text == "none" ? .attempts(nil) : count.map { .attempts($0) }
        case .burst: return text == "none" ? .burst(nil) : count.map { .burst($0) }
        case .maximumLength:
            return text == "none" ? .maximumLength(nil) : count.map { .maximumLength($0) }
        case .maximumDepth: return count.map(SettingChange.maximumDepth)
        case .maximumPayload: return SizeText.bytes(text).map(SettingChange.maximumPayload)
        default: return nil
        }
    }

    private func timed(_ text: String) -> SettingChange? {
        let time = DurationText.milliseconds(text)
        let limit = time.flatMap { $0 > 0 ? $0 : nil }
        let isNone = text == "none"
        switch self {
        case .batchDelay: return time.map(SettingChange.batchDelay)
        case .stuckAfter: return time.map(SettingChange.stuckAfter)
        case .timeout: return isNone ? .timeout(nil) : limit.map { .timeout($0) }
        case .retention: return isNone ? .retention(nil) : limit.map { .retention($0) }
        case .expires: return isNone ? .expires(nil) : limit.map { .expires($0) }
        case .keepFinished:
            if let word = ["none": KeepFinished.none, "acknowledged": .acknowledged][text] {
                return .keepFinished(word)
            }
            if let count = Int32(text), count >= 0 { return .keepFinished(.last(Int(count))) }
            return time.map { .keepFinished(.milliseconds($0)) }
        default: return nil
        }
    }
}

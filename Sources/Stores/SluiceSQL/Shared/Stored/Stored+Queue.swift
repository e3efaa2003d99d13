package import SluiceModel

extension QueueSettings: StoredRecord {
    static var blank: Self { Self() }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("order", &order)
        fields.pass("names", &priorityNames, \.stored, PriorityNames.init(stored:))
        fields.pass("concurrency", &concurrency)
        fields.pass("rate", &rate)
        fields.pass("afterFailure", &afterFailure)
        fields.pass("start", ifThere: &start)
        fields.pass("priority", &priority)
        fields.pass("attemptLimit", &attemptLimit)
        fields.pass("retry", ifThere: &retry)
        fields.pass("timeout", &timeoutMilliseconds)
        fields.pass("stuckAfter", &stuckAfterMilliseconds)
        fields.pass("expiresAfter", &expiresAfterMilliseconds)
        fields.pass("startsExpire", &startsExpire)
        fields.pass("keepFinished", ifThere: &keepFinished)
        fields.pass("retention", &retentionMilliseconds)
        fields.pass("whenStartFails", &whenStartFails)
        fields.pass("maximumLength", &maximumLength)
        fields.pass("maximumDepth", &maximumDepth)
        fields.pass("maximumPayloadBytes", &maximumPayloadBytes)
        fields.pass("summary", &summary, \.stored, SummaryPaths.init(stored:))
        fields.pass("unique", &unique)
        fields.pass("required", &requiresTasks)
        fields.pass("types", &types, \.stored, [String: TypeSettings].init(stored:))
        fields.pass("ranks", &ranks, \.stored, TypeRanks.init(stored:))
        fields.pass("network", bit: &forcedNetwork)
        fields.pass("preset", &preset)
    }

    /// The value as JSON, as columns and exports hold it.
    package var stored: JSONValue { StoredFields(of: self).value }

    /// Reads it; throws `damagedStore` where something is missing or no such value.
    package init(stored: JSONValue) throws(QueueError) {
        try self.init(fields: StoredFields(stored))
    }
}

extension PriorityNames {
    /// `nil` if empty.
    fileprivate var stored: JSONValue? {
        guard !entries.isEmpty else { return nil }
        var object = JSONObject()
        for entry in entries { object[entry.name] = .integer(Int64(entry.priority)) }
        return .object(object)
    }

    fileprivate init(stored: JSONValue) throws(QueueError) {
        var pairs: [(name: String, priority: Int)] = []
        for pair in stored.object?.pairs ?? [] {
            pairs.append((pair.key, Int(try pair.value.integer.orDamage("names"))))
        }
        self = try PriorityNames(pairs).orDamage("names")
    }
}

extension SummaryPaths {
    /// `nil` if empty.
    fileprivate var stored: JSONValue? { paths.isEmpty ? nil : .string(text) }

    fileprivate init(stored: JSONValue) throws(QueueError) {
        guard let text = stored.string else { throw StoredFields.damage("summary is no text") }
        self = try SummaryPaths(text: text).orDamage("summary")
    }
}

extension Rate: StoredObject, StoredValue {
    func put(in fields: inout StoredFields) {
        fields.put("count", count)
        fields.put("period", milliseconds)
        fields.put("burst", burst)
        fields.put("per", perText)
    }

    init(fields: StoredFields) throws(QueueError) {
        self = try Rate(
            try fields.required("count"), each: try fields.required("period"),
            burst: try fields.optional("burst")
        ).orDamage("rate")
        let place: String? = try fields.optional("per")
        per = try place.map { text throws(QueueError) in try Rate.place(text).orDamage("per") }
    }
}

extension PaidKeys {
    /// `nil` if empty.
    var stored: JSONValue? {
        guard !isEmpty else { return nil }
        var object = JSONObject()
        for (key, time) in times.sorted(by: { $0.key.value < $1.key.value }) {
            object[String(key.value, radix: 16)] = .integer(time)
        }
        return .object(object)
    }

    init(stored: JSONValue) throws(QueueError) {
        var times: [RateKey: Int64] = [:]
        for pair in try stored.object.orDamage("paidKeys").pairs {
            let key = try UInt64(pair.key, radix: 16).orDamage("paidKeys")
            times[RateKey(value: key)] = try pair.value.integer.orDamage("paidKeys")
        }
        self.init(times)
    }
}

extension StartMode: StoredObject {
    func put(in fields: inout StoredFields) {
        fields.put("mode", name)
        if case .batched(let count, let delay) = self {
            fields.put("count", count)
            fields.put("delay", delay)
        }
    }

    init(fields: StoredFields) throws(QueueError) {
        switch try fields.required("mode") as String {
        case "continuous": self = .continuous
        case "manual": self = .manual
        case "batched":
            self = .batched(
                count: try fields.required("count"),
                delayMilliseconds: try fields.required("delay"))
        case let mode: throw StoredFields.damage("start \(mode)")
        }
    }
}

extension KeepFinished: StoredObject {
    func put(in fields: inout StoredFields) {
        switch self {
        case .none: break
        case .last(let count): fields.put("last", count)
        case .milliseconds(let milliseconds): fields.put("milliseconds", milliseconds)
        case .acknowledged: fields.put("acknowledged", flag: true)
        }
    }

    init(fields: StoredFields) throws(QueueError) {
        if let count: Int = try fields.optional("last") {
            self = .last(count)
        } else if let milliseconds: Int64 = try fields.optional("milliseconds") {
            self = .milliseconds(milliseconds)
        } else {
            self = fields.flag("acknowledged") ? .acknowledged : .none
        }
    }
}

extension RetryRule: StoredObject {
    func put(in fields: inout StoredFields) {
        switch self {
        case .fixed(let milliseconds):
            fields.put("rule", "fixed")
            fields.put("base", milliseconds)
        case .linear(let base, let step):
            fields.put("rule", "linear")
            fields.put("base", base)
            fields.put("step", step)
        case .exponential(let base, let factor, let cap, let jitter):
            fields.put("rule", "exponential")
            fields.put("base", base)
            fields.put("factor", factor)
            fields.put("cap", cap)
            fields.put("jitter", jitter)
        case .polynomial(let base, let power, let cap):
            fields.put("rule", "polynomial")
            fields.put("base", base)
            fields.put("power", power)
            fields.put("cap", cap)
        }
    }

    init(fields: StoredFields) throws(QueueError) {
        let base: Int64 = try fields.required("base")
        switch try fields.required("rule") as String {
        case "fixed": self = .fixed(milliseconds: base)
        case "linear":
            self = .linear(baseMilliseconds: base, stepMilliseconds: try fields.required("step"))
        case "exponential":
            self = .exponential(
                baseMilliseconds: base, factor: try fields.required("factor"),
                capMilliseconds: try fields.required("cap"),
                jitter: try fields.required("jitter"))
        case "polynomial":
            self = .polynomial(
                baseMilliseconds: base, power: try fields.required("power"),
                capMilliseconds: try fields.required("cap"))
        case let rule: throw StoredFields.damage("retry \(rule)")
        }
    }
}

/// Pauses and runs as JSON.
extension Pause: StoredRecord {
    static var blank: Self { Self(cause: .person, by: "", reason: nil, since: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("cause", &cause)
        fields.pass("by", &by)
        fields.pass("reason", &reason)
        fields.pass("since", &since)
        fields.pass("until", &until)
        fields.pass("direction", &direction)
        fields.pass("otherStore", &otherStore)
        fields.pass("owner", &owner)
        var isBesides = isOfStore && cause != .store
        fields.pass("isOfStore", &isBesides)
        isOfStore = isBesides || cause == .store
        fields.pass("hits", each: &hits)
    }

    /// The value as JSON, as columns and exports hold it.
    package var stored: JSONValue { StoredFields(of: self).value }

    /// Reads it; throws `damagedStore` where something is missing or no such value.
    package init(stored: JSONValue) throws(QueueError) {
        try self.init(fields: StoredFields(stored))
    }
}

extension Run: StoredRecord {
    static var blank: Self { Self(number: 0, since: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("number", &number)
        fields.pass("since", &since)
        fields.pass("attempted", &attempted)
        fields.pass("hadSuccess", &hadSuccess)
        fields.pass(&limit)
        fields.pass("sitOuts", each: &sitOuts)
    }
}

extension RunLimit?: StoredObject, StoredValue {
    func put(in fields: inout StoredFields) {
        switch self {
        case .task(let id): fields.put("untilTask", id)
        case .count(let count): fields.put("untilCount", count)
        case .time(let moment): fields.put("untilTime", moment)
        case nil: break
        }
    }

    init(fields: StoredFields) throws(QueueError) {
        if let id: TaskID = try fields.optional("untilTask") {
            self = .task(id)
        } else if let count: Int = try fields.optional("untilCount") {
            self = .count(count)
        } else {
            let moment: Timestamp? = try fields.optional("untilTime")
            self = moment.map(RunLimit.time)
        }
    }
}

/// A whole queue as JSON: the image that `undo` keeps.
extension QueueRecord: StoredRecord {
    static var blank: Self { Self(name: "", createdAt: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("name", &name)
        fields.pass("settings", ifThere: &settings)
        fields.pass("pauses", evenEmpty: &pauses)
        fields.pass("run", &run)
        fields.pass("lastRunEnd", &lastRunEnd)
        fields.pass("barrenRuns", &barrenRuns)
        fields.pass("paidUp", &paidUp)
        fields.pass("paidKeys", &paidKeys, \.stored, PaidKeys.init(stored:))
        fields.pass("wakes", each: &wakes)
        fields.pass("createdAt", &createdAt)
        fields.pass("version", &version)
    }
}

/// The settings and ranks of types in the settings of a queue.
extension TypeSettings: StoredObject {
    private static let unlimited = "none"

    func put(in fields: inout StoredFields) {
        fields.put("attemptLimit", attempts.map(Self.stored))
        fields.put("retry", retry)
        fields.put("timeout", timeout.map(Self.stored))
        fields.put("concurrency", concurrency)
        fields.put("unique", unique.map(Self.stored))
        fields.put("required", required.map { $0 ? 1 : 0 as Int64 })
    }

    init(fields: StoredFields) throws(QueueError) {
        self.init()
        attempts = try fields.optional("attemptLimit", Self.limit)
        retry = try fields.optional("retry")
        timeout = try fields.optional("timeout", Self.limit)
        concurrency = try fields.optional("concurrency")
        unique = try fields.optional("unique", Self.limit)
        let number: Int64? = try fields.optional("required")
        required = number.map { $0 != 0 }
    }

    private static func stored(_ limit: Limit<some StoredValue>) -> JSONValue {
        limit.value?.stored ?? .string(unlimited)
    }

    private static func limit<Value: StoredValue>(
        _ stored: JSONValue
    ) throws(QueueError) -> Limit<Value> {
        stored.string == unlimited ? .unlimited : .most(try Value.read(stored, at: "a limit"))
    }
}

extension [String: TypeSettings] {
    /// `nil` if empty.
    var stored: JSONValue? {
        guard !isEmpty else { return nil }
        var object = JSONObject()
        for (type, settings) in sorted(by: { $0.key < $1.key }) { object[type] = settings.stored }
        return .object(object)
    }

    init(stored: JSONValue) throws(QueueError) {
        self.init()
        for pair in try stored.object.orDamage("types").pairs {
            self[pair.key] = try TypeSettings(stored: pair.value)
        }
    }
}

extension TypeRanks.Rank: StoredObject, StoredValue {
    func put(in fields: inout StoredFields) {
        fields.put("types", types)
        fields.put("priority", priority)
    }

    init(fields: StoredFields) throws(QueueError) {
        self.init(
            types: try fields.list("types"), priority: try fields.required("priority"))
    }
}

extension TypeRanks {
    /// `nil` if empty.
    var stored: JSONValue? { ranks.isEmpty ? nil : ranks.stored }

    init(stored: JSONValue) throws(QueueError) {
        self = try TypeRanks(try [Rank].read(stored, at: "ranks")).orDamage("ranks")
    }
}

extension UniqueRule: StoredObject, StoredValue {
    func put(in fields: inout StoredFields) {
        fields.put("path", path.name)
        fields.put("policy", policy.rawValue)
        fields.put("time", time.text)
    }

    init(fields: StoredFields) throws(QueueError) {
        let path: String = try fields.required("path")
        let policy: String = try fields.required("policy")
        let time: String = try fields.required("time")
        self = try UniqueRule(text: "\(path):\(policy):\(time)").orDamage("unique")
    }
}

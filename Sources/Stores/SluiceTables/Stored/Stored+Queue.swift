package import SluiceModel

/// The settings of a queue as JSON.
extension QueueSettings {
    /// The value as JSON, as columns and exports hold it.
    package var stored: JSONValue {
        var fields = StoredFields()
        fields.put("order", order)
        fields.put("names", priorityNames.stored)
        fields.put("concurrency", concurrency)
        fields.put("afterFailure", afterFailure)
        fields.put("start", start.stored)
        fields.put("priority", priority)
        fields.put("attemptLimit", attemptLimit)
        fields.put("retry", retry.stored)
        fields.put("timeout", timeoutMilliseconds)
        fields.put("stuckAfter", stuckAfterMilliseconds)
        fields.put("expiresAfter", expiresAfterMilliseconds)
        fields.put("startsExpire", flag: startsExpire)
        fields.put("keepFinished", keepFinished.stored)
        fields.put("retention", retentionMilliseconds)
        fields.put("whenStartFails", whenStartFails)
        fields.put("maximumLength", maximumLength)
        fields.put("maximumDepth", maximumDepth)
        fields.put("maximumPayloadBytes", maximumPayloadBytes)
        fields.put("summary", summary.paths.isEmpty ? nil : summary.text)
        fields.put("preset", preset)
        return fields.value
    }

    /// Reads it; throws `damagedStore` where something is missing or no such value.
    package init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init()
        order = try fields.word("order")
        priorityNames = try fields.optional("names", PriorityNames.init(stored:)) ?? priorityNames
        concurrency = try fields.int("concurrency")
        afterFailure = try fields.word("afterFailure")
        start = try fields.optional("start", StartMode.init(stored:)) ?? start
        priority = Int(try fields.integer("priority"))
        attemptLimit = try fields.optionalInt("attemptLimit")
        retry = try fields.optional("retry", RetryRule.init(stored:)) ?? retry
        timeoutMilliseconds = try fields.optionalInteger("timeout")
        stuckAfterMilliseconds = try fields.integer("stuckAfter")
        expiresAfterMilliseconds = try fields.optionalInteger("expiresAfter")
        startsExpire = fields.flag("startsExpire")
        keepFinished =
            try fields.optional("keepFinished", KeepFinished.init(stored:)) ?? keepFinished
        retentionMilliseconds = try fields.optionalInteger("retention")
        whenStartFails = try fields.word("whenStartFails")
        maximumLength = try fields.optionalInt("maximumLength")
        maximumDepth = try fields.int("maximumDepth")
        maximumPayloadBytes = try fields.int("maximumPayloadBytes")
        if let text = try fields.optionalText("summary") {
            guard let paths = SummaryPaths(text: text) else { throw StoredFields.damage("summary") }
            summary = paths
        }
        preset = try fields.optionalText("preset")
    }
}

extension PriorityNames {
    /// Nil where there are none.
    fileprivate var stored: JSONValue? {
        guard !entries.isEmpty else { return nil }
        var object = JSONObject()
        for entry in entries { object[entry.name] = .integer(Int64(entry.priority)) }
        return .object(object)
    }

    fileprivate init(stored: JSONValue) throws(QueueError) {
        var pairs: [(name: String, priority: Int)] = []
        for pair in stored.object?.pairs ?? [] {
            guard let priority = pair.value.integer else { throw StoredFields.damage("names") }
            pairs.append((pair.key, Int(priority)))
        }
        guard let names = PriorityNames(pairs) else { throw StoredFields.damage("names") }
        self = names
    }
}

extension StartMode {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("mode", name)
        if case .batched(let count, let delay) = self {
            fields.put("count", count)
            fields.put("delay", delay)
        }
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        switch try fields.text("mode") {
        case "continuous": self = .continuous
        case "manual": self = .manual
        case "batched":
            self = .batched(
                count: try fields.int("count"), delayMilliseconds: try fields.integer("delay"))
        case let mode: throw StoredFields.damage("start \(mode)")
        }
    }
}

extension KeepFinished {
    var stored: JSONValue {
        var fields = StoredFields()
        switch self {
        case .none: break
        case .last(let count): fields.put("last", count)
        case .milliseconds(let milliseconds): fields.put("milliseconds", milliseconds)
        case .acknowledged: fields.put("acknowledged", flag: true)
        }
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        if let count = try fields.optionalInt("last") {
            self = .last(count)
        } else if let milliseconds = try fields.optionalInteger("milliseconds") {
            self = .milliseconds(milliseconds)
        } else {
            self = fields.flag("acknowledged") ? .acknowledged : .none
        }
    }
}

extension RetryRule {
    var stored: JSONValue {
        var fields = StoredFields()
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
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        let base = try fields.integer("base")
        switch try fields.text("rule") {
        case "fixed": self = .fixed(milliseconds: base)
        case "linear":
            self = .linear(baseMilliseconds: base, stepMilliseconds: try fields.integer("step"))
        case "exponential":
            self = .exponential(
                baseMilliseconds: base, factor: try fields.double("factor"),
                capMilliseconds: try fields.integer("cap"), jitter: try fields.double("jitter"))
        case "polynomial":
            self = .polynomial(
                baseMilliseconds: base, power: try fields.double("power"),
                capMilliseconds: try fields.integer("cap"))
        case let rule: throw StoredFields.damage("retry \(rule)")
        }
    }
}

/// Pauses and runs as JSON.
extension Pause {
    /// The value as JSON, as columns and exports hold it.
    package var stored: JSONValue {
        var fields = StoredFields()
        fields.put("cause", cause)
        fields.put("by", by)
        fields.put("reason", reason)
        fields.put("since", since)
        fields.put("until", until)
        fields.put("direction", direction)
        fields.put("otherStore", otherStore)
        fields.put("owner", owner)
        fields.put("isOfStore", flag: isOfStore && cause != .store)
        if !hits.isEmpty { fields.put("hits", .array(hits.map(\.stored))) }
        return fields.value
    }

    /// Reads it; throws `damagedStore` where something is missing or no such value.
    package init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            cause: try fields.word("cause"), by: try fields.text("by"),
            reason: try fields.optionalText("reason"), since: try fields.moment("since"),
            until: try fields.optionalMoment("until"), direction: try fields.word("direction"))
        otherStore = try fields.optionalText("otherStore")
        owner = try fields.optionalInteger("owner")
        isOfStore = isOfStore || fields.flag("isOfStore")
        hits = try fields.list("hits", BreakpointHit.init(stored:))
    }
}

extension [Pause] {
    var stored: JSONValue { .array(map(\.stored)) }

    init(stored: JSONValue) throws(QueueError) {
        self = try StoredFields.list(stored, Pause.init(stored:))
    }
}

extension Run {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("number", number)
        fields.put("since", since)
        fields.put("attempted", attempted)
        fields.put("hadSuccess", flag: hadSuccess)
        switch limit {
        case .task(let id): fields.put("untilTask", id)
        case .count(let count): fields.put("untilCount", count)
        case .time(let moment): fields.put("untilTime", moment)
        case nil: break
        }
        if !sitOuts.isEmpty { fields.put("sitOuts", .array(sitOuts.map(JSONValue.integer))) }
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(number: try fields.integer("number"), since: try fields.moment("since"))
        attempted = try fields.int("attempted")
        hadSuccess = fields.flag("hadSuccess")
        if let id = try fields.optionalInteger("untilTask") {
            limit = .task(id)
        } else if let count = try fields.optionalInt("untilCount") {
            limit = .count(count)
        } else if let moment = try fields.optionalMoment("untilTime") {
            limit = .time(moment)
        }
        sitOuts = try fields.list("sitOuts") { value throws(QueueError) in
            guard let id = value.integer else { throw StoredFields.damage("sitOuts") }
            return id
        }
    }
}

/// A whole queue as JSON: the image that `undo` keeps.
extension QueueRecord {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("name", name)
        fields.put("settings", settings.stored)
        fields.put("pauses", pauses.stored)
        fields.put("run", run?.stored)
        fields.put("lastRunEnd", lastRunEnd)
        fields.put("barrenRuns", barrenRuns)
        if !wakes.isEmpty { fields.put("wakes", wakes.stored) }
        fields.put("createdAt", createdAt)
        fields.put("version", version)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            name: try fields.text("name"),
            settings: try fields.optional("settings", QueueSettings.init(stored:))
                ?? QueueSettings(),
            createdAt: try fields.moment("createdAt"))
        pauses = try fields.list("pauses", Pause.init(stored:))
        run = try fields.optional("run", Run.init(stored:))
        lastRunEnd = try fields.optionalMoment("lastRunEnd")
        barrenRuns = try fields.int("barrenRuns")
        wakes = try fields.optional("wakes", [GroupWake].init(stored:)) ?? []
        version = try fields.integer("version")
    }
}

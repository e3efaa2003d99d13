import SluiceModel

/// Breakpoints or faults with the last number that was given.
protocol StoredNumbered {
    associatedtype Item: StoredObject
    var last: Int64 { get set }
    var all: [Item] { get set }
    init()
}

extension StoredNumbered {
    /// Nil if there never was one.
    var stored: JSONValue? {
        guard last > 0 else { return nil }
        var fields = StoredFields()
        fields.put("last", last)
        fields.put("all", all)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init()
        last = try fields.required("last")
        all = try fields.list("all")
    }
}

extension Breakpoints: StoredNumbered {}

extension Breakpoint: StoredObject {
    func put(in fields: inout StoredFields) {
        fields.put("number", number)
        fields.put("where", filter.description)
        fields.put("when", moment)
        fields.put("atHit", atHit)
        fields.put("times", times)
        fields.put("until", until)
        fields.put("log", flag: isLog)
        fields.put("by", by)
        fields.put("owner", owner)
        if let limit {
            fields.put("failedPercent", limit.percent)
            fields.put("ofAttempts", limit.attempts)
            fields.put("inTime", limit.milliseconds)
            fields.put("pauseFor", limit.pauseMilliseconds)
        }
        if let firing {
            fields.put("firedAt", firing.at)
            fields.put("firedFailed", firing.rate.failed)
            fields.put("firedAttempts", firing.rate.attempts)
        }
        fields.put("hits", hits)
        fields.put("passes", each: passes)
    }

    init(fields: StoredFields) throws(QueueError) {
        let text: String = try fields.required("where")
        let filter: TaskFilter
        do {
            filter = try TaskFilter(text)
        } catch {
            throw StoredFields.damage("the filter of a breakpoint, \(text)")
        }
        try self.init(
            number: try fields.required("number"), filter: filter,
            moment: try fields.required("when"), by: try fields.required("by"))
        atHit = try fields.optional("atHit")
        times = try fields.optional("times")
        until = try fields.optional("until")
        isLog = fields.flag("log")
        owner = try fields.optional("owner")
        hits = try fields.required("hits")
        passes = try fields.list("passes")
        if let percent: Int = try fields.optional("failedPercent") {
            limit = FailureLimit(
                percent: percent, attempts: try fields.required("ofAttempts"),
                milliseconds: try fields.required("inTime"),
                pauseMilliseconds: try fields.optional("pauseFor"))
        }
        if let at: Timestamp = try fields.optional("firedAt") {
            let rate = FailureLimit.Rate(
                failed: try fields.required("firedFailed"),
                attempts: try fields.required("firedAttempts"))
            firing = FailureLimit.Firing(at: at, rate: rate)
        }
    }
}

extension BreakpointHit: StoredRecord {
    static var blank: Self {
        Self(
            breakpoint: 0, match: 0, moment: .before, task: 0, type: "", until: nil,
            isPassed: false)
    }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("breakpoint", &breakpoint)
        fields.pass("match", &match)
        fields.pass("when", &moment)
        fields.pass("task", &task)
        fields.pass("type", &type)
        fields.pass("at", &at)
        fields.pass("until", &until)
        fields.pass("passed", &isPassed)
        fields.pass("note", &note)
    }
}

extension Checkpoints {
    /// `nil` if no checkpoint ever existed and the limit is the default.
    var stored: JSONValue? {
        guard last > 0 || byteLimit != Self.usualBytes else { return nil }
        var fields = StoredFields()
        fields.put("last", last)
        fields.put("bytes", bytes)
        if byteLimit != Self.usualBytes { fields.put("byteLimit", byteLimit) }
        fields.put("all", all)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init()
        last = try fields.required("last")
        bytes = try fields.required("bytes")
        byteLimit = try fields.optional("byteLimit") ?? byteLimit
        all = try fields.list("all")
    }
}

extension Checkpoint: StoredRecord {
    static var blank: Self {
        Self(number: 0, name: "", at: .unknown, by: "", sequence: 0, lastTask: 0)
    }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("number", &number)
        fields.pass("name", &name)
        fields.pass("at", &at)
        fields.pass("by", &by)
        fields.pass("sequence", &sequence)
        fields.pass("lastTask", &lastTask)
        fields.pass("storePauses", each: &storePauses)
        fields.pass("forcedNetwork", bit: &forcedNetwork)
        fields.pass(
            "schedules", &schedules, { $0.stored ?? .array([]) }, Schedules.init(stored:))
    }
}

extension UndoRecord.CheckpointImage: StoredRecord {
    static var blank: Self { Self(taken: 0, name: "") }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("number", &number)
        fields.pass("name", &name)
        fields.pass("before", &before)
    }
}

extension UndoRecord.QueueImage: StoredRecord {
    static var blank: Self { Self(before: .blank, versionAfter: 0) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("before", &before, missing: "the image of a queue")
        fields.pass("versionAfter", &versionAfter)
    }
}

extension UndoRecord.NetworkImage: StoredRecord {
    static var blank: Self { Self(forced: nil) }

    mutating func pass(_ fields: FieldPass) { fields.pass("forced", bit: &forced) }
}

extension FieldPass {
    func pass(_ key: String, bit: inout Bool?) {
        var number = bit.map { $0 ? 1 : 0 as Int64 }
        pass(key, &number)
        bit = number.map { $0 != 0 }
    }
}

extension StepImage: StoredRecord {
    static var blank: Self { Self(token: 0, task: .blank, attempt: 0, lastTask: 0) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("token", &token)
        fields.pass("task", &task, missing: "the task of a step")
        fields.pass("attempt", &attempt)
        fields.pass("lastTask", &lastTask)
        fields.pass("takenBack", &takenBack)
        fields.pass("end", &end)
    }
}

extension StepImage.End: StoredRecord {
    static var blank: Self { Self(sequence: 0, left: nil) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("sequence", &sequence)
        fields.pass("left", &left)
        fields.pass("images", evenEmpty: &images)
        fields.pass("payload", &payload)
        fields.pass("endsRun", &endsRun)
    }
}

extension Faults: StoredNumbered {}

extension Fault: StoredObject {
    func put(in fields: inout StoredFields) {
        fields.put("number", number)
        fields.put("where", filter.description)
        fields.put("kind", kind.words)
        switch limit {
        case .times(let times): fields.put("times", times)
        case .chance(let chance, let seed):
            fields.put("chance", chance)
            fields.put("seed", seed)
        }
        fields.put("until", until)
        fields.put("by", by)
        fields.put("matches", matches)
        fields.put("applied", applied)
    }

    init(fields: StoredFields) throws(QueueError) {
        let text: String = try fields.required("where")
        let limit: Limit
        if let times: Int = try fields.optional("times") {
            limit = .times(times)
        } else {
            limit = .chance(try fields.required("chance"), seed: try fields.required("seed"))
        }
        do {
            try self.init(
                number: try fields.required("number"), filter: try TaskFilter(text),
                kind: try Kind(try fields.required("kind")), limit: limit,
                by: try fields.required("by"))
        } catch {
            throw StoredFields.damage("a fault, \(fields.text)")
        }
        until = try fields.optional("until")
        matches = try fields.required("matches")
        applied = try fields.required("applied")
    }
}

extension Injection: StoredObject {
    func put(in fields: inout StoredFields) {
        fields.put("fault", fault)
        fields.put("kind", kind.words)
    }

    init(fields: StoredFields) throws(QueueError) {
        let words: String = try fields.required("kind")
        do {
            self.init(fault: try fields.required("fault"), kind: try Fault.Kind(words))
        } catch {
            throw StoredFields.damage("an injection, \(words)")
        }
    }
}

extension ClockSetting: StoredRecord {
    static var blank: Self { Self(.real, by: "", since: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass(&time)
        fields.pass("by", &by)
        fields.pass("since", &since)
    }
}

extension StoreTime: StoredObject {
    func put(in fields: inout StoredFields) {
        switch self {
        case .real: break
        case .offset(let milliseconds): fields.put("offset", milliseconds)
        case .frozen(let moment): fields.put("frozen", moment)
        case .rate(let rate, let from, let since):
            fields.put("rate", rate)
            fields.put("from", from)
            fields.put("at", since)
        }
    }

    init(fields: StoredFields) throws(QueueError) {
        if let milliseconds: Int64 = try fields.optional("offset") {
            self = .offset(milliseconds)
        } else if let moment: Timestamp = try fields.optional("frozen") {
            self = .frozen(at: moment)
        } else {
            let rate: Double = try fields.required("rate")
            guard Self.rates.contains(rate) else {
                throw StoredFields.damage("a clock of rate \(rate)")
            }
            self = .rate(rate, from: try fields.required("from"), since: try fields.required("at"))
        }
    }
}

extension UndoRecord.ClockImage: StoredRecord {
    static var blank: Self { Self(before: nil, after: nil) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("before", &before)
        fields.pass("after", &after)
    }
}

import SluiceModel

/// Breakpoints as JSON.
extension Breakpoints {
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

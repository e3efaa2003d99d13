package import SluiceModel

/// Breakpoints as JSON.
extension Breakpoints {
    /// Nil where there never was one.
    package var stored: JSONValue? {
        guard last > 0 else { return nil }
        var fields = StoredFields()
        fields.put("last", last)
        fields.put("all", .array(all.map(\.stored)))
        return fields.value
    }

    package init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init()
        last = try fields.integer("last")
        all = try fields.list("all", Breakpoint.init(stored:))
    }
}

extension Breakpoint {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("number", number)
        fields.put("where", filter.description)
        fields.put("when", moment)
        fields.put("atHit", atHit)
        fields.put("times", times)
        fields.put("until", until)
        fields.put("log", flag: isLog)
        fields.put("by", by)
        fields.put("owner", owner)
        fields.put("hits", hits)
        if !passes.isEmpty { fields.put("passes", .array(passes.map(JSONValue.integer))) }
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        let text = try fields.text("where")
        let filter: TaskFilter
        do {
            filter = try TaskFilter(text)
        } catch {
            throw StoredFields.damage("the filter of a breakpoint, \(text)")
        }
        try self.init(
            number: try fields.integer("number"), filter: filter,
            moment: try fields.word("when"), by: try fields.text("by"))
        atHit = try fields.optionalInt("atHit")
        times = try fields.optionalInt("times")
        until = try fields.optionalMoment("until")
        isLog = fields.flag("log")
        owner = try fields.optionalInteger("owner")
        hits = try fields.int("hits")
        passes = try fields.list("passes") { value throws(QueueError) in
            guard let id = value.integer else { throw StoredFields.damage("passes") }
            return id
        }
    }
}

extension BreakpointHit {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("breakpoint", breakpoint)
        fields.put("match", match)
        fields.put("when", moment)
        fields.put("task", task)
        fields.put("type", type)
        fields.put("at", at)
        fields.put("until", until)
        fields.put("passed", flag: isPassed)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            breakpoint: try fields.integer("breakpoint"), match: try fields.int("match"),
            moment: try fields.word("when"), task: try fields.integer("task"),
            type: try fields.text("type"), at: try fields.optionalMoment("at"),
            until: try fields.optionalMoment("until"),
            isPassed: fields.flag("passed"))
    }
}

package import SluiceModel

/// Faults as JSON.
extension Faults {
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
        all = try fields.list("all", Fault.init(stored:))
    }
}

extension Fault {
    var stored: JSONValue {
        var fields = StoredFields()
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
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        let text = try fields.text("where")
        let limit: Limit
        if let times = try fields.optionalInt("times") {
            limit = .times(times)
        } else {
            limit = .chance(try fields.double("chance"), seed: try fields.integer("seed"))
        }
        do {
            try self.init(
                number: try fields.integer("number"), filter: try TaskFilter(text),
                kind: try Kind(try fields.text("kind")), limit: limit, by: try fields.text("by"))
        } catch {
            throw StoredFields.damage("a fault, \(stored.text)")
        }
        until = try fields.optionalMoment("until")
        matches = try fields.int("matches")
        applied = try fields.int("applied")
    }
}

extension Injection {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("fault", fault)
        fields.put("kind", kind.words)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        let words = try fields.text("kind")
        do {
            self.init(fault: try fields.integer("fault"), kind: try Fault.Kind(words))
        } catch {
            throw StoredFields.damage("an injection, \(words)")
        }
    }
}

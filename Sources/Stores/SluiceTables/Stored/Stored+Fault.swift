import SluiceModel

/// Faults as JSON.
extension Faults {
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

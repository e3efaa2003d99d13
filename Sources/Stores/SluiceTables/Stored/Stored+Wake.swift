import SluiceModel

/// Wakes of a queue as JSON: in the column `wakes`, and in the image that `undo` keeps.
extension GroupWake {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("group", group)
        fields.put("cursor", cursor.map { Hexadecimal.text($0.bytes) })
        if let taking {
            fields.put("start", taking.start)
            fields.put("position", taking.position)
            fields.put("below", taking.below)
            fields.put("deletedBy", taking.deletedBy)
            fields.put("event", taking.verb?.event)
            fields.put("person", taking.verb?.person)
        }
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(group: try fields.text("group"))
        if let start = try fields.optionalInteger("start") {
            taking = Taking(
                start: start, position: try fields.integer("position"),
                below: try fields.integer("below"),
                deletedBy: try fields.optionalText("deletedBy"))
            if let event = try fields.optionalInteger("event") {
                taking?.verb = VerbPlace(event: event, person: try fields.text("person"))
            }
        }
        if let text = try fields.optionalText("cursor") {
            guard let bytes = Hexadecimal.bytes(text) else { throw StoredFields.damage("a cursor") }
            cursor = OrderKey(bytes: bytes)
        }
    }
}

extension [GroupWake] {
    var stored: JSONValue { .array(map(\.stored)) }

    init(stored: JSONValue) throws(QueueError) {
        self = try StoredFields.list(stored, GroupWake.init(stored:))
    }
}

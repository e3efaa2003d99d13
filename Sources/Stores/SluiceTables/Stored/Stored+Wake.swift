import SluiceModel

/// Wakes of a queue as JSON: in the column `wakes`, and in the image that `undo` keeps.
extension GroupWake: StoredRecord {
    static var blank: Self { Self(group: "") }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("group", &group)
        fields.pass("cursor", &cursor)
        fields.pass(&taking, having: "start")
    }
}

extension GroupWake.Taking: StoredRecord {
    static var blank: Self { Self(start: 0, position: 0, below: 0, deletedBy: nil) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("start", &start)
        fields.pass("position", &position)
        fields.pass("below", &below)
        fields.pass("deletedBy", &deletedBy)
        fields.pass(&verb, having: "event")
    }
}

extension GroupWake.VerbPlace: StoredRecord {
    static var blank: Self { Self(event: 0, person: "") }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("event", &event)
        fields.pass("person", &person)
    }
}

extension OrderKey: StoredValue {
    var stored: JSONValue { bytes.stored }

    static func read(_ stored: JSONValue, at key: String) throws(QueueError) -> OrderKey {
        let text = try String.read(stored, at: key)
        return OrderKey(bytes: try Hexadecimal.bytes(text).orDamage("a cursor"))
    }
}

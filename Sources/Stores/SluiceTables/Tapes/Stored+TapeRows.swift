import SluiceModel
import SluiceStore

/// Values that the tables store in columns, as JSON.
extension AttemptRecord: StoredRecord {
    static var blank: Self { Self(task: .blank, number: 0, runner: 0, startedAt: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("task", &task)
        fields.pass("number", &number)
        fields.pass("queue", &queue)
        fields.pass("type", &type)
        fields.pass("runner", &runner)
        fields.pass("startedAt", &startedAt)
        fields.pass("endedAt", &endedAt)
        fields.pass("outcome", &outcome)
        fields.pass("isCounted", &isCounted)
        fields.pass("error", &error)
        fields.pass("fraction", &fraction)
        fields.pass("progress", &progressText)
        fields.pass("log", each: &log)
        fields.pass("childPID", &childPID)
        fields.pass("childStart", &childStartTime)
        fields.pass("endSequence", &endSequence)
        fields.pass("consequence", &consequence)
        fields.pass("injection", &injection)
    }
}

extension JournalEvent: StoredRecord {
    static var blank: Self {
        Self(at: .unknown, kind: "", queue: nil, task: nil, by: "", text: "")
    }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("sequence", &sequence)
        fields.pass("at", &at)
        fields.pass("kind", &kind)
        fields.pass("queue", &queue)
        fields.pass("task", &task)
        fields.pass("by", &by)
        fields.pass("text", &text)
        fields.pass("undoneBy", &undoneBy)
        fields.pass("bulk", &bulk)
    }
}

extension Permit: StoredRecord {
    static var blank: Self { Self(id: 0, task: 0, version: 0, queue: "", issuer: 0, runner: 0) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("id", &id)
        fields.pass("task", &task)
        fields.pass("version", &version)
        fields.pass("queue", &queue)
        fields.pass("issuer", &issuer)
        fields.pass("runner", &runner)
    }
}

/// The parts of it on a tape: without the recording itself, checkpoints and schedules.
extension StoreRecord: StoredRecord {
    static var blank: Self { Self(identity: "") }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("identity", &identity)
        fields.pass("durability", &durability)
        fields.pass("pauses", evenEmpty: &pauses)
        if !fields.reads(&forcedNetwork, fields.all.object["forcedNetwork"]?.bool) {
            fields.all.put("forcedNetwork", forcedNetwork.map(JSONValue.bool))
        }
        fields.pass("breakpoints", &breakpoints, \.stored, Breakpoints.init(stored:))
        fields.pass("faults", &faults, \.stored, Faults.init(stored:))
        fields.pass("filters", &filters, TableWriter.stored, TableReader.filters)
        fields.pass("isProtected", &isProtected)
        fields.pass("clock", &clock)
        fields.pass("version", &version)
    }
}

extension Recording: StoredRecord {
    static var blank: Self { Self(recorder: 0, by: "", since: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("recorder", &recorder)
        fields.pass("by", &by)
        fields.pass("since", &since)
    }
}

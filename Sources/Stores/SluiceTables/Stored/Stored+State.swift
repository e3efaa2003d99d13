package import SluiceModel

/// States of a task as JSON: in the column `detail`, in the trash, and in the images of `undo`.
extension TaskState {
    /// The value as JSON, as columns and exports hold it.
    package var stored: JSONValue {
        var fields = StoredFields()
        fields.put("state", name)
        switch self {
        case .waiting(let waiting):
            fields.put("timer", waiting.timer?.stored)
            fields.put("skip", waiting.skip?.stored)
            fields.put("parking", waiting.parking?.stored)
            fields.put("attemptedInRun", flag: waiting.attemptedInRun)
            fields.put("lingering", waiting.lingering?.stored)
        case .running(let running):
            fields.put("owner", running.owner)
            fields.put("token", running.token)
            fields.put("attempt", running.attempt)
            fields.put("since", running.since)
            fields.put("stop", running.stop)
            fields.put("notBefore", running.notBefore)
            fields.put("deletion", running.deletion?.stored)
            fields.put("isStep", flag: running.isStep)
            fields.put("injection", running.injection?.stored)
        case .succeeded(let success):
            fields.put("at", success.at)
            fields.put("isAcknowledged", flag: success.isAcknowledged)
        case .failed(let failure):
            fields.put("at", failure.at)
            fields.put("reason", failure.reason)
            fields.put("startPolicy", failure.startPolicy)
            fields.put("isAcknowledged", flag: failure.isAcknowledged)
            fields.put("lingering", failure.lingering?.stored)
        case .deleted(let trash):
            fields.put("at", trash.at)
            fields.put("by", trash.by)
            fields.put("former", trash.former.stored)
            fields.put("startPolicy", trash.startPolicy)
            fields.put("isAcknowledged", flag: trash.isAcknowledged)
        }
        return fields.value
    }

    /// Reads it; throws `damagedStore` where something is missing or no such value.
    package init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        switch try fields.word("state", Name.self) {
        case .waiting:
            var waiting = Waiting(timer: try fields.optional("timer", WaitTimer.init(stored:)))
            waiting.skip = try fields.optional("skip", Skip.init(stored:))
            waiting.parking = try fields.optional("parking", Parking.init(stored:))
            waiting.attemptedInRun = fields.flag("attemptedInRun")
            waiting.lingering = try fields.optional("lingering", Lingering.init(stored:))
            self = .waiting(waiting)
        case .running:
            var running = Running(
                owner: try fields.integer("owner"), token: try fields.integer("token"),
                attempt: try fields.int("attempt"), since: try fields.moment("since"),
                isStep: fields.flag("isStep"))
            running.stop = try fields.optionalWord("stop")
            running.notBefore = try fields.optionalMoment("notBefore")
            running.deletion = try fields.optional("deletion", Deletion.init(stored:))
            running.injection = try fields.optional("injection", Injection.init(stored:))
            self = .running(running)
        case .succeeded:
            self = .succeeded(
                Success(
                    at: try fields.moment("at"), isAcknowledged: fields.flag("isAcknowledged")))
        case .failed:
            self = .failed(
                Failure(
                    at: try fields.moment("at"), reason: try fields.text("reason"),
                    startPolicy: try fields.optionalWord("startPolicy"),
                    isAcknowledged: fields.flag("isAcknowledged"),
                    lingering: try fields.optional("lingering", Lingering.init(stored:))))
        case .deleted:
            let former = try fields.optional("former", TaskState.init(stored:))
            guard let former else { throw StoredFields.damage("former is missing") }
            self = .deleted(
                Trash(
                    at: try fields.moment("at"), by: try fields.text("by"), former: former,
                    startPolicy: try fields.optionalWord("startPolicy"),
                    isAcknowledged: fields.flag("isAcknowledged")))
        }
    }
}

extension WaitTimer {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("until", until)
        fields.put("cause", cause)
        fields.put("since", since)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            until: try fields.moment("until"), cause: try fields.word("cause"),
            since: try fields.moment("since"))
    }
}

extension Skip {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("by", by)
        fields.put("since", since)
        fields.put("until", until)
        fields.put("endsWithRun", flag: endsWithRun)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            by: try fields.text("by"), since: try fields.moment("since"),
            until: try fields.optionalMoment("until"), endsWithRun: fields.flag("endsWithRun"))
    }
}

extension Parking {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("cause", cause)
        fields.put("detail", detail)
        fields.put("since", since)
        fields.put("owner", owner)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            cause: try fields.word("cause"), detail: try fields.text("detail"),
            since: try fields.moment("since"), owner: try fields.optionalInteger("owner"))
    }
}

extension Lingering {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("kind", kind)
        fields.put("owner", owner)
        fields.put("attempt", attempt)
        fields.put("pid", pid)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            kind: try fields.word("kind"), owner: try fields.integer("owner"),
            attempt: try fields.int("attempt"), pid: try fields.optionalInteger("pid"))
    }
}

extension Deletion {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("by", by)
        fields.put("members", members)
        fields.put("isByClient", flag: isByClient)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(by: try fields.text("by"), members: try fields.optionalWord("members"))
        isByClient = fields.flag("isByClient")
    }
}

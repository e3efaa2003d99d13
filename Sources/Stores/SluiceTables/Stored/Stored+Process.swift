import SluiceModel

/// An attached process as JSON.
extension ProcessRecord: StoredRecord {
    static var blank: Self {
        Self(
            id: 0, role: .program, host: "", bootID: "", pid: 0, lockName: "",
            attachedAt: .unknown)
    }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("id", &id)
        fields.pass("role", &role)
        fields.pass("host", &host)
        fields.pass("bootID", &bootID)
        fields.pass("pid", &pid)
        fields.pass("startTime", &startTime)
        fields.pass("lockName", &lockName)
        fields.pass("attachedAt", &attachedAt)
        fields.pass("slots", &slots)
        fields.pass("types", &types)
        fields.pass("brokers", each: &brokers)
        fields.pass("contested", each: &contested)
        fields.pass("queues", &queues)
        fields.pass("pausedQueues", each: &pausedQueues)
        fields.pass("pausesStore", &pausesStore)
        fields.pass("network", &network)
        fields.pass("offlineUntil", &offlineUntil)
        fields.pass("isStopping", &isStopping)
        fields.pass("takesOnlyPermits", &takesOnlyPermits)
        fields.pass("editing", &editing)
        fields.pass("stopsAtBreakpoints", &stopsAtBreakpoints)
        fields.pass("takesFaults", &takesFaults)
        fields.pass("readsClock", &readsClock)
        fields.pass("isRecorded", &isRecorded)
        fields.pass("allowsCrash", &allowsCrash)
        fields.pass("keepsImages", &keepsImages)
    }
}

extension EditLease: StoredRecord {
    static var blank: Self {
        Self(task: 0, version: 0, by: "", until: .unknown, untilInstant: 0)
    }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("task", &task)
        fields.pass("version", &version)
        fields.pass("by", &by)
        fields.pass("until", &until)
        fields.pass("untilInstant", &untilInstant)
    }
}

extension QueueBroker: StoredObject {
    func put(in fields: inout StoredFields) {
        switch queues {
        case .prefix(let prefix): fields.put("prefix", prefix)
        case .chosen(let names): fields.put("queues", names)
        }
        fields.put("types", types)
    }

    init(fields: StoredFields) throws(QueueError) {
        let queues: Queues =
            if let names: [String] = try fields.optional("queues") {
                .chosen(names)
            } else {
                .prefix(try fields.required("prefix"))
            }
        self.init(queues, types: try fields.optional("types"))
    }
}

extension ContestedQueue: StoredRecord {
    static var blank: Self { Self(queue: "", handlers: []) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("queue", &queue)
        fields.pass("handlers", evenEmpty: &handlers)
    }
}

import SluiceControl
import SluiceModel
import SluiceStore

/// Commands that change the store.
extension CommandContext {
    func change(_ change: Change) throws -> Reply {
        switch change {
        case .enqueue(let call): return try enqueue(call)
        case .tasks(let change): return try changeTasks(change)
        case .schedule(let request, let payload):
            return try setSchedule(request, payload: payload)
        case .verb(let verb):
            let control = try control(createsIfMissing: verb.order.makesStore)
            guard let verb = try named(verb) else { return Reply(.null, []) }
            guard let verb = try agreed(verb) else {
                return host.handOver == nil ? AnswerText.reply(notConfirmed) : Reply(.null, [])
            }
            let answer = try following(verb) {
                try control.performBlocking(verb, watching: $0)
            }
            return try reply(answer, to: verb)
        }
    }

    /// The answer of a verb; the JSON of most says what tasks it changed.
    private func reply(_ answer: Answer, to verb: Verb) throws -> Reply {
        var reply = AnswerText.reply(answer)
        var object: JSONObject
        switch verb.order.answers {
        case .pauses(let scope, let stopsRunning) where answer.run == nil:
            return try pauses(answer, of: scope, stopsRunning: stopsRunning)
        case .restore: return restored(answer, isRehearsal: false)
        case .stepBack: return try steppedBack(answer)
        case .schedules: return try scheduled(answer)
        case .protection(let isProtected):
            reply.json = [
                "protected": .bool(isProtected),
                "consequences": JSONValue(answer.consequences),
            ]
            return reply
        case .breakpoints: object = BreakpointJSON.object(answer.breakpoints)
        case .faults:
            object = FaultJSON.object(answer.faults)
            if !answer.consequences.isEmpty {
                object["consequences"] = JSONValue(answer.consequences)
            }
        case .checkpoints:
            object = CheckpointJSON.object(
                try read { try $0.checkpoints(among: answer.checkpoints) })
        case .clock where answer.clock != nil:
            object = ["clock": answer.clock.map(ClockJSON.value) ?? .null]
        case .tasks, .pauses, .clock: return reply
        }
        object["undo"] = JSONValue(answer.undo)
        reply.json = .object(object)
        return reply
    }

    private func pauses(
        _ answer: Answer, of scope: VerbScope, stopsRunning: Bool = false
    ) throws -> Reply {
        var queue: String?
        let state: String
        switch scope {
        case .queue(let name):
            queue = name
            state = try read {
                try $0.overview(try $0.store.requireQueue(name)).state.rawValue
            }
        case .store:
            let isPaused = answer.pauses.contains { $0.direction.stopsWork }
            let isBusy = try read { reading in
                try reading.queues().contains { $0.counts[.running] > $0.lost }
            }
            state = isPaused ? (isBusy ? "pausing" : "paused") : "running"
        }
        var reply = AnswerText.reply(answer)
        let names = try names(of: (answer.endedPauses + answer.pauses).namedTasks)
        reply.json = .object(AnswerJSON.pauses(answer, queue: queue, state: state, names))
        if state == "pausing", !stopsRunning {
            reply.lines.append("running tasks finish")
        }
        return reply
    }

    func initialize(_ call: InitializeCall) throws -> Reply {
        if let schemaOwner = call.schemaOwner {
            guard StorePlace(storeName).isServer else {
                throw QueueError.badValue(
                    "--schema-owner", schemaOwner, allowed: "only with a store at a server")
            }
        }
        let (isNew, durability) = (try isMissing(), call.durability)
        let store = try store(
            createsIfMissing: true, durability: durability ?? .full, schemaOwner: call.schemaOwner)
        if let bytes = call.journalBytes {
            try store.writeBlocking { try $0.setJournalBytes(bytes) }
        }
        if let bytes = call.imageBytes {
            try store.writeBlocking { try $0.setImageLimit(bytes) }
        }
        let record = try store.readBlocking { try $0.storeRecord() }
        let (images, journal) = (record.checkpoints.byteLimit, record.journalBytes)
        var used = record.durability
        if let durability, durability != used {
            used = durability
            try store.writeBlocking { writer in
                var record = try writer.storeRecord()
                record.durability = durability
                record.version += 1
                try writer.put(record)
            }
        }
        let json: JSONValue = [
            "store": .string(shownName), "kind": .string(store.kind), "created": .bool(isNew),
            "durability": .string(used.rawValue), "journalBytes": .integer(journal),
            "checkpointBytes": .integer(images),
        ]
        let verb = isNew ? "made" : "is there already:"
        var line = "\(verb) \(shownName), \(store.kind), durability \(used.rawValue)"
        if journal != StoreRecord.usualJournalBytes {
            line += ", journal \(SizeText.compact(Int(journal)))"
        }
        if images != Checkpoints.usualBytes {
            line += ", checkpoints \(SizeText.compact(Int(images)))"
        }
        var reply = Reply(json, [SafeText.visible(line)])
        reply.isConfirmation = true
        return reply
    }

    /// Whether the place that a command names holds no store yet; a file of something else is for
    /// the engine to judge.
    private func isMissing() throws -> Bool {
        let place = StorePlace(storeName)
        do {
            try host.open(place, StoreAccess(isReadOnly: true)).close()
            return false
        } catch let error as QueueError where [.noStore, .notAStore].contains(error.code) {
            return true
        } catch let error as QueueError where error.code == .readOnly {
            return false
        }
    }
}

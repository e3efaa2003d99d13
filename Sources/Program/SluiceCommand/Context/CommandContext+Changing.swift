import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTransfer

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
            guard let verb = try named(verb) else { return Reply(unconfirmed: verb) }
            guard let verb = try agreed(verb) else {
                return host.isConfirmedOnScreen
                    ? Reply(unconfirmed: verb) : AnswerText.reply(notConfirmed)
            }
            let answer = try following(verb) {
                try control.performBlocking(verb, watching: $0)
            }
            return try reply(answer, to: verb).of(verb, answer)
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
        } catch let error as QueueError {
            throw Failed(error, exit: ExitCode(error, atOpening: true))
        }
    }
}

/// `enqueue`: one task, or many in one commit (T3).
extension CommandContext {
    func enqueue(_ call: EnqueueCall) throws -> Reply {
        switch call.source {
        case .one(var request, let payload):
            if let payload { request.payload = try host.bytes(of: payload, as: "--payload-file") }
            if call.notBefore != nil || call.expires != nil {
                let now = try now(createsIfMissing: true)
                request.notBefore = call.notBefore?.time(at: now)
                request.expiresAt = call.expires?.time(at: now)
            }
            let control = try control(createsIfMissing: true)
            let made = try adoption()(request)
            let verb = Verb.enqueue(queue: call.queue, [made])
            var answer = try control.performBlocking(verb)
            if let remark = made.payloadRemark { answer.consequences.append(remark) }
            return try reply(answer, call.queue).of(verb, answer)
        case .lines(let source):
            let file = try lineFile(source)
            let queue = call.takesAnyQueue ? nil : call.queue
            let moment = try now(createsIfMissing: true)
            guard try file.batches(now: moment, queue: queue).next() != nil else {
                return Reply(
                    .object(AnswerJSON.enqueue(Answer())), ["no lines, so nothing to enqueue"])
            }
            let control = try control(createsIfMissing: true)
            let adopt = try adoption()
            let answer = try control.enqueueBlocking(to: call.queue) {
                let batches = try file.batches(now: moment, queue: queue)
                return { try batches.next()?.map(adopt) }
            }
            return try reply(answer, call.queue)
        }
    }

    private func reply(_ answer: Answer, _ queue: String) throws -> Reply {
        var reply = Reply(.object(AnswerJSON.enqueue(answer)), try lines(answer, queue))
        reply.isConfirmation = true
        return reply
    }

    private func lineFile(_ source: ByteSource) throws -> TaskLineFile {
        do {
            return try host.lines?(source)
                ?? TaskLineFile(bytes: host.read(source, Host.payloadLimitBytes))
        } catch {
            throw Host.unreadable(error, "--jsonl")
        }
    }

    /// A task that a `command` handler enqueues is the child of its task, one level deeper. A chain
    /// can continue forever if each child waits for a later time (T6).
    private func adoption() throws -> @Sendable (EnqueueRequest) -> EnqueueRequest {
        guard let text = host.environment("SLUICE_PARENT"), let parent = TaskID(text),
            let task = try store().readBlocking({ try $0.task(parent) })
        else { return { $0 } }
        let (now, depth) = (try now(), task.depth + 1)
        return { request in
            guard request.parent == nil else { return request }
            var child = request
            child.parent = parent
            child.depth = request.notBefore.map { $0 > now } ?? false ? 0 : depth
            return child
        }
    }

    private func lines(_ answer: Answer, _ queue: String) throws -> [String] {
        var lines: [String] = []
        if let first = answer.changed.first, let last = answer.changed.last {
            let count = answer.changed.count
            let names = try names(of: [first, last])
            let all =
                count == 1
                ? names.name(first)
                : "\(count) tasks, \(names.name(first)) to \(names.name(last))"
            lines.append(answer.undo == nil ? answer.summary : "\(all) enqueued in \(queue)")
        }
        if let created = answer.createdQueue {
            lines.append(
                "  \(created) is new, with the defaults: fifo, 1 at a time, 10 attempts; "
                    + "sluice \(ShellWord.command("queue set", created)) changes them")
        }
        lines += answer.consequences.map { "  \($0)" }
        return lines.map(SafeText.visible)
    }
}

extension EnqueueRequest {
    /// A warning about a payload that looks like JSON but is invalid.
    fileprivate var payloadRemark: String? {
        guard let first = payload.first(where: { !" \t\r\n".utf8.contains($0) }),
            "{[\"".utf8.contains(first)
        else { return nil }
        do {
            _ = try JSONValue.parse(payload)
            return nil
        } catch {
            return "its payload is no JSON and is kept as text: \(error)"
        }
    }
}

/// `protect` and `unprotect`, the name that a protected store asks for (G8), and the question
/// before programs of older versions end (P4).
extension CommandContext {
    /// Adds the store's name to a verb if a protected store requires it: asks at a terminal.
    /// Returns `nil` if the console asks and performs the verb itself.
    func named(_ verb: Verb) throws -> Verb? {
        guard verb.asksForStoreName(), verb.storeName == nil,
            try read({ try $0.store.storeRecord().isProtected })
        else { return verb }
        if host.isConfirmedOnScreen { return nil }
        let name = try store().shortName
        guard host.canAsk() else {
            let error = QueueError(
                .protected, "\(name) is protected: \(verb.name) asks for its name",
                fix: "add --store-name \(ShellWord.quoted(name))")
            throw Failed(error, exit: .usage)
        }
        let what =
            verb.targets.count > 1
            ? "\(verb.name) \(NumberText.tasks(verb.targets.count))"
            : verb.name
        try host.write(
            SafeText.visible("\(name) is protected: type its name to \(what): "), .errors)
        var named = verb
        named.storeName = try host.readLine() ?? ""
        return named
    }

    /// Confirms a verb whose first use would end attached programs of older versions (P4). Asks at
    /// a terminal; without one, the verb itself refuses. Returns `nil` if the user declines, or if
    /// the console asks and performs the verb itself.
    func agreed(_ verb: Verb) throws -> Verb? {
        guard let part = verb.order.debuggerPart, let ended = try ends(part) else { return verb }
        if host.isConfirmedOnScreen { return nil }
        guard host.canAsk() else { return verb }
        // Check first, so that the question appears only for a legal verb.
        _ = try control().rehearse(verb.endingOlder)
        return try isAgreed([ended]) ? verb.endingOlder : nil
    }

    /// Which attached programs the first use of a part of the debugger would end, in a sentence;
    /// nil for none.
    func ends(_ part: DebuggerPart) throws -> String? {
        guard try part.ends(read { try $0.store.processes() }) != nil else { return nil }
        try reapTheDead()
        return try part.ends(read { try $0.store.processes() })
    }

    /// Whether the person at the terminal says yes to these lines.
    func isAgreed(_ lines: [String]) throws -> Bool {
        let text = lines.map(SafeText.visible).joined(separator: "\n")
        try host.write("\(text)\ncontinue? [y/N] ", .errors)
        return ["y", "Y", "yes"].contains(try host.readLine() ?? "")
    }
}

/// `schedule` (R4).
extension CommandContext {
    /// `schedule list`.
    func schedules() throws -> Reply {
        let (schedules, now) = try read { (try $0.schedules(), $0.now) }
        return Reply(
            .object(ScheduleJSON.object(schedules)),
            ScheduleText.lines(schedules, now: now, width: host.columns()))
    }

    /// `schedule set`, with a payload that may come from a file.
    func setSchedule(_ request: ScheduleRequest, payload: ByteSource?) throws -> Reply {
        var request = request
        if let payload { request.payload = try host.bytes(of: payload, as: "--payload-file") }
        let answer = try control(createsIfMissing: true).performBlocking(.setSchedule(request))
        return try scheduled(answer)
    }

    /// The answer of a verb on a schedule.
    func scheduled(_ answer: Answer) throws -> Reply {
        var reply = AnswerText.reply(answer)
        let now = try read { $0.now }
        let next = answer.schedules.map {
            SafeText.visible("  next: \(ScheduleText.next($0, now: now))")
        }
        reply.lines.insert(contentsOf: next, at: min(1, reply.lines.count))
        var object = ScheduleJSON.object(answer.schedules)
        object["created"] = JSONValue(answer.createdQueue)
        object["consequences"] = JSONValue(answer.consequences)
        object["undo"] = JSONValue(answer.undo)
        reply.json = .object(object)
        return reply
    }
}

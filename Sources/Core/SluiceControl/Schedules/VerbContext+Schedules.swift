package import SluiceModel
import SluiceStore

/// Setting, removing, pausing schedules (R4).
extension VerbContext {
    func setSchedule(_ request: ScheduleRequest) throws {
        try Names.check(request.name, of: "schedule")
        let name = Names.composed(request.name)
        let zone = try ZoneFiles.rules(of: request.timeZone)
        let before = try store.storeRecord().schedules[name]
        var wanted = Schedule(
            name: name, spec: request.spec, queue: Names.composed(request.queue),
            type: Names.composed(request.type), payload: request.payload, by: person)
        (wanted.timeZone, wanted.missed) = (request.timeZone, request.missed)
        wanted.isPaused = before?.isPaused ?? false
        wanted.last = before?.last
        let isSameTime = before?.spec == wanted.spec && before?.timeZone == wanted.timeZone
        let isBeyondRule = before?.isBeyondRule(at: now, in: zone) ?? false
        wanted.next =
            isSameTime && !isBeyondRule ? before?.next : wanted.recounted(at: now, in: zone)
        try check(wanted)
        answer.schedules = [wanted]
        var changes = before.map { wanted.differences(from: $0) } ?? []
        if isBeyondRule, changes.isEmpty { changes = ["counted anew by the clock as it is now"] }
        if before != nil, changes.isEmpty {
            answer.schedules = before.map { [$0] } ?? []
            answer.summary = "schedule \(name) is that already"
            return
        }
        if try store.queue(named: wanted.queue) == nil {
            try Names.check(wanted.queue, of: "queue")
            try store.put(QueueRecord(name: wanted.queue, createdAt: now))
            answer.createdQueue = wanted.queue
            answer.consequences.append(
                "\(wanted.queue) is new, with the defaults; sluice "
                    + "\(ShellWord.command("queue set", wanted.queue)) changes them")
        }
        if try !store.processes().contains(where: \.isWorking) {
            answer.consequences.append(
                "\(RunnerLack.nobody.sentence): an attached worker enqueues its tasks, of any queue"
            )
        }
        if wanted.isPaused {
            answer.consequences.append("it is paused: sluice schedule resume starts it again")
        }
        let verb =
            before == nil
            ? "set by \(person): \(wanted.sentence)"
            : "changed by \(person): \(changes.joined(separator: ", "))"
        try change(before, to: wanted, "scheduleSet", "schedule \(name) \(verb)")
    }

    func change(_ action: ScheduleAction, schedule name: String) throws {
        let before = try schedule(name)
        var after: Schedule? = before
        switch action {
        case .remove: after = nil
        case .pause: after?.isPaused = true
        case .resume:
            let zone = try ZoneFiles.rules(of: before.timeZone)
            after?.isPaused = false
            after?.passOver(zone, after: now)
            if let reckoned = after, reckoned.isBeyondRule(at: now, in: zone) {
                after?.next = reckoned.recounted(at: now, in: zone)
            }
        }
        answer.schedules = after.map { [$0] } ?? []
        guard after?.isPaused != before.isPaused || after?.next != before.next else {
            answer.summary = "schedule \(before.name) was \(before.isPaused ? "" : "not ")paused"
            return
        }
        let (kind, verb) =
            switch action {
            case .remove: ("scheduleRemove", "removed")
            case .pause: ("schedulePause", "paused")
            case .resume where before.isPaused: ("scheduleResume", "resumed")
            case .resume: ("scheduleResume", "counted anew")
            }
        try change(before, to: after, kind, "schedule \(before.name) \(verb) by \(person)")
    }

    private func change(
        _ before: Schedule?, to after: Schedule?, _ kind: String, _ text: String
    ) throws {
        guard let either = after ?? before else { return }
        try mutation.put(after, named: either.name)
        var undo = UndoRecord()
        undo.schedules = [.init(name: either.name, before: before, after: after)]
        try journal(kind, queue: either.queue, text, undo: undo)
    }

    private func schedule(_ name: String) throws -> Schedule {
        let known = try store.storeRecord().schedules
        if let found = known[Names.composed(name)] { return found }
        let near = Spelling.nearest(to: name, among: known.all.map(\.name))
        throw QueueError(
            .badValue, "there is no schedule \"\(name)\"",
            fix: near.map { "did you mean \"\($0)\"?" } ?? "sluice schedule list shows them")
    }

    /// Throws where a schedule can never be: its place, its sizes, how many there are.
    private func check(_ wanted: Schedule) throws {
        guard store.naming == nil else {
            throw QueueError.notLegal(
                "a Customer.io folder has no schedules: the SDK that owns it knows none",
                fix: "keep them in another store")
        }
        guard wanted.payload.count <= Schedule.payloadBytes else {
            throw QueueError(
                .payloadTooLarge,
                "the payload has \(wanted.payload.count) bytes, a schedule's at most "
                    + SizeText.compact(Schedule.payloadBytes),
                fix: "let the handler read large data from a file")
        }
        let settings = try store.queue(named: wanted.queue)?.settings ?? QueueSettings()
        try EnqueueRequest(type: wanted.type, payload: wanted.payload)
            .check(settings, queue: wanted.queue)
        let others = try store.storeRecord().schedules.all.filter { $0.name != wanted.name }
        guard others.count < Schedules.limit else {
            throw QueueError.notLegal(
                "there are \(others.count) schedules, and a store has at most \(Schedules.limit)",
                fix: "sluice schedule remove NAME makes room")
        }
        let bytes = others.reduce(wanted.payload.count) { $0 + $1.payload.count }
        guard bytes <= Schedules.payloadBytes else {
            throw QueueError(
                .payloadTooLarge,
                "the payloads of all schedules would have \(bytes) bytes, and may have "
                    + SizeText.compact(Schedules.payloadBytes),
                fix: "let the handlers read large data from a file")
        }
    }

    /// Restores the schedules of a checkpoint, as an undo does. Returns the changes.
    func restoreSchedules(of checkpoint: Checkpoint) throws -> [UndoRecord.Change<Schedule>] {
        guard let wanted = checkpoint.schedules else { return [] }
        let current = try store.storeRecord().schedules
        let names = Set(wanted.all.map(\.name)).union(current.all.map(\.name)).sorted()
        return try names.compactMap { name in
            let before = current[name]
            guard before?.definition != wanted[name]?.definition else { return nil }
            let after = try putBack(wanted[name], named: name, over: before)
            return .init(name: name, before: before, after: after)
        }
    }

    /// Replaces the present schedule. Skips moments that have passed.
    private func putBack(
        _ schedule: Schedule?, named name: String, over current: Schedule?
    ) throws -> Schedule? {
        var back = schedule
        back?.last = [schedule?.last, current?.last].compactMap { $0 }.max()
        if let zone = try back.map({ try ZoneFiles.rules(of: $0.timeZone) }) {
            back?.passOver(zone, after: now)
        }
        try mutation.put(back, named: name)
        return back
    }

    /// Undoes a verb on schedules. Keeps the tasks they enqueued and skips moments that have
    /// passed.
    func restoreSchedules(_ record: UndoRecord) throws {
        for image in record.schedules {
            let current = try store.storeRecord().schedules[image.name]
            guard current?.definition == image.after?.definition else {
                throw QueueError(
                    .changed, "schedule \(image.name) changed since",
                    fix: "sluice log shows how")
            }
            let back = try putBack(image.before, named: image.name, over: current)
            scheduleImages.append(.init(name: image.name, before: current, after: back))
        }
    }
}

extension Schedule {
    /// The schedule without its next and last moments.
    fileprivate var definition: Schedule {
        var copy = self
        (copy.next, copy.last) = (nil, nil)
        return copy
    }

    /// Skips moments up to `now` and up to its last enqueue.
    fileprivate mutating func passOver(_ zone: ZoneRules, after now: Timestamp) {
        let passed = max(now, last ?? now)
        guard next.map({ $0 <= passed }) ?? true else { return }
        next = spec.next(after: passed, in: zone)
    }

    /// The schedule in one line: `0 3 * * * (Europe/Berlin), report into reports`.
    package var sentence: String { "\(when), \(type) into \(queue)" }

    /// When it is due, in words.
    package var when: String { spec.text + (timeZone == Self.utc ? "" : " (\(timeZone))") }

    fileprivate func differences(from other: Schedule) -> [String] {
        var words: [String] = []
        if when != other.when { words.append("due \(when), before \(other.when)") }
        if queue != other.queue { words.append("queue \(queue), before \(other.queue)") }
        if type != other.type { words.append("type \(type), before \(other.type)") }
        if payload != other.payload { words.append("another payload") }
        if missed != other.missed {
            words.append("missed \(missed.rawValue), before \(other.missed.rawValue)")
        }
        return words
    }
}

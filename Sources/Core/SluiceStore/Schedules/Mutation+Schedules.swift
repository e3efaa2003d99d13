package import SluiceModel

/// Adds, removes and runs schedules (R2). Costs no query without schedules.
extension Mutation {
    package struct Scheduled: Hashable, Sendable {
        package var tasks: [TaskID] = []
        /// Why one of them was left as it is: this machine does not know its time zone.
        package var lacking: [QueueError] = []
    }

    /// Sets a schedule, or removes it if `nil`.
    package func put(_ schedule: Schedule?, named name: String) throws {
        var record = try store.storeRecord()
        record.schedules[name] = schedule
        record.version += 1
        try store.put(record)
    }

    /// Enqueues the tasks of due schedules and advances each schedule in the same commit, so that
    /// no other process repeats it. Skips tasks that a queue refuses, with a journal line.
    package func enqueueScheduled() throws -> Scheduled {
        var done = Scheduled()
        var record = try store.storeRecord()
        let due = record.schedules.all.filter { $0.isDue(at: now) }
        guard !due.isEmpty else { return done }
        for var schedule in due.sorted(by: Schedule.isSooner) {
            let zone: ZoneRules
            do {
                zone = try ZoneFiles.rules(of: schedule.timeZone)
            } catch {
                let text = "schedule \(schedule.name): \(error.message)"
                done.lacking.append(QueueError(error.code, text, fix: error.fix))
                continue
            }
            let taken = schedule.take(at: now, in: zone)
            record.schedules[schedule.name] = schedule
            done.tasks += try enqueue(taken, of: schedule)
        }
        record.version += 1
        try store.put(record)
        return done
    }

    private func enqueue(_ due: Schedule.Due, of schedule: Schedule) throws -> [TaskID] {
        var made: [TaskID] = []
        var refusal: QueueError?
        for moment in due.moments {
            var request = EnqueueRequest(type: schedule.type, payload: schedule.payload)
            request.scheduled = ScheduledMoment(schedule: schedule.name, at: moment)
            do {
                made += try enqueue([request], to: schedule.queue).added
            } catch let error as QueueError where Self.refusals.contains(error.code) {
                refusal = error
                break
            }
        }
        try record(made, refusal, of: schedule, due)
        return made
    }

    /// The errors with which a queue refuses a task now.
    private static let refusals: [QueueError.Code] = [
        .enqueuePaused, .queueFull, .payloadTooLarge, .badName,
    ]

    private func record(
        _ made: [TaskID], _ refusal: QueueError?, of schedule: Schedule, _ due: Schedule.Due
    ) throws {
        let what =
            switch made.count {
            case 0: "schedule \(schedule.name) enqueued nothing"
            case 1: "#\(made[0]) \(schedule.type) enqueued by schedule \(schedule.name)"
            default: "\(made.count) tasks enqueued by schedule \(schedule.name)"
            }
        var words = [what]
        if let refusal {
            words.append(refusal.message)
        } else if let moment = due.moments.last, now - moment > Schedule.lateness {
            words.append("late, for \(TimeText.rfc3339(moment))")
        }
        if due.passesOver { words.append("earlier moments were passed over") }
        try store.append([
            JournalEvent(
                at: real, kind: JournalEvent.scheduled, queue: schedule.queue,
                task: made.count == 1 ? made.first : nil, by: "sluice",
                text: words.joined(separator: "; "))
        ])
    }
}

extension Schedule {
    /// Whether one was due before another; of one moment by their names.
    fileprivate static func isSooner(_ one: Schedule, than other: Schedule) -> Bool {
        let moments = (one.next ?? other.next, other.next ?? one.next)
        guard let first = moments.0, let second = moments.1, first != second else {
            return one.name < other.name
        }
        return first < second
    }
}

extension JournalEvent {
    /// The kind of the lines about what schedules enqueued.
    package static let scheduled = "scheduled"
}

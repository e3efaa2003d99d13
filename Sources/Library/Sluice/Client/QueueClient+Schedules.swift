/// When a schedule of an app is due.
public enum Recurrence: Hashable, Sendable {
    /// At minutes of a calendar: five fields, or a word such as `@daily`, by the clocks of a time
    /// zone of the machine's database.
    case cron(String, timeZone: String = Schedule.utc)
    /// Whenever so much time has passed, counted from 1970-01-01T00:00:00Z; whole milliseconds, at
    /// least a second.
    case every(Duration)
}

extension QueueClient {
    /// Enqueues a typed task on a schedule (section 13 of the rules), by default in the type's
    /// queue, or else in the default queue. Any attached runner enqueues it, once per moment across
    /// all machines, with the queue's attempts and without a unique key.
    ///
    /// An app may call this at each start: an equal schedule remains, and a different one replaces
    /// it. Throws `badValue` for an impossible recurrence, or a time zone unknown to this machine.
    @discardableResult
    public func schedule<Payload: TaskPayload>(
        _ name: String, _ recurrence: Recurrence, _ payload: Payload, to queue: String? = nil,
        missed: Schedule.Missed = .once
    ) async throws -> Schedule {
        var request = ScheduleRequest(
            name, try recurrence.spec, queue: queue ?? Payload.queue ?? defaultQueue,
            type: Payload.taskType,
            payload: try PayloadCoding.encode(payload))
        if case .cron(_, let timeZone) = recurrence { request.timeZone = timeZone }
        request.missed = missed
        let answer = try await control.perform(.setSchedule(request))
        guard let schedule = answer.schedules.first else { throw CancellationError() }
        return schedule
    }

    /// Removes a schedule; throws `badValue` for an unknown name.
    public func unschedule(_ name: String) async throws {
        try await control.perform(.schedule(.remove, name: name))
    }

    /// Every schedule of the store, by name.
    public func schedules() async throws -> [Schedule] {
        try await store.read { try $0.storeRecord().schedules.all }
    }
}

extension Recurrence {
    fileprivate var spec: ScheduleSpec {
        get throws(QueueError) {
            switch self {
            case .cron(let fields, _): return .cron(try CronSpec(fields))
            case .every(let time):
                let (seconds, rest) = time.components
                let milliseconds = seconds * 1000 + rest / 1_000_000_000_000_000
                return try ScheduleSpec("every \(max(0, milliseconds))ms")
            }
        }
    }
}

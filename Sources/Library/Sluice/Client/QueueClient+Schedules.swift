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
    /// Enqueues a typed task again and again (section 13 of the rules), in the default queue unless
    /// another one is named. Any attached runner does it, each moment once over all machines.
    ///
    /// An app may say it at each of its starts: what is there and says the same stays as it is, and
    /// what differs is changed. Throws `badValue` for a recurrence that can never be, and for a
    /// time zone that this machine does not know.
    @discardableResult
    public func schedule<Payload: TaskPayload>(
        _ name: String, _ recurrence: Recurrence, _ payload: Payload, to queue: String? = nil,
        missed: Schedule.Missed = .once
    ) async throws -> Schedule {
        var request = ScheduleRequest(
            name, try recurrence.spec, queue: queue ?? defaultQueue, type: Payload.taskType,
            payload: try PayloadCoding.encode(payload))
        if case .cron(_, let timeZone) = recurrence { request.timeZone = timeZone }
        request.missed = missed
        let answer = try await control.perform(.setSchedule(request))
        guard let schedule = answer.schedules.first else { throw CancellationError() }
        return schedule
    }

    /// Lets a schedule make no tasks any more; throws `badValue` where there is none of that name.
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

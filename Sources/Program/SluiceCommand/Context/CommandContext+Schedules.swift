import SluiceControl
import SluiceModel
import SluiceStore

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

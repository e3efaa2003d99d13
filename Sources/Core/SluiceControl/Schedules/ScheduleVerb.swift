package import SluiceModel
import SluiceStore

/// An action on a schedule by name.
public enum ScheduleAction: String, Hashable, Sendable, CaseIterable {
    case remove, pause, resume
}

/// Removes, pauses or resumes a schedule (R4).
struct ScheduleVerb: StoreVerb {
    let action: ScheduleAction
    let name: String

    var verbName: String { "schedule \(action.rawValue)" }
    var answers: AnswerPart { .schedules }

    func command(in text: CommandText) -> String {
        ShellWord.command("schedule \(action.rawValue)", name)
    }

    func perform(in context: VerbContext) throws {
        let before = try schedule(in: context)
        var after: Schedule? = before
        switch action {
        case .remove: after = nil
        case .pause: after?.isPaused = true
        case .resume:
            let zone = try ZoneFiles.rules(of: before.timeZone)
            after?.isPaused = false
            after?.passOver(zone, after: context.now)
            if let reckoned = after, reckoned.isBeyondRule(at: context.now, in: zone) {
                after?.next = reckoned.recounted(at: context.now, in: zone)
            }
        }
        context.answer.schedules = after.map { [$0] } ?? []
        guard after?.isPaused != before.isPaused || after?.next != before.next else {
            context.answer.summary =
                "schedule \(before.name) was \(before.isPaused ? "" : "not ")paused"
            return
        }
        let (kind, verb) =
            switch action {
            case .remove: ("scheduleRemove", "removed")
            case .pause: ("schedulePause", "paused")
            case .resume where before.isPaused: ("scheduleResume", "resumed")
            case .resume: ("scheduleResume", "counted anew")
            }
        try context.change(
            before, to: after, kind, "schedule \(before.name) \(verb) by \(context.person)")
    }

    private func schedule(in context: VerbContext) throws -> Schedule {
        let known = try context.store.storeRecord().schedules
        if let found = known[Names.composed(name)] { return found }
        let near = Spelling.nearest(to: name, among: known.all.map(\.name))
        throw QueueError(
            .badValue, "there is no schedule \"\(name)\"",
            fix: near.map { "did you mean \"\($0)\"?" } ?? "sluice schedule list shows them")
    }
}

extension Verb {
    /// Removes, pauses or resumes a schedule by its name.
    public static func schedule(_ action: ScheduleAction, name: String) -> Verb {
        Verb(ScheduleVerb(action: action, name: name))
    }
}

extension VerbContext {
    func change(
        _ before: Schedule?, to after: Schedule?, _ kind: String, _ text: String
    ) throws {
        guard let either = after ?? before else { return }
        try mutation.put(after, named: either.name)
        var undo = UndoRecord()
        undo.schedules = [.init(name: either.name, before: before, after: after)]
        try journal(kind, queue: either.queue, text, undo: undo)
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
    fileprivate func putBack(
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
}

extension TakingBack {
    /// Undoes a verb on schedules. Keeps the tasks they enqueued and skips moments that have
    /// passed.
    func restoreSchedules(_ record: UndoRecord) throws {
        for image in record.schedules {
            let current = try context.store.storeRecord().schedules[image.name]
            guard current?.definition == image.after?.definition else {
                throw QueueError(
                    .changed, "schedule \(image.name) changed since",
                    fix: "sluice log shows how")
            }
            let back = try context.putBack(image.before, named: image.name, over: current)
            context.images.schedules.append(.init(name: image.name, before: current, after: back))
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

    func differences(from other: Schedule) -> [String] {
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

extension Action.ID {
    package static let removeSchedule = Self("removeSchedule")
    package static let pauseSchedule = Self("pauseSchedule")
    package static let resumeSchedule = Self("resumeSchedule")
}

extension Action {
    static let removeSchedule = Action(
        .removeSchedule, .store, "remove schedule", "remove a schedule",
        Command("schedule remove", "NAME", [.text("NAME")], changes: true)
    ) { words throws(QueueError) in
        .schedule(.remove, name: try words.one("NAME"))
    }

    static let pauseSchedule = Action(
        .pauseSchedule, .store, "pause schedule", "pause a schedule",
        Command("schedule pause", "NAME", [.text("NAME")], changes: true)
    ) { words throws(QueueError) in
        .schedule(.pause, name: try words.one("NAME"))
    }

    static let resumeSchedule = Action(
        .resumeSchedule, .store, "resume schedule", "resume a schedule",
        Command("schedule resume", "NAME", [.text("NAME")], changes: true)
    ) { words throws(QueueError) in
        .schedule(.resume, name: try words.one("NAME"))
    }
}

/// A task that a schedule will make, as `forecast` shows it (N3).
package struct ForecastArrival: Hashable, Sendable {
    package var schedule: String
    package var type: String
    package var at: Timestamp
}

extension Reading {
    /// Every schedule, by name.
    package func schedules() throws -> [Schedule] { try store.storeRecord().schedules.all }

    /// The next task of each schedule of a queue, soonest first. If the forecast has more lines, it
    /// omits tasks after the last line.
    package func arrivals(
        in queue: String, beside forecast: (lines: [ForecastLine], more: Bool)
    ) throws -> [ForecastArrival] {
        let last = forecast.lines.compactMap(\.at).max()
        let end = forecast.more ? last ?? now : nil
        return try schedules().compactMap { schedule in
            guard schedule.queue == queue, !schedule.isPaused, let next = schedule.next,
                end.map({ next <= $0 }) ?? true
            else { return nil }
            return ForecastArrival(
                schedule: schedule.name, type: schedule.type, at: max(now, next))
        }.sorted { ($0.at, $0.schedule) < ($1.at, $1.schedule) }
    }
}

extension ScheduledMoment {
    /// Which schedule, and for when: `schedule nightly, for 2026-01-31T03:00:00.000Z`.
    package var sentence: String { "schedule \(schedule), for \(TimeText.rfc3339(at))" }
}

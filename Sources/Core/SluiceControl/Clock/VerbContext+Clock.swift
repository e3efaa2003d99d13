import SluiceModel
import SluiceStore

/// Setting the clock of a store (G3).
extension VerbContext {
    func setClock(_ request: ClockRequest) throws {
        let record = try store.storeRecord()
        let (time, next) = try changed(record.time, request)
        guard time != record.time else {
            answer.clock = try Reading(store, now: real).clock()
            answer.summary = "the clock \(time.words(at: real)) already"
            return
        }
        if time != .real {
            try refuseProtected("changes of the clock")
            try DebuggerPart.clock.refuseOlder(
                among: store.processes(), isAgreed: request.endsOlder)
        }
        // Going back changes nothing that happened.
        if time.time(at: real) < now { try mutation.endPassedWaits() }
        let setting = time == .real ? nil : ClockSetting(time, by: person, since: real)
        try mutation.setClock(setting)
        var undo = UndoRecord()
        undo.clock = .init(before: record.clock, after: setting)
        if let next { answer.consequences = ["that is \(next.sentence { "#\($0)" })"] }
        try tellBeyondRule()
        answer.clock = try Reading(store, now: real).clock()
        try journal(
            "clock", queue: nil, "the clock \(time.words(at: real)), set by \(person)", undo: undo)
    }

    /// The maximum number of tasks' own times that an answer names.
    private static let namedTimes = 5

    /// Warns about tasks that wait for times reachable soon only under the previous clock.
    private func tellBeyondRule() throws {
        answer.consequences += try store.beyondRule(at: now).sentences
        let ahead = try store.timesAhead(at: now)
        answer.consequences += ahead.prefix(Self.namedTimes)
        if ahead.count > Self.namedTimes {
            answer.consequences.append(
                "\(ahead.count - Self.namedTimes) more times were set while the clock was ahead: "
                    + "sluice doctor names them")
        }
        let timers = try store.tasks(.timers(queue: nil), limit: 1000)
        let late = timers.filter { $0.waiting?.timer?.isBeyondRule(at: now) ?? false }
        guard !late.isEmpty else { return }
        let count = late.count == 1000 ? "1,000 or more tasks" : NumberText.tasks(late.count)
        answer.consequences.append(
            late.count == 1
                ? "1 task waits for a retry beyond what its rule can give: sluice doctor --repair "
                    + "makes it due"
                : "\(count) wait for retries beyond what their rule can give: sluice doctor "
                    + "--repair makes them due")
    }

    /// The clock after a request, and the moment that it moves to.
    private func changed(
        _ time: StoreTime, _ request: ClockRequest
    ) throws -> (StoreTime, ComingMoment?) {
        func set(_ wanted: Timestamp) throws -> StoreTime {
            try check(wanted, as: request.spelled)
            return time.set(to: wanted, at: real)
        }
        switch request.change {
        case .freeze: return (time.frozen(at: real), nil)
        case .move(let milliseconds): return (try set(now + milliseconds), nil)
        case .set(let wanted): return (try set(wanted), nil)
        case .rate(let rate):
            guard StoreTime.rates.contains(rate) else {
                throw QueueError.badValue(
                    "rate", "\(rate)", allowed: "a number from 0.01 to 1000, such as 10")
            }
            return (time.going(rate, at: real), nil)
        case .real: return (.real, nil)
        case .next(let queue):
            guard let next = try Reading(store, now: real).comingMoment(queue: queue) else {
                let place = queue.map { " in \($0)" } ?? ""
                throw QueueError.notLegal(
                    "nothing\(place) waits for a time", fix: "sluice why TASK says for what")
            }
            return (try set(next.at), next)
        }
    }

    /// Throws if a clock of this store cannot show the requested time.
    private func check(_ time: Timestamp, as words: String) throws {
        func refused(_ reason: String, allowed: String) -> QueueError {
            QueueError(
                .badValue, "clock: \"\(words)\" is a time \(reason)",
                fix: "allowed: a time \(allowed)")
        }
        guard time <= StoreTime.last else {
            throw refused(
                "after the last one that can be shown",
                allowed: "up to the end of the year 9999")
        }
        // A store without a queue has nothing that came before.
        guard let made = try store.queues().map(\.createdAt).min() else { return }
        let first = min(made, real)
        guard time >= first else {
            throw refused(
                "before the store was made",
                allowed: "since the store was made, \(TimeText.rfc3339(first))")
        }
    }

    /// Takes back a verb's change of the clock alone.
    func restoreClock(_ record: UndoRecord) throws {
        guard let image = record.clock else { return }
        guard try store.storeRecord().clock == image.after else {
            throw QueueError(
                .changed, "the clock was set since", fix: "sluice clock says how it is now")
        }
        if image.before != nil { try refuseProtected("changes of the clock") }
        try mutation.setClock(image.before)
        clockImage = .init(before: image.after, after: image.before)
        try tellBeyondRule()
        answer.clock = try Reading(store, now: real).clock()
    }
}

public import SluiceModel
import SluiceStore

/// A request to change the store's clock.
public struct ClockRequest: Hashable, Sendable {
    /// The change to make.
    public enum Change: Hashable, Sendable {
        /// Freezes the clock at its present time.
        case freeze
        /// Moves the clock by some milliseconds, forward or back.
        case move(Int64)
        /// It shows a time from now on.
        case set(Timestamp)
        /// It goes exactly to the next time that something waits for, in one queue or in all.
        case next(queue: String?)
        /// Sets the clock's rate relative to real time.
        case rate(Double)
        /// It shows the real time again.
        case real
    }
    /// The change to make.
    public var change: Change
    /// The arguments as the user typed them.
    private(set) var typed: String?
    /// Whether attached programs of older versions, which go by the real time, may be ended.
    public var endsOlder = false

    /// A change of the clock.
    public init(_ change: Change) { self.change = change }
}

/// A change of the clock as a command says it.
extension ClockRequest {
    /// Parses the arguments of `clock`; `nil` without arguments.
    package init?(_ arguments: Arguments) throws(QueueError) {
        guard let word = arguments.values.first else { return nil }
        try arguments.refuseMore(than: ["next", "rate"].contains(word) ? 2 : 1)
        self.init(try Self.change(word, arguments.values.dropFirst().first, arguments))
        typed = arguments.values.map(ShellWord.quoted).joined(separator: " ")
        endsOlder = arguments.has("--yes")
    }

    private static func change(
        _ word: String, _ rest: String?, _ arguments: Arguments
    ) throws(QueueError) -> Change {
        switch word {
        case "freeze": return .freeze
        case "real": return .real
        case "next":
            if let rest { try Names.check(rest, of: "queue") }
            return .next(queue: rest)
        case "rate":
            guard let rest else { throw .usage("N, the rate, is missing", of: arguments.command) }
            return .rate(try rate(rest))
        default: return try move(word)
        }
    }

    private static func rate(_ text: String) throws(QueueError) -> Double {
        let digits = text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard digits, let rate = Double(text), StoreTime.rates.contains(rate) else {
            throw .badValue("rate", text, allowed: "a number from 0.01 to 1000, such as 10")
        }
        return rate
    }

    private static func move(_ word: String) throws(QueueError) -> Change {
        let sign: Int64 = word.hasPrefix("-") ? -1 : 1
        if word.hasPrefix("+") || word.hasPrefix("-") {
            if let wait = DurationText.milliseconds(String(word.dropFirst())) {
                return .move(sign * min(wait, farthest))
            }
            // The store knows its first and its last time, and names them.
            if NumberText.excess(of: word) != nil { return .move(sign * farthest) }
        } else if let time = time(word) {
            return .set(time)
        }
        throw .badValue(
            "clock", word,
            allowed: "freeze, +5m, -5m, a time such as 2026-12-24T18:00 (UTC, or with a zone), "
                + "next [QUEUE], rate N, real")
    }

    /// More milliseconds than lie between any two times that a clock shows.
    private static let farthest = StoreTime.last.milliseconds * 2

    /// Parses a time to the second or minute, in a zone or by default in UTC. Accepts years too
    /// late to display.
    private static func time(_ word: String) -> Timestamp? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }.count
        let long = String(repeating: "0", count: max(0, 6 - digits))
        let word = digits > 4 ? "+\(long)\(word)" : word
        // A zone may follow the minute.
        let clock = word.firstIndex { "Tt ".contains($0) }
        let minute = clock.flatMap { word.index($0, offsetBy: 6, limitedBy: word.endIndex) }
        let whole = minute.map { "\(word[..<$0]):00\(word[$0...])" } ?? word
        return [word, word + "Z", whole, whole + "Z"].lazy.compactMap { TimeText.rfc3339($0) }.first
    }

    /// The change as arguments of the command.
    var spelled: String {
        if let typed { return typed }
        return switch change {
        case .freeze: "freeze"
        case .move(let wait) where wait < 0: "-\(DurationText.compact(-wait))"
        case .move(let wait): "+\(DurationText.compact(wait))"
        case .set(let time): TimeText.rfc3339(time)
        case .next(nil): "next"
        case .next(let queue?): "next \(ShellWord.quoted(queue))"
        case .rate(let rate): "rate \(StoreTime.text(rate: rate))"
        case .real: "real"
        }
    }
}

/// Sets the clock of a store (G3).
extension ClockRequest: DebuggerVerb {
    package var verbName: String { "clock" }
    package var debuggerPart: DebuggerPart? { endsOlder || change == .real ? nil : .clock }
    package var answers: AnswerPart { .clock }

    package func command(in text: CommandText) -> String {
        "clock \(spelled)" + (endsOlder ? " --yes" : "")
    }

    package func perform(in context: VerbContext) throws {
        let record = try context.store.storeRecord()
        let (time, next) = try changed(record.time, in: context)
        guard time != record.time else {
            context.answer.clock = try Reading(context.store, now: context.real).clock()
            context.answer.summary = "the clock \(time.words(at: context.real)) already"
            return
        }
        if time != .real {
            try context.refuseProtected("changes of the clock")
            try DebuggerPart.clock.refuseOlder(
                among: context.store.processes(), isAgreed: endsOlder)
        }
        // Going back changes nothing that happened.
        if time.time(at: context.real) < context.now { try context.mutation.endPassedWaits() }
        let setting =
            time == .real ? nil : ClockSetting(time, by: context.person, since: context.real)
        try context.mutation.setClock(setting)
        var undo = UndoRecord()
        undo.clock = .init(before: record.clock, after: setting)
        if let next { context.answer.consequences = ["that is \(next.sentence { "#\($0)" })"] }
        try context.tellBeyondRule()
        context.answer.clock = try Reading(context.store, now: context.real).clock()
        try context.journal(
            "clock", queue: nil,
            "the clock \(time.words(at: context.real)), set by \(context.person)", undo: undo)
    }

    /// The clock after a request, and the moment that it moves to.
    private func changed(
        _ time: StoreTime, in context: VerbContext
    ) throws -> (StoreTime, ComingMoment?) {
        func set(_ wanted: Timestamp) throws -> StoreTime {
            try check(wanted, in: context)
            return time.set(to: wanted, at: context.real)
        }
        switch change {
        case .freeze: return (time.frozen(at: context.real), nil)
        case .move(let milliseconds): return (try set(context.now + milliseconds), nil)
        case .set(let wanted): return (try set(wanted), nil)
        case .rate(let rate):
            guard StoreTime.rates.contains(rate) else {
                throw QueueError.badValue(
                    "rate", "\(rate)", allowed: "a number from 0.01 to 1000, such as 10")
            }
            return (time.going(rate, at: context.real), nil)
        case .real: return (.real, nil)
        case .next(let queue):
            guard
                let next = try Reading(context.store, now: context.real).comingMoment(queue: queue)
            else {
                let place = queue.map { " in \($0)" } ?? ""
                throw QueueError.notLegal(
                    "nothing\(place) waits for a time", fix: "sluice why TASK says for what")
            }
            return (try set(next.at), next)
        }
    }

    /// Throws if a clock of this store cannot show the requested time.
    private func check(_ time: Timestamp, in context: VerbContext) throws {
        func refused(_ reason: String, allowed: String) -> QueueError {
            QueueError(
                .badValue, "clock: \"\(spelled)\" is a time \(reason)",
                fix: "allowed: a time \(allowed)")
        }
        guard time <= StoreTime.last else {
            throw refused(
                "after the last one that can be shown",
                allowed: "up to the end of the year 9999")
        }
        // A store without a queue has nothing that came before.
        guard let made = try context.store.queues().map(\.createdAt).min() else { return }
        let first = min(made, context.real)
        guard time >= first else {
            throw refused(
                "before the store was made",
                allowed: "since the store was made, \(TimeText.rfc3339(first))")
        }
    }
}

extension VerbContext {
    /// The maximum number of tasks' own times that an answer names.
    private static let namedTimes = 5

    /// Warns about tasks that wait for times reachable soon only under the previous clock.
    fileprivate func tellBeyondRule() throws {
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
}

extension TakingBack {
    /// Takes back a verb's change of the clock alone.
    func restoreClock(_ record: UndoRecord) throws {
        guard let image = record.clock else { return }
        guard try context.store.storeRecord().clock == image.after else {
            throw QueueError(
                .changed, "the clock was set since", fix: "sluice clock says how it is now")
        }
        if image.before != nil { try context.refuseProtected("changes of the clock") }
        try context.mutation.setClock(image.before)
        context.images.clock = .init(before: image.after, after: image.before)
        try context.tellBeyondRule()
        context.answer.clock = try Reading(context.store, now: context.real).clock()
    }
}

extension Verb {
    /// Changes the clock of waiting tasks.
    public static func setClock(_ request: ClockRequest) -> Verb { Verb(request) }
}

extension Action.ID {
    package static let clock = Self("clock")
}

extension Action {
    static let clock = Action(
        .clock, key: "C", .store, "clock",
        "the clock of waiting tasks: freeze, move or speed it",
        Command(
            "clock", "[freeze | +D | -D | TIME | next [QUEUE] | rate N | real]",
            [.choice(["freeze", "next", "rate", "real"]), .queue],
            options: [
                Command.Option("--yes", .flag, "end attached programs that are too old to read it")
            ], changes: true)
    ) { words throws(QueueError) in
        try ClockRequest(words).map { Verb($0) }
    }
}

extension StoreTime {
    /// The clock in words: `stands at 14:03:22 UTC (-5m)`.
    package func words(at real: Timestamp) -> String {
        let shown = "\(Self.text(time(at: real), at: real)) (\(Self.signed(offset(at: real))))"
        return switch self {
        case .real: "shows the real time"
        case .offset: "shows \(shown)"
        case .frozen: "is frozen at \(shown)"
        case .rate(let rate, _, _): "shows \(shown) and goes at rate \(Self.text(rate: rate))"
        }
    }

    /// The text of a difference: `-5m`, `+7d`.
    package static func signed(_ milliseconds: Int64) -> String {
        let size = Int64(clamping: milliseconds.magnitude)
        return (milliseconds < 0 ? "-" : "+") + (size == 0 ? "0s" : DurationText.short(size))
    }

    /// A rate without a fraction if it has none.
    package static func text(rate: Double) -> String {
        rate == rate.rounded() ? "\(Int(rate))" : "\(rate)"
    }

    /// A time in UTC, with its day if that is another one.
    private static func text(_ time: Timestamp, at real: Timestamp) -> String {
        let (text, today) = (TimeText.rfc3339(time), TimeText.rfc3339(real))
        let (day, clock) = (text.prefix(10), text.dropFirst(11).prefix(8))
        return day == today.prefix(10) ? "\(clock) UTC" : "\(day) \(clock) UTC"
    }
}

extension QueueTask {
    /// The times of the task that were set while the clock was ahead, one sentence each with the
    /// command that sets it anew. A time may be meant as it is, so no repair changes it.
    func timesAhead(at now: Timestamp) -> [String] {
        let name = "#\(id) \(type)"
        var found: [String] = []
        if let timer = waiting?.timer, timer.cause == .notBefore, timer.isAhead(at: now) {
            let wait = DurationText.rounded(timer.until - timer.since)
            found.append(
                "\(name) begins at \(TimeText.rfc3339(timer.until)): it was set for \(wait) later "
                    + "while the clock was ahead; sluice postpone \(id) +\(wait) counts that from "
                    + "now, sluice retry \(id) makes it due")
        }
        if let skip = waiting?.skip, let until = skip.until, until > now, skip.since - now > 60_000
        {
            found.append(
                "\(name) is skipped until \(TimeText.rfc3339(until)): that was set while the "
                    + "clock was ahead; sluice unskip \(id) takes it back in")
        }
        if let expiresAt, waiting != nil, createdAt - now > 60_000, expiresAt > createdAt {
            let wait = DurationText.rounded(expiresAt - createdAt)
            found.append(
                "\(name) expires at \(TimeText.rfc3339(expiresAt)): that was set while the clock "
                    + "was ahead; sluice edit \(id) --set expires=+\(wait) counts it from now")
        }
        return found
    }
}

extension StoreReader {
    /// The same of the first tasks that wait for a time or expire.
    func timesAhead(at now: Timestamp, limit: Int = 1000) throws -> [String] {
        let timed = try tasks(.timers(queue: nil), limit: limit)
        return try timed.flatMap { $0.timesAhead(at: now) }
            + expiriesAhead(at: now, limit: limit, besides: Set(timed.map(\.id)))
    }

    /// The same of the first tasks that expire, without those whose timers were read.
    func expiriesAhead(
        at now: Timestamp, limit: Int = 1000, besides known: Set<TaskID>
    ) throws -> [String] {
        try tasks(.expiring(), limit: limit).filter { !known.contains($0.id) }
            .flatMap { $0.timesAhead(at: now) }
    }
}

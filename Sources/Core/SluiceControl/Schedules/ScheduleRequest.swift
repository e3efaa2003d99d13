package import SluiceModel
import SluiceStore

/// A request to set a schedule.
public struct ScheduleRequest: Hashable, Sendable {
    package var name: String
    package var spec: ScheduleSpec
    /// The time zone whose clocks a cron means.
    package var timeZone = Schedule.utc
    package var queue: String
    package var type: String
    package var payload: [UInt8]
    /// The treatment of moments without an attached runner.
    package var missed = Schedule.Missed.once

    /// Creates a schedule; by default it uses UTC and makes up for missed moments once.
    package init(
        _ name: String, _ spec: ScheduleSpec, queue: String, type: String, payload: [UInt8] = [],
        timeZone: String = Schedule.utc, missed: Schedule.Missed = .once
    ) {
        (self.name, self.spec, self.queue) = (name, spec, queue)
        (self.type, self.payload) = (type, payload)
        (self.timeZone, self.missed) = (timeZone, missed)
    }
}

/// A schedule as a command says it.
extension ScheduleRequest {
    /// Reads the words of `schedule set`; the payload comes from elsewhere.
    package init(_ arguments: Arguments) throws(QueueError) {
        let words = arguments.values
        let names = ["NAME", "SPEC", "QUEUE", "TYPE"]
        guard words.count >= names.count else {
            throw .usage("\(names[words.count]) is missing", of: arguments.command)
        }
        let fields = words.dropFirst().prefix(5)
        if fields.count == 5, words.count > 5, (try? CronSpec(fields.joined(separator: " "))) != nil
        {
            throw .usage("SPEC is one word: put it in quotes", of: arguments.command)
        }
        try arguments.refuseMore(than: names.count + 1)
        try Names.check(words[0], of: "schedule")
        try Names.check(words[2], of: "queue")
        try Names.check(words[3], of: "type")
        self.init(words[0], try ScheduleSpec(words[1]), queue: words[2], type: words[3])
        if let zone = arguments.text("--time-zone") {
            guard case .cron = spec else {
                throw .usage(
                    "--time-zone is about the clocks of a cron, and every counts from UTC",
                    of: arguments.command)
            }
            timeZone = zone
        }
        missed = try arguments.choice("--missed") ?? .once
    }
}

/// Sets a schedule (R4).
extension ScheduleRequest: StoreVerb {
    package var verbName: String { "schedule set" }
    package var answers: AnswerPart { .schedules }

    package func command(in text: CommandText) -> String {
        let payloadText = String(validating: payload, as: UTF8.self)
        let words =
            [name, spec.text, queue, type] + [payloadText].compactMap { $0 }.filter { !$0.isEmpty }
        return "schedule set" + (timeZone == Schedule.utc ? "" : " --time-zone \(timeZone)")
            + (missed == .once ? "" : " --missed \(missed.rawValue)")
            + (payloadText == nil ? " --payload-file FILE" : "")
            + (words.contains { $0.hasPrefix("-") } ? " --" : "")
            + words.map { " " + ShellWord.quoted($0) }.joined()
    }

    package func perform(in context: VerbContext) throws {
        try Names.check(self.name, of: "schedule")
        let name = Names.composed(self.name)
        let zone = try ZoneFiles.rules(of: timeZone)
        let before = try context.store.storeRecord().schedules[name]
        var wanted = Schedule(
            name: name, spec: spec, queue: Names.composed(queue),
            type: Names.composed(type), payload: payload, by: context.person)
        (wanted.timeZone, wanted.missed) = (timeZone, missed)
        wanted.isPaused = before?.isPaused ?? false
        wanted.last = before?.last
        let isSameTime = before?.spec == wanted.spec && before?.timeZone == wanted.timeZone
        let isBeyondRule = before?.isBeyondRule(at: context.now, in: zone) ?? false
        wanted.next =
            isSameTime && !isBeyondRule ? before?.next : wanted.recounted(at: context.now, in: zone)
        try check(wanted, in: context)
        context.answer.schedules = [wanted]
        var changes = before.map { wanted.differences(from: $0) } ?? []
        if isBeyondRule, changes.isEmpty { changes = ["counted anew by the clock as it is now"] }
        if before != nil, changes.isEmpty {
            context.answer.schedules = before.map { [$0] } ?? []
            context.answer.summary = "schedule \(name) is that already"
            return
        }
        if try context.store.queue(named: wanted.queue) == nil {
            try Names.check(wanted.queue, of: "queue")
            try context.store.put(QueueRecord(name: wanted.queue, createdAt: context.now))
            context.answer.createdQueue = wanted.queue
            context.answer.consequences.append(
                "\(wanted.queue) is new, with the defaults; sluice "
                    + "\(ShellWord.command("queue set", wanted.queue)) changes them")
        }
        if try !context.store.processes().contains(where: \.isWorking) {
            context.answer.consequences.append(
                "\(RunnerLack.nobody.sentence): an attached worker enqueues its tasks, of any queue"
            )
        }
        if wanted.isPaused {
            context.answer.consequences.append(
                "it is paused: sluice schedule resume starts it again")
        }
        let verb =
            before == nil
            ? "set by \(context.person): \(wanted.sentence)"
            : "changed by \(context.person): \(changes.joined(separator: ", "))"
        try context.change(before, to: wanted, "scheduleSet", "schedule \(name) \(verb)")
    }

    /// Throws where a schedule can never be: its place, its sizes, how many there are.
    private func check(_ wanted: Schedule, in context: VerbContext) throws {
        guard context.store.naming == nil else {
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
        let settings = try context.store.queue(named: wanted.queue)?.settings ?? QueueSettings()
        try EnqueueRequest(type: wanted.type, payload: wanted.payload)
            .check(settings, queue: wanted.queue)
        let others = try context.store.storeRecord().schedules.all.filter { $0.name != wanted.name }
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
}

extension Verb {
    /// Enqueues a task again and again.
    public static func setSchedule(_ request: ScheduleRequest) -> Verb { Verb(request) }
}

extension Action.ID {
    package static let setSchedule = Self("setSchedule")
}

extension Action {
    static let setSchedule = Action(
        .setSchedule, .store, "set schedule", "enqueue a task again and again",
        Command(
            "schedule set", "NAME SPEC QUEUE TYPE [PAYLOAD]",
            [.text("NAME"), .text("SPEC"), .queue, .text("TYPE"), .bytes("PAYLOAD")],
            options: [
                Command.Option("--time-zone", .text("ZONE"), "time zone of a cron (default UTC)"),
                Command.Option(
                    "--missed", .choice(Schedule.Missed.allCases.map(\.rawValue)),
                    "moments without a worker (default once)"),
                Command.Option(
                    "--payload-file", .file,
                    "the payload from a file, or - for standard input"),
            ], changes: true))
}

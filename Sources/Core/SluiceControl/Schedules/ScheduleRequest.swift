package import SluiceModel

/// A request to set a schedule.
public struct ScheduleRequest: Hashable, Sendable {
    package var name: String
    /// When it is due.
    package var spec: ScheduleSpec
    /// The time zone whose clocks a cron means.
    package var timeZone = Schedule.utc
    /// The queue of its tasks.
    package var queue: String
    package var type: String
    /// Their payload.
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

/// An action on a schedule by name.
public enum ScheduleAction: String, Hashable, Sendable, CaseIterable {
    case remove, pause, resume
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

    /// The command that asks for the same, without `sluice`.
    package var command: String {
        let text = String(validating: payload, as: UTF8.self)
        let words =
            [name, spec.text, queue, type] + [text].compactMap { $0 }.filter { !$0.isEmpty }
        return "schedule set" + (timeZone == Schedule.utc ? "" : " --time-zone \(timeZone)")
            + (missed == .once ? "" : " --missed \(missed.rawValue)")
            + (text == nil ? " --payload-file FILE" : "")
            + (words.contains { $0.hasPrefix("-") } ? " --" : "")
            + words.map { " " + ShellWord.quoted($0) }.joined()
    }
}

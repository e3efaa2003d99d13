import SluiceControl
import SluiceModel
import SluiceStore

/// Queues, groups, timers and forecasts for people.
enum QueueText {
    /// Every queue at a glance.
    static func lines(
        _ overviews: [QueueOverview], inbox: InboxSummary, names: TaskNames, now: Timestamp,
        real: Timestamp, width: Int?
    ) -> [String] {
        let beside = lines(inbox, beside: Set(overviews.map(\.queue.name)))
        guard !overviews.isEmpty else {
            return ["no queue yet: sluice enqueue QUEUE TYPE [PAYLOAD] makes one"] + beside
        }
        var table = TextTable([
            .numbers("PRI"), .words("NAME", limit: 40), .whole("STATE"), .numbers("WAITS"),
            .numbers("DUE"), .numbers("RUNS"), .numbers("FAILED"), .numbers("OLDEST"),
            .extra("SETTINGS"), .words("NOTE", limit: 160),
        ])
        table.rows = overviews.map { row($0, names, now: now, real: real) }
        return table.lines(width) + beside
    }

    /// What of an application's inbox no queue's row tells (T4).
    private static func lines(_ inbox: InboxSummary, beside known: Set<String>) -> [String] {
        var lines = inbox.tasks.filter { !known.contains($0.key) }.sorted { $0.key < $1.key }
            .map { "inbox: \($0.value) for \(SafeText.visible($0.key)), which is not there yet" }
        if inbox.removals > 0 { lines.append("inbox: \(inbox.removals) removals") }
        if !inbox.refused.isEmpty {
            let word = inbox.refused.count == 1 ? "row was" : "rows were"
            lines.append("inbox: \(inbox.refused.count) \(word) refused, sluice doctor tells why")
        }
        return lines
    }

    private static func row(
        _ overview: QueueOverview, _ names: TaskNames, now: Timestamp, real: Timestamp
    ) -> [String] {
        let settings = overview.queue.settings
        let due = "\(overview.due)" + (overview.isDueCapped ? "+" : "")
        return [
            "\(settings.priority)", overview.queue.name,
            overview.standing.word,
            "\(overview.counts[.waiting] + overview.lost)", due,
            "\(overview.counts[.running] - overview.lost)",
            "\(overview.counts[.failed])", ClockText.age(overview.oldest, now: now),
            "\(settings.order.rawValue), \(settings.concurrency) at once, "
                + "\(settings.afterFailure.rawValue), \(settings.start.name)",
            note(overview, names, now: now, real: real),
        ]
    }

    private static func note(
        _ overview: QueueOverview, _ names: TaskNames, now: Timestamp, real: Timestamp
    ) -> String {
        var notes = overview.pauses.map { pause($0, names, now: now, real: real) }
        if let lack = overview.lack { notes.append(lack.sentence) }
        if overview.lost > 0 { notes.append("\(overview.lost) lost: their runner died") }
        if overview.inbox > 0 { notes.append("\(overview.inbox) in the inbox") }
        if let run = overview.queue.run {
            notes.append("run open, \(run.attempted) attempted, \(overview.left) left")
        } else if let next = overview.nextRun {
            notes.append("next run \(ClockText.relative(next, now: now))")
        } else if overview.standing == .noRun {
            notes.append(overview.standing.words)
        }
        return notes.joined(separator: "; ")
    }

    /// A pause in one sentence.
    private static func pause(
        _ pause: Pause, _ names: TaskNames, now: Timestamp, real: Timestamp
    ) -> String {
        if pause.cause == .breakpoint {
            let age = ClockText.age(pause.stoppedAt, now: real)
            return "stopped by \(pause.by) \(names.reason(of: pause) ?? ""), \(age) ago"
        }
        let what = pause.isOfStore ? "store paused" : "paused"
        let way = pause.direction == .work ? "" : " (\(pause.direction.rawValue))"
        let why = pause.reason.map { ": \"\($0)\"" } ?? ""
        let since = "for \(ClockText.age(pause.since, now: now))"
        let end = pause.until.map { ", ends \(ClockText.relative($0, now: now))" } ?? ""
        return "\(what)\(way) by \(pause.by) \(since)\(why)\(end)"
    }

    /// The coming starts of a queue.
    static func forecast(
        _ lines: [ForecastLine], more: Bool, names: TaskNames, now: Timestamp, width: Int?
    ) -> [String] {
        guard !lines.isEmpty else { return ["nothing will start"] }
        var table = TextTable([
            .numbers("#"), .words("TYPE", limit: 30), .words("STARTS"),
            .words("IF IT FAILS", limit: 40),
        ])
        table.rows = lines.map { line in
            let word = line.holdsBack == 1 ? "task is" : "tasks are"
            let start = line.at.map { ClockText.relative($0, now: now) }
            return [
                names.word(line.id), line.type,
                (start ?? "blocked: \(line.blocker?.word ?? "")")
                    + (line.stoppedBy.map { stop($0, ends: start != nil) } ?? "")
                    + (line.breakpoint.map { ", stopped by breakpoint \($0)" } ?? "")
                    + (line.fault.map { ", fault \($0) goes into it" } ?? ""),
                line.holdsBack > 0 ? "\(line.holdsBack) \(word) held back" : "",
            ]
        }
        return table.lines(width) + (more ? ["more: -n N"] : [])
    }

    private static func stop(_ breakpoint: Int64, ends: Bool) -> String {
        ends ? ", when breakpoint \(breakpoint) ends" : " by breakpoint \(breakpoint)"
    }

    /// The groups of a queue.
    static func groups(
        _ groups: [GroupSummary], names: TaskNames, width: Int?
    ) -> [String] {
        guard !groups.isEmpty else { return ["no groups"] }
        var table = TextTable([
            .words("NAME", limit: 40), .numbers("MEMBERS"), .words("STARTS"), .words("HELD BY"),
        ])
        table.rows = groups.map { group in
            [
                group.name, "\(group.members)",
                group.starts.prefix(8).map(names.name).joined(separator: " "),
                group.starts.first.map(names.name) ?? "",
            ]
        }
        return table.lines(width)
    }

    /// Every countdown, the soonest first.
    static func timers(
        _ timers: [TimerLine], names: TaskNames, now: Timestamp, width: Int?
    ) -> [String] {
        guard !timers.isEmpty else { return ["nothing waits for a time"] }
        var table = TextTable([
            .whole("AT"), .whole("IN"), .whole("KIND"), .words("QUEUE", limit: 40),
            .numbers("#"), .words("TRY", limit: 40),
        ])
        table.rows = timers.map { timer in
            let limit = timer.attemptLimit.map(String.init) ?? "-"
            return [
                ClockText.moment(timer.at), DurationText.left(timer.at - now),
                timer.isOfStop ? "stop" : timer.kind.rawValue,
                timer.queue.isEmpty ? "all queues" : timer.queue,
                timer.id.map(names.word) ?? "",
                timer.attempt.map { "\($0)/\(limit)" } ?? timer.schedule ?? "",
            ]
        }
        return table.lines(width)
    }
}

import SluiceControl
import SluiceModel
import SluiceStore

/// Queues, groups, timers and forecasts for people.
enum QueueText {
    static func lines(
        _ overviews: [QueueOverview], inbox: InboxSummary, names: TaskNames, now: Timestamp,
        real: Timestamp, width: Int?
    ) -> [String] {
        let beside = lines(inbox, beside: Set(overviews.map(\.queue.name)))
        guard !overviews.isEmpty else {
            return ["no queue yet: sluice enqueue QUEUE TYPE [PAYLOAD] makes one"] + beside
        }
        let table = TextTable<QueueOverview>([
            .numbers("PRI") { "\($0.queue.settings.priority)" },
            .words("NAME", limit: 40) { $0.queue.name },
            .whole("STATE") { $0.status.word },
            .numbers("WAITS") { "\($0.counts[.waiting] + $0.lost)" },
            .numbers("DUE") { "\($0.due)" + ($0.isDueCapped ? "+" : "") },
            .numbers("RUNS") { "\($0.counts[.running] - $0.lost)" },
            .numbers("FAILED") { "\($0.counts[.failed])" },
            .numbers("OLDEST") { ClockText.age($0.oldest, now: now) },
            .extra("SETTINGS") { overview in
                let settings = overview.queue.settings
                let rate = settings.rate.map { "\($0.words), " } ?? ""
                return "\(settings.order.rawValue), \(settings.concurrencyWords), \(rate)"
                    + "\(settings.afterFailure.rawValue), \(settings.start.name)"
                    + (settings.ranks.ranks.isEmpty ? "" : "; rank \(settings.ranks.text)")
                    + (settings.typeText.map { "; \($0)" } ?? "")
            },
            .words("NOTE", limit: 160) { note($0, names, now: now, real: real) },
        ])
        return table.lines(overviews, width) + beside
    }

    /// Lines about an application's inbox that do not belong to a listed queue (T4).
    private static func lines(_ inbox: InboxSummary, beside known: Set<String>) -> [String] {
        var lines = inbox.tasks.filter { !known.contains($0.key) }.sorted { $0.key < $1.key }
            .map { name, count in
                let words = InboxSummary.words(count, isCapped: inbox.isCapped)
                return "inbox: \(words) for \(SafeText.visible(name)), which is not there yet"
            }
        if inbox.removals > 0 {
            let words = InboxSummary.words(inbox.removals, isCapped: inbox.isRemovalsCapped)
            lines.append("inbox: \(words) \(inbox.removals == 1 ? "removal" : "removals")")
        }
        if !inbox.refused.isEmpty {
            let word = inbox.refused.count == 1 ? "row was" : "rows were"
            lines.append("inbox: \(inbox.refusedWords) \(word) refused, sluice doctor says why")
        }
        return lines
    }

    private static func note(
        _ overview: QueueOverview, _ names: TaskNames, now: Timestamp, real: Timestamp
    ) -> String {
        var notes = overview.pauses.map { pause($0, names, now: now, real: real) }
        if let isOn = overview.queue.settings.forcedNetwork {
            notes.append("network forced \(isOn ? "on" : "off")")
        }
        if let lack = overview.lack { notes.append(lack.sentence) }
        if overview.lost > 0 { notes.append("\(overview.lost) lost: their worker died") }
        if overview.inbox > 0 {
            let words = InboxSummary.words(overview.inbox, isCapped: overview.isInboxCapped)
            notes.append("\(words) in the inbox")
        }
        if let words = overview.expiring.words { notes.append(words) }
        if let run = overview.queue.run {
            notes.append("run open, \(run.attempted) attempted, \(overview.left) left")
        } else if let next = overview.nextRun {
            notes.append("next run \(ClockText.relative(next, now: now))")
        } else if overview.status == .noRun {
            notes.append(overview.status.words)
        }
        return notes.joined(separator: "; ")
    }

    private static func pause(
        _ pause: Pause, _ names: TaskNames, now: Timestamp, real: Timestamp
    ) -> String {
        if pause.cause == .breakpoint {
            let age = ClockText.age(pause.stoppedAt, now: real)
            let by = pause.by + pause.stopSign
            return "stopped by \(by) \(names.reason(of: pause) ?? ""), \(age) ago"
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
        // A running task leaves its place to the first task that waits for it.
        var previous: [TaskID: TaskID] = [:]
        for (first, second) in zip(lines, lines.dropFirst())
        where second.behind != nil && second.behind == first.behind {
            previous[second.id] = first.id
        }
        let table = TextTable<ForecastLine>([
            .numbers("#") { names.word($0.id) },
            .words("TYPE", limit: 30) { $0.type },
            .words("STARTS") { starts($0, after: previous[$0.id], names: names, now: now) },
            .words("IF IT FAILS", limit: 40) { line in
                let word = line.holdsBack == 1 ? "task is" : "tasks are"
                return line.holdsBack > 0 ? "\(line.holdsBack) \(word) held back" : ""
            },
        ])
        return table.lines(lines, width) + (more ? ["more: -n N"] : [])
    }

    private static func starts(
        _ line: ForecastLine, after previous: TaskID?, names: TaskNames, now: Timestamp
    ) -> String {
        let start =
            previous.map { "after \(names.name($0))" }
            ?? line.behind.map { "when \(names.name($0)) ends" }
            ?? line.at.map { ClockText.relative($0, now: now) }
        return (start ?? "blocked: \(line.blocker?.word ?? "")")
            + (line.stoppedBy.map { stop($0, ends: start != nil) } ?? "")
            + (line.breakpoint.map { ", stopped by breakpoint \($0)" } ?? "")
            + (line.fault.map { ", fault \($0) goes into it" } ?? "")
    }

    private static func stop(_ breakpoint: Int64, ends: Bool) -> String {
        ends ? ", when breakpoint \(breakpoint) ends" : " by breakpoint \(breakpoint)"
    }

    static func groups(
        _ groups: [GroupSummary], names: TaskNames, width: Int?
    ) -> [String] {
        guard !groups.isEmpty else { return ["no groups"] }
        return TextTable<GroupSummary>([
            .words("NAME", limit: 40) { $0.name },
            .numbers("MEMBERS") { "\($0.members)" },
            .words("STARTS") { $0.starts.prefix(8).map(names.name).joined(separator: " ") },
            .words("HELD BY") { $0.starts.first.map(names.name) ?? "" },
        ]).lines(groups, width)
    }

    /// Every countdown, the soonest first.
    static func timers(
        _ timers: [TimerLine], names: TaskNames, now: Timestamp, width: Int?
    ) -> [String] {
        guard !timers.isEmpty else { return ["nothing waits for a time"] }
        return TextTable<TimerLine>([
            .whole("AT") { ClockText.moment($0.at) },
            .whole("IN") { DurationText.left($0.at - now) },
            .whole("KIND") { $0.isOfStop ? "stop" : $0.kind.rawValue },
            .words("QUEUE", limit: 40) { $0.queue.isEmpty ? "all queues" : $0.queue },
            .numbers("#") { $0.id.map(names.word) ?? "" },
            .words("TRY", limit: 40) { timer in
                let limit = timer.attemptLimit.map(String.init) ?? "-"
                return timer.attempt.map { "\($0)/\(limit)" } ?? timer.schedule ?? ""
            },
        ]).lines(timers, width)
    }
}

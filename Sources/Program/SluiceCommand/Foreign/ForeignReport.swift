import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceReports
import SluiceSystem

/// A Markdown report about foreign tasks, in the form of the report about own tasks.
struct ForeignReport {
    /// A task with all known facts.
    struct Entry {
        var system: String
        var detail: ForeignDetail
        var queue: ForeignQueue?
        var blockers: [Blocker]
    }
    private var redactions: Redactions
    private var page = Markdown()

    /// The report about some tasks, without the values at some payload paths.
    init(
        _ entries: [Entry], of store: String, at now: Timestamp, redacting paths: [PayloadPath]
    ) {
        redactions = Redactions(paths)
        for entry in entries { redactions.learn(entry.detail.payload.told) }
        let one = entries.count == 1 ? entries.first?.detail.task : nil
        let title = one.map { "Task \(SafeText.visible($0.reference))" }
        page.heading(
            1, title ?? NumberText.tasks(entries.count), one.map { redactions.clean($0.type) })
        page.item("program", "sluice \(Program.versionText)")
        page.item("store", store)
        page.item("read at", TimeText.rfc3339(now))
        for entry in entries { write(entry, level: one == nil ? 3 : 2) }
        guard !redactions.counts.isEmpty else { return }
        page.heading(2, "Redacted")
        for (path, count) in redactions.counts {
            page.item(count == 1 ? "1 time" : "\(NumberText.grouped(count)) times", path)
        }
    }

    var text: String { page.text }
    /// The paths, with how often each applied.
    var redacted: [(path: String, count: Int)] { redactions.counts }

    private mutating func item(_ words: String, _ value: String?) {
        let isOwn = ["id", "due", "tries", "priority", "enqueued", "began", "ended"].contains(words)
        page.item(words, value.map { redactions.clean($0, isOwn: isOwn) })
    }

    private mutating func write(_ entry: Entry, level: Int) {
        let (task, payload) = (entry.detail.task, entry.detail.payload)
        if level > 2 {
            page.heading(
                2, "Task \(SafeText.visible(task.reference))", redactions.clean(task.type))
        }
        page.heading(level, "Fields")
        let limit = task.attemptLimit.map { " of \($0)" } ?? ""
        item("id", task.reference)
        item("system", entry.system)
        item("queue", task.queue)
        item("call", task.label)
        item("state", task.display.word)
        item("due", task.notBefore.map(TimeText.rfc3339))
        item("tries", task.attempts.map { "\($0)\(limit)" })
        item("priority", task.priority.map(String.init))
        item("enqueued", task.createdAt.map(TimeText.rfc3339))
        item("error", task.error)
        for pair in entry.detail.fields.pairs {
            item(pair.key, pair.value.string ?? pair.value.text)
        }
        page.heading(level, "Payload")
        page.sentence("\(NumberText.grouped(payload.bytes.count)) bytes, \(payload.format).\n")
        page.block(redactions.lines(of: payload.told))
        writeAttempts(entry.detail.attempts, level)
        page.heading(level, "Why it is not running")
        let reasons = entry.blockers.map(\.text)
        page.block(
            (reasons.isEmpty ? ["it is \(task.display.phrase)"] : reasons).map {
                redactions.clean($0)
            })
        page.heading(level, "Queue", redactions.clean(task.queue))
        item("held", entry.queue?.hold.map { "by \($0.note.by), by \(ForeignText.method($0))" })
        item("paused", entry.queue?.ownPause)
        if entry.queue?.isStopped != true {
            page.sentence("Nothing holds it.")
        }
    }

    private mutating func writeAttempts(_ attempts: [ForeignAttempt], _ level: Int) {
        page.heading(level, "Attempts")
        if attempts.isEmpty { page.sentence("None is kept.") }
        for attempt in attempts {
            page.heading(level + 1, "Attempt \(attempt.number)")
            item("began", attempt.startedAt.map(TimeText.rfc3339))
            item("ended", attempt.endedAt.map(TimeText.rfc3339))
            item("outcome", attempt.outcome)
            item("worker", attempt.runner)
            guard let error = attempt.error else { continue }
            page.sentence("")
            page.block(redactions.lines(of: error))
        }
    }
}

extension ForeignInspector {
    func report(_ call: ReportCall) throws -> Reply { try told(call).reply(common, host) }

    /// The report about tasks named by id or found by a filter.
    func told(_ call: ReportCall) throws -> ReportReply {
        if common.event != nil { throw try refusal(of: Command.atEvent.name) }
        let now = host.now()
        return try ask { store in
            let (found, missing) = try details(call.selection, store, now)
            guard !found.isEmpty else {
                throw QueueError(.unknownTask, "no task matches the filter")
            }
            let entries = try found.map { system, detail in
                ForeignReport.Entry(
                    system: system.title, detail: detail,
                    queue: try system.stops(of: detail.task.queue),
                    blockers: try system.blockers(of: detail, now: now))
            }
            let report = ForeignReport(entries, of: store.name, at: now, redacting: call.redacted)
            return ReportReply(
                text: report.text, tasks: entries.map { .string($0.detail.task.reference) },
                missing: missing, redacted: report.redacted)
        }
    }

    private typealias Found = (system: any ForeignSystem, detail: ForeignDetail)

    private func details(
        _ selection: Selection, _ store: ForeignStore, _ now: Timestamp
    ) throws -> (found: [Found], missing: [ReportReply.Missing]) {
        switch selection {
        case .tasks(let references):
            return try ReportReply.find(references, as: { .string("\($0)") }) {
                try store.find("\($0)")
            }
        case .filter(let filter):
            let tasks = try ForeignSelection(filter: filter, now: now).tasks(
                of: store, usually: Set(TaskState.Name.allCases), limit: ReportCall.limit)
            guard !tasks.more else {
                throw QueueError(
                    .badFilter, "more match than the \(ReportCall.limit) that a report has",
                    fix: "narrow the filter")
            }
            let found = try store.systems.flatMap { system in
                let own = tasks.tasks.filter { $0.system.name == system.name }.map(\.task)
                return try system.details(of: own).compactMap { $0.map { (system, $0) } }
            }
            return (found, [])
        }
    }
}

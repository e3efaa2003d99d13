import SluiceControl
import SluiceModel

enum TaskText {
    static func table(
        _ entries: [ListPage.Entry], withQueue: Bool, about: [TaskID: String], names: TaskNames,
        now: Timestamp, real: Timestamp, width: Int?
    ) -> [String] {
        var columns: [TextTable<ListPage.Entry>.Column] = [
            .numbers("#") { names.word($0.line.task.id) },
            .words("TYPE", limit: 30) { $0.line.task.type },
            .words("GROUP", limit: 20) { group($0.line.task) },
            .spare("PRI") { $0.queue.settings.priorityNames.shown($0.line.task.priority) },
            .words("TRIES") { TaskSentences.tries($0.line.task, $0.queue) },
            .whole("STATE") {
                TaskSentences.state($0.line, names: names) + since($0.line, real: real)
            },
            .whole("DUE") { due($0.line, now: now) },
            .spare("AGE") { ClockText.age($0.line.task.createdAt, now: now) },
        ]
        if withQueue { columns.insert(.words("QUEUE", limit: 30) { $0.line.task.queue }, at: 1) }
        if entries.contains(where: { $0.line.took != nil }) {
            columns.append(.spare("TOOK") { $0.line.took.map(DurationText.taken) ?? "" })
        }
        if entries.contains(where: { progress($0.line) != nil }) {
            columns.append(.words("PROGRESS", limit: 40) { progress($0.line) ?? "" })
        }
        columns.append(.words("ERROR") { $0.line.task.error ?? "" })
        if !about.isEmpty {
            columns.append(.words("ABOUT", limit: 40) { about[$0.line.task.id] ?? "" })
        }
        return TextTable(columns).lines(entries, width)
    }

    /// The groups of a task: the one it starts has a `+`.
    static func group(_ task: QueueTask) -> String {
        let start = task.groupStart.map { ["+\($0)"] } ?? []
        return (start + task.groupMembers).joined(separator: ",")
    }

    /// When a waiting task is due; nothing for one that does not wait for a moment.
    private static func due(_ line: TaskLine, now: Timestamp) -> String {
        guard let waiting = line.task.waiting else { return "" }
        if let timer = waiting.timer, timer.until > now {
            return ClockText.relative(timer.until, now: now)
        }
        return line.display == .next || line.display == .due ? "now" : ""
    }

    private static func progress(_ line: TaskLine) -> String? {
        line.task.running == nil ? nil : progress(line.fraction, line.progressText)
    }

    /// The share with the words, such as `40 % sending`; nil without both.
    static func progress(_ fraction: Double?, _ words: String?) -> String? {
        let share = fraction.map { "\(Int((100 * $0).rounded())) %" }
        let parts = [share, words].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// For how long a task runs, how long ago it ended, or that an app removes it.
    private static func since(_ line: TaskLine, real: Timestamp) -> String {
        switch line.task.state {
        case .waiting: line.expiresAtAppStart(real: real) ? ", \(ExpiringTasks.rowWords)" : ""
        case .running(let lease): " for \(DurationText.short(max(0, real - lease.since)))"
        case .succeeded, .failed, .deleted:
            line.task.endedAt.map { " \(ClockText.relative($0, now: real))" } ?? ""
        }
    }
}

extension TaskText {
    /// `show` for people.
    static func detail(
        _ detail: TaskDetail, names: TaskNames, now: Timestamp, real: Timestamp, width: Int?
    ) -> [String] {
        let task = detail.line.task
        var lines = [SafeText.visible("\(names.reference(task.id)) \(task.type) in \(task.queue)")]
        lines += fields(detail, names: names, now: now, real: real).filter { !$0.value.isEmpty }.map
        {
            "  \($0.name): \(SafeText.visible($0.value))"
        }
        for header in TaskHeaders.sorted(task.headers) {
            lines += [SafeText.visible("  header \(header.name): \(header.value)")]
        }
        lines += ["payload, \(detail.payload.count) bytes"]
        lines += SafeText.lines(detail.payload).map { "  \($0)" }
        if let result = detail.result {
            lines += ["result, \(result.count) bytes"]
            lines += SafeText.lines(result).map { "  \($0)" }
        }
        lines += attempts(detail, names, width)
        if !detail.line.blockers.isEmpty {
            lines += ["why it is not running"]
            lines += detail.line.blockers.map { "  \(blocker($0, names: names))" }
        }
        return lines
    }

    private static func fields(
        _ detail: TaskDetail, names: TaskNames, now: Timestamp, real: Timestamp
    ) -> [(name: String, value: String)] {
        let task = detail.line.task
        let requires = task.requires.map(\.rawValue).sorted().joined(separator: ", ")
        let until = task.waiting?.timer.map { ClockText.relative($0.until, now: now) }
        return [
            ("state", TaskSentences.state(detail.line, names: names)),
            ("due", until ?? ""),
            ("tries", TaskSentences.tries(task, detail.queue)),
            ("lost", lost(task.losses)),
            ("priority", detail.queue.settings.priorityNames.both(task.priority)),
            ("sort key", sortKey(task.sortKey)),
            ("groups", group(task)),
            ("needs", requires),
            ("required", task.isRequired ? "yes" : ""),
            ("unique", task.uniqueKey ?? ""),
            ("label", task.label ?? ""),
            ("session", task.session ?? ""),
            ("client string", task.clientString.map(TaskSentences.clientString) ?? ""),
            ("expires", task.expiresAt.map { ClockText.relative($0, now: now) } ?? ""),
            ("in the app", detail.line.expiresAtAppStart(real: real) ? ExpiringTasks.rowWords : ""),
            ("enqueued", "\(ClockText.moment(task.createdAt))"),
            ("parent", task.parent.map(names.name) ?? ""),
            ("made by", task.scheduled?.sentence ?? ""),
            ("follow-ups", detail.followUps.map(names.name).joined(separator: " ")),
            ("twins", detail.twins.map(names.name).joined(separator: " ")),
            ("version", "\(task.version)"),
            error(detail),
        ]
    }

    private static func lost(_ times: Int) -> String {
        switch times {
        case 0: ""
        case 1: "once"
        default: "\(times) times"
        }
    }

    /// The error of a failed task, or the last error of any other task.
    private static func error(_ detail: TaskDetail) -> (name: String, value: String) {
        let task = detail.line.task
        guard let error = task.error, task.state.name != .failed else {
            return ("error", task.error ?? "")
        }
        let number = detail.attempts.last { $0.error != nil }?.number
        return ("last error" + (number.map { " (attempt \($0))" } ?? ""), error)
    }

    private static func sortKey(_ key: SortKey?) -> String {
        switch key {
        case .integer(let number): "\(number)"
        case .text(let text): text
        case nil: ""
        }
    }

    /// Each attempt with what followed from it, and its log below it.
    private static func attempts(
        _ detail: TaskDetail, _ names: TaskNames, _ width: Int?
    ) -> [String] {
        let attempts = detail.attempts
        guard !attempts.isEmpty else { return [detail.line.attemptsInApp ?? "no attempt yet"] }
        let lines = TextTable<AttemptRecord>([
            .numbers("#") { "\($0.number)" },
            .whole("STARTED") { ClockText.moment($0.startedAt) },
            .numbers("TOOK") { detail.words(of: $0).took ?? "" },
            .whole("OUTCOME") { detail.words(of: $0).ending },
            .words("THEN", limit: 40) { detail.words(of: $0).rest.map(names.text) ?? "" },
            .words("COUNTED") { $0.isCounted ? "yes" : "no" },
            .numbers("WORKER") { "\($0.runner)" },
            .words("ERROR", limit: 200) { $0.error ?? "" },
        ]).lines(attempts, width.map { $0 - 2 })
        return ["attempts"] + lines.prefix(1).map { "  \($0)" }
            + zip(attempts, lines.dropFirst()).flatMap { attempt, line -> [String] in
                let injected = attempt.injection.map { [$0.sentence] } ?? []
                let stepped = detail.stepper(of: attempt).map { ["stepped by \($0)"] } ?? []
                let below = (stepped + injected + attempt.shownLog).map {
                    "      \(SafeText.visible($0))"
                }
                return ["  \(line)"] + below
            } + [detail.cutOffSentence].compactMap(\.self).map { "  \($0)" }
    }

    static func blocker(_ blocker: Blocker, names: TaskNames) -> String {
        SafeText.visible(TaskSentences.blocker(blocker, names: names))
    }

    /// `why` for people: each task of the chain with its blockers, the first with facts.
    static func why(
        _ chain: [TaskLine], facts: [String] = [], names: TaskNames
    ) -> [String] {
        TaskSentences.why(chain, facts: facts, names: names).map(SafeText.visible)
    }
}

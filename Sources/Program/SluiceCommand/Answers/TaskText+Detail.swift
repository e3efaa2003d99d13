import SluiceControl
import SluiceModel

/// One task with everything about it.
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

    /// A blocker with what removes it.
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

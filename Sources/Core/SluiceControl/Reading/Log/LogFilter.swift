package import SluiceModel
import SluiceStore

/// A filter of log lines (G7).
package struct LogFilter: Hashable, Sendable {
    /// Only lines about these tasks. Includes verbs on several tasks while the journal keeps their
    /// undo images.
    package var tasks: Set<TaskID> = []
    /// Only lines about this queue.
    package var queue: String?
    /// Only what this person, or program, did.
    package var person: String?
    /// Only what happened from then on.
    package var since: Timestamp?
    /// Only lines that contain each of these.
    package var words: [FoldedLetters] = []

    package init() {}

    /// Whether it includes all lines.
    package var isEmpty: Bool { self == LogFilter() }

    package func includes(_ entry: LogEntry) -> Bool {
        (tasks.isEmpty || entry.tasks.contains { tasks.contains($0) } || changed(by: entry))
            && (queue.map { $0 == entry.queue } ?? true)
            && (person.map { $0 == entry.by } ?? true)
            && (since.map { $0 <= entry.at } ?? true)
            && includes(lettersOf: entry)
    }

    private func includes(lettersOf entry: LogEntry) -> Bool {
        guard !words.isEmpty else { return true }
        let letters = entry.letters
        return words.allSatisfy { $0.stand(in: letters) }
    }

    /// Whether lines need their undo records, which list the tasks that a verb changed.
    package var withUndo: Bool { !tasks.isEmpty }

    private func changed(by entry: LogEntry) -> Bool {
        guard case .journal(.event(let event)) = entry, event.task == nil else { return false }
        return event.undo?.tasks.contains { tasks.contains($0.id) } ?? false
    }
}

extension LogEntry {
    package var queue: String? {
        switch self {
        case .journal(.event(let event)): event.queue
        case .journal(.attempt(let attempt)), .begin(let attempt): attempt.queue
        case .arrival(let task): task.queue
        }
    }

    /// The text to search, one line each: the subject, the sentence and the person.
    var letters: String {
        let about = [queue].compactMap(\.self) + tasks.prefix(1).map { "\($0)" }
        let said =
            switch self {
            case .journal(.event(let event)): [event.text]
            case .journal(.attempt(let attempt)): [attempt.type, AttemptText(attempt).sentence]
            case .begin(let attempt): [attempt.type, attempt.beginWords]
            case .arrival(let task): [task.type, "enqueued"]
            }
        return (about + said + [by]).joined(separator: "\n")
    }

    package var by: String {
        switch self {
        case .journal(.event(let event)): event.by
        case .journal(.attempt(let attempt)), .begin(let attempt): "runner \(attempt.runner)"
        case .arrival(let task): task.parent == nil ? "app" : "handler"
        }
    }
}

extension Reading {
    /// The newest matching lines, oldest first, and the place after all lines.
    package func log(
        _ filter: LogFilter, limit: Int, isClose: Bool = false
    ) throws -> (lines: [LogLine], end: LogPlace) {
        guard !filter.isEmpty else { return try log(limit: limit, isClose: isClose) }
        let end = try log(limit: 0, isClose: isClose).end
        // A filter may match few lines, so enlarge the range until enough match.
        var count = max(limit, 500)
        while true {
            let lines = try log(
                limit: count, of: filter.queue, isClose: isClose, withUndo: filter.withUndo
            ).lines
            let found = lines.filter { filter.includes($0.entry) }
            let isPast = filter.since.map { since in
                lines.first.map { $0.entry.at < since } ?? true
            }
            if found.count >= limit || lines.count < count || isPast == true {
                return (Array(found.suffix(limit)), end)
            }
            count *= 4
        }
    }

    /// The actions of people, oldest first. Includes lines with a repeatable command and lines
    /// without any command.
    package func commandEvents(_ filter: LogFilter) throws -> [JournalEvent] {
        var query = JournalQuery(limit: 1000, withUndo: filter.withUndo, withDetail: true)
        query.after = 0
        query.queue = filter.queue
        var found: [JournalEvent] = []
        while true {
            let page = try store.journal(query)
            for entry in page {
                guard case .event(let event) = entry, filter.includes(.journal(entry)),
                    event.script != nil
                        || Self.verbs.contains(event.kind)
                            && !Self.programs.contains(event.by)
                else { continue }
                found.append(event)
            }
            guard let last = page.last, page.count == query.limit else { return found }
            query.after = last.sequence
        }
    }

    /// Who writes into the journal and is no person.
    private static let programs: Set<String> = ["sluice", "app", "handler"]

    /// The kinds of journal lines by people: `queueSet` is the verb `queue set`.
    private static let verbs: Set<String> = Set(
        Action.commandsByName.filter(\.command.changes).map { named in
            let words = named.command.name.split(separator: " ")
            return words.dropFirst().reduce(String(words[0])) { name, word in
                name + word.prefix(1).uppercased() + word.dropFirst()
            }
        })
}

/// The filter of the log as a line that is typed: words, `#12`, `by:ann`, `queue:mail`,
/// `since:10m`.
extension LogFilter {
    /// A short hint of the syntax.
    package static let hint = "words, #12, by:NAME, queue:NAME, since:10m"

    /// Reads a line; nil for one without a word. `now` is what durations count back from. Throws
    /// `badFilter` for what the log cannot be asked.
    package static func read(_ line: String, now: Timestamp) throws(QueueError) -> LogFilter? {
        var filter = LogFilter()
        for word in ShellLine(line).all where !word.isEmpty {
            try filter.take(word, now: now)
        }
        return filter.isEmpty ? nil : filter
    }

    private mutating func take(_ word: String, now: Timestamp) throws(QueueError) {
        guard let colon = word.firstIndex(of: ":") else {
            if word.hasPrefix("#"), let id = Int64(word.dropFirst()) {
                tasks.insert(TaskID(id))
            } else {
                words.append(FoldedLetters(word))
            }
            return
        }
        let (name, value) = (word[..<colon], String(word[word.index(after: colon)...]))
        switch name {
        case "by", "queue", "since", "id":
            guard !value.isEmpty else {
                throw QueueError(
                    .badFilter, "\"\(word)\" says nothing", fix: "a log filter is \(Self.hint)")
            }
        default: break
        }
        switch name {
        case "by": person = value
        case "queue": queue = value
        case "since": since = try Self.moment(value, now: now)
        case "id":
            guard let id = Int64(value) else {
                throw QueueError(
                    .badFilter, "\"\(value)\" is no task", fix: "write #12 for task 12")
            }
            tasks.insert(TaskID(id))
        case "type", "state", "group", "label", "session", "error", "text", "runner", "unique":
            throw QueueError(
                .badFilter, "a line of the log has no \"\(name)\"",
                fix: "a log filter is \(Self.hint)")
        default: words.append(FoldedLetters(word))
        }
    }

    private static func moment(_ text: String, now: Timestamp) throws(QueueError) -> Timestamp {
        if let milliseconds = DurationText.milliseconds(text) { return now + -milliseconds }
        guard let moment = TimeText.rfc3339(text) else {
            throw QueueError(
                .badFilter, "\"\(text)\" is no time", fix: "write since:10m or a whole time")
        }
        return moment
    }
}

package import SluiceModel

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

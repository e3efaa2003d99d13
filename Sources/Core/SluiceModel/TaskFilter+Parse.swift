extension TaskFilter {
    /// The keys of words, as the language spells them.
    public static let keys = ["state", "type", "queue", "group", "session", "text", "id"]

    /// Reads a filter: words separated by blanks, each `key:value`, with `-` or `!` before one that
    /// must not hold. A value with blanks stands in double quotes, where `\"` and `\\` are escapes;
    /// `state` and `id` take several values with commas, `id` also ranges (`10..20`) and, for a
    /// folder, 4 or more characters of a UUID. Throws `badFilter` with the place of the error.
    public init(_ text: String) throws(QueueError) {
        var parser = FilterParser(text)
        words = try parser.words()
    }
}

/// Reads the words of a filter.
private struct FilterParser {
    let scalars: [Unicode.Scalar]
    var index = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    private static let blanks: Set<Unicode.Scalar> = [" ", "\t", "\n", "\r"]
    private static let summary =
        "a filter is made of state:, type:, queue:, group:, session:, text: and id:, such as "
        + "state:failed type:track"

    mutating func words() throws(QueueError) -> [TaskFilter.Word] {
        var words: [TaskFilter.Word] = []
        skipBlanks()
        while index < scalars.count {
            words.append(try word())
            skipBlanks()
        }
        guard !words.isEmpty else {
            throw QueueError(.badFilter, "the filter is empty", fix: Self.summary)
        }
        return words
    }

    private mutating func word() throws(QueueError) -> TaskFilter.Word {
        let isNegated = next == "-" || next == "!"
        if isNegated { index += 1 }
        let start = index
        let key = take { $0 != ":" && $0 != "\"" && !Self.blanks.contains($0) }
        guard next == ":" else { throw bareWord(key, at: start) }
        guard TaskFilter.keys.contains(key) else { throw unknownKey(key, at: start) }
        index += 1
        let valueStart = index
        let isQuoted = next == "\""
        let value = isQuoted ? try quoted() : take { !Self.blanks.contains($0) }
        if !isQuoted, value.unicodeScalars.contains("\"") {
            throw bad("a quote inside a value", at: valueStart, "put the whole value in quotes")
        }
        guard !value.isEmpty else {
            throw bad("\(key): has no value", at: valueStart, "write \(key):VALUE")
        }
        let term = try term(key, value, at: valueStart)
        return TaskFilter.Word(term, isNegated: isNegated)
    }

    private func term(
        _ key: String, _ value: String, at place: Int
    ) throws(QueueError) -> TaskFilter.Term {
        switch key {
        case "state": return .state(try states(value, at: place))
        case "type": return .type(value)
        case "queue": return .queue(value)
        case "group": return .group(value)
        case "session": return .session(value)
        case "text": return .text(value)
        default: return try ids(value, at: place)
        }
    }

    private func states(
        _ value: String, at place: Int
    ) throws(QueueError) -> [TaskFilter.State] {
        var states: [TaskFilter.State] = []
        let known = TaskFilter.State.allCases.map(\.rawValue)
        for name in value.split(separator: ",", omittingEmptySubsequences: false) {
            guard let state = TaskFilter.State(rawValue: String(name)) else {
                let near = Spelling.nearest(to: String(name), among: known)
                throw bad(
                    "there is no state \"\(name)\"", at: place,
                    near.map { "did you mean state:\($0)?" }
                        ?? "states are \(known.joined(separator: ", "))")
            }
            states.append(state)
        }
        return states
    }

    private func ids(_ value: String, at place: Int) throws(QueueError) -> TaskFilter.Term {
        var ranges: [ClosedRange<TaskID>] = []
        var uuids: [TaskReference] = []
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
            let isRange = ends.count == 3 && ends[1].isEmpty
            let named = isRange ? nil : try? TaskReference(String(part))
            if let named, named.isUUID { uuids.append(named) }
            if let named, named.number == nil { continue }
            guard ends.count == 1 || isRange, let first = number(ends[0]),
                let last = number(ends[ends.count - 1]), first <= last
            else {
                throw bad(
                    "\"\(part)\" is no task number or range", at: place,
                    "write id:12, id:12,15 or id:10..20, in a folder also id:3143DAD0")
            }
            ranges.append(first...last)
        }
        return .id(ranges, uuids: uuids)
    }

    private func number(_ text: Substring) -> TaskID? {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return TaskID(digits)
    }

    private mutating func quoted() throws(QueueError) -> String {
        let start = index
        var value = String.UnicodeScalarView()
        index += 1
        while let scalar = next, scalar != "\"" {
            index += scalar == "\\" ? 2 : 1
            guard scalar == "\\" else {
                value.append(scalar)
                continue
            }
            guard index <= scalars.count else { break }
            value.append(scalars[index - 1])
        }
        guard next == "\"" else {
            throw bad("a quote that is not closed", at: start, "close it with \"")
        }
        index += 1
        guard next.map(Self.blanks.contains) ?? true else {
            throw bad("text behind a closing quote", at: index, "put a blank between words")
        }
        return String(value)
    }

    private func bareWord(_ word: String, at place: Int) -> QueueError {
        if let state = TaskFilter.State(rawValue: word) {
            return bad(
                "the word \"\(word)\" has no key", at: place, "write state:\(state.rawValue)")
        }
        let near = Spelling.nearest(to: word, among: TaskFilter.keys)
        return bad(
            "the word \"\(word)\" has no key", at: place,
            near.map { "did you mean \($0):? \(Self.summary)" } ?? Self.summary)
    }

    private func unknownKey(_ key: String, at place: Int) -> QueueError {
        let near = Spelling.nearest(to: key, among: TaskFilter.keys)
        return bad(
            "there is no key \"\(key)\"", at: place,
            near.map { "did you mean \($0):?" } ?? Self.summary)
    }

    private func bad(_ what: String, at place: Int, _ fix: String) -> QueueError {
        QueueError(.badFilter, "filter, character \(place + 1): \(what)", fix: fix)
    }

    private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func skipBlanks() { _ = take { Self.blanks.contains($0) } }

    private mutating func take(while isTaken: (Unicode.Scalar) -> Bool) -> String {
        var taken = String.UnicodeScalarView()
        while let next, isTaken(next) {
            taken.append(next)
            index += 1
        }
        return String(taken)
    }
}

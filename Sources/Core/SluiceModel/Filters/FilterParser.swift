extension TaskFilter {
    /// The fields that a word names by its value, and the numbers that it compares.
    package static let keys = Field.allCases.map(\.rawValue)
    package static let measures = Measure.allCases.map(\.rawValue)

    /// Parses a filter. Adjacent words must all match; `or`, `not`, a minus in front and
    /// parentheses have their usual meaning. `not` binds tightest, then `and`, then `or`. `saved`
    /// resolves `@name`. Throws `badFilter` with the place of the error and a suggestion.
    public init(_ text: String, saved: [String: String] = [:]) throws(QueueError) {
        var parser = FilterParser(text, saved: saved)
        self.init(try parser.filter())
    }
}

/// Parses the words and the structure of a filter.
struct FilterParser {
    let scalars: [Unicode.Scalar]
    var index = 0
    /// The name of the text in errors.
    var subject = "filter"
    private let saved: [String: String]
    /// The saved filters around this one.
    private let within: [String]
    private var depth = 0
    private var wordCount = 0
    /// The last `and`, `or` or `not`, and where it ended.
    private var keyword: (word: FilterSpelling.Keyword, end: Int)?

    /// Parentheses in parentheses; each takes room on the stack.
    private static let depthLimit = 100
    /// The longest filter, in Unicode scalars, and the most words: each may be searched in each
    /// text.
    private static let longest = 10_000
    private static let wordLimit = 500
    static let summary =
        "a filter is made of words and of state:, type:, queue:, group:, session:, text:, id: and "
        + "others, such as state:failed type:track; see sluice help filter"

    init(_ text: String, saved: [String: String] = [:], within: [String] = []) {
        scalars = Array(text.unicodeScalars)
        self.saved = saved
        self.within = within
    }

    mutating func filter() throws(QueueError) -> TaskFilter.Expression {
        guard scalars.count <= Self.longest else {
            throw QueueError(
                .badFilter, "the \(subject) has \(scalars.count) characters",
                fix: "a filter has at most \(Self.longest)")
        }
        skipBlanks()
        guard next != nil else {
            throw QueueError(.badFilter, "the filter is empty", fix: Self.summary)
        }
        let expression = try choice()
        guard next == nil else {
            throw bad("a \")\" that nothing opened", at: index, "take it away, or quote it")
        }
        return expression
    }

    /// Parses an expression up to its end or an unmatched closing parenthesis.
    mutating func choice() throws(QueueError) -> TaskFilter.Expression {
        var parts: [TaskFilter.Expression] = []
        repeat {
            let part = try sequence()
            if case .any(let inner) = part { parts += inner } else { parts.append(part) }
        } while parseKeyword(.or)
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func sequence() throws(QueueError) -> TaskFilter.Expression {
        var parts: [TaskFilter.Expression] = []
        repeat {
            let part = try negated()
            if case .all(let inner) = part { parts += inner } else { parts.append(part) }
            skipBlanks()
        } while parseKeyword(.and) || next != nil && next != ")" && !isKeyword(.or)
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func negated() throws(QueueError) -> TaskFilter.Expression {
        let before = keyword.flatMap { $0.end == index ? $0.word : nil }
        skipBlanks()
        let start = index
        guard parseKeyword(.not) else {
            if let before, next == nil || next == ")" {
                throw bad(
                    "nothing after \"\(before.rawValue)\"", at: index,
                    "say what, or quote it where it is a word: \"\(before.rawValue)\"")
            }
            let isNegated = next == "-" || next == "!"
            if isNegated { index += 1 }
            guard let next, next != ")", !FilterSpelling.blanks.contains(next) else {
                throw bad(
                    isNegated ? "nothing after the \"\(scalars[start])\"" : "a word is missing",
                    at: index, "write -state:failed, or quote the word; " + Self.summary)
            }
            let part = try primary()
            return isNegated ? .not(part) : part
        }
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else { throw tooDeep() }
        return .not(try negated())
    }

    private mutating func primary() throws(QueueError) -> TaskFilter.Expression {
        for keyword in [FilterSpelling.Keyword.and, .or, .not] where isKeyword(keyword) {
            throw bad(
                "\"\(keyword.rawValue)\" with nothing before it", at: index,
                "in quotes it is a word: \"\(keyword.rawValue)\"")
        }
        if next == "@" { return try savedFilter() }
        guard next == "(" else {
            wordCount += 1
            guard wordCount <= Self.wordLimit else {
                throw bad(
                    "more than \(Self.wordLimit) words", at: index, "say it in fewer words")
            }
            return try word()
        }
        let start = index
        index += 1
        depth += 1
        guard depth <= Self.depthLimit else { throw tooDeep() }
        let expression = try choice()
        guard next == ")" else {
            throw bad("a \"(\" that is not closed", at: start, "close it with )")
        }
        index += 1
        depth -= 1
        return expression
    }

    private func tooDeep() -> QueueError {
        bad("more than \(Self.depthLimit) parentheses in each other", at: index, "say it flatter")
    }

    private mutating func savedFilter() throws(QueueError) -> TaskFilter.Expression {
        let start = index
        index += 1
        let name = consume { !FilterSpelling.blanks.contains($0) && $0 != ")" && $0 != "(" }
        guard let text = saved[name] else { throw unknownFilter(name, at: start) }
        guard !within.contains(name) else {
            throw bad("@\(name) contains itself", at: start, "save it without @\(name)")
        }
        var parser = FilterParser(text, saved: saved, within: within + [name])
        do throws(QueueError) {
            return .saved(name, try parser.filter())
        } catch {
            throw QueueError(.badFilter, "@\(name): \(error.message)", fix: error.fix)
        }
    }

    private func unknownFilter(_ name: String, at start: Int) -> QueueError {
        let known = saved.keys.sorted()
        let near = Spelling.nearest(to: name, among: known).map { "did you mean @\($0)?" }
        let all = known.map { "@\($0)" }.joined(separator: " ")
        let made = name.isEmpty ? "NAME" : ShellWord.quoted(name)
        let making = "sluice filter save \(made) 'FILTER' makes one"
        return bad(
            "there is no saved filter \"@\(name)\"", at: start,
            near ?? (known.isEmpty ? making : "there are \(all)"))
    }
}

extension FilterParser {
    /// Whether a keyword is at the cursor as a separate word.
    private func isKeyword(_ keyword: FilterSpelling.Keyword) -> Bool {
        let end = index + keyword.rawValue.unicodeScalars.count
        guard end <= scalars.count, word(index..<end).lowercased() == keyword.rawValue else {
            return false
        }
        return end == scalars.count || FilterSpelling.blanks.contains(scalars[end])
            || scalars[end] == "(" || scalars[end] == ")"
    }

    private mutating func parseKeyword(_ keyword: FilterSpelling.Keyword) -> Bool {
        skipBlanks()
        guard isKeyword(keyword) else { return false }
        index += keyword.rawValue.unicodeScalars.count
        self.keyword = (keyword, index)
        return true
    }

    func bad(_ what: String, at place: Int, _ fix: String) -> QueueError {
        QueueError(.badFilter, "\(subject), character \(place + 1): \(what)", fix: fix)
    }

    var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    /// Whether a word is over here.
    var isAtEnd: Bool { next.map { FilterSpelling.blanks.contains($0) || $0 == ")" } ?? true }

    func word(_ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(scalars[range]))
    }

    mutating func skipBlanks() { _ = consume { FilterSpelling.blanks.contains($0) } }

    mutating func consume(while isTaken: (Unicode.Scalar) -> Bool) -> String {
        let start = index
        while let next, isTaken(next) { index += 1 }
        return word(start..<index)
    }

    /// Consumes text up to a blank or an unmatched closing parenthesis.
    mutating func parseBalanced() -> String {
        let start = index
        var depth = 0
        var isEscaped = false
        while let next, !FilterSpelling.blanks.contains(next) {
            if !isEscaped, next == "(" { depth += 1 }
            if !isEscaped, next == ")" {
                guard depth > 0 else { break }
                depth -= 1
            }
            isEscaped = !isEscaped && next == "\\"
            index += 1
        }
        return word(start..<index)
    }

    /// Consumes quoted text. `keepsEscapes` keeps every backslash except before a quote.
    mutating func parseQuoted(keepsEscapes: Bool = false) throws(QueueError) -> String {
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
            if keepsEscapes, scalars[index - 1] != "\"" { value.append(scalar) }
            value.append(scalars[index - 1])
        }
        guard next == "\"" else {
            throw bad("a quote that is not closed", at: start, "close it with \"")
        }
        index += 1
        return String(value)
    }

    func refuseRest() throws(QueueError) {
        guard isAtEnd else {
            throw bad("text after a closing quote", at: index, "put a blank between words")
        }
    }
}

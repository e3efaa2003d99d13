extension Expectation {
    package static let checkNames = Word.allCases.map(\.rawValue)

    /// Parses an expectation. `saved` resolves `@name` in its filters. Throws `badValue`, or
    /// `badFilter` for an error in a filter. Both name the place in the whole text and a
    /// suggestion.
    package init(_ text: String, saved: [String: String] = [:]) throws(QueueError) {
        var parser = ExpectationParser(text, saved: saved)
        self.init(text, try parser.expectation())
    }

    /// The checks by their names.
    enum Word: String, CaseIterable {
        case empty, count, state, attempts, order, payload, ran

        var form: String {
            switch self {
            case .empty: "empty(QUEUE)"
            case .count: "count(FILTER) == 0"
            case .state: "state(#12) == failed"
            case .attempts: "attempts(#12) <= 2"
            case .order: "order(QUEUE) == [1, 5, 6]"
            case .payload: "payload(#12).user.id == 7"
            case .ran: "ran(FILTER) == 3"
            }
        }
    }
}

/// Parses the structure of checks. The filter parser reads filters in place, so that errors name
/// the place in the whole text.
struct ExpectationParser {
    var parser: FilterParser
    private var depth = 0

    private static let depthLimit = 100
    static let summary =
        "an expectation is made of "
        + Expectation.Word.allCases.map(\.form).joined(separator: ", ")
        + ", with and, or, not and parentheses"

    init(_ text: String, saved: [String: String]) {
        parser = FilterParser(text, saved: saved)
        parser.subject = "expectation"
    }

    mutating func expectation() throws(QueueError) -> Expectation.Expression {
        parser.skipBlanks()
        guard parser.next != nil else {
            throw QueueError(.badValue, "the expectation is empty", fix: Self.summary)
        }
        let expression = try choice()
        guard parser.next == nil else { throw rest() }
        return expression
    }

    private mutating func choice() throws(QueueError) -> Expectation.Expression {
        var parts: [Expectation.Expression] = []
        repeat { parts.append(try sequence()) } while parseWord("or")
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func sequence() throws(QueueError) -> Expectation.Expression {
        var parts: [Expectation.Expression] = []
        repeat { parts.append(try negated()) } while parseWord("and")
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func negated() throws(QueueError) -> Expectation.Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else {
            throw bad(
                "more than \(Self.depthLimit) parentheses in each other", at: parser.index,
                "say it flatter")
        }
        if parseWord("not") { return .not(try negated()) }
        parser.skipBlanks()
        guard parser.next == "(" else { return try check() }
        let start = parser.index
        parser.index += 1
        let expression = try choice()
        parser.skipBlanks()
        guard parser.next == ")" else {
            if parser.next != nil { throw rest() }
            throw bad("a \"(\" that is not closed", at: start, "close it with )")
        }
        parser.index += 1
        parser.skipBlanks()
        return expression
    }

    func bad(_ what: String, at place: Int, _ fix: String) -> QueueError {
        QueueError(.badValue, "expectation, character \(place + 1): \(what)", fix: fix)
    }

    /// The error for text after a complete part.
    private func rest() -> QueueError {
        let place = parser.index
        if parser.next == ")" {
            return bad("a \")\" that nothing opened", at: place, "take it away")
        }
        var ahead = parser
        let word = ahead.consume { !FilterSpelling.blanks.contains($0) }
        let fix =
            ["&&", "||", "&", "|", ","].contains(word)
            ? "write and, or" : "put and, or or between two checks"
        return bad("\"\(word)\" follows a check", at: place, fix)
    }

    /// Consumes a keyword that is a separate word.
    private mutating func parseWord(_ word: String) -> Bool {
        parser.skipBlanks()
        let end = parser.index + word.unicodeScalars.count
        guard end <= parser.scalars.count, parser.word(parser.index..<end) == word else {
            return false
        }
        let isWhole =
            end == parser.scalars.count || parser.scalars[end] == "("
            || FilterSpelling.blanks.contains(parser.scalars[end])
        if isWhole { parser.index = end }
        return isWhole
    }
}

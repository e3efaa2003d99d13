extension FilterParser {
    mutating func word() throws(QueueError) -> TaskFilter.Expression {
        let start = index
        if next == "\"" {
            let text = try parseQuoted()
            try refuseRest()
            guard !text.isEmpty else { throw bad("nothing in quotes", at: start, "write a word") }
            return .term(.letters(FoldedLetters(text)))
        }
        try refuseSingleQuotes()
        if isPayload { return .term(try payload()) }
        let head = consume {
            !FilterSpelling.blanks.contains($0) && !FilterSpelling.operators.contains($0)
                && !["\"", "(", ")", "!"].contains($0)
        }
        let comparison = comparisonHere
        if next == ":" || next == "~" || comparison != nil {
            return try keyed(head, comparison, at: start)
        }
        index = start
        return .term(try letters(at: start))
    }

    /// Throws if single quotes surround a word, because they are ordinary characters.
    private func refuseSingleQuotes() throws(QueueError) {
        guard next == "'" else { return }
        var parser = self
        while let end = parser.scalars[(parser.index + 1)...].firstIndex(of: "'") {
            parser.index = end + 1
            guard parser.isAtEnd, end > index + 1 else {
                parser.index = end
                continue
            }
            let text = FilterSpelling.quoted(word(index + 1..<end))
            throw bad("single quotes are letters here", at: index, "quotes are double: \(text)")
        }
    }

    private var isPayload: Bool {
        let end = index + 8
        guard end <= scalars.count, word(index..<end - 1) == "payload" else { return false }
        return scalars[end - 1] == "." || scalars[end - 1] == "["
    }

    /// The comparison at the cursor; `==` means `=`.
    private var comparisonHere: (comparison: TaskFilter.Comparison, length: Int)? {
        if word(index..<min(index + 2, scalars.count)) == "==" { return (.equal, 2) }
        // Two letters before one.
        for length in [2, 1] where index + length <= scalars.count {
            if let found = TaskFilter.Comparison(rawValue: word(index..<index + length)) {
                return (found, length)
            }
        }
        return nil
    }

    private mutating func letters(at start: Int) throws(QueueError) -> TaskFilter.Term {
        let text = parseBalanced()
        if let quote = text.unicodeScalars.firstIndex(of: "\"") {
            let place = text.unicodeScalars.distance(
                from: text.unicodeScalars.startIndex, to: quote)
            throw bad("a quote inside a word", at: start + place, "put the whole word in quotes")
        }
        if let state = TaskFilter.State(word: text.lowercased()) {
            throw bad(
                "\"\(text)\" alone may be the state or the letters", at: start,
                "write state:\(state.rawValue), or \"\(text)\" for the letters")
        }
        return .letters(FoldedLetters(text))
    }

    /// Parses a word with an operator after its head.
    private mutating func keyed(
        _ head: String, _ comparison: (comparison: TaskFilter.Comparison, length: Int)?,
        at start: Int
    ) throws(QueueError) -> TaskFilter.Expression {
        if let measure = TaskFilter.Measure(rawValue: head) {
            guard let comparison else {
                throw bad(
                    "\(head) is compared", at: index,
                    "write \(head)>\(measure.example), with one of = != < <= > >=")
            }
            index += comparison.length
            return .term(try measured(measure, comparison.comparison))
        }
        guard let field = TaskFilter.Field(rawValue: head) else {
            throw unknown(head, at: start)
        }
        switch next {
        case ":":
            index += 1
            return try value(of: field)
        case "~":
            index += 1
            return .term(.expression(field, try expression(ignoresCase: field.isProse, of: head)))
        default:
            let near = field == .id ? "id:12, id:5..40" : "\(head):VALUE or \(head)~REGEX"
            throw bad("\(head) is not compared", at: index, "write \(near)")
        }
    }

    private func unknown(_ head: String, at start: Int) -> QueueError {
        var parser = self
        parser.index = start
        let whole = parser.parseBalanced()
        let quoted = "in quotes it is a word: \(FilterSpelling.quoted(whole))"
        if head.isEmpty {
            return bad("\"\(whole)\" has no field before it", at: start, quoted)
        }
        let isCompared = next != ":" && next != "~"
        let known = TaskFilter.keys + TaskFilter.measures + ["payload"]
        let near = Spelling.nearest(to: head, among: known)
        let meant = near.map { near in
            let mark = TaskFilter.keys.contains(near) ? ":" : isCompared ? "" : ">"
            return "did you mean \(near)\(near == "payload" ? ".\(head)" : mark)? "
        }
        if near == nil, isCompared {
            return bad(
                "there is no field \"\(head)\"", at: start,
                "a value of the payload is payload.\(head)=…; \(quoted)")
        }
        return bad(
            "there is no field \"\(head)\"", at: start,
            (meant ?? "fields are \((TaskFilter.keys).joined(separator: ": ")):; ") + quoted)
    }

    private mutating func measured(
        _ measure: TaskFilter.Measure, _ comparison: TaskFilter.Comparison
    ) throws(QueueError) -> TaskFilter.Term {
        let place = index
        let text = next == "\"" ? try parseQuoted() : parseBalanced()
        try refuseRest()
        let value: Int64? =
            switch measure.unit {
            case .count: Int64(text)
            case .bytes: text == "0" ? 0 : SizeText.bytes(text).map(Int64.init)
            case .time: DurationText.milliseconds(text)
            }
        guard let value else {
            let what =
                switch measure.unit {
                case .count: "number"
                case .bytes: "size"
                case .time: "duration"
                }
            throw bad(
                text.isEmpty
                    ? "\(measure.rawValue)\(comparison.rawValue) has no value"
                    : "\"\(text)\" is \(NumberText.fault(of: text, else: "no \(what)"))", at: place,
                "write \(measure.rawValue)\(comparison.rawValue)\(measure.example)")
        }
        return .measure(measure, comparison, value)
    }

    /// A regular expression up to a blank, or in quotes.
    mutating func expression(
        ignoresCase: Bool, of head: String
    ) throws(QueueError) -> RegularExpression {
        let place = index
        let isQuoted = next == "\""
        let pattern = isQuoted ? try parseQuoted(keepsEscapes: true) : parseBalanced()
        try refuseRest()
        guard !pattern.isEmpty else {
            throw bad("\(head)~ has no expression", at: place, "write \(head)~^a.*b$")
        }
        do throws(RegexError) {
            return try RegularExpression(pattern, ignoresCase: ignoresCase)
        } catch {
            let start = place + (isQuoted ? 1 : 0)
            throw bad(
                "\"\(pattern)\": \(error.message)", at: start + error.place,
                "a regular expression is made of . [] () | * + ? {m,n} ^ $ \\d \\w \\s \\b; with "
                    + "blanks it needs quotes")
        }
    }
}

extension TaskFilter.Measure {
    /// A value that people compare with.
    package var example: String {
        switch self {
        case .attempts: "3"
        case .priority: "0"
        case .size: "64KiB"
        case .age: "5m"
        case .due: "30s"
        case .duration: "2s"
        case .changed: "10m"
        }
    }
}

extension ExpectationParser {
    mutating func check() throws(QueueError) -> Expectation.Expression {
        let start = parser.index
        let name = parser.consume { $0.properties.isAlphabetic || $0 == "_" }
        guard let word = Expectation.Word(rawValue: name) else { throw unknown(name, at: start) }
        parser.skipBlanks()
        guard parser.next == "(" else {
            throw bad("\(name) has no \"(\" after it", at: parser.index, "write \(word.form)")
        }
        let open = parser.index
        parser.index += 1
        parser.skipBlanks()
        let kind = try kind(word, open)
        let text = parser.word(start..<parser.index)
        parser.skipBlanks()
        return .check(Expectation.Check(kind: kind, text: text))
    }

    private func unknown(_ name: String, at start: Int) -> QueueError {
        guard !name.isEmpty else {
            let end = parser.next == nil
            return bad(
                end ? "a check is missing" : "\"\(parser.scalars[start])\" begins no check",
                at: start, Self.summary)
        }
        let near = Spelling.nearest(to: name, among: Expectation.checkNames)
            .flatMap(Expectation.Word.init)
        if ["and", "or", "not"].contains(name) {
            return bad("\"\(name)\" with nothing next to it", at: start, "write a check there")
        }
        return bad(
            "there is no check \"\(name)\"", at: start,
            near.map { "did you mean \($0.form)?" } ?? Self.summary)
    }

    private mutating func kind(
        _ word: Expectation.Word, _ open: Int
    ) throws(QueueError) -> Expectation.Kind {
        switch word {
        case .empty:
            let queue = try queue(word, open)
            if let mark = markHere {
                throw bad("empty() is not compared", at: mark.place, "write \(word.form) alone")
            }
            return .empty(queue: queue)
        case .order:
            let queue = try queue(word, open)
            let isNegated = try equality(word)
            return .order(queue: queue, try list(word), isNegated: isNegated)
        case .count:
            let filter = try filter(open)
            let comparison = try comparison(word)
            return .count(filter, comparison, try number(word))
        case .ran:
            let place = parser.index
            let filter = try filter(open)
            try check(ofAttempts: filter, at: place)
            let comparison = try comparison(word)
            return .ran(filter, comparison, try number(word))
        case .state:
            let task = try task(word, open)
            let isNegated = try equality(word)
            return .state(task, try state(), isNegated: isNegated)
        case .attempts:
            let task = try task(word, open)
            let comparison = try comparison(word)
            return .attempts(task, comparison, try number(word))
        case .payload: return try payload(try task(word, open))
        }
    }

    private mutating func filter(_ open: Int) throws(QueueError) -> TaskFilter {
        let filter = TaskFilter(try parser.choice())
        try close(open)
        return filter
    }

    private mutating func close(_ open: Int) throws(QueueError) {
        parser.skipBlanks()
        guard parser.next == ")" else {
            throw bad("a \"(\" that is not closed", at: open, "close it with )")
        }
        parser.index += 1
    }

    /// The name between the parentheses, in quotes or not.
    private mutating func name(
        _ word: Expectation.Word, _ open: Int
    ) throws(QueueError) -> String {
        let start = parser.index
        let name: String
        if parser.next == "\"" {
            name = try parser.parseQuoted()
        } else {
            let found = parser.consume { $0 != ")" }
            name = String(found.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }
        guard !name.isEmpty else {
            throw bad("nothing between the parentheses", at: start, "write \(word.form)")
        }
        try close(open)
        return name
    }

    private mutating func queue(
        _ word: Expectation.Word, _ open: Int
    ) throws(QueueError) -> String {
        let name = Names.composed(try name(word, open))
        try Names.check(name, of: "queue")
        return name
    }

    private mutating func task(
        _ word: Expectation.Word, _ open: Int
    ) throws(QueueError) -> TaskReference {
        let start = parser.index
        return try reference(try name(word, open), at: start)
    }

    private func reference(_ text: String, at place: Int) throws(QueueError) -> TaskReference {
        guard let task = try? TaskReference(text) else {
            throw bad(
                "\"\(text)\" names no task", at: place,
                "a task is #1042, 1042, or 4 or more characters of its UUID in a folder")
        }
        return task
    }
}

/// The comparisons after the parentheses of a check.
extension ExpectationParser {
    /// The comparison at the cursor; `==` means `=`.
    private var markHere: (comparison: TaskFilter.Comparison, place: Int, end: Int)? {
        var ahead = parser
        ahead.skipBlanks()
        let place = ahead.index
        for mark in ["==", "!=", "<=", ">=", "=", "<", ">"] {
            let end = place + mark.unicodeScalars.count
            guard end <= ahead.scalars.count, ahead.word(place..<end) == mark else { continue }
            let found = TaskFilter.Comparison(rawValue: mark) ?? .equal
            return (found, place, end)
        }
        return nil
    }

    private mutating func comparison(
        _ word: Expectation.Word
    ) throws(QueueError) -> TaskFilter.Comparison {
        guard let mark = markHere else {
            throw bad(
                "\(word.rawValue)() is compared", at: parser.index,
                "write \(word.form), with one of == != < <= > >=")
        }
        parser.index = mark.end
        parser.skipBlanks()
        return mark.comparison
    }

    /// Whether it is `!=`.
    private mutating func equality(_ word: Expectation.Word) throws(QueueError) -> Bool {
        let place = markHere?.place ?? parser.index
        let found = try comparison(word)
        guard found == .equal || found == .unequal else {
            throw bad(
                "\(word.rawValue)() has no \(found.rawValue)", at: place,
                "write \(word.form), with == or !=")
        }
        return found == .unequal
    }

    private mutating func parseValue() throws(QueueError) -> (text: String, isQuoted: Bool) {
        if parser.next == "\"" { return (try parser.parseQuoted(), true) }
        return (parser.consume { !FilterSpelling.blanks.contains($0) && $0 != ")" }, false)
    }

    private mutating func number(_ word: Expectation.Word) throws(QueueError) -> Int64 {
        let place = parser.index
        let text = parser.consume { !FilterSpelling.blanks.contains($0) && $0 != ")" }
        guard let number = Int64(text) else {
            let what =
                text.isEmpty
                ? "a number is missing"
                : "\"\(text)\" is \(NumberText.fault(of: text, else: "no whole number"))"
            throw bad(what, at: place, "write \(word.form)")
        }
        return number
    }

    private mutating func state() throws(QueueError) -> TaskFilter.State {
        let place = parser.index
        let text = try parseValue().text
        if let state = TaskFilter.State(word: text), state != .expiring { return state }
        let known = TaskFilter.State.allCases.filter { $0 != .expiring }.map(\.rawValue)
        let near = Spelling.nearest(to: text, among: known)
        throw bad(
            text.isEmpty ? "a state is missing" : "there is no state \"\(text)\"", at: place,
            near.map { "did you mean \($0)?" } ?? "states are \(known.joined(separator: ", "))")
    }

    private mutating func list(
        _ word: Expectation.Word
    ) throws(QueueError) -> [TaskReference] {
        guard parser.next == "[" else {
            throw bad("a list is missing", at: parser.index, "write \(word.form)")
        }
        let open = parser.index
        var tasks: [TaskReference] = []
        repeat {
            parser.index += 1
            parser.skipBlanks()
            if parser.next == "]", tasks.isEmpty { break }
            let place = parser.index
            let text = parser.consume {
                !FilterSpelling.blanks.contains($0) && $0 != "," && $0 != "]"
            }
            guard parser.next != nil else { break }
            tasks.append(try reference(text, at: place))
            parser.skipBlanks()
        } while parser.next == ","
        guard parser.next == "]" else {
            let isOpen = parser.next == nil
            throw bad(
                isOpen ? "a \"[\" that is not closed" : "a comma is missing",
                at: isOpen ? open : parser.index, "write \(word.form)")
        }
        parser.index += 1
        return tasks
    }

    private mutating func payload(
        _ task: TaskReference
    ) throws(QueueError) -> Expectation.Kind {
        let path = try parser.path()
        guard let mark = markHere else {
            guard parser.isAtEnd else {
                throw bad(
                    "a path begins with \".\" or \"[\"", at: parser.index,
                    "write \(Expectation.Word.payload.form)")
            }
            return .payload(task, path, .exists)
        }
        parser.index = mark.end
        parser.skipBlanks()
        let place = parser.index
        let (text, isQuoted) = try parseValue()
        guard !text.isEmpty || isQuoted else {
            throw bad(
                "a value is missing", at: place,
                "write \(Expectation.Word.payload.form), and \"\" for an empty text")
        }
        let scalar = PayloadScalar(text)
        switch mark.comparison {
        case .equal: return .payload(task, path, .equals(scalar, isNegated: false))
        case .unequal: return .payload(task, path, .equals(scalar, isNegated: true))
        default:
            guard scalar.isNumber else {
                throw bad(
                    "\"\(text)\" is no number", at: place,
                    "\(mark.comparison.rawValue) compares numbers")
            }
            return .payload(task, path, .compares(mark.comparison, scalar))
        }
    }

    /// An attempt outlives its task, so allow only its own fields.
    private func check(ofAttempts filter: TaskFilter, at place: Int) throws(QueueError) {
        for term in filter.expression.terms where !term.asksAttemptAlone {
            throw bad(
                "ran() cannot ask \"\(term)\", for the task of an attempt may have gone",
                at: place, "ask type, queue, id, runner, error or duration")
        }
    }
}

extension TaskFilter.Term {
    fileprivate var asksAttemptAlone: Bool {
        switch self {
        case .field(let field, _), .expression(let field, _):
            [.type, .queue, .id, .runner, .error].contains(field)
        case .id: true
        case .measure(let measure, _, _): measure == .duration
        case .letters, .state, .text, .payload: false
        }
    }
}

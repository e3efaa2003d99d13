/// Parses the values after a field's colon, and payload paths.
extension FilterParser {
    mutating func value(of field: TaskFilter.Field) throws(QueueError) -> TaskFilter.Expression {
        let place = index
        switch field {
        case .text: return .term(.text(try whole(of: "text", colon: ":")))
        case .state:
            let items = try items(of: field)
            return .term(.state(try states(items, at: place)))
        case .id:
            let items = try items(of: field)
            let patterns = items.filter { $0.exact == nil }
            let numbers = items.compactMap(\.exact)
            var terms: [TaskFilter.Expression] = []
            if !numbers.isEmpty { terms.append(.term(try ids(numbers, at: place))) }
            if !patterns.isEmpty { terms.append(.term(.field(.id, patterns))) }
            return terms.count == 1 ? terms[0] : .any(terms)
        case .twin where isAtEnd:
            return .term(.field(.twin, [FilterPattern(pieces: ["", ""])]))
        default:
            let items = try items(of: field)
            guard !items.contains(where: { $0.exact == "" }) else {
                throw bad(
                    "\(field.rawValue): has no value", at: place, "write \(field.rawValue):VALUE")
            }
            return .term(.field(field, items))
        }
    }

    /// A value that is no list.
    private mutating func whole(
        of head: String, colon: String, mayBeEmpty: Bool = false
    ) throws(QueueError) -> String {
        let place = index
        let isQuoted = next == "\""
        let value = isQuoted ? try parseQuoted() : parseBalanced()
        if !isQuoted, value.unicodeScalars.contains("\"") {
            throw bad("a quote inside a value", at: place, "put the whole value in quotes")
        }
        try refuseRest()
        guard !value.isEmpty || mayBeEmpty && isQuoted else {
            throw bad("\(head)\(colon) has no value", at: place, "write \(head)\(colon)VALUE")
        }
        return value
    }

    /// The values of a list, in quotes or not, with `*` for any letters outside of quotes.
    private mutating func items(
        of field: TaskFilter.Field
    ) throws(QueueError) -> [FilterPattern] {
        let place = index
        var items: [FilterPattern] = []
        repeat {
            items.append(try item(at: place))
        } while parseComma()
        guard items.count > 1 || items[0].exact != "" else {
            throw bad(
                "\(field.rawValue): has no value", at: place,
                "write \(field.rawValue):VALUE" + (field == .state ? "; \(Self.states)" : ""))
        }
        return items
    }

    private static var states: String {
        "states are \(TaskFilter.State.allCases.map(\.rawValue).joined(separator: ", "))"
    }

    private mutating func parseComma() -> Bool {
        guard next == "," else { return false }
        index += 1
        return true
    }

    private mutating func item(at place: Int) throws(QueueError) -> FilterPattern {
        var pieces = [""]
        var isFresh = true
        var depth = 0
        while let scalar = next, !FilterSpelling.blanks.contains(scalar), scalar != "," {
            if scalar == ")", depth == 0 { break }
            if scalar == "*" {
                pieces.append("")
                isFresh = true
                index += 1
                continue
            }
            guard scalar != "\"" else {
                guard isFresh else {
                    throw bad("a quote inside a value", at: place, "put the whole value in quotes")
                }
                pieces[pieces.count - 1] = try parseQuoted()
                guard isAtEnd || next == "," || next == "*" else {
                    throw bad("text after a closing quote", at: index, "put a blank between words")
                }
                isFresh = false
                continue
            }
            if scalar == "(" { depth += 1 }
            if scalar == ")" { depth -= 1 }
            pieces[pieces.count - 1].unicodeScalars.append(scalar)
            isFresh = false
            index += 1
        }
        return FilterPattern(pieces: pieces)
    }

    private func states(
        _ items: [FilterPattern], at place: Int
    ) throws(QueueError) -> [TaskFilter.State] {
        var states: [TaskFilter.State] = []
        let known = TaskFilter.State.allCases
        for item in items {
            let name = item.pieces.joined(separator: "*")
            let meant =
                item.exact.map { TaskFilter.State(word: $0).map { [$0] } ?? [] }
                ?? known.filter { item.means($0.rawValue) }
            guard !meant.isEmpty else {
                let near = Spelling.nearest(to: name, among: known.map(\.rawValue))
                throw bad(
                    "there is no state \"\(name)\"", at: place,
                    near.map { "did you mean state:\($0)?" }
                        ?? Self.states)
            }
            states += meant.filter { !states.contains($0) }
        }
        return states
    }

    private func ids(_ items: [String], at place: Int) throws(QueueError) -> TaskFilter.Term {
        var ranges: [ClosedRange<TaskID>] = []
        var uuids: [TaskReference] = []
        for item in items {
            if let range = Self.range(item) {
                ranges.append(range)
                if range.lowerBound == range.upperBound, let named = try? TaskReference(item),
                    named.isUUID
                {
                    uuids.append(named)
                }
            } else if let named = try? TaskReference(item), named.isUUID {
                uuids.append(named)
            } else {
                throw bad(
                    "\"\(item)\" is \(Self.fault(of: item))", at: place,
                    "write id:12, id:12,15 or id:10..20, in a folder also id:3143DAD0")
            }
        }
        return .id(ranges, uuids: uuids)
    }

    private static func fault(of item: String) -> String {
        let isTooLarge = item.allSatisfy { $0.isASCII && $0.isNumber }
        return isTooLarge && TaskID(item) == nil ? "too large" : "no task number or range"
    }

    /// `12`, `#12`, `5..40` or `5-40`.
    private static func range(_ item: String) -> ClosedRange<TaskID>? {
        if let number = number(Substring(item)) { return number...number }
        for mark in ["..", "-"] {
            let ends = item.split(separator: mark, omittingEmptySubsequences: false)
            guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]),
                first <= last
            else { continue }
            return first...last
        }
        return nil
    }

    private static func number(_ text: Substring) -> TaskID? {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return TaskID(digits)
    }
}

extension FilterParser {
    /// Parses `payload.user.id=7` and other conditions on a payload value.
    mutating func payload() throws(QueueError) -> TaskFilter.Term {
        let start = index
        index += "payload".unicodeScalars.count
        let path = try path()
        let head = word(start..<index)
        if isAtEnd { return .payload(path, .exists) }
        if next == "~" {
            index += 1
            return .payload(path, .matches(try expression(ignoresCase: false, of: head)))
        }
        for mark in ["==", "!=", "<=", ">=", "=", "<", ">"] {
            let end = index + mark.unicodeScalars.count
            guard end <= scalars.count, word(index..<end) == mark else { continue }
            index = end
            return .payload(path, try check(mark, head))
        }
        throw bad(
            "a value of the payload is compared", at: index,
            "write \(head)=7, \(head)!=7, \(head)<7, \(head)~^A, or \(head) alone")
    }

    private mutating func check(_ mark: String, _ head: String) throws(QueueError) -> PayloadCheck {
        let place = index
        let scalar = PayloadScalar(try whole(of: head, colon: mark, mayBeEmpty: true))
        switch mark {
        case "=", "==": return .equals(scalar, isNegated: false)
        case "!=": return .equals(scalar, isNegated: true)
        default:
            guard let comparison = TaskFilter.Comparison(rawValue: mark), scalar.isNumber else {
                throw bad(
                    "\"\(scalar.text)\" is no number", at: place,
                    "\(mark) compares numbers; write \(head)\(mark)7")
            }
            return .compares(comparison, scalar)
        }
    }

    mutating func path() throws(QueueError) -> PayloadPath {
        var steps: [PayloadPath.Step] = []
        while next == "." || next == "[" { steps.append(try step()) }
        return PayloadPath(steps)
    }

    /// Parses comma-separated paths without the prefix `payload.`, up to the end.
    fileprivate mutating func paths() throws(QueueError) -> [PayloadPath] {
        var paths: [PayloadPath] = []
        repeat {
            skipBlanks()
            let first = next == "[" ? [] : [try key()]
            paths.append(PayloadPath(first + (try path()).steps))
        } while parseComma()
        guard next == nil else { throw bad("a path ends here", at: index, "put a comma between") }
        return paths
    }

    private mutating func step() throws(QueueError) -> PayloadPath.Step {
        let start = index
        let isIndex = next == "["
        index += 1
        if isIndex {
            let digits = consume { ScalarSet.isDigit($0.value) }
            guard let place = Int(digits), next == "]" else {
                throw bad("no number in []", at: start, "write payload.items[0]")
            }
            index += 1
            return .index(place)
        }
        return try key()
    }

    private mutating func key() throws(QueueError) -> PayloadPath.Step {
        if next == "\"" { return .key(try parseQuoted()) }
        let key = consume(while: FilterSpelling.standsInKey)
        guard !key.isEmpty else {
            throw bad("a key is missing", at: index, "write payload.user.id, or payload.\"a.b\"")
        }
        return .key(key)
    }
}

extension PayloadPath {
    /// Parses paths such as `to,items[0].name`; `nil` if invalid.
    package static func list(_ text: String) -> [PayloadPath]? {
        var parser = FilterParser(text)
        return try? parser.paths()
    }

    /// The path without the prefix `payload`.
    package var name: String {
        if case .key = steps.first { String(description.dropFirst()) } else { description }
    }
}

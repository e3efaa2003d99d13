extension TaskFilter: CustomStringConvertible {
    /// The spelling that reads back as the same filter.
    public var description: String { expression.description }
}

extension TaskFilter {
    /// These numbers and no other, neighbours as a range.
    package init(numbers: [TaskID]) {
        var ranges: [ClosedRange<TaskID>] = []
        for id in numbers.sorted() {
            guard let last = ranges.last, id <= last.upperBound + 1 else {
                ranges.append(id...id)
                continue
            }
            ranges[ranges.count - 1] = last.lowerBound...max(id, last.upperBound)
        }
        self.init(.term(.id(ranges)))
    }
}

extension TaskFilter.Expression: CustomStringConvertible {
    package var description: String {
        switch self {
        case .all(let parts):
            parts.map { $0.isChoice ? "(\($0))" : $0.description }.joined(separator: " ")
        case .any(let parts): parts.map(\.description).joined(separator: " or ")
        case .not(let part): part.isOne ? "-\(part)" : "-(\(part))"
        case .saved(let name, _): "@\(name)"
        case .term(let term): term.description
        }
    }

    private var isChoice: Bool {
        if case .any = self { true } else { false }
    }

    private var isOne: Bool {
        switch self {
        case .term, .saved: true
        case .all, .any, .not: false
        }
    }
}

extension TaskFilter.Term: CustomStringConvertible {
    /// The word as a filter spells it.
    package var description: String {
        switch self {
        case .letters(let letters): FilterSpelling.word(letters.text)
        case .state(let states): "state:" + states.map(\.rawValue).joined(separator: ",")
        case .field(let field, let patterns):
            "\(field.rawValue):"
                + patterns.map { $0.pieces.map(FilterSpelling.value).joined(separator: "*") }
                .joined(separator: ",")
        case .expression(let field, let expression):
            "\(field.rawValue)~\(FilterSpelling.expression(expression.pattern))"
        case .text(let text): "text:" + FilterSpelling.whole(text)
        case .id(let ranges, let uuids):
            // Digits alone are among the ranges already.
            "id:"
                + (ranges.map(Self.spelled)
                + uuids.filter { $0.number == nil }.map(\.description)).joined(separator: ",")
        case .measure(let measure, let comparison, let value):
            "\(measure.rawValue)\(comparison.rawValue)\(measure.spelled(value))"
        case .payload(let path, let check): "payload\(path)\(check)"
        }
    }

    private static func spelled(_ range: ClosedRange<TaskID>) -> String {
        let isOne = range.lowerBound == range.upperBound
        return isOne ? "\(range.lowerBound)" : "\(range.lowerBound)..\(range.upperBound)"
    }
}

extension TaskFilter.Measure {
    /// The unit of the compared number.
    enum Unit { case count, bytes, time }

    var unit: Unit {
        switch self {
        case .attempts, .priority: .count
        case .size: .bytes
        case .age, .due, .duration, .changed: .time
        }
    }

    fileprivate func spelled(_ value: Int64) -> String {
        switch unit {
        case .count: "\(value)"
        case .bytes: value == 0 ? "0" : SizeText.compact(Int(value))
        case .time: DurationText.compact(value)
        }
    }
}

extension PayloadPath: CustomStringConvertible {
    /// The path as it follows the word `payload`.
    package var description: String {
        steps.map { step in
            switch step {
            case .index(let place): return "[\(place)]"
            case .key(let key):
                let isPlain =
                    !key.isEmpty && key.unicodeScalars.allSatisfy(FilterSpelling.standsInKey)
                return "." + (isPlain ? key : FilterSpelling.quoted(key))
            }
        }.joined()
    }
}

extension PayloadCheck: CustomStringConvertible {
    /// The condition as it follows the path.
    package var description: String {
        switch self {
        case .exists: ""
        case .equals(let scalar, let isNegated):
            (isNegated ? "!=" : "=") + FilterSpelling.whole(scalar.text)
        case .compares(let comparison, let scalar):
            comparison.rawValue + FilterSpelling.whole(scalar.text)
        case .matches(let expression): "~" + FilterSpelling.expression(expression.pattern)
        }
    }
}

/// Formats values so that parsing returns the same values.
package enum FilterSpelling {
    static let blanks: Set<Unicode.Scalar> = [" ", "\t", "\n", "\r"]
    static let operators: Set<Unicode.Scalar> = [":", "=", "<", ">", "~"]
    private static let special = blanks.union(["\"", "\\", "(", ")"])
    private static let plain: Set<Unicode.Scalar> = ["_", "-", ".", "@", "#", "/", "+"]

    /// Whether a character may occur in an unquoted key of a path.
    static func standsInKey(_ scalar: Unicode.Scalar) -> Bool {
        !special.contains(scalar) && !operators.contains(scalar)
            && ![".", ",", "[", "]", "!"].contains(scalar)
    }

    package static func value(_ text: String) -> String {
        text.unicodeScalars.contains { special.contains($0) || $0 == "," || $0 == "*" }
            ? quoted(text) : text
    }

    /// A value that is no list.
    static func whole(_ text: String) -> String {
        text.isEmpty || text.unicodeScalars.contains(where: special.contains) ? quoted(text) : text
    }

    /// A single search word, quoted if it could mean anything else.
    static func word(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy {
            ScalarSet.isWord($0.value) || plain.contains($0)
        }
        let first = text.unicodeScalars.first
        let isMistaken =
            first == "-" || first == "@" || keyword(text) != nil || text.hasPrefix("payload.")
            || TaskFilter.State(word: text.lowercased()) != nil
        return isPlain && !isMistaken && !text.isEmpty ? text : quoted(text)
    }

    /// A regular expression, quoted if necessary. Within quotes only a quote needs a backslash.
    static func expression(_ pattern: String) -> String {
        var depth = 0
        var isEscaped = false
        var isPlain = !pattern.isEmpty
        for scalar in pattern.unicodeScalars {
            if blanks.contains(scalar) || scalar == "\"" { isPlain = false }
            if !isEscaped, scalar == "(" { depth += 1 }
            if !isEscaped, scalar == ")" { depth -= 1 }
            if depth < 0 { isPlain = false }
            isEscaped = !isEscaped && scalar == "\\"
        }
        if isPlain, depth == 0 { return pattern }
        return "\"\(escaped(pattern, ["\""]))\""
    }

    static func quoted(_ text: String) -> String { "\"\(escaped(text, ["\"", "\\"]))\"" }

    private static func escaped(_ text: String, _ marks: Set<Unicode.Scalar>) -> String {
        text.unicodeScalars.map { (marks.contains($0) ? "\\" : "") + String($0) }.joined()
    }

    /// The words that put others together.
    enum Keyword: String { case and, or, not }

    static func keyword(_ text: String) -> Keyword? { Keyword(rawValue: text.lowercased()) }
}

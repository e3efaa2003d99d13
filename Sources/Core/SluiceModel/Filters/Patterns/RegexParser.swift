/// Reads a regular expression.
struct RegexParser {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var depth = 0

    /// Groups in groups; each takes room on the stack.
    private static let depthLimit = 100

    init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

    mutating func expression() throws(RegexError) -> RegexNode {
        let node = try choice()
        guard index == scalars.count else { throw wrong("a \")\" that nothing opened") }
        return node
    }

    private mutating func choice() throws(RegexError) -> RegexNode {
        var parts = [try sequence()]
        while consume("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence() throws(RegexError) -> RegexNode {
        var parts: [RegexNode] = []
        while let next, next != "|", next != ")" { parts.append(try repeated()) }
        if parts.isEmpty { return .empty }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func repeated() throws(RegexError) -> RegexNode {
        let start = index
        let part = try atom()
        let counted: RegexNode
        switch next {
        case "*": counted = .repeated(part, least: 0, most: nil)
        case "+": counted = .repeated(part, least: 1, most: nil)
        case "?": counted = .repeated(part, least: 0, most: 1)
        case "{":
            guard let (least, most) = try count() else { return part }
            index -= 1
            counted = .repeated(part, least: least, most: most)
        default: return part
        }
        index += 1
        // Lazy and greedy quantifiers match the same texts.
        _ = consume("?")
        if let next, "*+?".unicodeScalars.contains(next) || isCount() {
            throw wrong("\"\(next)\" repeats a repetition", at: start)
        }
        return counted
    }

    /// `{m}`, `{m,}` or `{m,n}`; nil where the brace is a letter.
    private mutating func count() throws(RegexError) -> (least: Int, most: Int?)? {
        guard isCount() else { return nil }
        let start = index
        index += 1
        let least = try number(at: start)
        var most: Int? = least
        if consume(",") { most = next == "}" ? nil : try number(at: start) }
        index += 1
        if let most, most < least { throw wrong("a count that goes down", at: start) }
        return (least, most)
    }

    private func isCount() -> Bool {
        guard next == "{" else { return false }
        var (place, digits, commas) = (index + 1, 0, 0)
        while place < scalars.count, scalars[place] != "}" {
            let isDigit = ScalarSet.isDigit(scalars[place].value)
            guard isDigit || scalars[place] == "," && digits > 0 else { return false }
            if isDigit { digits += 1 } else { commas += 1 }
            place += 1
        }
        return place < scalars.count && digits > 0 && commas < 2
    }

    private mutating func number(at start: Int) throws(RegexError) -> Int {
        var value = 0
        while let next, ScalarSet.isDigit(next.value) {
            value = value * 10 + Int(next.value - 48)
            guard value <= RegularExpression.stateLimit else {
                throw wrong("a count above \(RegularExpression.stateLimit)", at: start)
            }
            index += 1
        }
        return value
    }

    private mutating func atom() throws(RegexError) -> RegexNode {
        guard let scalar = next else { return .empty }
        let start = index
        index += 1
        switch scalar {
        case ".": return .one(.any)
        case "^": return .assert(.start)
        case "$": return .assert(.end)
        case "(": return try group(at: start)
        case "[": return .one(try set(at: start))
        case "\\": return try escape(at: start)
        case "*", "+", "?": throw wrong("\"\(scalar)\" has nothing to repeat", at: start)
        default: return .one(.one(scalar.value))
        }
    }

    private mutating func group(at start: Int) throws(RegexError) -> RegexNode {
        if consume("?") {
            if let next, "=!<P".unicodeScalars.contains(next) {
                throw wrong("a look around is not allowed", at: start)
            }
            guard consume(":") else {
                throw wrong("\"(?\" begins nothing that is known", at: start)
            }
        }
        depth += 1
        guard depth <= Self.depthLimit else { throw wrong("too many groups in groups", at: start) }
        let node = try choice()
        guard consume(")") else { throw wrong("a \"(\" that is not closed", at: start) }
        depth -= 1
        return node
    }

    private mutating func escape(at start: Int) throws(RegexError) -> RegexNode {
        guard let scalar = next else { throw wrong("a backslash at the end", at: start) }
        index += 1
        if let item = Self.items[scalar] { return .one(ScalarSet([item])) }
        switch scalar {
        case "b": return .assert(.wordEdge)
        case "B": return .assert(.noWordEdge)
        default: return .one(.one(try letter(scalar, at: start)))
        }
    }

    private static let items: [Unicode.Scalar: ScalarSet.Item] = [
        "d": .digit, "w": .word, "s": .blank, "D": .noDigit, "W": .noWord, "S": .noBlank,
    ]

    private func letter(_ scalar: Unicode.Scalar, at start: Int) throws(RegexError) -> UInt32 {
        switch scalar {
        case "n": return 10
        case "r": return 13
        case "t": return 9
        case "1"..."9": throw wrong("a back reference is not allowed", at: start)
        default: break
        }
        guard !ScalarSet.isWord(scalar.value) else {
            throw wrong("\"\\\(scalar)\" means nothing", at: start)
        }
        return scalar.value
    }

    private mutating func set(at start: Int) throws(RegexError) -> ScalarSet {
        var set = ScalarSet([], isNegated: consume("^"))
        var isFirst = true
        while let scalar = next, scalar != "]" || isFirst {
            isFirst = false
            index += 1
            let first = try item(scalar)
            let isRange =
                next == "-" && index + 1 < scalars.count && scalars[index + 1] != "]"
            guard isRange, case .range(let low) = first else {
                set.items.append(first)
                continue
            }
            let place = index - 1
            index += 2
            guard case .range(let high) = try item(scalars[index - 1]),
                low.lowerBound <= high.lowerBound
            else { throw wrong("a range that goes down", at: place) }
            set.items.append(.range(low.lowerBound...high.lowerBound))
        }
        guard consume("]") else { throw wrong("a \"[\" that is not closed", at: start) }
        return set
    }

    private mutating func item(_ scalar: Unicode.Scalar) throws(RegexError) -> ScalarSet.Item {
        guard scalar == "\\" else { return .range(scalar.value...scalar.value) }
        let start = index - 1
        guard let escaped = next else { throw wrong("a backslash at the end", at: start) }
        index += 1
        if let item = Self.items[escaped] { return item }
        let letter = try escaped == "b" ? 8 : letter(escaped, at: start)
        return .range(letter...letter)
    }

    private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        index += 1
        return true
    }

    private func wrong(_ message: String, at place: Int? = nil) -> RegexError {
        RegexError(place: place ?? index, message: message)
    }
}

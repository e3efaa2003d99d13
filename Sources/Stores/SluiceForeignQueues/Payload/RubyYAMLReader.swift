import SluiceModel

/// Decodes YAML from Ruby's Psych as JSON, without creating objects. Depth, count and size are
/// limited. An alias appears as its name; unsupported syntax gives `nil`.
struct RubyYAMLReader {
    static let depthLimit = 64
    static let countLimit = 20_000
    static let sizeLimit = 1 << 20

    private struct Line {
        var indent: Int
        var text: Substring
    }

    private let lines: [Line]
    private var place = 0
    private var left = countLimit

    /// The value of a document; `nil` if it cannot be decoded.
    static func value(_ text: String) -> JSONValue? {
        guard text.utf8.count <= sizeLimit, text.hasPrefix("---") else { return nil }
        var reader = RubyYAMLReader(text.dropFirst(3))
        let first = reader.lines[0].text
        reader.place = 1
        guard let value = reader.value(first, parent: -1, depth: 0) else { return nil }
        while reader.place < reader.lines.count {
            guard reader.lines[reader.place].text.isEmpty else { return nil }
            reader.place += 1
        }
        return value
    }

    private init(_ text: Substring) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let spaces = line.prefix { $0 == " " }.utf8.count
            return Line(indent: spaces, text: line.dropFirst(spaces))
        }
    }

    /// The value that begins on the current line; its parts are indented deeper.
    private mutating func value(_ text: Substring, parent: Int, depth: Int) -> JSONValue? {
        left -= 1
        guard depth < Self.depthLimit, left > 0 else { return nil }
        var (rest, type): (Substring, String?) = (Self.trimmed(text), nil)
        while let mark = rest.first, mark == "!" || mark == "&" {
            let word = rest.prefix { $0 != " " }
            if mark == "!" { type = Self.type(word) }
            rest = Self.trimmed(rest.dropFirst(word.count))
        }
        guard let first = rest.first else { return block(type, parent: parent, depth: depth) }
        switch first {
        case "|", ">":
            let text = scalarBlock(parent: parent, isFolded: first == ">")
            return .string(type == "binary" ? "<\(text.utf8.count) bytes of base64>" : text)
        case "*": return .string("<alias \(rest.dropFirst())>")
        case "'", "\"": return quoted(rest, parent: parent).map { .string($0) }
        case "[": return rest == "[]" ? .array([]) : nil
        case "{": return rest == "{}" ? Self.object(type, []) : nil
        default: return plain(rest, parent: parent)
        }
    }

    /// A mapping or a sequence on the lines that follow; null or an empty object where none does.
    private mutating func block(_ type: String?, parent: Int, depth: Int) -> JSONValue? {
        guard let next = nextLine() else { return Self.empty(type) }
        let isItem = next.text == "-" || next.text.hasPrefix("- ")
        // A sequence under a key may begin at the column of the key.
        guard next.indent > parent || isItem && next.indent == parent && parent >= 0 else {
            return Self.empty(type)
        }
        return isItem
            ? items(at: next.indent, depth: depth)
            : pairs(at: next.indent, first: nil, depth: depth).map { Self.object(type, $0) }
    }

    private mutating func items(at indent: Int, depth: Int) -> JSONValue? {
        var items: [JSONValue] = []
        while let line = nextLine(), line.indent == indent,
            line.text == "-" || line.text.hasPrefix("- ")
        {
            place += 1
            let rest = Self.trimmed(line.text.dropFirst())
            // A mapping may begin on the line of its dash.
            if Self.key(rest) != nil {
                let inner = indent + line.text.count - rest.count
                guard let pairs = pairs(at: inner, first: rest, depth: depth + 1) else {
                    return nil
                }
                items.append(Self.object(nil, pairs))
            } else {
                guard let value = value(rest, parent: indent, depth: depth + 1) else { return nil }
                items.append(value)
            }
        }
        return .array(items)
    }

    private mutating func pairs(
        at indent: Int, first: Substring?, depth: Int
    ) -> [(String, JSONValue)]? {
        var pairs: [(String, JSONValue)] = []
        var text = first
        while true {
            if text == nil {
                guard let line = nextLine(), line.indent == indent, !line.text.hasPrefix("- ")
                else { return pairs }
                place += 1
                text = line.text
            }
            guard let (key, rest) = text.flatMap(Self.key),
                let value = value(rest, parent: indent, depth: depth + 1)
            else { return nil }
            pairs.append((key, value))
            text = nil
        }
    }

    /// Splits `key: rest`; `nil` for other lines.
    private static func key(_ line: Substring) -> (String, Substring)? {
        guard let first = line.first, !"!&*|>[{?#".contains(first) else { return nil }
        if first == "'" || first == "\"" {
            let inner = line.dropFirst().prefix { $0 != first }
            let rest = line.dropFirst(inner.count + 2)
            guard rest.first == ":" else { return nil }
            return (String(inner), rest.dropFirst())
        }
        var place = line.index(after: line.startIndex)
        while place < line.endIndex {
            let next = line.index(after: place)
            if line[place] == ":", next == line.endIndex || line[next] == " " {
                return (String(line[..<place]), line[next...])
            }
            place = next
        }
        return nil
    }

    private mutating func scalarBlock(parent: Int, isFolded: Bool) -> String {
        var found: [String] = []
        var inner: Int?
        while place < lines.count {
            let line = lines[place]
            guard line.text.isEmpty || line.indent > parent else { break }
            if inner == nil, !line.text.isEmpty { inner = line.indent }
            let more = max(0, line.indent - (inner ?? line.indent))
            found.append(String(repeating: " ", count: more) + line.text)
            place += 1
        }
        while found.last?.isEmpty == true { found.removeLast() }
        return found.joined(separator: isFolded ? " " : "\n")
    }

    /// A quoted scalar, possibly over several lines.
    private mutating func quoted(_ start: Substring, parent: Int) -> String? {
        guard let quote = start.first else { return nil }
        var text = String(start.dropFirst())
        while true {
            if let end = Self.end(of: text, quote) {
                let inner = text[..<end]
                return quote == "'"
                    ? inner.split(separator: "''", omittingEmptySubsequences: false)
                        .joined(separator: "'")
                    : Self.unescaped(inner)
            }
            guard place < lines.count, text.utf8.count < Self.sizeLimit else { return nil }
            // A backslash at the end of a line joins without a space.
            let isJoined = quote == "\"" && text.hasSuffix("\\")
            if isJoined { text.removeLast() }
            text += (isJoined ? "" : " ") + lines[place].text
            place += 1
        }
    }

    /// The index of the closing quote.
    private static func end(of text: String, _ quote: Character) -> String.Index? {
        var place = text.startIndex
        while place < text.endIndex {
            let next = text.index(after: place)
            if quote == "\"", text[place] == "\\" {
                guard next < text.endIndex else { return nil }
                place = text.index(after: next)
                continue
            }
            if text[place] == quote {
                guard quote == "'", next < text.endIndex, text[next] == "'" else { return place }
                place = text.index(after: next)
                continue
            }
            place = next
        }
        return nil
    }

    /// Escapes that JSON has too are read as JSON; a text with others stays as it is.
    private static func unescaped(_ text: Substring) -> String {
        guard text.contains("\\") else { return String(text) }
        let joined = text.split(separator: "\\e", omittingEmptySubsequences: false)
            .joined(separator: "\\u001b")
        return (try? JSONValue.parse("\"\(joined)\""))?.string ?? String(text)
    }

    /// A plain scalar, possibly over several lines.
    private mutating func plain(_ start: Substring, parent: Int) -> JSONValue? {
        var text = String(start)
        while place < lines.count, lines[place].indent > parent, !lines[place].text.isEmpty {
            guard Self.key(lines[place].text) == nil else { return nil }
            text += " " + lines[place].text
            place += 1
        }
        switch text {
        case "~", "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            if let number = Int64(text), String(number) == text { return .integer(number) }
            if let number = Double(text), text.first?.isLetter == false, text.contains(".") {
                return JSONValue(number)
            }
            return .string(text)
        }
    }

    private mutating func nextLine() -> Line? {
        while place < lines.count, lines[place].text.isEmpty { place += 1 }
        return place < lines.count ? lines[place] : nil
    }

    /// `User` of `!ruby/object:User`.
    private static func type(_ word: Substring) -> String {
        let plain = word.drop { $0 == "!" }
        guard plain.hasPrefix("ruby/") else { return String(plain) }
        guard let colon = plain.firstIndex(of: ":") else { return String(plain.dropFirst(5)) }
        return String(plain[plain.index(after: colon)...])
    }

    private static func empty(_ type: String?) -> JSONValue {
        type == nil ? .null : object(type, [])
    }

    private static func object(_ type: String?, _ pairs: [(String, JSONValue)]) -> JSONValue {
        var object = JSONObject()
        if let type { object[PHPReader.classKey] = .string(type) }
        for (key, value) in pairs { object[key] = value }
        return .object(object)
    }

    private static func trimmed(_ text: Substring) -> Substring { text.drop { $0 == " " } }
}

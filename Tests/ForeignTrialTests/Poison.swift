import SluiceModel
import SluicePlatform

/// A text that would steer a terminal, and the places of other systems' values that take it.
enum Poison {
    /// The line break would begin a line of its own.
    static let text =
        "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{9d}0;x\u{9c}\u{7f}"
        + "\u{202e}\u{2066}\u{2028}x\r\nFORGED"
    static let bytes = Array(text.utf8)
    private static let json = JSONValue.string(text).text.dropFirst().dropLast()

    /// What steers a terminal, reorders a line, or looks like a line of the program.
    static func raw(_ text: String, isJSON: Bool) -> [String] {
        let signs = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n"
            case .format, .lineSeparator, .paragraphSeparator: !isJSON
            default: false
            }
        }
        let forged = text.split(separator: "\n").filter { $0.hasPrefix("FORGED") }
        return signs.map { "U+\(String($0.value, radix: 16))" } + forged.map(String.init)
    }

    /// A word of a command with its texts changed: of JSON the strings at a path, of a pickle the
    /// strings, of anything else the end. Nil where nothing is there.
    static func word(_ word: [UInt8], at path: String) -> [UInt8]? {
        if word.first == 0x80 { return path == "pickle" ? pickle(word) : nil }
        guard let value = structure(word) else { return path == "" ? word + bytes : nil }
        var isChanged = false
        let changed = change(value, path[...], &isChanged)
        return isChanged ? changed.bytes : nil
    }

    /// The paths of a word.
    static func paths(_ word: [UInt8]) -> Set<String> {
        if word.first == 0x80 { return ["pickle"] }
        guard let value = structure(word) else { return [""] }
        return paths(value, "")
    }

    /// The text instead of a name, wherever it stands whole.
    static func renamed(_ word: [UInt8], _ name: String) -> [UInt8] {
        let text = String(decoding: word, as: UTF8.self)
        guard word.first != 0x80, Array(text.utf8) == word else { return word }
        let new = structure(word) == nil ? name + Self.text : name + json
        return Array(
            text.split(separator: name, omittingEmptySubsequences: false).joined(separator: new)
                .utf8)
    }

    private static func structure(_ bytes: [UInt8]) -> JSONValue? {
        guard let value = try? JSONValue.parse(bytes) else { return nil }
        return value.object != nil || value.array != nil ? value : nil
    }

    /// JSON in base64, as Celery has it in its messages.
    private static func inner(_ text: String) -> JSONValue? {
        structure(Array(text.utf8)) ?? Base64.decode(text).flatMap(structure)
    }

    private static func paths(_ value: JSONValue, _ path: String) -> Set<String> {
        switch value {
        case .string(let text):
            inner(text).map { paths($0, path + "!") } ?? [path]
        case .array(let all):
            all.reduce(into: []) { $0.formUnion(paths($1, path + "[")) }
        case .object(let object):
            object.pairs.reduce(into: [path + "{"]) {
                $0.formUnion(paths($1.value, "\(path).\($1.key)"))
            }
        default: []
        }
    }

    private static func change(
        _ value: JSONValue, _ path: Substring, _ isChanged: inout Bool
    ) -> JSONValue {
        switch value {
        case .string(let old):
            if let value = inner(old), path.first == "!" {
                let new = change(value, path.dropFirst(), &isChanged)
                let isPlain = structure(Array(old.utf8)) != nil
                return .string(isPlain ? new.text : Base64.encode(new.bytes))
            }
            guard path.isEmpty else { return value }
            isChanged = true
            return .string(old + text)
        case .array(let all):
            guard path.first == "[" else { return value }
            return .array(all.map { change($0, path.dropFirst(), &isChanged) })
        case .object(let object):
            guard path != "{" else {
                isChanged = true
                return .object(
                    JSONObject(object.pairs.map { ($0.key, $0.value) } + [(text, .string(text))]))
            }
            return .object(
                JSONObject(
                    object.pairs.map { pair in
                        let key = ".\(pair.key)"
                        guard path.hasPrefix(key) else { return (pair.key, pair.value) }
                        let rest = path.dropFirst(key.count)
                        return (pair.key, change(pair.value, rest, &isChanged))
                    }))
        default: return value
        }
    }

    /// A pickle with each string of one line longer. Frames are left out, which a reader need not
    /// have.
    private static func pickle(_ word: [UInt8]) -> [UInt8]? {
        var (found, place, isChanged) = ([UInt8](), 0, false)
        while place < word.count {
            let code = word[place]
            if code == 0x95, place + 9 <= word.count {
                place += 9
                continue
            }
            let head = code == 0x8c ? 2 : code == 0x58 ? 5 : 0
            if head > 0, place + head <= word.count {
                let length = word[(place + 1)..<(place + head)].reversed()
                    .reduce(0) { $0 << 8 | Int($1) }
                let end = place + head + length
                if length > 0, end <= word.count,
                    word[(place + head)..<end].allSatisfy({ (0x20..<0x7f).contains($0) })
                {
                    let new = word[(place + head)..<end] + bytes
                    found +=
                        [0x58] + (0..<4).map { UInt8(truncatingIfNeeded: new.count >> ($0 * 8)) }
                    found += new
                    (place, isChanged) = (end, true)
                    continue
                }
            }
            found.append(code)
            place += 1
        }
        return isChanged ? found : nil
    }
}

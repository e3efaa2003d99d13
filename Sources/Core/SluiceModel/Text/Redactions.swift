/// The payload places to redact, and the number of values found at each.
package struct Redactions {
    /// The replacement for a value.
    package static let mark = "[redacted]"

    /// A path, its values, and the number of replacements.
    private struct Entry {
        var path: PayloadPath
        var values: Set<String> = []
        var count = 0
    }
    private var entries: [Entry]
    /// The values of headers, which no path names.
    private var headers: Set<String> = []

    /// The values at some places.
    package init(_ paths: [PayloadPath]) { entries = paths.map { Entry(path: $0) } }

    /// The paths as written, with the number of replacements of each.
    package var counts: [(path: String, count: Int)] {
        entries.map { ("payload.\($0.path.name)", $0.count) }
    }

    /// Records the values at the paths of a payload.
    package mutating func learn(_ payload: [UInt8]) {
        guard !entries.isEmpty, let json = try? JSONValue.parse(payload) else { return }
        for place in entries.indices {
            _ = json.replacing(at: entries[place].path) {
                entries[place].values.formUnion($0.spellings)
                return $0
            }
        }
    }

    /// Records the values of a task's headers.
    package mutating func learn(headers: [String: String]) {
        for value in headers.values { self.headers.formUnion(JSONValue.string(value).spellings) }
    }

    /// A payload of JSON with the mark for the values.
    package mutating func clean(_ json: JSONValue) -> JSONValue {
        var json = json
        for place in entries.indices {
            json = json.replacing(at: entries[place].path) { _ in
                entries[place].count += 1
                return .string(Self.mark)
            }
        }
        return json
    }

    /// The text without the values. `isOwn` marks the report's own sentences, such as a number of
    /// tries, and keeps short values in them.
    package mutating func clean(_ text: String, isOwn: Bool = false) -> String {
        var clean = text
        for place in entries.indices {
            let count: Int
            let values = Self.ordered(entries[place].values, isOwn: isOwn)
            (clean, count) = Self.replacing(values, in: clean)
            entries[place].count += count
        }
        guard !entries.isEmpty, !headers.isEmpty else { return clean }
        return Self.replacing(Self.ordered(headers, isOwn: isOwn), in: clean).0
    }

    /// The values in the order of replacement: longest first, because one may contain another.
    /// `isOwn` leaves out short ones.
    package static func ordered(_ values: Set<String>, isOwn: Bool = false) -> [String] {
        values.filter { !isOwn || $0.utf8.count >= longBytes }
            .sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
    }

    /// A text with the mark for each of some spellings, and how often that was.
    package static func replacing(_ values: [String], in text: String) -> (String, Int) {
        values.reduce(into: (text, 0)) { made, value in
            let (next, count) = replacing(value, in: made.0)
            made = (next, made.1 + count)
        }
    }

    /// The minimum length for replacement anywhere.
    private static let longBytes = 4

    /// Replaces a short value only between characters other than letters and digits. A 7 does not
    /// match in 17, or in #7, which is a task.
    private static func replacing(_ value: String, in text: String) -> (String, Int) {
        let (wanted, bytes) = (Array(value.utf8), Array(text.utf8))
        guard !wanted.isEmpty, bytes.count >= wanted.count else { return (text, 0) }
        let isShort = wanted.count < longBytes
        var made: [UInt8] = []
        var (place, count) = (0, 0)
        while place < bytes.count {
            let end = place + wanted.count
            let isFound =
                end <= bytes.count && bytes[place] == wanted[0]
                && bytes[place..<end].elementsEqual(wanted)
            let isApart =
                !isShort
                || !(place > 0 && (isWord(bytes[place - 1]) || bytes[place - 1] == 0x23))
                    && !(end < bytes.count && isWord(bytes[end]))
            guard isFound, isApart else {
                made.append(bytes[place])
                place += 1
                continue
            }
            made += Array(mark.utf8)
            place = end
            count += 1
        }
        return count == 0 ? (text, 0) : (String(decoding: made, as: UTF8.self), count)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...:
            true
        default: false
        }
    }
}

extension JSONValue {
    package func replacing(
        at path: PayloadPath, _ change: (JSONValue) -> JSONValue
    ) -> JSONValue { replacing(path.steps[...], FoldedJSON.depth, change) }

    private func replacing(
        _ steps: ArraySlice<PayloadPath.Step>, _ depth: Int, _ change: (JSONValue) -> JSONValue
    ) -> JSONValue {
        guard let step = steps.first else { return change(self) }
        let rest = steps.dropFirst()
        switch (self, step) {
        case (.object(var object), .key(let key)):
            guard let value = object[key] else { return self }
            object[key] = value.replacing(rest, depth, change)
            return .object(object)
        case (.array(var values), .index(let index)):
            guard values.indices.contains(index) else { return self }
            values[index] = values[index].replacing(rest, depth, change)
            return .array(values)
        case (.string(let text), _):
            guard depth > 0, let folded = FoldedJSON(text),
                let json = try? JSONValue.parse(folded.bytes)
            else { return self }
            let changed = json.replacing(steps, depth - 1, change)
            return changed == json ? self : .string(folded.text(of: changed))
        default: return self
        }
    }

    /// How the texts and numbers of a value are written, in JSON and outside of it; true, false and
    /// null tell nothing elsewhere.
    package var spellings: Set<String> {
        switch self {
        case .null, .bool: return []
        case .integer(let number): return ["\(number)"]
        case .number(let text): return [text]
        case .string(let text):
            let quoted = self.text.dropFirst().dropLast()
            return Set([text, String(quoted)].filter { !$0.isEmpty })
        case .array(let values): return values.reduce(into: []) { $0.formUnion($1.spellings) }
        case .object(let object):
            return object.pairs.reduce(into: []) { $0.formUnion($1.value.spellings) }
        }
    }
}

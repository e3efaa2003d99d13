import SluiceControl
import SluiceModel

/// The places of payloads whose values a report does not tell, and how often each was found.
struct Redactions {
    /// What stands in the place of a value.
    static let mark = "[redacted]"

    /// A place, what stood there, and how often it was replaced.
    private struct Entry {
        var path: PayloadPath
        var values: Set<String> = []
        var count = 0
    }
    private var entries: [Entry]

    init(_ paths: [PayloadPath]) { entries = paths.map { Entry(path: $0) } }

    /// The paths as they are written, with how often each applied.
    var counts: [(path: String, count: Int)] {
        entries.map { ("payload.\($0.path.name)", $0.count) }
    }

    /// Learns what stands at the places of a payload.
    mutating func learn(_ payload: [UInt8]) {
        guard !entries.isEmpty, let json = try? JSONValue.parse(payload) else { return }
        for place in entries.indices {
            var found: [JSONValue] = []
            _ = json.replacing(entries[place].path.steps[...]) {
                found.append($0)
                return $0
            }
            for value in found { entries[place].values.formUnion(value.spellings) }
        }
    }

    /// A payload without the values, and as JSON set out where it is JSON.
    mutating func lines(of payload: [UInt8]) -> [String] {
        if payload.isEmpty { return ["(empty)"] }
        if var json = try? JSONValue.parse(payload) {
            for place in entries.indices {
                var count = 0
                json = json.replacing(entries[place].path.steps[...]) { _ in
                    count += 1
                    return .string(Self.mark)
                }
                entries[place].count += count
            }
            return lines(of: json.text(indent: 2))
        }
        guard let text = String(validating: payload, as: UTF8.self) else {
            return SafeText.lines(payload)
        }
        return lines(of: text)
    }

    /// A text without the values, line by line.
    mutating func lines(of text: String) -> [String] {
        clean(text).split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
    }

    /// A text without the values.
    mutating func clean(_ text: String) -> String {
        var clean = text
        for place in entries.indices {
            // The longest first: a part of one may be another.
            let values = entries[place].values.sorted {
                ($1.utf8.count, $0) < ($0.utf8.count, $1)
            }
            for value in values {
                let (next, count) = Self.replacing(value, in: clean)
                clean = next
                entries[place].count += count
            }
        }
        return clean
    }

    /// A value of a few letters is replaced only where no letter or digit stands beside it: a 7 is
    /// no part of 17.
    private static func replacing(_ value: String, in text: String) -> (String, Int) {
        let (wanted, bytes) = (Array(value.utf8), Array(text.utf8))
        guard !wanted.isEmpty, bytes.count >= wanted.count else { return (text, 0) }
        let isShort = wanted.count < 4
        var made: [UInt8] = []
        var (place, count) = (0, 0)
        while place < bytes.count {
            let end = place + wanted.count
            let isFound =
                end <= bytes.count && bytes[place] == wanted[0]
                && bytes[place..<end].elementsEqual(wanted)
            let isApart =
                !isShort
                || !(place > 0 && isWord(bytes[place - 1]))
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
    /// The value with what stands at the end of a way replaced.
    fileprivate func replacing(
        _ steps: ArraySlice<PayloadPath.Step>, _ change: (JSONValue) -> JSONValue
    ) -> JSONValue {
        guard let step = steps.first else { return change(self) }
        let rest = steps.dropFirst()
        switch (self, step) {
        case (.object(var object), .key(let key)):
            guard let value = object[key] else { return self }
            object[key] = value.replacing(rest, change)
            return .object(object)
        case (.array(var values), .index(let index)):
            guard values.indices.contains(index) else { return self }
            values[index] = values[index].replacing(rest, change)
            return .array(values)
        default: return self
        }
    }

    /// How the texts and numbers of a value are written, in JSON and outside of it; true, false and
    /// null tell nothing elsewhere.
    fileprivate var spellings: Set<String> {
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

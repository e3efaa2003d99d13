/// The rules for the headers of a task: texts by name that its producer gives to its handler, such
/// as `traceparent` (T7).
package enum TaskHeaders {
    package static let most = 32
    package static let longestName = 64
    package static let longestValue = 1024
    /// The limit for the bytes of all names and values.
    package static let mostBytes = 8192

    /// The headers that an `http` handler sends, and that a command has by their usual names.
    package static let ofTracing = ["traceparent", "tracestate", "baggage"]

    /// Throws `badValue` for headers that no task may have; the error has no value. Capital letters
    /// are allowed, since `composed` lowers them.
    package static func check(_ headers: [String: String]) throws(QueueError) {
        guard headers.count <= most else {
            throw QueueError(
                .badValue, "the task has \(headers.count) headers",
                fix: "a task has at most \(most) headers")
        }
        var (bytes, names) = (0, Set<String>())
        for (name, value) in sorted(headers) {
            guard isName(name) else { throw badName(name) }
            guard names.insert(lowered(name)).inserted else {
                throw QueueError(
                    .badValue, "two headers of the task have the name \(lowered(name))",
                    fix: "keep one of them: capital and small letters are the same")
            }
            try check(value, of: name)
            bytes += name.utf8.count + value.utf8.count
        }
        guard bytes <= mostBytes else {
            throw QueueError(
                .badValue, "the headers of the task have \(bytes) bytes",
                fix: "names and values together have at most \(mostBytes) bytes")
        }
    }

    /// The headers with small letters in their names. Headers that `check` refuses stay.
    package static func composed(_ headers: [String: String]) -> [String: String] {
        guard headers.keys.contains(where: { $0 != lowered($0) }) else { return headers }
        var composed: [String: String] = [:]
        for (name, value) in headers { composed[lowered(name)] = value }
        return composed.count == headers.count ? composed : headers
    }

    /// In the order of display: by name.
    package static func sorted(
        _ headers: [String: String]
    ) -> [(name: String, value: String)] {
        headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    package static func json(_ headers: [String: String]) -> JSONValue {
        .object(JSONObject(sorted(headers).map { ($0.name, .string($0.value)) }))
    }

    /// Reads an object of texts; nil for any other value.
    package static func read(_ value: JSONValue) -> [String: String]? {
        guard let object = value.object else { return nil }
        var headers: [String: String] = [:]
        for pair in object.pairs {
            guard let text = pair.value.string else { return nil }
            headers[pair.key] = text
        }
        return headers
    }

    /// The bytes of all names and values.
    package static func bytes(_ headers: [String: String]) -> Int {
        headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }

    private static func check(_ value: String, of name: String) throws(QueueError) {
        guard value.utf8.count <= longestValue else {
            throw QueueError(
                .badValue, "the value of the header \(name) has \(value.utf8.count) bytes",
                fix: "a value has at most \(longestValue) bytes")
        }
        guard let control = value.unicodeScalars.first(where: Names.isControl) else { return }
        throw QueueError(
            .badValue,
            "the value of the header \(name) has the control character \(Names.code(of: control))",
            fix: "a value is a text without control characters and line breaks")
    }

    private static func isName(_ name: String) -> Bool {
        (1...longestName).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func badName(_ name: String) -> QueueError {
        var start = String.UnicodeScalarView()
        start.append(
            contentsOf: name.unicodeScalars.lazy.filter { !Names.isControl($0) }.prefix(40))
        return QueueError(
            .badValue, "\"\(String(start))\" is no name of a header",
            fix: "a name has 1 to \(longestName) of the characters a-z, 0-9, _, . and -")
    }

    private static func lowered(_ name: String) -> String {
        let isSmall = name.utf8.allSatisfy {
            !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
        }
        guard !isSmall else { return name }
        return String(
            decoding: name.utf8.map { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
            }, as: UTF8.self)
    }
}

import SluiceControl
import SluiceModel

/// Failed tasks by their errors, as `failures` shows them.
enum FailureText {
    /// So many kinds are told.
    static let limit = 1000

    /// The answer for scripts.
    static func json(_ failures: [FailureGroup]) -> JSONValue {
        [
            "failures": .array(failures.prefix(limit).map(value)),
            "more": .bool(failures.count > limit),
        ]
    }

    private static func value(_ failure: FailureGroup) -> JSONValue {
        [
            "error": .string(failure.kind.text), "count": JSONValue(failure.count),
            "first": JSONValue(failure.first), "last": JSONValue(failure.last),
            "types": JSONValue(failure.types.map(\.name)),
            "attempts": JSONValue(failure.attempts),
            "filter": .string(failure.filter().description),
        ]
    }

    /// The answer for people.
    static func lines(_ failures: [FailureGroup], of queue: String?, now: Timestamp, width: Int?)
        -> [String]
    {
        guard !failures.isEmpty else {
            return [queue.map { "nothing has failed in \($0)" } ?? "nothing has failed"]
        }
        var table = TextTable([
            .numbers("TASKS"), .numbers("LAST"), .words("TYPES", limit: 24),
            .words("ERROR", limit: 60), .whole("FILTER"),
        ])
        table.rows = failures.prefix(limit).map { failure in
            [
                "\(failure.count)", DurationText.short(max(0, now - failure.last)),
                failure.types.map(\.name).joined(separator: ","),
                ErrorLine.cause(of: failure.kind.text),
                failure.filter().description,
            ]
        }
        return table.lines(width)
    }
}

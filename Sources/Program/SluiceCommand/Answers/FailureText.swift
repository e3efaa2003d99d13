import SluiceControl
import SluiceModel

/// Failed tasks by their errors, as `failures` shows them.
enum FailureText {
    /// So many kinds are told.
    static let limit = 1000

    /// The answer for scripts.
    static func json(_ failures: [FailureGroup], isCut: Bool = false) -> JSONValue {
        [
            "failures": .array(failures.prefix(limit).map(value)),
            "more": .bool(isCut || failures.count > limit),
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

    /// That nothing of a queue, or of any, has done something.
    static func none(_ pastTense: String, in queue: String?) -> String {
        "nothing \(queue.map { "of \(SafeText.visible($0)) " } ?? "")\(pastTense)"
    }

    /// How many attempts failed in the last hour, and the command that tells them.
    static func passing(_ hour: LastHour, in queue: String?, now: Timestamp) -> [String] {
        let log = queue.map { "log --queue \(ShellWord.quoted($0))" } ?? "log"
        return hour.failedWords(before: now).map { ["\($0): sluice \(log)"] } ?? []
    }

    /// How many wait for a retry, and the command that tells them.
    static func retrying(
        _ found: (groups: [FailureGroup], isCut: Bool), in queue: String?
    ) -> [String] {
        let count = found.groups.reduce(0) { $0 + $1.count }
        guard count > 0 else { return [] }
        let command =
            queue.map { ShellWord.command("failures", $0, " --retrying") } ?? "failures --retrying"
        let more = found.isCut ? "more than " : ""
        let words = count == 1 ? "1 waits" : "\(more)\(NumberText.grouped(count)) wait"
        return ["\(words) for a retry: sluice \(command)"]
    }

    /// The answer for people; empty without any.
    static func rows(_ failures: [FailureGroup], now: Timestamp, width: Int?) -> [String] {
        TextTable<FailureGroup>([
            .numbers("TASKS") { "\($0.count)" },
            .numbers("LAST") { DurationText.short(max(0, now - $0.last)) },
            .words("TYPES", limit: 24) { $0.types.map(\.name).joined(separator: ",") },
            .words("ERROR") { ErrorLine.cause(of: $0.text) },
            .whole("FILTER") { $0.filter().description },
        ]).lines(failures.prefix(limit), width)
    }
}

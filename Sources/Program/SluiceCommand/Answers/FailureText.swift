import SluiceControl
import SluiceModel

/// Failed tasks by their errors, as `failures` shows them.
enum FailureText {
    /// The maximum number of groups.
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
            "first": JSONValue(failure.first.ifKnown), "last": JSONValue(failure.last.ifKnown),
            "types": JSONValue(failure.types.map(\.name)),
            "attempts": JSONValue(failure.attempts),
            "filter": .string(failure.filter().description),
            "key": .string(failure.kind.name),
            "retrying": JSONValue(failure.isRetrying ? failure.total : failure.retrying),
            "retryingFilter": failure.retrying > 0
                ? .string(failure.retryingFilter().description) : .null,
            "since": JSONValue(failure.since?.at.ifKnown),
            "sinceEstimated": JSONValue(failure.since?.isEstimate),
            "perMinute": JSONValue(failure.rate?.perMinute),
            "perMinuteEstimated": JSONValue(failure.rate?.isEstimate),
        ]
    }

    /// The common traits of a failure group, as JSON.
    static func json(_ failure: FailureGroup, _ traits: FailureTraits) -> JSONValue {
        [
            "failure": value(failure), "looked": JSONValue(traits.failing),
            "compared": JSONValue(traits.others),
            "comparedState": .string(traits.comparison.rawValue),
            "workers": JSONValue(traits.workers),
            "common": .array(
                traits.traits.map {
                    [
                        "name": .string($0.name), "failing": JSONValue($0.failing),
                        "others": JSONValue($0.others), "looked": JSONValue($0.looked),
                        "compared": JSONValue($0.compared),
                    ]
                }),
        ]
    }

    static func lines(_ failure: FailureGroup, _ traits: FailureTraits) -> [String] {
        let head =
            "\(NumberText.grouped(failure.count)) failed, "
            + "\(NumberText.grouped(failure.retrying)) retrying: "
            + ErrorLine.cause(of: failure.text)
        var lines = traits.words(limit: 10).map { "  \($0)" }
        if traits.traits.isEmpty { lines.insert("  nothing that the others have not", at: 0) }
        let looked = "in common of \(NumberText.tasks(traits.failing)) that were read:"
        return ([head, looked] + lines).map { SafeText.visible($0) }
    }

    private static func rate(_ failure: FailureGroup) -> String {
        guard let rate = failure.rate, rate.perMinute > 0 else { return "-" }
        return "\(rate.isEstimate ? "~" : "")\(rate.perMinute)/min"
    }

    private static func since(_ failure: FailureGroup, now: Timestamp) -> String {
        guard let since = failure.since, since.at.ifKnown != nil else { return "-" }
        return (since.isEstimate ? "~" : "") + DurationText.short(max(0, now - since.at))
    }

    /// The message for no matching tasks, of one queue or all.
    static func none(_ pastTense: String, in queue: String?) -> String {
        "nothing \(queue.map { "of \(SafeText.visible($0)) " } ?? "")\(pastTense)"
    }

    /// The number of attempts that failed in the last hour, and the command that lists them.
    static func passing(_ hour: LastHour, in queue: String?, now: Timestamp) -> [String] {
        let log = queue.map { "log --queue \(ShellWord.quoted($0))" } ?? "log"
        return hour.failedWords(before: now).map { ["\($0): sluice \(log)"] } ?? []
    }

    /// The number of tasks that wait for a retry, and the command that lists them.
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
            .numbers("FAILED") { "\($0.isRetrying ? 0 : $0.count)" },
            .numbers("RETRYING") { "\($0.isRetrying ? $0.total : $0.retrying)" },
            .numbers("SINCE") { since($0, now: now) },
            .numbers("RATE") { rate($0) },
            .numbers("LAST") { failure in
                failure.last.ifKnown.map { DurationText.short(max(0, now - $0)) } ?? "-"
            },
            .words("TYPES", limit: 24) { $0.types.map(\.name).joined(separator: ",") },
            .words("ERROR") { ErrorLine.cause(of: $0.text) },
            .whole("FILTER") { $0.filter().description },
        ]).lines(failures.prefix(limit), width)
    }
}

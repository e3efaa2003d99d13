import QueueControl
import QueueModel

/// The options of `queue set`, in an order in which each builds on those before.
extension CommandLineParser {
    static func settings(_ arguments: Arguments) throws(QueueError) -> [SettingChange] {
        var changes: [SettingChange] = []
        if let name = arguments.text("--preset") { changes.append(try preset(name)) }
        changes += try ordering(arguments)
        changes += try starting(arguments)
        changes += try failing(arguments)
        changes += try keeping(arguments)
        changes += try limiting(arguments)
        return changes
    }

    private static func preset(_ name: String) throws(QueueError) -> SettingChange {
        let names = QueueSettings.presets.map(\.name)
        guard names.contains(name) else {
            throw .badValue("--preset", name, allowed: names.joined(separator: ", "))
        }
        return .preset(name)
    }

    private static func ordering(_ arguments: Arguments) throws(QueueError) -> [SettingChange] {
        var changes: [SettingChange] = []
        if let order: QueueOrder = try arguments.choice("--order") { changes.append(.order(order)) }
        if let count = try arguments.count("--concurrency") { changes.append(.concurrency(count)) }
        if let after: AfterFailure = try arguments.choice("--after-failure") {
            changes.append(.afterFailure(after))
        }
        if let priority = try arguments.number("--priority") { changes.append(.priority(priority)) }
        return changes
    }

    private static func starting(_ arguments: Arguments) throws(QueueError) -> [SettingChange] {
        var changes: [SettingChange] = []
        if let word = arguments.text("--start") {
            guard ["continuous", "batched", "manual"].contains(word) else {
                throw .badValue("--start", word, allowed: "continuous, batched, manual")
            }
            changes.append(.start(word))
        }
        if let count = try arguments.count("--batch-count") { changes.append(.batchCount(count)) }
        if let delay = try arguments.milliseconds("--batch-delay") {
            changes.append(.batchDelay(delay))
        }
        return changes
    }

    private static func failing(_ arguments: Arguments) throws(QueueError) -> [SettingChange] {
        var changes: [SettingChange] = []
        if let text = arguments.text("--attempts") {
            changes.append(.attempts(try countOrNone(text, of: "--attempts")))
        }
        if let text = arguments.text("--retry") {
            guard let rule = RetryRule(text) else {
                throw .badValue(
                    "--retry", text,
                    allowed: "fixed(10s), linear(20s,4s), exponential(1s,2,1h,0.1), "
                        + "polynomial(1s,4,1h)")
            }
            changes.append(.retry(rule))
        }
        if let text = arguments.text("--timeout") {
            changes.append(.timeout(try positiveDurationOrNone(text, of: "--timeout")))
        }
        if let time = try arguments.milliseconds("--stuck-after") {
            changes.append(.stuckAfter(time))
        }
        if let policy: StartFailurePolicy = try arguments.choice("--when-start-fails") {
            changes.append(.whenStartFails(policy))
        }
        return changes
    }

    private static func keeping(_ arguments: Arguments) throws(QueueError) -> [SettingChange] {
        var changes: [SettingChange] = []
        if let text = arguments.text("--keep-finished") {
            changes.append(.keepFinished(try keepFinished(text)))
        }
        if let text = arguments.text("--retention") {
            changes.append(.retention(try positiveDurationOrNone(text, of: "--retention")))
        }
        if let text = arguments.text("--expires") {
            changes.append(.expires(try positiveDurationOrNone(text, of: "--expires")))
        }
        if let word = arguments.text("--starts-expire") {
            changes.append(.startsExpire(try yesOrNo(word, of: "--starts-expire")))
        }
        return changes
    }

    private static func limiting(_ arguments: Arguments) throws(QueueError) -> [SettingChange] {
        var changes: [SettingChange] = []
        if let text = arguments.text("--max-payload") {
            guard let bytes = SizeText.bytes(text) else {
                throw .badValue("--max-payload", text, allowed: "a size such as 512, 64KiB, 2MiB")
            }
            changes.append(.maximumPayload(bytes))
        }
        if let text = arguments.text("--max-length") {
            changes.append(.maximumLength(try countOrNone(text, of: "--max-length")))
        }
        if let depth = try arguments.count("--max-depth") { changes.append(.maximumDepth(depth)) }
        return changes
    }

    private static func keepFinished(_ text: String) throws(QueueError) -> KeepFinished {
        if text == "none" { return .none }
        if text == "acknowledged" { return .acknowledged }
        if let count = Int32(text), count >= 0 { return .last(Int(count)) }
        if let time = DurationText.milliseconds(text) { return .milliseconds(time) }
        throw .badValue(
            "--keep-finished", text,
            allowed: "none, a number, a duration such as 3d, acknowledged")
    }

    /// A count of at least 1, or nil for `none`.
    static func countOrNone(_ text: String, of name: String) throws(QueueError) -> Int? {
        if text == "none" { return nil }
        guard let count = Int32(text), count > 0 else {
            throw .badValue(name, text, allowed: "none, or a whole number of at least 1")
        }
        return Int(count)
    }

    private static func positiveDurationOrNone(
        _ text: String, of name: String
    ) throws(QueueError) -> Int64? {
        if text == "none" { return nil }
        guard let time = DurationText.milliseconds(text), time > 0 else {
            throw .badValue(name, text, allowed: "none, or a duration such as 30s, 15m, 3d")
        }
        return time
    }

    /// `yes` or `no`.
    static func yesOrNo(_ text: String, of name: String) throws(QueueError) -> Bool {
        switch text {
        case "yes", "true": return true
        case "no", "false": return false
        default: throw .badValue(name, text, allowed: "yes, no")
        }
    }
}

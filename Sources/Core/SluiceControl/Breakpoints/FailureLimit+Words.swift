package import SluiceModel

/// A guard as commands and people say it.
extension FailureLimit {
    /// Reads the options of a breakpoint; nil without `--failed`.
    init?(breakpoint arguments: Arguments) throws(QueueError) {
        guard arguments.has("--failed") else {
            for option in ["--of", "--in", "--pause"] where arguments.has(option) {
                throw .usage("\(option) needs --failed", of: arguments.command)
            }
            return nil
        }
        try self.init(arguments, pause: "--pause")
    }

    /// Reads the options of a guard, each with its default.
    init(_ arguments: Arguments, pause: String) throws(QueueError) {
        self = .usual
        if let text = arguments.text("--failed") {
            let digits = text.hasSuffix("%") ? text.dropLast() : text[...]
            guard let percent = Int(digits), (1...100).contains(percent) else {
                throw .badValue("--failed", text, allowed: "a share from 1% to 100%")
            }
            self.percent = percent
        }
        attempts = try arguments.count("--of") ?? attempts
        milliseconds = try Self.time("--in", arguments) ?? milliseconds
        guard (10_000...Self.longestMilliseconds).contains(milliseconds) else {
            throw .badValue(
                "--in", arguments.text("--in") ?? "", allowed: "a duration from 10s to 1h")
        }
        pauseMilliseconds = try Self.time(pause, arguments)
    }

    private static func time(
        _ option: String, _ arguments: Arguments
    ) throws(QueueError) -> Int64? {
        guard let text = arguments.text(option) else { return nil }
        guard let milliseconds = DurationText.milliseconds(text), milliseconds > 0 else {
            throw .badValue(option, text, allowed: "a duration such as 10m")
        }
        return milliseconds
    }

    /// The options that ask for it.
    func options(pause: String) -> String {
        let time = DurationText.compact(milliseconds)
        return " --failed \(percent)% --of \(attempts) --in \(time)"
            + (pauseMilliseconds.map { " \(pause) \(DurationText.compact($0))" } ?? "")
    }

    /// `from 20% of 50 attempts in 5m, for 10m each time`.
    package var words: String {
        let rate =
            "from \(percent)% of \(attempts) attempts in \(DurationText.compact(milliseconds))"
        return rate
            + (pauseMilliseconds.map { ", pauses for \(DurationText.compact($0))" } ?? "")
    }
}

extension BreakRequest {
    /// Reads the words of `guard set`, which lasts until it is removed.
    package init(guard arguments: Arguments) throws(QueueError) {
        let queue = try arguments.one("QUEUE")
        self.init(
            TaskFilter(.term(.field(.queue, [FilterPattern(queue)]))), .onFailure,
            forMilliseconds: nil)
        limit = try FailureLimit(arguments, pause: "--for")
        isLog = try arguments.choice("--do", as: GuardDeed.self) == .warn
        endsOlder = arguments.has("--yes")
    }
}

/// The effect of a guard.
enum GuardDeed: String, CaseIterable {
    case pause, warn
}

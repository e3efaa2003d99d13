import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceRunner

/// The verbs that drive queues and the store.
extension CommandLineParser {
    /// `step`, and `step --back`.
    static func stepOrBack(_ arguments: Arguments) throws(QueueError) -> Invocation {
        guard arguments.has("--back") else { return .step(try step(arguments)) }
        for option in ["--task", "-n", "--handlers", "--check"] where arguments.has(option) {
            throw .usage("--back is one step back, without \(option)", of: arguments.command)
        }
        let queue = try arguments.atMostOne()
        if let queue { try Names.check(queue, of: "queue") }
        return .change(.verb(.stepBack(queue: queue)))
    }

    private static func step(_ arguments: Arguments) throws(QueueError) -> StepCall {
        var call: StepCall
        if let task = try arguments.task("--task") {
            guard arguments.values.isEmpty, !arguments.has("-n") else {
                throw .usage("--task is one task, without QUEUE and -n", of: arguments.command)
            }
            call = StepCall(target: .task(task))
        } else {
            let count = try arguments.count("-n") ?? 1
            call = StepCall(target: .queue(try arguments.oneQueue(), count: count))
        }
        call.handlers = arguments.text("--handlers")
        call.isChecked = arguments.has("--check")
        return call
    }

    static func restore(_ arguments: Arguments) throws(QueueError) -> RestoreCall {
        RestoreCall(
            name: try arguments.one("NAME"), isRehearsal: arguments.has("--dry-run"),
            isConfirmed: arguments.has("--yes"))
    }

    static func run(_ arguments: Arguments, now: Timestamp) throws(QueueError) -> RunCall {
        var call = RunCall(queue: try arguments.oneQueue())
        // It returns at a breakpoint in any case.
        if let text = arguments.text("--until"), text != "breakpoint" {
            call.until = try until(text, arguments, now: now)
        }
        call.handlers = arguments.text("--handlers")
        return call
    }

    private static func until(
        _ text: String, _ arguments: Arguments, now: Timestamp
    ) throws(QueueError) -> RunCall.Until {
        let parts = text.split(separator: " ")
        if parts.count == 2 {
            let value = String(parts[1])
            if parts[0] == "task", let task = try? TaskReference(value) { return .task(task) }
            if parts[0] == "count", let count = Int32(value), count > 0 {
                return .count(Int(count))
            }
            if parts[0] == "time", let moment = TimeText.moment(value, now: now) {
                return .time(moment)
            }
        }
        if text.contains(where: { ":@=~<>".contains($0) }) {
            return .match(try arguments.filter(of: text))
        }
        throw .badValue(
            "--until", text,
            allowed: "'task #12', 'count 5', 'time +1m', breakpoint, and a filter such as "
                + "type:charge at other systems' queues")
    }

    static func work(_ arguments: Arguments) throws(QueueError) -> WorkCall {
        try arguments.refuseMore(than: 0)
        var call = WorkCall(handlers: arguments.text("--handlers"))
        call.queues = try names(arguments.text("--queues"))
        call.slots = Int(try arguments.number("--slots", in: 1...1024) ?? 8)
        call.endsWhenEmpty = arguments.has("--until-empty")
        call.allowsCrash = arguments.has("--allow-crash")
        if let text = arguments.text("--probe") {
            guard let probe = ProbeAddress(text) else {
                throw .badValue("--probe", text, allowed: "HOST:PORT such as example.org:443")
            }
            call.probe = probe
        }
        call.metrics = try address(arguments, "--metrics")
        return call
    }

    /// The queues of `--queues`; nil for all.
    static func names(_ text: String?) throws(QueueError) -> [String]? {
        guard let text else { return nil }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for name in names { try Names.check(name, of: "queue") }
        return names
    }
}

import SluiceControl
import SluiceModel
import SluiceSystem

/// The verbs that only read.
extension CommandLineParser {
    static func look(
        _ id: Action.ID, _ arguments: Arguments
    ) throws(QueueError) -> Invocation? {
        switch id {
        case .list: return .query(.list(try list(arguments)))
        case .detail: return .query(.show(try task(arguments)))
        case .why: return .query(.why(try task(arguments)))
        case .forecast:
            let limit = try arguments.count("-n") ?? 10
            return .query(.forecast(queue: try arguments.oneQueue(), limit: limit))
        case .results:
            let session = try arguments.one("SESSION")
            try Names.check(session, of: "session")
            return .query(.results(session: session))
        case .failures: return .query(try failures(arguments))
        case .groups: return .query(.groups(queue: try arguments.oneQueue()))
        case .log: return try log(arguments)
        case .logs: return try logs(arguments)
        case .diff:
            try arguments.refuseMore(than: 2)
            let names = arguments.values
            return .query(.difference(from: names.first, to: names.dropFirst().first))
        case .flow:
            try arguments.refuseMore(than: 0)
            let period: FlowPeriod? = try arguments.choice("--last")
            let isASCII = arguments.has("--ascii")
            return .query(.flow(FlowCall(isHour: period == .hour, isASCII: isASCII)))
        case .queues: return .query(try queues(arguments))
        case .timeline: return .query(.timeline(try timeline(arguments)))
        case .network:
            guard arguments.values.isEmpty, !arguments.has("--queue") else { return nil }
            return .query(.network)
        case .clock: return arguments.values.isEmpty ? .query(.clock) : nil
        case .metrics:
            try arguments.refuseMore(than: 0)
            return try address(arguments, "--listen").map { .exportMetrics($0) } ?? .query(.metrics)
        case .watch:
            try arguments.refuseMore(than: 0)
            return try watch(arguments)
        default: break
        }
        guard let found = simple(id) else { return nil }
        try arguments.refuseMore(than: 0)
        return found
    }

    private static func failures(_ arguments: Arguments) throws(QueueError) -> CommandQuery {
        let explained = arguments.text("--explain")
        let isRetrying = arguments.has("--retrying")
        if isRetrying, explained != nil {
            throw .usage("--explain and --retrying exclude each other", of: arguments.command)
        }
        return .failures(
            queue: try arguments.atMostOne(), isRetrying: isRetrying, explained: explained)
    }

    /// The verbs that take no words.
    private static func simple(_ id: Action.ID) -> Invocation? {
        switch id {
        case .timers: .query(.timers)
        case .listBreaks: .query(.breakpoints)
        case .listFaults: .query(.faults)
        case .listCheckpoints: .query(.checkpoints)
        case .listSchedules: .query(.schedules)
        case .runners: .query(.runners)
        case .stats: .query(.stats)
        default: nil
        }
    }

    /// The address of an option that serves metrics; nil without the option.
    static func address(
        _ arguments: Arguments, _ option: String
    ) throws(QueueError) -> HostPort? {
        guard let text = arguments.text(option) else { return nil }
        guard let address = HostPort(text) else {
            throw .badValue(option, text, allowed: "HOST:PORT such as 127.0.0.1:9464")
        }
        return address
    }

    private static func task(_ arguments: Arguments) throws(QueueError) -> TaskReference {
        try arguments.task(try arguments.one("TASK"), of: "TASK")
    }

    private static func log(_ arguments: Arguments) throws(QueueError) -> Invocation {
        var call = LogCall(
            limit: try arguments.count("-n", atLeast: 0), isClose: arguments.has("--detail"),
            isScript: arguments.has("--script"))
        call.filter.queue = arguments.text("--queue")
        for value in arguments.values {
            if (try? TaskReference(value)) == nil, !looksLikeTask(value) {
                // A word that can be no task is a queue.
                guard call.filter.queue == nil else {
                    throw .usage("\"\(value)\" is a second queue", of: arguments.command)
                }
                call.filter.queue = value
            } else {
                call.tasks.append(try arguments.task(value, of: "TASK"))
            }
        }
        if let queue = call.filter.queue { try Names.check(queue, of: "queue") }
        call.filter.person = try arguments.name("--by", of: "person")
        call.since = try arguments.past("--since")
        if let file = arguments.text("--app") {
            for option in ["--follow", "--script", "--detail", "--by", "--since", "-n", "--queue"]
            where arguments.has(option) {
                throw .usage("--app has no \(option)", of: arguments.command)
            }
            guard call.filter.queue == nil else {
                throw .usage("--app takes TASKs alone", of: arguments.command)
            }
            return .query(.appLog(ByteSource(file: file), call.tasks))
        }
        guard arguments.has("--follow") else { return .query(.log(call)) }
        guard !call.isScript else {
            throw .usage("--script has an end, without --follow", of: arguments.command)
        }
        return .follow(.log(call))
    }

    /// Whether a word looks like a task, even if invalid.
    static func looksLikeTask(_ word: String) -> Bool {
        word.first.map { $0 == "#" || $0.isASCII && $0.isNumber } ?? true
    }

    static func expect(_ arguments: Arguments) throws(QueueError) -> ExpectCall {
        let call = ExpectCall(
            request: try ExpectRequest(arguments), name: arguments.text("--name"),
            junit: arguments.text("--junit"))
        guard call.name == nil || call.junit != nil else {
            throw .usage("--name is for the file of --junit", of: arguments.command)
        }
        guard call.junit != "" else {
            throw .badValue("--junit", "", allowed: "a path such as ./results.xml")
        }
        return call
    }

    private static func list(_ arguments: Arguments) throws(QueueError) -> ListCall {
        var call = ListCall()
        call.queue = try arguments.atMostOne()
        if let queue = call.queue { try Names.check(queue, of: "queue") }
        call.filter = try arguments.filter()
        call.state = try arguments.choice("--state")
        call.limit = try arguments.count("--limit") ?? call.limit
        call.after = try arguments.task("--after")
        let option = arguments.has("--json") ? "--fields" : "--columns"
        let other = arguments.has("--json") ? "--columns" : "--fields"
        guard arguments.text(other) == nil else {
            let place = arguments.has("--json") ? "is for people" : "is for --json"
            throw .usage("\(other) \(place); use \(option)", of: arguments.command)
        }
        if let text = arguments.text(option) {
            call.fields = try ListField.list(text, of: option)
        }
        return call
    }
}

/// The values of `flow --last`.
private enum FlowPeriod: String, CaseIterable {
    case minutes = "2m"
    case hour = "1h"
}

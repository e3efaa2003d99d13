import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import SluiceTapes

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

    static func run(_ arguments: Arguments) throws(QueueError) -> RunCall {
        var call = RunCall(queue: try arguments.oneQueue())
        // It returns at a breakpoint in any case.
        if let text = arguments.text("--until"), text != "breakpoint" {
            call.until = try until(text, arguments)
        }
        call.handlers = arguments.text("--handlers")
        return call
    }

    private static func until(
        _ text: String, _ arguments: Arguments
    ) throws(QueueError) -> RunCall.Until {
        let parts = text.split(separator: " ")
        if parts.count == 2 {
            let value = String(parts[1])
            if parts[0] == "task", let task = try? TaskReference(value) { return .task(task) }
            if parts[0] == "count", let count = Int32(value), count > 0 {
                return .count(Int(count))
            }
            if parts[0] == "time", let moment = Moment(value) {
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

/// `enqueue`: a queue, a type and a payload, or the lines of a file.
extension CommandLineParser {
    static func enqueue(_ arguments: Arguments) throws(QueueError) -> EnqueueCall {
        guard let queue = arguments.values.first else {
            throw .usage("QUEUE is missing", of: arguments.command)
        }
        try Names.check(queue, of: "queue")
        if let file = arguments.text("--jsonl") {
            try refuseBesides("--jsonl", arguments)
            return EnqueueCall(
                queue: queue, source: .lines(ByteSource(file: file)),
                takesAnyQueue: arguments.has("--any-queue"))
        }
        guard !arguments.has("--any-queue") else {
            throw .usage("--any-queue is for the lines of --jsonl", of: arguments.command)
        }
        try arguments.refuseMore(than: 3)
        guard arguments.values.count > 1 else {
            throw .usage("TYPE is missing", of: arguments.command)
        }
        let request = try request(type: arguments.values[1], arguments)
        return EnqueueCall(
            queue: queue, source: .one(request, payload: try payload(arguments, at: 2)),
            notBefore: try arguments.moment("--not-before"),
            expires: try arguments.moment("--expires"))
    }

    /// With `--jsonl` each line says all that there is to say about its task.
    private static func refuseBesides(_ name: String, _ arguments: Arguments) throws(QueueError) {
        let others = arguments.command.options.map(\.name).filter {
            $0 != name && $0 != "--any-queue" && arguments.has($0)
        }
        if let other = others.first {
            throw .usage("\(other) goes into the lines of \(name)", of: arguments.command)
        }
        guard arguments.values.count == 1 else {
            throw .usage("with \(name) the lines name the types", of: arguments.command)
        }
    }

    /// The payload among the words or in a file.
    static func payload(
        _ arguments: Arguments, at place: Int
    ) throws(QueueError) -> ByteSource? {
        let given = arguments.bytes(at: place)
        let file = arguments.text("--payload-file")
        guard given == nil || file == nil else {
            throw .usage("either PAYLOAD or --payload-file, not both", of: arguments.command)
        }
        return file.map(ByteSource.init(file:)) ?? given.map(ByteSource.bytes)
    }

    /// The headers of words such as `baggage=shop=7`.
    private static func headers(_ words: [String]) throws(QueueError) -> [String: String] {
        var headers: [String: String] = [:]
        for word in words {
            guard let equals = word.firstIndex(of: "=") else {
                throw QueueError(
                    .badValue, "--header: \"\(word)\" has no value",
                    fix: "write a name and a value: --header NAME=VALUE")
            }
            let name = String(word[..<equals])
            guard headers[name] == nil else {
                throw QueueError(
                    .badValue, "--header: \(name) is there twice", fix: "keep one of them")
            }
            headers[name] = String(word[word.index(after: equals)...])
        }
        try TaskHeaders.check(headers)
        return headers
    }

    private static func request(
        type: String, _ arguments: Arguments
    ) throws(QueueError) -> EnqueueRequest {
        try Names.check(type, of: "type")
        var request = EnqueueRequest(type: type)
        if let text = arguments.text("--priority") {
            switch try Arguments.priority(text, of: "--priority") {
            case .number(let number): request.priority = number
            case .name(let name): request.priorityName = name
            }
        }
        request.sortKey = arguments.text("--sort-key").map(Arguments.sortKey)
        request.groupStart = try arguments.name("--group-start", of: "group")
        request.groupMembers = arguments.all("--group")
        for group in request.groupMembers { try Names.check(group, of: "group") }
        request.attemptLimit = try arguments.count("--attempts")
        request.requires = try Arguments.requirements(arguments.all("--requires"), of: "--requires")
        request.isRequired = arguments.has("--required")
        if let text = arguments.text("--unique") {
            (request.uniqueKey, request.uniquePolicy) = UniquePolicy.split(text)
            try Names.check(request.uniqueKey ?? "", of: "unique key")
        }
        if let text = arguments.text("--for") {
            guard request.uniqueKey != nil else {
                throw .usage("--for needs --unique", of: arguments.command)
            }
            guard let time = UniqueTime(text: text) else {
                throw QueueError(
                    .badValue, "--for: \"\(text)\" is not allowed",
                    fix: "allowed: waiting, end, or a duration such as 10m")
            }
            request.uniqueTime = time
        }
        request.label = arguments.text("--label")
        request.headers = try headers(arguments.all("--header"))
        request.session = try arguments.name("--session", of: "session")
        request.clientString = arguments.bytes("--client-string").map { ClientString(bytes: $0) }
        return request
    }
}

/// `record` and `replay` (G6).
extension CommandLineParser {
    static func replay(_ arguments: Arguments) throws(QueueError) -> ReplayCall {
        var call = ReplayCall(path: try arguments.one("FILE"))
        call.event = try arguments.count("--at", atLeast: 0)
        call.target = arguments.text("--into")
        for text in arguments.all("--set") { call.settings.append(try setting(text)) }
        if call.target != nil, call.event == nil {
            throw .usage("--into needs the event, --at N", of: arguments.command)
        }
        if call.target != nil, !call.settings.isEmpty {
            throw .usage("--into makes a store of the past, without --set", of: arguments.command)
        }
        return call
    }

    private static func setting(_ text: String) throws(QueueError) -> ReplayCall.Setting {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        // A queue's name may have dots, a setting has none.
        guard parts.count == 2, let dot = parts[0].lastIndex(of: "."), dot > parts[0].startIndex
        else { throw .badValue("--set", text, allowed: "QUEUE.SETTING=VALUE") }
        let name = String(parts[0][parts[0].index(after: dot)...])
        let known = QueueSetting.allCases
        guard let setting = known.first(where: { $0.option == "--\(name)" }) else {
            let names = known.map { String($0.option.dropFirst(2)) }
            let near = Spelling.nearest(to: name, among: names)
            throw QueueError(
                .badValue, "--set: a queue has no setting \"\(name)\"",
                fix: near.map { "did you mean \"\($0)\"?" }
                    ?? "sluice help queue set lists them")
        }
        guard let change = try? setting.change(String(parts[1])) else {
            throw .badValue("--set", text, allowed: "\(parts[0])=VALUE: \(setting.allowed)")
        }
        return ReplayCall.Setting(
            queue: Names.composed(String(parts[0][..<dot])), change: change)
    }

    static func record(_ arguments: Arguments) throws(QueueError) -> RecordCall {
        var request = TapeRecorder.Request(path: try arguments.one("FILE"))
        guard request.path != "" else {
            throw .badValue("FILE", "", allowed: "a path such as ./incident.tape")
        }
        let queues = arguments.all("--queue")
        for name in queues { try Names.check(name, of: "queue") }
        if !queues.isEmpty { request.queues = queues }
        for text in arguments.all("--redact") {
            let bare = text.hasPrefix("payload.") ? String(text.dropFirst(8)) : text
            guard let path = SummaryPaths(text: bare)?.paths.first, bare != "none",
                !bare.contains(",")
            else {
                throw .badValue(
                    "--redact", text, allowed: "a place such as payload.user.email")
            }
            request.redactions.append(path)
            request.redactedNames.append("payload.\(bare)")
        }
        request.endsOlder = arguments.has("--yes")
        let duration = try arguments.milliseconds("--for")
        if let duration, duration <= 0 {
            throw .badValue("--for", arguments.text("--for") ?? "", allowed: "30s, 10m or 2h")
        }
        return RecordCall(request: request, forMilliseconds: duration)
    }
}

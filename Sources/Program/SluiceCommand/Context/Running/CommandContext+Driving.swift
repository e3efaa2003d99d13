import SluiceControl
import SluiceHandlers
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem

/// `step`: runs exactly the requested tasks, even if the queue is paused (D3).
extension CommandContext {
    func step(_ call: StepCall) throws -> Reply {
        let (request, queue) = try request(call.target)
        let handlers = try handlers(call.handlers)
        if handlers != nil { try tellSettingsBesideSDK(of: queue) }
        try reapTheDead()
        let (answer, isInterrupted) = try driving(handlers: handlers, queue: queue) {
            try control().stepBlocking(request, issuer: $0, host: $1)
        }
        var reply = StepText.reply(answer, names: try names(in: answer))
        reply.exit = isInterrupted ? .interrupted : StepText.exit(answer, isChecked: call.isChecked)
        return reply
    }

    private func request(
        _ target: StepCall.Target
    ) throws -> (request: StepRequest, queue: String) {
        switch target {
        case .queue(let name, let count):
            _ = try read { try $0.store.requireQueue(name) }
            return (.queue(name, count: count), name)
        case .task(let reference):
            let task = try read { reading in
                try reading.store.requireTask(try reading.store.resolve(reference))
            }
            return (.task(TaskTarget(task.id)), task.queue)
        }
    }

    /// Removes dead runners, so that their tasks wait again (A2).
    func reapTheDead() throws {
        try Reaper.reapTheDead(in: try store(), now: host.now(), chance: host.chance())
    }

    /// Attaches this process and, with a handlers file, a runner that takes only permits; `body`
    /// receives both. Detaches them afterwards. Returns whether a signal arrived.
    func driving<Value>(
        handlers: HandlerTable?, queue: String, slots: Int = 1,
        _ body: (_ issuer: Attachment, _ host: ProcessID?) throws -> Value
    ) throws -> (value: Value, isInterrupted: Bool) {
        let store = try store()
        var options = RunnerOptions()
        options.slots = slots
        options.takesOnlyPermits = true
        options.queues = [queue]
        let runner = try handlers.map { try startRunner($0, options) { _ in } }
        let signals = try runner.map { try SignalWatch(stopping: $0, gracefulSignals: 0) }
        defer {
            runner?.stop(isUrgent: true)
            runner?.wait()
        }
        let issuer = try Attachment(to: store, role: .command, now: host.now())
        let result = Result { try body(issuer, runner?.id) }
        try issuer.detach(now: host.now())
        let isInterrupted = signals?.hasStopped ?? false
        signals?.end()
        return (try result.get(), isInterrupted)
    }

    /// Starts a runner with the handlers of a file.
    func startRunner(
        _ file: String, _ options: RunnerOptions, onEvent: @escaping @Sendable (RunnerEvent) -> Void
    ) throws -> Runner {
        try startRunner(try readHandlers(file), options, onEvent: onEvent)
    }

    /// Starts a runner with handlers, which measures its network.
    func startRunner(
        _ handlers: HandlerTable, _ options: RunnerOptions,
        network: any NetworkSource = SystemNetwork(),
        onEvent: @escaping @Sendable (RunnerEvent) -> Void
    ) throws -> Runner {
        do throws(SystemError) {
            try OrphanReaper.beginAsFirstProcess()
        } catch {
            throw QueueError(.denied, error.sentence, fix: "look at ulimit -a")
        }
        var options = options
        let cut = options.fit(handlers)
        if let cut { onEvent(.troubled(cut)) }
        let runner = try Runner(
            store: try store(), types: handlers.types, brokers: handlers.brokers,
            handlers: handlers.handler, options: options, network: network, now: host.now,
            onEvent: onEvent)
        try runner.start()
        return runner
    }
}

extension RunnerOptions {
    /// The descriptors of the program itself, with a reserve for temporary ones.
    private static let ownDescriptors = 64

    /// Raises the limit of open files, and reduces the slots to fit it. Returns a warning if it
    /// reduced them.
    fileprivate mutating func fit(_ handlers: HandlerTable) -> QueueError? {
        DescriptorLimit.raise()
        guard handlers.descriptors > 0 else { return nil }
        let limit = DescriptorLimit.current
        let fitting = max(1, (limit - Self.ownDescriptors) / handlers.descriptors)
        guard fitting < slots else { return nil }
        let needed = slots * handlers.descriptors + Self.ownDescriptors
        defer { slots = fitting }
        return QueueError(
            .badValue,
            "\(slots) slots need \(needed) open files, and this process may have \(limit): "
                + "it takes \(fitting) slots",
            fix: "raise the hard limit (ulimit -Hn, LimitNOFILE= of a service), or lower --slots")
    }
}

/// `run`: attempts each task of a queue at most once (D4).
extension CommandContext {
    func run(_ call: RunCall) throws -> Reply {
        let limit = try limit(call.until)
        let name = call.queue
        let handlers = try handlers(call.handlers)
        if handlers != nil { try tellSettingsBesideSDK(of: name) }
        try reapTheDead()
        let isServed = try read { try $0.isServed(name) }
        guard isServed || handlers != nil else {
            throw QueueError(
                .noHandler, "no worker is attached that serves \(name)",
                fix: "add --handlers FILE, or start sluice work --handlers FILE")
        }
        let control = try control()
        let run = try control.openRunBlocking(name, limit: limit)
        if isServed || run.number == nil {
            return try reply(try control.endBlocking(of: run), run)
        }
        let lanes = try lanes(of: name, limit)
        let (answer, isInterrupted) = try driving(
            handlers: handlers, queue: name, slots: lanes
        ) { issuer, host in
            try ParallelSteps(run, control, issuer: issuer, host: host).drive(lanes)
        }
        var reply = try reply(answer, run)
        if answer.refusal != nil { reply.exit = .partlyDone }
        if isInterrupted { reply.exit = .interrupted }
        return reply
    }

    private func limit(_ until: RunCall.Until?) throws -> RunLimit? {
        switch until {
        case nil: nil
        case .count(let count): .count(count)
        case .time(let moment): .time(moment.time(at: try now()))
        case .task(let reference): .task(try read { try $0.store.resolve(reference) })
        case .match:
            throw QueueError.notLegal(
                "a run of this store stops at a breakpoint, not at a filter",
                fix: "sluice break FILTER, then sluice run QUEUE")
        }
    }

    /// The number of tasks that this process runs concurrently: the queue's concurrency, up to a
    /// worker's slots. A run until a task or a count uses one.
    private func lanes(of queue: String, _ limit: RunLimit?) throws -> Int {
        switch limit {
        case .task, .count: return 1
        default: break
        }
        let concurrency = try read { try $0.store.requireQueue(queue).settings.concurrency }
        return min(concurrency, RunnerOptions().slots)
    }

    private func reply(_ answer: StepAnswer, _ run: FollowedRun) throws -> Reply {
        var reply = StepText.reply(
            answer, names: try names(in: answer), width: host.columns())
        if answer.stepped.isEmpty { reply.lines = [SafeText.visible(run.summary)] + reply.lines }
        return reply
    }
}

extension Reading {
    /// Whether an attached runner serves a queue. Throws if the queue does not exist.
    fileprivate func isServed(_ name: String) throws -> Bool {
        _ = try store.requireQueue(name)
        return try processes().contains { $0.works(in: name) }
    }
}

/// The SDK's rules for a Customer.io folder. Options override them.
extension CommandContext {
    /// The only HTTP status that removes a task in the SDK.
    private static let finalStatuses: Set<Int> = [400]

    /// The handlers of a file; nil where none is named.
    func handlers(_ file: String?) throws -> HandlerTable? { try file.map { try readHandlers($0) } }

    /// The handlers of a file, read whole before anything changes. In a folder its `http` handlers
    /// have the SDK's rule.
    func readHandlers(_ file: String) throws -> HandlerTable {
        let isFolder = StorePlace(storeName).isFolder
        let defaults = HandlerDefaults(giveUpOn: isFolder ? Self.finalStatuses : nil)
        let handlers = try HandlersFile.read(
            file, environment: ProcessIdentity.environment(), defaults: defaults)
        if isFolder, !common.isQuiet, !common.isJSON {
            try tellSDKRules(Files.lastName(of: file), defaults)
        }
        return handlers
    }

    private func tellSDKRules(_ file: String, _ defaults: HandlerDefaults) throws {
        var lines = [
            "as in the SDK: only HTTP 400 removes a task; the app removes tasks older than 3 days "
                + "at its start, except starts of groups"
        ]
        for (type, statuses) in defaults.own where statuses != Self.finalStatuses {
            let words = statuses.sorted().map(String.init).joined(separator: ", ")
            let what = statuses.isEmpty ? "no status gives" : "HTTP \(words) gives"
            lines.append("\(file) differs: \(what) a task of \(type) up")
        }
        try host.remark(lines)
    }

    /// Writes how each queue of a folder differs from its SDK.
    func tellSettingsBesideSDK() throws {
        guard try store().namesTasks else { return }
        for name in try read({ try $0.store.queues().map(\.name) }) {
            try tellSettingsBesideSDK(of: name)
        }
    }

    /// Writes how a folder's queue differs from the SDK's thresholds and its rule of three days.
    func tellSettingsBesideSDK(of name: String) throws {
        guard !common.isQuiet, !common.isJSON, try store().namesTasks,
            let preset = QueueSettings.preset(named: "customer-io"),
            let queue = try read({ try $0.store.queue(named: name) })
        else { return }
        var others: [QueueSetting] = [.start, .batchCount, .batchDelay, .startsExpire]
        if queue.settings.expiresAfterMilliseconds != nil { others.append(.expires) }
        let words = others.compactMap { setting -> String? in
            let (own, sdk) = (queue.settings.change(for: setting), preset.change(for: setting))
            guard own != sdk else { return nil }
            return "\(setting.name) \(own?.text ?? "none"), in the SDK \(sdk?.text ?? "none")"
        }
        guard !words.isEmpty else { return }
        try host.remark("the settings of \(queue.name) differ: \(words.joined(separator: "; "))")
    }
}

/// `network` without a word: what a person forced, and what each runner measured (B6).
extension CommandContext {
    func network() throws -> Reply {
        let (forced, queues, lines) = try read { reading in
            let runners = try reading.processes().filter { $0.role == .runner }
            let lines = runners.map { NetworkLine(process: $0, now: reading.now) }
            let queues = try reading.store.queues(.all).compactMap { queue in
                queue.record.settings.forcedNetwork.map { (name: queue.record.name, isOn: $0) }
            }
            return (try reading.store.storeRecord().forcedNetwork, queues, lines)
        }
        let word = { (isOn: Bool) in isOn ? "on" : "off" }
        var own = JSONObject()
        for queue in queues { own[queue.name] = .string(word(queue.isOn)) }
        let json: JSONValue = [
            "forced": forced.map { .string(word($0)) } ?? .null,
            "queues": .object(own),
            "runners": .array(lines.map(\.json)),
        ]
        let words = queues.map { queue in
            let command = ShellWord.command("network measured --queue", queue.name)
            return "\(SafeText.visible(queue.name)): forced \(word(queue.isOn)); "
                + "sluice \(command) ends that"
        }
        return Reply(
            json,
            [Self.heading(forced, lines)] + words
                + NetworkLine.table(lines, width: host.columns()))
    }

    private static func heading(_ forced: Bool?, _ lines: [NetworkLine]) -> String {
        if let forced {
            return "the network is forced \(forced ? "on" : "off") for every worker; "
                + "sluice network measured ends that"
        }
        return lines.isEmpty
            ? "the network is not forced, and no worker is attached that measures it"
            : "the network is not forced: each worker uses its own measurement"
    }
}

/// The network state of one runner, as `network` shows it.
struct NetworkLine: Hashable, Sendable {
    let process: ProcessRecord
    /// The time of the read.
    let now: Timestamp

    private var cause: OfflineCause? { process.offlineCause(at: now) }

    /// Nil without a measurement and without a handler's report.
    private var isOnline: Bool? { cause != nil ? false : process.network == nil ? nil : true }

    /// An element of `runners`.
    var json: JSONValue {
        let until = cause == .handler ? process.offlineUntil : nil
        return [
            "id": .integer(process.id),
            "host": .string(process.host),
            "pid": .integer(process.pid),
            "measured": isOnline.map { .string($0 ? "on" : "off") } ?? .null,
            "cause": cause.map { .string($0.rawValue) } ?? .null,
            "until": JSONValue(until),
        ]
    }

    /// The runners as a table; no lines without runners.
    static func table(_ lines: [NetworkLine], width: Int?) -> [String] {
        TextTable<NetworkLine>([
            .numbers("WORKER") { "\($0.process.id)" },
            .words("HOST", limit: 40) { $0.process.host },
            .numbers("PID") { "\($0.process.pid)" },
            .words("MEASURED") { line in
                let online = line.isOnline == nil ? "not measured" : "on"
                return line.cause.map { "off: \($0.words)" } ?? online
            },
        ]).lines(lines, width)
    }
}

import SluiceControl
import SluiceHandlers
import SluiceModel
import SluicePlatform
import SluiceRunner
import SluiceStore

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

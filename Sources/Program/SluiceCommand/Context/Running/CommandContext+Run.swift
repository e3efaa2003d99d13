import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceStore

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
        case .time(let moment): .time(moment)
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

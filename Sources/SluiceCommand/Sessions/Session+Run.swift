import QueueControl
import QueueModel
import QueueStore

/// `run`: each task of a queue is attempted at most once (D4).
extension Session {
    func run(_ call: RunCall) throws -> Reply {
        let limit = try limit(call.until)
        let name = call.queue
        let handlers = try handlers(call.handlers)
        try buryTheDead()
        let isServed = try read { try $0.isServed(name) }
        guard isServed || handlers != nil else {
            throw QueueError(
                .noHandler, "no runner is attached that serves \(name)",
                fix: "add --handlers FILE, or start sluice work --handlers FILE")
        }
        let control = try control()
        let run = try control.openRunBlocking(name, limit: limit)
        if isServed || run.number == nil {
            return try reply(try control.endBlocking(of: run), run)
        }
        let (answer, isInterrupted) = try driving(handlers: handlers, queue: name) { issuer in
            try stepThrough(run, issuer)
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
        }
    }

    /// Steps through the run until it ends, nothing is eligible, or a task pauses the queue.
    private func stepThrough(_ run: FollowedRun, _ issuer: Attachment) throws -> StepAnswer {
        var whole = StepAnswer()
        let control = try control()
        while true {
            let answer: StepAnswer
            do {
                answer = try control.stepBlocking(.queue(run.queue, count: 1), issuer: issuer)
            } catch let error as QueueError where !whole.stepped.isEmpty {
                whole.refusal = error
                return whole
            }
            whole.stepped += answer.stepped
            whole.next = answer.next
            whole.blockers = answer.blockers
            let count = whole.stepped.count
            let (report, isStopped) = try read {
                (try run.report(in: $0, attempted: count), try run.isStopped(in: $0))
            }
            whole.run = report
            if !report.isOpen || answer.stepped.isEmpty || isStopped { return whole }
        }
    }

    private func reply(_ answer: StepAnswer, _ run: FollowedRun) throws -> Reply {
        var reply = StepText.reply(answer, names: try names(in: answer))
        if answer.stepped.isEmpty { reply.lines = [SafeText.visible(run.summary)] + reply.lines }
        return reply
    }
}

extension Reading {
    /// Whether an attached runner serves a queue; throws where there is none of that name.
    fileprivate func isServed(_ name: String) throws -> Bool {
        _ = try store.requireQueue(name)
        return try store.processes().contains { $0.works(in: name) }
    }
}

import Platform
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
        let before = try read { try RunStanding(name, reading: $0) }
        guard before.isServed || handlers != nil else {
            throw QueueError(
                .noHandler, "no runner is attached that serves \(name)",
                fix: "add --handlers FILE, or start sluice work --handlers FILE")
        }
        let opened = try control().performBlocking(.run(queue: name, limit: limit))
        guard try read({ try RunStanding(name, reading: $0).run }) != nil else {
            return try reply(StepAnswer(), opened.summary, isOpen: false)
        }
        if before.isServed {
            return try followRun(name, before)
        }
        let (answer, isInterrupted) = try driving(handlers: handlers, queue: name) { issuer in
            try stepThrough(name, before, issuer)
        }
        var reply = try reply(answer, opened.summary, isOpen: answer.run?.isOpen ?? false)
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
    private func stepThrough(
        _ name: String, _ before: RunStanding, _ issuer: Attachment
    ) throws -> StepAnswer {
        var whole = StepAnswer()
        let control = try control()
        while true {
            let answer: StepAnswer
            do {
                answer = try control.stepBlocking(.queue(name, count: 1), issuer: issuer)
            } catch let error as QueueError where !whole.stepped.isEmpty {
                whole.refusal = error
                return whole
            }
            whole.stepped += answer.stepped
            whole.next = answer.next
            whole.blockers = answer.blockers
            let standing = try read { try RunStanding(name, reading: $0) }
            whole.run = RunReport(
                isOpen: standing.run != nil, attempted: whole.stepped.count,
                left: standing.waiting)
            let isOver = standing.run == nil || answer.stepped.isEmpty
            if isOver || standing.isPaused(besides: before) { return whole }
        }
    }

    /// Watches a run that the attached runners make, which passes pauses, until it ends or a task
    /// pauses the queue.
    private func followRun(_ name: String, _ before: RunStanding) throws -> Reply {
        let wake = try EventSignal()
        let observation = try store().observe { wake.signal() }
        defer { withExtendedLifetime(observation) {} }
        var whole = StepAnswer()
        var number = before.run?.number
        while true {
            let standing = try read { try RunStanding(name, reading: $0) }
            number = number ?? standing.run?.number
            let isOver = standing.run == nil || standing.run?.number != number
            if isOver || standing.isPaused(besides: before) {
                whole.stepped = try stepped(in: name, after: before.lastEvent)
                whole.run = RunReport(
                    isOpen: !isOver, attempted: whole.stepped.count, left: standing.waiting)
                return try reply(whole, "", isOpen: !isOver)
            }
            _ = try Poll.wait(
                fds: [PollInterest(wake.descriptor.number)], timeoutMilliseconds: nil)
            wake.drain()
        }
    }

    /// The executions that ended in a queue after an event.
    private func stepped(in name: String, after sequence: Int64) throws -> [Stepped] {
        var query = JournalQuery(limit: 100_000)
        query.queue = name
        query.after = sequence
        let asked = query
        return try read { try $0.store.journal(asked) }.compactMap { entry in
            if case .attempt(let attempt) = entry { Stepped(attempt) } else { nil }
        }
    }

    private func reply(_ answer: StepAnswer, _ summary: String, isOpen: Bool) throws -> Reply {
        var answer = answer
        answer.run = answer.run ?? RunReport(isOpen: isOpen, attempted: 0, left: 0)
        var reply = StepText.reply(answer, names: try names(in: answer))
        if answer.stepped.isEmpty { reply.lines = [SafeText.visible(summary)] + reply.lines }
        return reply
    }
}

/// How a queue stands for `run` at one moment.
private struct RunStanding: Hashable, Sendable {
    /// The run that is open.
    let run: Run?
    /// How many tasks wait.
    let waiting: Int
    /// The pauses that stop work.
    let pauses: [Pause]
    /// Whether an attached runner serves the queue.
    let isServed: Bool
    /// The number of the newest event.
    let lastEvent: Int64

    init(_ name: String, reading: Reading) throws {
        let queue = try reading.store.requireQueue(name)
        run = queue.run
        waiting = try reading.store.counts(queue: name)[.waiting]
        pauses = (queue.pauses + (try reading.store.storeRecord().pauses)).filter {
            $0.direction.stopsWork && $0.isActive(at: reading.now)
        }
        isServed = try reading.store.processes().contains {
            $0.role == .runner && !$0.isStopping && !$0.takesOnlyPermits
                && ($0.queues?.contains(name) ?? true)
        }
        lastEvent = try reading.store.journal(JournalQuery(limit: 1)).last?.sequence ?? 0
    }

    /// Whether attached runners make a run by themselves once it is open.
    var worksAlone: Bool { isServed }

    /// Whether work is paused for a cause that did not hold before.
    func isPaused(besides before: RunStanding) -> Bool {
        pauses.contains { pause in !before.pauses.contains { $0.cause == pause.cause } }
    }
}

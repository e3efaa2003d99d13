import SluiceModel
import SluiceStore

/// An issued permit and the execution that its issuer waits for.
struct IssuedPermit: Sendable {
    var permit: Permit
    var task: QueueTask
    /// The number that its execution will have.
    var attempt: Int
    /// The number of executions of its run, including this one, in a batched or manual queue.
    var runAttempted: Int?

    /// How far the execution has come.
    enum Standing: Sendable {
        case untaken, running, gone
        case ended(AttemptRecord)
    }

    func standing(in store: any StoreReader) throws -> Standing {
        if let record = try store.attempts(of: task.id).last(where: { $0.number >= attempt }) {
            return record.outcome == nil ? .running : .ended(record)
        }
        return try store.permits().contains { $0.id == permit.id } ? .untaken : .gone
    }

    var lostError: QueueError {
        .changed(task.id, "it changed, or its worker went, before it was stepped")
    }

    var untakenError: QueueError {
        QueueError(
            .noHandler, "no worker took #\(task.id) within 10 s",
            fix: "sluice workers shows who is there")
    }
}

/// Chooses what a step executes and who, in the commit that issues the permit (D3, N1).
final class PermitContext {
    let mutation: Mutation
    let issuer: ProcessID
    private let person: String
    /// Whether breakpoints before tasks apply, as in a run in single steps.
    private let isRun: Bool
    /// The only runner that may execute it; nil for any.
    private let host: ProcessID?
    private var store: any StoreWriter { mutation.store }
    private var now: Timestamp { mutation.now }
    private var real: Timestamp { mutation.real }

    init(
        _ mutation: Mutation, issuer: ProcessID, person: String, isRun: Bool = false,
        host: ProcessID? = nil
    ) {
        self.mutation = mutation
        self.issuer = issuer
        self.person = person
        self.isRun = isRun
        self.host = host
    }

    /// The permit, or nil without an eligible task.
    func issue(_ request: StepRequest) throws -> IssuedPermit? {
        let all = try store.processes().filter { $0.role == .runner && !$0.isStopping }
        let runners = all.filter { $0.id == host ?? $0.id }
        switch request {
        case .queue(let name, _):
            let queue = try mutation.queue(name)
            try refuseWhileWorking(queue, all)
            // A hit stops all concurrent steps of a run.
            if isRun, queue.hits(at: real).contains(where: { !$0.isPassed }) { return nil }
            guard
                let task = try store.stoppedTask(of: queue, now: now, real: real)
                    ?? next(in: queue, runners),
                try !isRun || !mutation.stops(before: task)
            else { return nil }
            return try permit(task, in: queue, runners)
        case .task(let target):
            let task = try store.requireTask(target.id)
            if let version = target.version, version != task.version {
                throw QueueError.changed(task.id, "it is now \(task.state.name.rawValue)")
            }
            guard task.waiting != nil else {
                throw task.refusal("stepped")
            }
            let queue = try mutation.queue(task.queue)
            try refuseWhileWorking(queue, all)
            try refuseBlocked(task)
            return try permit(task.awake(at: now), in: queue, runners)
        }
    }

    private func refuseWhileWorking(_ queue: QueueRecord, _ runners: [ProcessRecord]) throws {
        try queue.refuseElsewhere()
        guard runners.contains(where: { $0.works(in: queue.name) }), queue.goesOnByItself,
            try !isStopped(queue)
        else { return }
        throw QueueError.notLegal(
            "\(queue.name) starts tasks automatically",
            fix: "pause it first: sluice \(ShellWord.command("pause", queue.name))"
        )
    }

    private func isStopped(_ queue: QueueRecord) throws -> Bool {
        queue.isStopped(
            at: now, real: real, storePauses: try store.storeRecord().pauses)
    }

    private func next(in queue: QueueRecord, _ runners: [ProcessRecord]) throws -> QueueTask? {
        // Treat tasks with a permit as taken.
        let named = Set(try store.permits().filter { $0.queue == queue.name }.map(\.task))
        let taken = try store.slotsTaken(in: queue.name) + named.count
        guard taken < queue.settings.concurrency else { return nil }
        return try store.eligible(queue, for: runners, now: now, limit: named.count + 1)
            .first { !named.contains($0.id) }
    }

    /// `step TASK` passes the pause, the run, the order and the mark; everything else still holds.
    private func refuseBlocked(_ task: QueueTask) throws {
        guard let first = try store.lasting(task, now: now, real: real).first else { return }
        let code: QueueError.Code = first.kind == .noRunner ? .noHandler : .notLegal
        throw QueueError(
            code, "task #\(task.id) cannot be stepped: \(first.text)",
            fix: first.fix.map { "sluice \(TaskNames().command($0))" } ?? "")
    }

    private func permit(
        _ task: QueueTask, in queue: QueueRecord, _ runners: [ProcessRecord]
    ) throws -> IssuedPermit {
        let forced = queue.forcedNetwork(else: try store.storeRecord().forcedNetwork)
        let able = runners.filter {
            $0.handles(type: task.type, queue: queue.name)
                && $0.meets(task.requires, forced: forced, at: now)
        }
        // The issuer's own handlers come last: a worker that is there is the real one.
        guard let runner = able.first(where: { !$0.takesOnlyPermits }) ?? able.first else {
            guard host == nil else {
                throw QueueError(
                    .noHandler, "the handlers given here have none for \"\(task.type)\"",
                    fix: "add it to the file; without --handlers an attached worker executes it")
            }
            throw QueueError(
                .noHandler, "no attached worker handles \"\(task.type)\"",
                fix: "start sluice work --handlers FILE, or add --handlers FILE here")
        }
        try openRun(queue)
        let permit = Permit(
            id: try store.reserveNumber(), task: task.id, version: task.version,
            queue: queue.name, issuer: issuer, runner: runner.id)
        try store.put(permit)
        try record(task)
        return IssuedPermit(
            permit: permit, task: task, attempt: task.executions + 1,
            runAttempted: try mutation.queue(queue.name).run.map { $0.attempted + 1 })
    }

    /// The attempt has the outcome, this line the person. A run has its own line.
    private func record(_ task: QueueTask) throws {
        guard !isRun else { return }
        _ = try store.append([
            JournalEvent(
                at: real, kind: JournalEvent.step, queue: task.queue, task: task.id, by: person,
                text: "#\(task.id) stepped by \(person)",
                script: VerbScript(at: now).step(task.id))
        ])
    }

    /// Opens the run of a batched or manual queue at the first step. If nothing else stops the
    /// runners, a limit leaves the run to steps alone.
    private func openRun(_ queue: QueueRecord) throws {
        switch queue.settings.start {
        case .continuous: return
        case .manual: try mutation.openRun(queue.name, limit: nil, because: "a step opened it")
        case .batched:
            let limit = try isStopped(queue) ? nil : RunLimit.stepsOnly
            try mutation.openRun(queue.name, limit: limit, because: "a step opened it")
        }
    }
}

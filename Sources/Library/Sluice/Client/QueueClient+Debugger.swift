internal import SluiceReports
internal import SluiceSystem
internal import SluiceTapes

/// Debugger information for an app's tests. The client performs debugger verbs like any other verb.
extension QueueClient {
    /// The names of the checkpoints, the oldest first (G5).
    public func checkpoints() async throws -> [String] {
        try await store.read { try $0.storeRecord().checkpoints.all.map(\.name) }
    }

    /// The differences between two checkpoints, or between one and now, as lines of `sluice diff`
    /// (G5). Lists added (`+`), removed (`-`) and changed (`~`) tasks and queues, each with its
    /// fields, then the executions that ended in between. By default it compares the newest
    /// checkpoint with now.
    ///
    /// Throws `notLegal` without a checkpoint and `badValue` for an unknown name.
    public func difference(from: String? = nil, to: String? = nil) async throws -> [String] {
        let now = control.now()
        return try await store.read { reader in
            let difference = try Reading(reader, now: now).difference(from: from, to: to)
            return difference.lines(TaskNames()).map(\.text)
        }
    }

    /// Stops a queue before it gives a matching task to a worker, as `sluice break FILTER` does
    /// (G1). The breakpoint lasts an hour, or `times` stops. A step passes it. Returns its number.
    ///
    /// Throws `badFilter` for a filter that a breakpoint cannot evaluate.
    @discardableResult
    public func breakBefore(_ filter: String, times: Int? = nil) async throws -> Int64 {
        try await setBreakpoint(filter, .before, times)
    }

    /// Stops a queue after the attempt of a matching task has ended, also in a step.
    @discardableResult
    public func breakAfter(_ filter: String, times: Int? = nil) async throws -> Int64 {
        try await setBreakpoint(filter, .after, times)
    }

    /// Stops a queue after the attempt of a matching task has failed; the filter may use its error.
    @discardableResult
    public func breakOnFailure(_ filter: String, times: Int? = nil) async throws -> Int64 {
        try await setBreakpoint(filter, .onFailure, times)
    }

    private func setBreakpoint(
        _ filter: String, _ moment: Breakpoint.Moment, _ times: Int?
    ) async throws -> Int64 {
        let request = BreakRequest(try TaskFilter(filter), moment, times: times)
        let answer = try await control.perform(.setBreakpoint(request))
        guard let made = answer.breakpoints.first else {
            preconditionFailure("a breakpoint that was set is in the answer")
        }
        return made.number
    }

    /// Removes a breakpoint and ends its stop.
    ///
    /// Throws `badValue` for an unknown number.
    public func removeBreakpoint(_ number: Int64) async throws {
        try await control.perform(.removeBreakpoints(.numbers([number])))
    }

    /// The breakpoints by number, as in `sluice break list` (G1), with the number of matches, the
    /// person and the expiry. `nil` means it lasts until its removal.
    public func breakpoints() async throws -> [(
        number: Int64, filter: String, hits: Int, by: String, until: Timestamp?
    )] {
        try await look { reading in
            try reading.breakpoints().map {
                ($0.number, $0.filter.description, $0.hits, $0.by, $0.until)
            }
        }
    }

    /// The faults by number, as in `sluice fault list` (G2), with the number of injections, the
    /// person and the expiry. `nil` means it lasts until its last injection or its removal.
    public func faults() async throws -> [(
        number: Int64, filter: String, kind: Fault.Kind, applied: Int, by: String,
        until: Timestamp?
    )] {
        try await look { reading in
            try reading.faults().map {
                ($0.number, $0.filter.description, $0.kind, $0.applied, $0.by, $0.until)
            }
        }
    }

    /// A bug report about some tasks as Markdown, as `sluice report` writes it (G7). It omits the
    /// values at the given paths, such as `payload.user.email`, everywhere in the text. It ends
    /// with the number of omissions per path.
    ///
    /// Throws `unknownTask` for a missing task and `badValue` for an invalid path.
    public func report(_ tasks: [TaskID], redacting paths: [String] = []) async throws -> String {
        let places = try ReportText.paths(paths)
        let setting = ReportText.Setting(of: store, at: control.now())
        return try await look {
            try ReportText(of: tasks, $0, setting, redacting: places).text
        }
    }

    /// Records some or all queues of the store into a new file while `body` runs, and returns its
    /// result (G6). The console opens the file like a store.
    ///
    /// Throws `notLegal` during another recording. Also throws errors of the file and of `body`.
    public func recording<Value: Sendable>(
        to path: String, queues: [String]? = nil, _ body: () async throws -> Value
    ) async throws -> Value {
        var request = TapeRecorder.Request(path: path)
        request.queues = queues
        let recorder = try TapeRecorder(
            store, request, person: control.person, now: control.now)
        let stop = try EventSignal()
        let thread = try OwnThread(name: "sluice record")
        let recording = Task(executorPreference: thread) {
            try recorder.run(stop: stop, until: nil)
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        stop.signal()
        let report = try await recording.value
        let value = try result.get()
        if let loss = report.loss {
            throw QueueError(
                .notLegal, "the recording into \(path) ended early: \(loss)",
                fix: "record again")
        }
        return value
    }

    /// Asks the rules again for each decision on a tape, and returns the different decisions (G6);
    /// empty without a difference.
    ///
    /// Throws `notAStore` or `damagedStore` for a file that is no tape, or no whole one.
    public static func replay(_ path: String) throws -> [String] {
        var replay = TapeReplay(try TapeFile(path))
        let report = try replay.run(stopsAtFirst: true)
        return report.first.map { first in
            [
                "event \(first.event), \(first.what)", "tape: \(first.tape.text)",
                "rules: \(first.rules.text)",
            ]
        } ?? []
    }
}

extension QueueClient {
    /// Executes the next `count` tasks of a paused queue on a started worker, one after the other,
    /// and returns after their end (D3). If no task is eligible, the answer names the blockers.
    ///
    /// Throws `notLegal` while the queue starts work automatically, and `noHandler` if no worker
    /// handles the task.
    @discardableResult
    public func step(_ queue: String, count: Int = 1) async throws -> StepAnswer {
        try await step(.queue(queue, count: count))
    }

    /// Executes this task of a paused queue, ahead of its order.
    @discardableResult
    public func step(_ task: TaskID) async throws -> StepAnswer {
        try await step(.task(TaskTarget(task)))
    }

    private func step(_ request: StepRequest) async throws -> StepAnswer {
        let control = control
        return try await offPool {
            let issuer = try Attachment(to: control.store, role: .command, now: control.now())
            let answer = Result { try control.stepBlocking(request, issuer: issuer) }
            try issuer.detach(now: control.now())
            return try answer.get()
        }
    }

    /// Undoes the newest step of a queue, or of any. Its task waits again as before, and its
    /// follow-ups go to the trash (G5). `Answer.restored` names the execution whose effects remain.
    /// `Answer.consequences` and `failed` name later changes by others, which also remain. `undo`
    /// reverts it.
    ///
    /// Throws `notLegal` without a recorded step, or while the queue runs a task. Throws `changed`
    /// if the task was executed again, deleted or moved since.
    @discardableResult
    public func stepBack(_ queue: String? = nil) async throws -> Answer {
        try await control.perform(.stepBack(queue: queue))
    }
}

/// Pauses that belong to the app's own life: as while its screens are away (D1, KKT-24).
extension QueueClient {
    /// Pauses a queue, or by default the store, until `resume` or until this program detaches or
    /// dies. It stops work for every runner. Pauses by people, handlers and other apps are
    /// independent. A second call only adds a missing reason.
    public func pause(_ queue: String? = nil, reason: String? = nil) async throws {
        let (process, person, now) = (try await process(), control.person, control.now())
        try await store.transact(at: now) { mutation in
            try mutation.pause(queue, for: process, by: person, reason: reason)
        }
    }

    /// Ends what this program paused by `pause`: of a queue, or without one of the whole store.
    /// Other pauses stay; a person's `resume` (`control`) ends all of them.
    public func resume(_ queue: String? = nil) async throws {
        guard let process = presence.withLock({ $0?.process.id }) else { return }
        let (person, now) = (control.person, control.now())
        try await store.transact(at: now) { mutation in
            try mutation.endPause(of: queue, for: process, by: person)
        }
    }

    /// Detaches from the store, which ends this program's pauses. The end of the program does the
    /// same.
    public func leave() async throws {
        let left = presence.withLock { presence in
            defer { presence = nil }
            return presence
        }
        guard let left else { return }
        let now = control.now()
        try await offPool { try left.detach(now: now) }
    }

    /// Closes this client: stops its workers, gives running tasks their grace, ends its pauses and
    /// closes its store. Later calls throw. Afterwards it throws the first error of a worker's end.
    public func close() async throws {
        let working = workers.withLock { workers in
            defer { workers = [] }
            return workers
        }
        let ends = await withTaskGroup(of: Result<Void, any Error>.self) { group in
            for worker in working {
                group.addTask {
                    do { return .success(try await worker.stop()) } catch { return .failure(error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let left: Result<Void, any Error>
        do { left = .success(try await leave()) } catch { left = .failure(error) }
        store.close()
        for end in ends + [left] { try end.get() }
    }

    /// This program's attachment, created at its first pause.
    private func process() async throws -> ProcessID {
        let (store, now, presence) = (store, control.now(), presence)
        return try await offPool {
            try presence.withLock { presence throws -> ProcessID in
                if let presence { return presence.process.id }
                let attachment = try Attachment(to: store, role: .program, now: now)
                presence = attachment
                return attachment.process.id
            }
        }
    }
}

extension QueueClient {
    /// The store's clock, which waiting tasks use, and its next moment in one queue or in all (G3).
    public func clock(queue: String? = nil) async throws -> ClockFacts {
        let now = control.now()
        return try await store.read { try Reading($0, now: now).clock(queue: queue) }
    }

    /// Sets the clock for every worker of the store on every machine, and returns its new state
    /// (G3). A test freezes it and moves it with `.next(queue: nil)` from one retry to the next: a
    /// week of retries takes milliseconds. While the clock is frozen, `drain` returns when all
    /// remaining tasks wait for a time.
    ///
    /// Throws `badValue` for a time that the clock cannot show. Throws `notLegal` if no task waits
    /// for a time that `.next` could move to.
    @discardableResult
    public func setClock(_ change: ClockRequest.Change) async throws -> ClockFacts {
        let answer = try await control.perform(.setClock(ClockRequest(change)))
        if let facts = answer.clock { return facts }
        return try await clock()
    }
}

extension QueueClient {
    /// Checks an expectation (G7): now, within a time, or with `throughout` during all that time.
    /// `Expectation` describes the syntax; `since` limits the attempts that `ran()` counts. Wakes
    /// on commits without polling. A cancelled task receives the result so far.
    ///
    /// An answer that did not hold explains why, as a message for a test:
    /// `#expect(answer.held, "\(answer)")`. Throws `badValue` or `badFilter` for an invalid text,
    /// and `unknownQueue` for a queue that does not exist in time.
    public func expect(
        _ text: String, within time: Duration? = nil, throughout: Bool = false,
        since: Timestamp? = nil
    ) async throws -> ExpectAnswer {
        var request = ExpectRequest(try Expectation(text))
        request.withinMilliseconds = time.map { time in
            let (seconds, fraction) = time.components
            return seconds * 1000 + fraction / 1_000_000_000_000_000
        }
        guard !throughout || time != nil else {
            throw QueueError(
                .badValue, "throughout has no time", fix: "say within: how long it must hold")
        }
        request.isThroughout = throughout
        request.since = since.map { .moment(.at($0)) }
        return try await control.expect(request)
    }
}

/// The ends of a type's tasks, apart from its handlers (A5).
struct TaskEndings: Sendable {
    var restart: (@Sendable (Execution) -> Bool)?
    var deletion: (@Sendable (Execution, HandlerOutcome) -> Void)?
}

extension QueueClient {
    /// Decides whether a task of a type without attempts left begins again at 0 attempts (A5). The
    /// last registration holds, for every handler of the type. A payload that cannot be decoded is
    /// given up.
    public func shouldRestart<Payload: TaskPayload>(
        _ type: Payload.Type, _ decide: @escaping @Sendable (Payload, Execution) -> Bool
    ) {
        endings.withLock { all in
            all[Payload.taskType, default: TaskEndings()].restart = { execution in
                guard let payload = try? PayloadCoding.decode(type, from: execution.payload) else {
                    return false
                }
                return decide(payload, execution)
            }
        }
    }

    /// Reports the last execution of a task of a type, after a success and after a give-up, before
    /// the settlement: again after a crash in between (A5). It may block. The last registration
    /// holds, for every handler of the type.
    public func beforeDelete<Payload: TaskPayload>(
        _ type: Payload.Type, _ tell: @escaping @Sendable (Payload, HandlerOutcome) -> Void
    ) {
        endings.withLock { all in
            all[Payload.taskType, default: TaskEndings()].deletion = { execution, outcome in
                guard let payload = try? PayloadCoding.decode(type, from: execution.payload) else {
                    return
                }
                tell(payload, outcome)
            }
        }
    }
}

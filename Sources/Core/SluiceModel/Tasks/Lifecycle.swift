extension QueueTask {
    /// The life of a task as one total function: what `event` makes of it at `now`, by the clock of
    /// the store (G3); `real` is the same moment in real time, if that is another.
    ///
    /// `chance` in 0..<1 draws the jitter of a retry. Throws `notLegal` where the event does not
    /// fit the state, and `changed` for a stale token (A1); the task is then as it was.
    ///
    /// Every event ends an edit that is in progress (B11); the events of the edit itself leave the
    /// version as it is, so that verbs can still be undone.
    package func applying(
        _ event: TaskEvent, settings: QueueSettings, now: Timestamp, real: Timestamp? = nil,
        chance: Double = 0.5
    ) throws(QueueError) -> Transition {
        let (state, isOfEdit, real) = (withoutEdit.state, event.isOfEdit, real ?? now)
        var change = Transition(task: withoutEdit)
        if !isOfEdit {
            change.task.version += 1
            change.task.updatedAt = real
        }
        switch (event, state) {
        case (.claim(let lease), .waiting(let waiting)):
            guard waiting.lingering == nil else { throw refusal(of: event) }
            change.task.executions = lease.attempt
            change.task.state = .running(lease)
        case (.end(let token, let ending), .running(let lease)):
            guard token == lease.token else {
                throw .changed(id, "another attempt has taken its place")
            }
            let context = EndContext(settings: settings, now: now, real: real, chance: chance)
            change.end(ending, lease: lease, context)
        case (.end, _):
            throw .changed(id, "it is \(state.name.rawValue), no longer running")
        case (.requestStop(let cause, let deletion), .running(var lease)):
            lease.stop = cause
            lease.deletion = deletion
            change.task.state = .running(lease)
        case (.retry, .failed), (.retry, .waiting):
            change.retryNow(now: now)
        case (.expire, .waiting):
            change.fail(reason: "expired", settings: settings, at: real)
        case (.giveUp(let reason), .waiting):
            change.fail(reason: reason, settings: settings, at: real)
        case (.delete(let deletion), .waiting), (.delete(let deletion), .failed),
            (.delete(let deletion), .succeeded):
            change.delete(deletion, settings: settings, at: real)
        case (.edit(let fields), .waiting), (.edit(let fields), .failed):
            try change.task.apply(fields, settings)
        case (.move(let position), .waiting), (.move(let position), .failed):
            change.task.position = position
        case (.annotate, .waiting), (.annotate, .running), (.begin, .waiting), (.begin, .running):
            change.hearClient(event, now: now)
        case (_, .waiting(let waiting)):
            change.task.state = .waiting(try waiting.applying(event, to: self, now: now))
            if case .postpone(let until) = event { change.task.freshAt = until }
        default:
            try change.changeEnded(event, now: now)
        }
        return change
    }

    /// Why `event` does not fit the state, and what does.
    package func refusal(of event: TaskEvent) -> QueueError {
        switch (event, state) {
        case (.delete, .running): refusal(event.participle, fix: "add --cancel, or cancel it first")
        case (.claim, .waiting):
            refusal(
                event.participle, fix: "an earlier attempt still runs: sluice reclaim \(id)")
        default: refusal(event.participle)
        }
    }

    /// The error for a verb that the state forbids, with a legal command:
    /// `#22 has failed: it cannot be postponed; sluice retry 22 makes it wait`.
    package func refusal(_ participle: String, fix: String? = nil) -> QueueError {
        let problem = "#\(id) \(state.name.phrase): it cannot be \(participle)"
        if let fix { return .notLegal(problem, fix: fix) }
        func way(_ verb: String, _ effect: String) -> QueueError {
            QueueError(.notLegal, problem, command: .init(verb, id, effect))
        }
        return switch state {
        case .running: .notLegal(problem, fix: "wait for its end, or sluice cancel \(id)")
        case .waiting: way("why", "says for what")
        case .failed: way("retry", "makes it wait")
        case .succeeded: way("duplicate", "runs it once more")
        case .deleted: way("undelete", "brings it back")
        }
    }

    fileprivate mutating func apply(
        _ fields: [FieldChange], _ settings: QueueSettings
    ) throws(QueueError) {
        for field in fields {
            switch field {
            case .priority(let word):
                priority = try settings.priority(of: word, queue: queue)
            case .sortKey(let value): sortKey = value
            case .label(let value): label = value
            case .attemptLimit(let value): attemptLimit = value
            case .expiresAt(let value): expiresAt = value
            case .requires(let value): requires = value
            case .isRequired(let value): isRequired = value
            case .type(let value): type = value
            case .payload: break
            }
        }
    }
}

extension TaskEvent {
    fileprivate var isOfEdit: Bool {
        switch self {
        case .beginEdit, .endEdit: true
        default: false
        }
    }
}

extension Transition {
    /// Applies a session's order to a task that has not ended (S1).
    fileprivate mutating func hearClient(_ event: TaskEvent, now: Timestamp) {
        switch (event, task.state) {
        case (.annotate(let text), _): task.clientString = text
        case (.begin(let moment), .waiting(let waiting)):
            begin(notBefore: moment, waiting, now: now)
        case (.begin(let moment), .running(var lease)):
            lease.notBefore = moment
            task.state = .running(lease)
        default: break
        }
    }

    /// The events that only concern a task that has ended.
    fileprivate mutating func changeEnded(_ event: TaskEvent, now: Timestamp) throws(QueueError) {
        switch (event, task.state) {
        case (.undelete, .deleted(let trash)):
            task.state = trash.former
            // The run whose marks it carried may be over.
            if case .waiting(var waiting) = trash.former {
                waiting.attemptedInRun = false
                if waiting.skip?.endsWithRun == true { waiting.skip = nil }
                task.state = .waiting(waiting)
            }
            task.freshAt = now
        case (.acknowledge, .succeeded(var success)):
            success.isAcknowledged = true
            task.state = .succeeded(success)
        case (.acknowledge, .failed(var failure)):
            failure.isAcknowledged = true
            task.state = .failed(failure)
        case (.acknowledge, .deleted(var trash)):
            trash.isAcknowledged = true
            task.state = .deleted(trash)
        case (.endStartHold(let policy), .failed) where task.groupStart != nil,
            (.endStartHold(let policy), .deleted) where task.groupStart != nil:
            task.endedStartPolicy = policy
        default:
            throw task.refusal(of: event)
        }
    }
}

extension Waiting {
    /// The events that only concern how a task waits.
    fileprivate func applying(
        _ event: TaskEvent, to task: QueueTask, now: Timestamp
    ) throws(QueueError) -> Waiting {
        var waiting = self
        switch event {
        case .skip(let skip):
            waiting.skip = skip
        case .unskip:
            guard skip != nil else {
                throw .notLegal("task #\(task.id) is not skipped", fix: "skip it first")
            }
            waiting.skip = nil
        case .postpone(let until):
            waiting.timer =
                until > now ? WaitTimer(until: until, cause: .notBefore, since: now) : nil
        case .park(let parking):
            waiting.parking = parking
        case .beginEdit(let person, let owner):
            // Runners cannot claim a parked task, and it stays parked after the edit.
            if parking == nil {
                waiting.parking = Parking(
                    cause: .editing, detail: person, since: now, owner: owner)
            }
        case .endEdit: break
        case .endLingering:
            guard lingering != nil else {
                throw .notLegal(
                    "task #\(task.id) waits and nothing of it runs",
                    fix: "reclaim is for a task whose owner is dead")
            }
            waiting.lingering = nil
        default:
            throw task.refusal(of: event)
        }
        return waiting
    }
}

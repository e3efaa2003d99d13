/// The inputs for the end of an execution.
struct EndContext {
    var settings: QueueSettings
    /// By the store's clock, for waiting tasks.
    var now: Timestamp
    /// In real time, for ended attempts.
    var real: Timestamp
    var chance: Double
}

/// The number of successive losses that parks a task (A2).
package let lossesBeforeParking = 5

extension Transition {
    /// Brings a running task to the end that its execution came to (A2, A3, A5, A6).
    mutating func end(_ ending: Ending, lease: Running, _ context: EndContext) {
        defer { followClient(of: lease, context) }
        task.lossesInSuccession = ending == .lost ? task.lossesInSuccession + 1 : 0
        switch ending {
        case .handler(let outcome, let restarts):
            task.lastError = outcome.error ?? task.lastError
            end(outcome, restarts: restarts, context)
            obey(lease.stop, lease, context)
        case .stopped(let cause):
            end(cause, lease: lease, context)
            obey(lease.stop ?? cause, lease, context)
        case .timedOutToRestart:
            end(.timedOut, lease: lease, restarts: true, context)
            obey(lease.stop, lease, context)
        case .abandoned(let cause):
            end(cause, lease: lease, context)
            attemptEnd?.outcome = .abandoned
            linger(.abandoned, lease: lease)
            obey(lease.stop ?? cause, lease, context)
        case .lost:
            task.losses += 1
            attemptEnd = AttemptEnd(outcome: .lost, isCounted: false, error: nil)
            lose(lease: lease, context)
        }
    }

    /// Applies a session's orders for a running task after its end: an earliest next start, or a
    /// cancellation (S1, S7).
    private mutating func followClient(of lease: Running, _ context: EndContext) {
        switch task.state {
        case .waiting(let waiting):
            guard let moment = lease.notBefore else { return }
            begin(notBefore: moment, waiting, now: context.now)
        case .succeeded(var success) where lease.deletion?.isByClient == true:
            success.isAcknowledged = true
            task.state = .succeeded(success)
            let kept = context.settings.keepFinished
            isRemoved = kept == .none || kept == .acknowledged
        case .failed(var failure) where lease.deletion?.isByClient == true:
            failure.isAcknowledged = true
            task.state = .failed(failure)
        case .succeeded, .failed, .running, .deleted: break
        }
    }

    private mutating func end(
        _ outcome: HandlerOutcome, restarts: Bool, _ context: EndContext
    ) {
        if case .offline = outcome {} else { task.offlineInSuccession = 0 }
        switch outcome {
        case .success:
            attemptEnd = AttemptEnd(outcome: .success, isCounted: true, error: nil)
            succeed(context)
        case .retry(let after, let error):
            attemptEnd = AttemptEnd(outcome: .retry, isCounted: true, error: error)
            countFailure(
                after: after, error: error ?? "its attempts are used up", restarts: restarts,
                context)
        case .park(let error):
            attemptEnd = AttemptEnd(outcome: .park, isCounted: false, error: error)
            park(.handler, detail: error ?? "", context)
        case .giveUp(let error):
            attemptEnd = AttemptEnd(outcome: .giveUp, isCounted: true, error: error)
            task.attempts += 1
            giveUp(reason: error ?? "given up by its handler", context)
        case .pauseQueue(let milliseconds, let isCounted, let error):
            attemptEnd = AttemptEnd(outcome: .pauseQueue, isCounted: isCounted, error: error)
            pauseQueue(milliseconds, isCounted, error, restarts: restarts, context)
        case .offline(let error):
            attemptEnd = AttemptEnd(outcome: .offline, isCounted: false, error: error)
            task.offlineInSuccession += 1
            isRunnerOffline = true
            wait(max(1000, delay(task.offlineInSuccession, context)), .retry, context)
        }
    }

    /// Applies a person's request to stop, although the attempt ended otherwise. A task that would
    /// wait again is parked or deleted instead (A6, D6). After a success the request has no effect.
    private mutating func obey(
        _ cause: StopCause?, _ lease: Running, _ context: EndContext
    ) {
        guard case .waiting(var waiting) = task.state else { return }
        switch cause {
        case .deleted:
            let deletion = lease.deletion ?? Deletion(by: "")
            delete(deletion, settings: context.settings, at: context.real)
        case .cancelled where waiting.parking == nil:
            waiting.timer = nil
            waiting.parking = Parking(cause: .cancelled, detail: "", since: context.now)
            task.freshAt = Timestamp(milliseconds: 0)
            task.state = .waiting(waiting)
        case .cancelled, .timedOut, .stopped, nil: break
        }
    }

    private mutating func end(
        _ cause: StopCause, lease: Running, restarts: Bool = false, _ context: EndContext
    ) {
        switch cause {
        case .timedOut:
            let error = "timed out after \(DurationText.taken(context.real - lease.since))"
            task.lastError = error
            attemptEnd = AttemptEnd(outcome: .timedOut, isCounted: true, error: error)
            countFailure(after: nil, error: error, restarts: restarts, context)
        case .cancelled:
            attemptEnd = AttemptEnd(outcome: .cancelled, isCounted: false, error: nil)
            park(.cancelled, detail: "", context)
        case .deleted:
            attemptEnd = AttemptEnd(outcome: .cancelled, isCounted: false, error: nil)
            wait(0, .notBefore, context)
        case .stopped:
            attemptEnd = AttemptEnd(outcome: .stopped, isCounted: false, error: nil)
            wait(0, .retry, context)
        }
    }

    private mutating func succeed(_ context: EndContext) {
        task.attempts += 1
        task.state = .succeeded(Success(at: context.real))
        isRemoved = context.settings.keepFinished == .none && task.session == nil
    }

    /// One more counted failure: waits by the rule, or the attempts are used up (Q7, A5).
    private mutating func countFailure(
        after: Int64?, error: String, restarts: Bool, _ context: EndContext
    ) {
        task.attempts += 1
        let wait = after ?? delay(task.attempts, context)
        if let limit = context.settings.attemptLimit(of: task), task.attempts >= limit {
            guard restarts else { return giveUp(reason: error, context) }
            task.attempts = 0
        }
        self.wait(wait, .retry, context)
    }

    private mutating func pauseQueue(
        _ milliseconds: Int64, _ isCounted: Bool, _ error: String?, restarts: Bool,
        _ context: EndContext
    ) {
        pause = QueuePause(
            cause: .handler, milliseconds: milliseconds, reason: error ?? "asked by its handler")
        if !isCounted, task.session != nil {
            // Its client hears of refused credentials instead of waiting (PN-15).
            return giveUp(reason: error ?? "it paused its queue", context)
        }
        if isCounted {
            countFailure(
                after: nil, error: error ?? "the queue was paused", restarts: restarts, context)
        } else {
            self.wait(delay(task.attempts + 1, context), .retry, context)
        }
        guard case .waiting(let waiting) = task.state else { return }
        let ruled = max(1000, (waiting.timer?.until).map { $0 - context.now } ?? 0)
        self.wait(max(0, milliseconds) + ruled, .retry, context)
    }

    private mutating func lose(lease: Running, _ context: EndContext) {
        wait(delay(task.lossesInSuccession, context), .retry, context)
        if task.lossesInSuccession >= lossesBeforeParking {
            park(.lost, detail: "\(task.lossesInSuccession) times in succession", context)
        }
        obey(lease.stop, lease, context)
    }

    private func delay(_ failure: Int, _ context: EndContext) -> Int64 {
        context.settings.retry(of: task).delayMilliseconds(
            afterFailure: failure, chance: context.chance)
    }

    /// Waits that long from now; the execution that ended leaves the task a left-over, or fresh
    /// when the wait is over (Q4).
    private mutating func wait(
        _ milliseconds: Int64, _ cause: WaitTimer.Cause, _ context: EndContext
    ) {
        let until = context.now + max(0, milliseconds)
        let isLater = until > context.now
        task.freshAt = isLater ? until : Timestamp(milliseconds: 0)
        let timer = WaitTimer(until: until, cause: cause, since: context.now)
        task.state = .waiting(Waiting(timer: isLater ? timer : nil))
    }

    private mutating func park(_ cause: Parking.Cause, detail: String, _ context: EndContext) {
        var waiting = Waiting()
        waiting.parking = Parking(cause: cause, detail: detail, since: context.now)
        task.freshAt = Timestamp(milliseconds: 0)
        task.state = .waiting(waiting)
    }

    private mutating func giveUp(reason: String, _ context: EndContext) {
        fail(reason: reason, settings: context.settings, at: context.real)
        if task.isRequired {
            pause = QueuePause(
                cause: .required, milliseconds: nil,
                reason: "required task #\(task.id) \(task.type) was given up: \(reason)")
        }
    }

    private mutating func linger(_ kind: Lingering.Kind, lease: Running) {
        task.state.lingering = Lingering(
            kind: kind, owner: lease.owner, attempt: lease.attempt)
    }
}

extension Transition {
    /// Waits at least until a moment; the wait after a failure is never made shorter (S1).
    mutating func begin(notBefore moment: Timestamp, _ waiting: Waiting, now: Timestamp) {
        if let timer = waiting.timer, timer.cause == .retry, timer.until >= moment { return }
        var waiting = waiting
        let isLater = moment > now
        waiting.timer =
            isLater ? WaitTimer(until: moment, cause: .notBefore, since: now) : nil
        task.freshAt = isLater ? moment : now
        task.state = .waiting(waiting)
    }

    /// Fails the task permanently. A start records its present policy (Q10). Expiry never pauses
    /// (Q6).
    mutating func fail(reason: String, settings: QueueSettings, at moment: Timestamp) {
        let policy = task.groupStart == nil ? nil : settings.whenStartFails
        task.lastError = reason
        task.state = .failed(
            Failure(
                at: moment, reason: reason, startPolicy: policy, lingering: task.state.lingering))
        wasGivenUp = true
    }

    /// Moves the task to the trash, with its former state (D6). A start that failed earlier keeps
    /// its policy, and a succeeded one holds no members.
    mutating func delete(
        _ deletion: Deletion, settings: QueueSettings, at moment: Timestamp
    ) {
        var policy: StartFailurePolicy?
        if task.groupStart != nil {
            switch task.state {
            case .succeeded: break
            case .failed(let failure): policy = deletion.members ?? failure.startPolicy
            default: policy = deletion.members ?? settings.whenStartFails
            }
        }
        task.state = .deleted(
            Trash(
                at: moment, by: deletion.by, former: task.state, startPolicy: policy,
                isAcknowledged: task.isAcknowledged || deletion.isByClient))
    }

    /// Makes the task due: clears timer, parking, skip, run mark and passed expiry. A failed task
    /// waits again with 0 attempts (D7).
    mutating func retryNow(now: Timestamp) {
        if case .failed = task.state {
            task.attempts = 0
            task.lossesInSuccession = 0
        }
        if case .waiting(let waiting) = task.state, waiting.parking?.cause == .lost {
            task.lossesInSuccession = 0
        }
        var waiting = Waiting()
        waiting.lingering = task.state.lingering
        task.state = .waiting(waiting)
        task.freshAt = now
        if let expiry = task.expiresAt, expiry <= now { task.expiresAt = nil }
    }
}

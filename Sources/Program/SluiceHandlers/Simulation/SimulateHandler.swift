package import SluiceModel
package import SluiceRunner

/// A simulated handler: waits, fails as often as configured, and has no effects. It makes steps on
/// a copy of a production queue safe (G4).
package struct SimulateHandler: TaskHandler, Equatable {
    /// How many executions of each task made here fail at first.
    package var failures: Int
    /// The error of those, and of an outcome that carries one.
    package var error: String?
    /// The outcome of the other attempts.
    package var outcome: HandlerOutcome
    /// The delay of a retry; `nil` uses the queue's rule.
    package var retryAfterMilliseconds: Int64?
    /// How long each execution takes; it reports up to ten times how much of it has passed.
    package var durationMilliseconds: Int64
    /// The limit of one execution; nil takes the queue's (Q8).
    package var timeoutMilliseconds: Int64?

    /// By default succeeds immediately.
    package init(
        failures: Int = 0, error: String? = nil, outcome: HandlerOutcome = .success(result: nil),
        retryAfterMilliseconds: Int64? = nil, durationMilliseconds: Int64 = 0,
        timeoutMilliseconds: Int64? = nil
    ) {
        self.failures = failures
        self.error = error
        self.outcome = outcome
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.durationMilliseconds = durationMilliseconds
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Begins an execution; one without a duration has ended when this returns.
    package func start(
        _ execution: Execution, report: any ExecutionReport
    ) -> any RunningExecution {
        let running = SimulatedExecution(
            durationMilliseconds: durationMilliseconds, outcome: outcome(of: execution.ownNumber),
            report: report)
        running.begin()
        return running
    }

    private func outcome(of number: Int) -> HandlerOutcome {
        guard number <= failures else { return outcome }
        return .retry(
            afterMilliseconds: retryAfterMilliseconds, error: error ?? "simulated failure")
    }
}

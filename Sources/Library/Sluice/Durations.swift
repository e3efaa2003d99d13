/// Times of settings as `Duration`; whole milliseconds, rounded down.
extension SettingChange {
    /// The limit of one execution.
    public static func timeout(_ time: Duration) -> SettingChange { .timeout(time.milliseconds) }
    /// How long after its enqueue a task that waits counts as failed.
    public static func expires(_ time: Duration) -> SettingChange { .expires(time.milliseconds) }
    /// How long given-up tasks stay.
    public static func retention(_ time: Duration) -> SettingChange {
        .retention(time.milliseconds)
    }
    /// How long something runs, or holds a strict queue, until it shows as stuck.
    public static func stuckAfter(_ time: Duration) -> SettingChange {
        .stuckAfter(time.milliseconds)
    }
    /// How long after the first fresh task a run begins.
    public static func batchDelay(_ time: Duration) -> SettingChange {
        .batchDelay(time.milliseconds)
    }
}

extension KeepFinished {
    /// Keeps tasks that ended within this time.
    public static func time(_ time: Duration) -> KeepFinished { .milliseconds(time.milliseconds) }
}

extension RetryRule {
    /// The same wait after each failure.
    public static func fixed(_ wait: Duration) -> RetryRule {
        .fixed(milliseconds: wait.milliseconds)
    }

    /// `base` after the first failure, and `step` more after each one that follows.
    public static func linear(base: Duration, step: Duration) -> RetryRule {
        .linear(baseMilliseconds: base.milliseconds, stepMilliseconds: step.milliseconds)
    }

    /// `base` after the first failure, then `factor` times as long after each further failure, at
    /// most `cap`. `jitter` is the maximum random change, as a fraction.
    public static func exponential(
        base: Duration, factor: Double = 2, cap: Duration, jitter: Double = 0.1
    ) -> RetryRule {
        .exponential(
            baseMilliseconds: base.milliseconds, factor: factor,
            capMilliseconds: cap.milliseconds, jitter: jitter)
    }

    /// `base` times the number of the failure to a power, at most `cap`.
    public static func polynomial(base: Duration, power: Double, cap: Duration) -> RetryRule {
        .polynomial(
            baseMilliseconds: base.milliseconds, power: power, capMilliseconds: cap.milliseconds)
    }
}

extension PauseRequest {
    /// Creates a pause that ends after `time`, or earlier by `resume`.
    public init(
        _ scope: VerbScope, reason: String? = nil, for time: Duration,
        direction: Pause.Direction = .work, stopsRunning: Bool = false
    ) {
        self.init(
            scope, reason: reason, forMilliseconds: time.milliseconds, direction: direction,
            stopsRunning: stopsRunning)
    }
}

extension HandlerOutcome {
    /// Counted; waits for this time, or by default for the queue's rule.
    public static func retry(after wait: Duration? = nil, error: String?) -> HandlerOutcome {
        .retry(afterMilliseconds: wait?.milliseconds, error: error)
    }
}

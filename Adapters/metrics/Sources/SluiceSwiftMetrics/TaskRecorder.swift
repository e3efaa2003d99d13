import Metrics
public import Sluice

/// Records a worker's events with swift-metrics, by queue and type.
///
/// | name | kind | meaning |
/// | --- | --- | --- |
/// | `sluice_started` | counter | attempts that began |
/// | `sluice_ended` | counter | attempts that ended; `outcome` says how |
/// | `sluice_wait` | timer | from due to start |
/// | `sluice_duration` | timer | from start to end |
///
/// A backend keeps one series for each queue and type, so an app with many queues should map them
/// to fewer names by `queueName`.
public struct TaskRecorder: Sendable {
    private let queueName: @Sendable (String) -> String

    /// A recorder. `queueName` gives the value of the dimension `queue`; by default the name.
    public init(queueName: @escaping @Sendable (String) -> String = { $0 }) {
        self.queueName = queueName
    }

    /// Records an event: the `onEvent` of `QueueClient.start`.
    public func record(_ event: RunnerEvent) {
        switch event {
        case .started(let execution):
            let names = dimensions(execution.task.queue, execution.task.type)
            Counter(label: "sluice_started", dimensions: names).increment()
            guard let due = execution.dueMilliseconds else { return }
            Timer(label: "sluice_wait", dimensions: names).recordMilliseconds(due)
        case .settled(let settled):
            guard let attempt = settled.attempt, let outcome = attempt.outcome else { return }
            let names = dimensions(settled.queue, settled.type)
            Counter(
                label: "sluice_ended", dimensions: names + [("outcome", outcome.rawValue)]
            ).increment()
            guard let ended = attempt.endedAt else { return }
            Timer(label: "sluice_duration", dimensions: names).recordMilliseconds(
                max(0, ended.milliseconds - attempt.startedAt.milliseconds))
        default: break
        }
    }

    private func dimensions(_ queue: String, _ type: String) -> [(String, String)] {
        [("queue", queueName(queue)), ("type", type)]
    }
}

package import SluiceModel
package import SluiceStore
import SluiceSystem

/// Collects the reports of an attempt and passes them to its runner. Every call returns immediately
/// and may come from any thread.
final class Report: ExecutionReport {
    /// Limits for the data kept with an attempt (A7).
    static let logLines = 200
    static let lineBytes = 2000
    static let followUpLimit = 10_000
    /// The bytes of requests and answers that are kept with an attempt.
    static let exchangeBytes = 128 << 10

    private struct Told: Sendable {
        var progress = AttemptProgress()
        var followUps: [FollowUp] = []
        var problem: String?
        var restarts: Bool?
        /// The bytes of requests and answers that were kept.
        var exchangeBytes = 0
        var stages = 0
        var stop: StopCause?
        var isFinished = false
    }

    private let execution: Execution
    private let handler: any TaskHandler
    private let attemptLimit: Int?
    private let began = SystemClock.monotonicNanoseconds()
    private let told = Protected(Told())
    private let tell: @Sendable (AttemptProgress, Bool) -> Void
    private let end: @Sendable (ExecutionEnd) -> Void

    init(
        _ execution: Execution, handler: any TaskHandler, attemptLimit: Int?,
        tell: @escaping @Sendable (AttemptProgress, Bool) -> Void,
        end: @escaping @Sendable (ExecutionEnd) -> Void
    ) {
        self.execution = execution
        self.handler = handler
        self.attemptLimit = attemptLimit
        self.tell = tell
        self.end = end
    }

    func progress(_ fraction: Double?, text: String?) {
        change {
            $0.fraction = fraction.map { min(1, max(0, $0)) }
            $0.text = text.map { String($0.prefix(200)) }
        }
    }

    func log(_ line: String) {
        change { progress in
            guard progress.log.count < Self.logLines else { return }
            progress.log.append(String(line.prefix(Self.lineBytes)))
            if progress.log.count == Self.logLines { progress.log.append("(more was left out)") }
        }
    }

    func stage(_ name: String) {
        let after = Int64((SystemClock.monotonicNanoseconds() - began) / 1_000_000)
        guard let stage = AttemptStage(name, afterMilliseconds: after) else { return }
        let isKept = told.withLock { told in
            told.stages += 1
            return told.stages <= AttemptStage.limit
        }
        if isKept { change { $0.log.append(stage.line) } }
    }

    func exchange(_ line: String) {
        told.withLock { told in
            told.exchangeBytes += line.utf8.count
            guard !told.isFinished, told.progress.log.count < Self.logLines,
                told.exchangeBytes <= Self.exchangeBytes
            else { return }
            told.progress.log.append(line)
        }
    }

    func childStarted(pid: Int64, startTime: UInt64) {
        change(isUrgent: true) {
            $0.childPID = pid
            $0.childStartTime = startTime
        }
    }

    func childAtWork(pid: Int64, startTime: UInt64) {
        change {
            $0.childPID = pid
            $0.childStartTime = startTime
        }
    }

    func followUp(_ task: FollowUp) {
        told.withLock { told in
            guard told.followUps.count < Self.followUpLimit else {
                told.problem = "more than \(Self.followUpLimit) follow-ups"
                return
            }
            do throws(QueueError) {
                try task.check(after: execution)
            } catch {
                let problem = "its follow-up cannot be: \(error.message)"
                told.problem = told.problem ?? problem
            }
            told.followUps.append(task)
        }
    }

    func restart(_ isWanted: Bool) { told.withLock { $0.restarts = isWanted } }

    /// Records a stop request. The end that follows does not end the task, except after a timeout.
    func tellStop(_ cause: StopCause) { told.withLock { $0.stop = $0.stop ?? cause } }

    private func change(isUrgent: Bool = false, _ body: (inout AttemptProgress) -> Void) {
        let progress = told.withLock { told -> AttemptProgress? in
            guard !told.isFinished else { return nil }
            body(&told.progress)
            return told.progress
        }
        if let progress { tell(progress, isUrgent) }
    }

    func couldNotStart(_ reason: String) {
        guard let last = last() else { return }
        var end = ExecutionEnd(outcome: .retry(afterMilliseconds: nil, error: reason))
        end.progress = last.progress
        end.progress.log.append(String("did not begin: \(reason)".prefix(Self.lineBytes)))
        end.shortage = reason
        self.end(end)
    }

    /// The final report, or `nil` if it has already ended.
    private func last() -> Told? {
        told.withLock { told in
            guard !told.isFinished else { return nil }
            told.isFinished = true
            return told
        }
    }

    func finish(_ outcome: HandlerOutcome) {
        guard let last = last() else { return }
        var end = ExecutionEnd(outcome: outcome)
        if case .success = outcome, let problem = last.problem {
            end.outcome = .giveUp(error: problem)
        }
        end.progress = last.progress
        end.followUps = last.followUps
        if case .success = end.outcome {
            // Nothing waits again.
        } else {
            var random = SystemRandom()
            end.chance = Double.random(in: 0..<1, using: &random)
        }
        guard isLast(&end, last) else { return self.end(end) }
        let (ended, tell) = (end, self.end)
        handler.beforeDelete(execution, outcome: ended.outcome) { lines in
            var end = ended
            end.progress.log += lines.map { String($0.prefix(Self.lineBytes)) }
            tell(end)
        }
    }

    /// Whether the task ends with this outcome; calls `shouldRestart` if that decides (A5). A stop
    /// by a person, or with the runner, never ends the task, for any outcome (A6).
    private func isLast(_ end: inout ExecutionEnd, _ told: Told) -> Bool {
        if case .success = end.outcome { return true }
        switch (told.stop, end.outcome) {
        case (.cancelled, _), (.deleted, _), (.stopped, _): return false
        case (nil, .success), (nil, .giveUp): return true
        case (nil, .park), (nil, .offline): return false
        // For a task of a session this outcome is final (PN-15).
        case (nil, .pauseQueue(_, false, _)): return execution.task.session != nil
        case (nil, .retry), (nil, .pauseQueue), (.timedOut, _):
            guard let limit = attemptLimit, execution.task.attempts + 1 >= limit else {
                return false
            }
            end.restarts = told.restarts ?? handler.shouldRestart(execution)
            return !end.restarts
        }
    }
}

extension FollowUp {
    /// Throws if the follow-up is invalid as far as known before the attempt ends: its names, and
    /// in the parent's queue its depth. The commit checks the rest (A3).
    package func check(after execution: Execution) throws(QueueError) {
        try Names.check(queue, of: "queue")
        var settings = QueueSettings()
        settings.maximumPayloadBytes = .max
        settings.maximumDepth = queue == execution.task.queue ? execution.maximumDepth : .max
        var task = task
        let isLater = delayMilliseconds > 0 || task.notBefore != nil
        task.depth = isLater ? 0 : execution.task.depth + 1
        try task.check(settings, queue: queue)
    }
}

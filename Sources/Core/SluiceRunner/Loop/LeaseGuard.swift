import SluiceModel
import SluiceStore
import SluiceSystem

/// Stops a runner's attempts when its lease ends. It has its own thread, because the runner's
/// thread may be blocked in the very request that fails (A2).
final class LeaseGuard: Sendable {
    private let end: EventSignal
    private let thread: Thread

    /// Watches until `stop`. `nil` for a store of one machine, where no lease can end.
    init?(
        _ store: any QueueStore, process: ProcessID, inFlight: RunningExecutions, inbox: RunnerInbox
    ) throws {
        guard let heartbeats = store.heartbeats else { return nil }
        let end = try EventSignal()
        self.end = end
        thread = try Thread(name: "sluice-lease", stackBytes: 1 << 19) {
            var lease = RunnerLease()
            while true {
                let heldUntil = heartbeats.heldUntil(process) ?? 0
                let instant = SystemClock.monotonicMilliseconds()
                if let step = lease.look(heldUntil: heldUntil, instant: instant) {
                    inFlight.perform(step)
                    if step != .kill { inbox.put(.lease(isHeld: step == .goOn)) }
                }
                let sleep = lease.sleepMilliseconds(heldUntil: heldUntil, instant: instant)
                let ended = try? Poll.wait(
                    fds: [PollInterest(end.descriptor.number)],
                    timeoutMilliseconds: Int(min(sleep, 3_600_000)))
                if ended?.isEmpty == false { return }
            }
        }
    }

    /// Ends the watch.
    func stop() {
        end.signal()
        thread.join()
    }
}

/// The executions that a runner's handlers have in hand: for the runner's thread, and for who
/// watches its lease.
final class RunningExecutions: Sendable {
    private struct One: Sendable {
        var running: any RunningExecution
        var report: Report

        func stop(_ cause: StopCause) {
            report.tellStop(cause)
            running.stop()
        }
    }

    private struct State: Sendable {
        var all: [ExecutionKey: One] = [:]
        var isLost = false
    }

    private let state = Protected(State())

    /// Adds a started attempt, and stops it immediately if the lease has already ended.
    func add(_ key: ExecutionKey, _ running: any RunningExecution, _ report: Report) {
        let one = One(running: running, report: report)
        let isLate = state.withLock { state in
            state.all[key] = one
            return state.isLost
        }
        if isLate { one.stop(.stopped) }
    }

    func remove(_ key: ExecutionKey) { state.withLock { $0.all[key] = nil } }

    func stop(_ key: ExecutionKey, _ cause: StopCause) { one(key)?.stop(cause) }

    /// Ends the injected delay of an attempt.
    func proceed(_ key: ExecutionKey) { (one(key)?.running as? DelayedExecution)?.proceed() }

    func kill(_ key: ExecutionKey) { one(key)?.running.kill() }

    /// Does with all of them what the end of a lease wants.
    func perform(_ step: RunnerLease.Step) {
        let all = state.withLock { state in
            state.isLost = step != .goOn
            return Array(state.all.values)
        }
        switch step {
        case .stop: for one in all { one.stop(.stopped) }
        case .kill: for one in all { one.running.kill() }
        case .goOn: break
        }
    }

    private func one(_ key: ExecutionKey) -> One? { state.withLock { $0.all[key] } }
}

import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem

/// Collects what an execution reports, and lets a test wait for it.
final class CollectingReport: ExecutionReport {
    struct Progress: Equatable, Sendable {
        var fraction: Double?
        var text: String?
    }

    struct Seen: Sendable {
        var progress: [Progress] = []
        var log: [String] = []
        var stages: [String] = []
        var exchanges: [String] = []
        var childID: Int64?
        var childStart: UInt64 = 0
        var outcomes: [HandlerOutcome] = []
        var restarts: [Bool] = []
    }

    private struct State {
        var seen = Seen()
        var waiters: [@Sendable (Seen) -> Bool] = []
    }

    private let state = Protected(State())

    var seen: Seen { state.withLock { $0.seen } }

    /// Returns once `find` returns a value for a report.
    func first<Found: Sendable>(_ find: @escaping @Sendable (Seen) -> Found?) async -> Found {
        await withCheckedContinuation { continuation in
            let check: @Sendable (Seen) -> Bool = { seen in
                guard let found = find(seen) else { return false }
                continuation.resume(returning: found)
                return true
            }
            state.withLock { if !check($0.seen) { $0.waiters.append(check) } }
        }
    }

    var outcome: HandlerOutcome {
        get async { await first { $0.outcomes.first } }
    }

    func logged(_ line: String) async {
        _ = await first { $0.log.contains(line) ? true : nil }
    }

    func progress(_ fraction: Double?, text: String?) {
        change { $0.progress.append(Progress(fraction: fraction, text: text)) }
    }

    func log(_ line: String) {
        change { $0.log.append(line) }
    }

    func stage(_ name: String) { change { $0.stages.append(name) } }

    func exchange(_ line: String) { change { $0.exchanges.append(line) } }

    func childStarted(pid: Int64, startTime: UInt64) {
        change {
            $0.childID = pid
            $0.childStart = startTime
        }
    }

    func followUp(_ task: FollowUp) {}

    func restart(_ isWanted: Bool) { change { $0.restarts.append(isWanted) } }

    func finish(_ outcome: HandlerOutcome) {
        change { $0.outcomes.append(outcome) }
    }

    private func change(_ body: (inout Seen) -> Void) {
        state.withLock { state in
            body(&state.seen)
            let seen = state.seen
            state.waiters.removeAll { $0(seen) }
        }
    }
}

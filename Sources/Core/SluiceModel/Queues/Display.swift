/// The displayed state of a waiting task: the first of these words that fits (section 4).
package enum Display: String, Hashable, Sendable, CaseIterable {
    case next, due, delayed, retrying, held, parked, skipped, blocked, running, stuck
    case succeeded, failed, deleted
}

extension Parking {
    /// The displayed state of a parked task.
    package var display: Display { system == nil ? .parked : .blocked }
}

extension QueueTask {
    /// The displayed state. `isNext` marks the first due task in order, as the caller found it.
    package func display(in place: EligibilityContext, isNext: Bool = false) -> Display {
        if let shown = place.shown { return shown }
        switch state {
        case .succeeded: return .succeeded
        case .failed: return .failed
        case .deleted: return .deleted
        case .running(let lease):
            let isLong = place.real - lease.since > place.queue.settings.stuckAfterMilliseconds
            return isLong || goneRunner(place) != nil ? .stuck : .running
        case .waiting(let waiting):
            if isExpired(at: place.now, settings: place.queue.settings) { return .failed }
            if let parking = waiting.parking { return parking.display }
            if let skip = waiting.skip, skip.until.map({ $0 > place.now }) ?? true {
                return .skipped
            }
            if let timer = waiting.timer, timer.until > place.now {
                return timer.cause == .retry ? .retrying : .delayed
            }
            if place.holder != nil { return .held }
            let hidden: Set<Blocker.Kind> = [.queuePaused, .noRun, .noSlot, .rate]
            let hasNoRunner = !place.processes.contains { $0.isWorking }
            let rest = blockers(in: place).filter {
                !hidden.contains($0.kind) && !($0.kind == .noRunner && hasNoRunner)
            }
            if !rest.isEmpty { return .blocked }
            return isNext ? .next : .due
        }
    }
}

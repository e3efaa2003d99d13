import SluiceModel
import SluiceStore

/// A condition of a queue that a person wants to know about.
package struct QueueAlert: Hashable, Sendable {
    /// The kind of condition, as `watch --on` spells it.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case stuck, failing
        case noWorker = "no-worker"
        case `guard`
    }
    /// The queue and the kind, which stay the same while the condition holds.
    package struct Subject: Hashable, Sendable {
        package var kind: Kind
        package var queue: String

        package init(kind: Kind, queue: String) { (self.kind, self.queue) = (kind, queue) }
    }
    package var subject: Subject
    /// The condition in words.
    package var text: String

    /// A condition in words.
    package init(subject: Subject, text: String) { (self.subject, self.text) = (subject, text) }
}

extension Reading {
    /// The conditions of some kinds that hold now, by queue.
    package func alerts(_ kinds: Set<QueueAlert.Kind>) throws -> [QueueAlert] {
        try queues().flatMap { overview in
            try QueueAlert.Kind.allCases.filter(kinds.contains).compactMap { kind in
                try words(of: kind, in: overview).map {
                    let name = overview.queue.name
                    return QueueAlert(
                        subject: .init(kind: kind, queue: name), text: "\(name) \($0)")
                }
            }
        }
    }

    private func words(
        of kind: QueueAlert.Kind, in overview: QueueOverview
    ) throws -> String? {
        switch kind {
        case .stuck:
            guard case .stuck = overview.status else { return nil }
            return "is stuck: a task runs or blocks it for too long"
        case .guard: return try guardWords(overview.queue)
        case .noWorker:
            guard case .noRunner(let lack) = overview.status else { return nil }
            return "waits: \(lack.words)"
        case .failing:
            let rate = try attemptRate(of: overview.queue.name)
            guard rate.isFailing else { return nil }
            return "is failing: \(rate.failed) of \(rate.succeeded + rate.failed) attempts of the "
                + "last ten minutes failed"
        }
    }

    /// The guard that stopped a queue, or that warned of it in the last minute.
    private func guardWords(_ queue: QueueRecord) throws -> String? {
        if let hit = queue.hits(at: real).last(where: { $0.note != nil }), let note = hit.note {
            return "was paused by guard \(hit.breakpoint): \(note)"
        }
        let fired = try store.storeRecord().breakpoints.all.last { breakpoint in
            guard let firing = breakpoint.firing, breakpoint.isLog else { return false }
            return breakpoint.filter.queue == queue.name
                && real - firing.at < AlertTrack.restMilliseconds
        }
        guard let fired, let rate = fired.firing?.rate else { return nil }
        return "is watched by \(fired.name): \(rate.failed) of \(rate.attempts) attempts failed"
    }
}

public import SluiceModel
import SluiceStore

/// A queue that a breakpoint stopped, and where.
public struct QueueStop: Hashable, Sendable {
    /// The queue.
    public var queue: String
    /// Where.
    public var hit: BreakpointHit
}

extension Reading {
    /// The breakpoints whose time is not over, by number.
    public func breakpoints() throws -> [Breakpoint] {
        try store.storeRecord().breakpoints.all.filter { !$0.isOver(at: now) }
    }

    /// Where breakpoints hold queues, by queue.
    public func stops() throws -> [QueueStop] {
        guard try !store.storeRecord().breakpoints.isEmpty else { return [] }
        return try store.queues().flatMap { queue in
            queue.hits(at: now).map { QueueStop(queue: queue.name, hit: $0) }
        }
    }

    /// So much of a payload is looked at for what is only shown.
    private static let headBytes = 64 << 10

    /// The breakpoints that would stop before each of some tasks if it were to start now; none for
    /// one that they let by. The beginnings of payloads are
    /// read where a filter asks for them.
    public func stopsAhead(of tasks: [QueueTask]) throws -> [TaskID: Int64] {
        var breakpoints = try self.breakpoints().filter {
            $0.moment == .before && !$0.isLog && $0.isActive(at: now)
        }
        guard !breakpoints.isEmpty else { return [:] }
        let asksPayload = breakpoints.contains(where: \.asksPayload)
        let payloads =
            asksPayload ? try store.payloadHeads(of: tasks.map(\.id), first: Self.headBytes) : [:]
        var found: [TaskID: Int64] = [:]
        for task in tasks where task.waiting != nil {
            let facts = KnownFacts(
                now: now, display: .due, payload: payloads[task.id]?.bytes ?? [],
                uuid: try store.naming?.uuid(of: task.id))
            for index in breakpoints.indices where !breakpoints[index].isSpent {
                let breakpoint = breakpoints[index]
                guard !breakpoint.passes.contains(task.id), try breakpoint.matches(task, facts)
                else { continue }
                if breakpoints[index].count(), found[task.id] == nil {
                    found[task.id] = breakpoint.number
                }
            }
        }
        return found
    }
}

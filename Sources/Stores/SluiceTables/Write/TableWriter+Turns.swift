package import SluiceModel
package import SluiceStore

/// The orders of claims (Q5), kept for as long as this process alone writes.
extension TableWriter {
    /// At a server other writers come between, and all queues are in memory.
    package func turnOrder(of runner: ProcessRecord, after turn: RoundRobin) throws -> TurnOrder {
        guard !connection.isRemote else {
            return TurnOrder(of: try queues(.inUse([])), for: runner, after: turn)
        }
        for number in tallies.takeGrown() where !turnOrders.isEmpty {
            if let queue = try entry(queueName(number)) { followTurns(queue.record) }
        }
        if let known = turnOrders[runner.id], known.holds(for: runner, after: turn) {
            return known
        }
        if turnOrders.count >= Self.turnOrderLimit { turnOrders.removeAll() }
        let order = TurnOrder(
            of: try queues(.inUse([])), for: runner, after: turn, isKept: true)
        tallies.followGrowth()
        turnOrders[runner.id] = order
        return order
    }

    /// Processes with more runners than this on one store are rare.
    private static let turnOrderLimit = 8

    private func followTurns(_ queue: QueueRecord) {
        for order in turnOrders.values { order.add(queue) }
    }

    /// Follows a change of a queue.
    func followTurns(from old: QueueRecord?, to queue: QueueRecord) {
        guard !turnOrders.isEmpty else { return }
        if let old, !old.hasPlace(of: queue) { return turnOrders.removeAll() }
        if queue.run != nil { followTurns(queue) }
    }
}

extension QueueRecord {
    /// Whether it has the same place in the order of claims as another version of it.
    fileprivate func hasPlace(of other: QueueRecord) -> Bool {
        settings.priority == other.settings.priority
            && (settings.concurrency == 1) == (other.settings.concurrency == 1)
    }
}

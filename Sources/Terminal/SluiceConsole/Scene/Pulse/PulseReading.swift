import SluiceControl
package import SluiceModel
import SluiceStore

/// Kept counts of a queue and its first due task, read at one moment for view 7.
package struct QueuePulse: Hashable, Sendable {
    /// Ends by minute and ten seconds, from the minute of `since` on.
    package var ends: [EndedCounts]
    /// How long tasks had been due when they began, likewise.
    package var waits: [EndedCounts]
    /// The number of waiting tasks at the beginning of each minute with a change, likewise.
    package var starts: [Int64: Int]
    /// When the first task that is due became due; nil if none is.
    package var firstDue: Timestamp?
    /// From the minute of this moment on the ends are complete.
    package var since: Timestamp

    package init(
        ends: [EndedCounts], waits: [EndedCounts] = [], starts: [Int64: Int] = [:],
        firstDue: Timestamp?, since: Timestamp
    ) {
        (self.ends, self.waits, self.starts) = (ends, waits, starts)
        (self.firstDue, self.since) = (firstDue, since)
    }
}

extension SceneLoader {
    private static let hourMilliseconds: Int64 = 3_600_000

    /// Reads what view 7 draws of each queue in sight.
    func loadPulse(_ request: LoadRequest, _ scene: inout LoadedScene) throws {
        let since = request.pulseSince ?? reading.real + -Self.hourMilliseconds
        for line in scene.queues {
            scene.pulse[line.name] = QueuePulse(
                ends: try reading.store.endedCounts(.attempts, queue: line.name, since: since),
                waits: try reading.store.endedCounts(.waits, queue: line.name, since: since),
                starts: try reading.store.waitingStarts(
                    queue: line.name, since: request.pulseSince),
                firstDue: try firstDue(of: line), since: since)
        }
    }

    private func firstDue(of line: QueueLine) throws -> Timestamp? {
        guard line.overview.counts.waitingByFlags[.ready] ?? 0 > 0 else { return nil }
        let first = TaskQuery(queue: line.name, waitFlags: .ready, limit: 1)
        guard let task = try reading.store.tasks(matching: first).first else { return nil }
        let due = task.waiting?.timer?.until ?? task.createdAt
        return due == .unknown ? nil : reading.time.moment(of: due)
    }
}

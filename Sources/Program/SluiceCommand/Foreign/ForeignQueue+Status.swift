import SluiceConsole
import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceStore

/// The condition of another system's queue, for the console and commands.
extension ForeignQueue {
    /// The condition; `lack` is the known reason why no worker takes its tasks.
    func status(lack: RunnerLack? = nil) -> QueueStatus {
        let record = QueueRecord(name: name, createdAt: Timestamp(milliseconds: 0))
        return QueueLine(self, QueueOverview(record), lack: lack, system: system).status
    }

    /// The number of its tasks by state, and of waiting ones by blocker.
    var counts: QueueCounts {
        var counts = QueueCounts()
        counts.states = [
            .waiting: waiting + delayed + skipped, .running: inFlight, .failed: failed,
            .succeeded: succeeded,
        ]
        counts.waitingByFlags = [
            .ready: waiting - blocked, .lingering: blocked, .delayed: delayed, .skipped: skipped,
        ]
        return counts
    }

    fileprivate var activity: QueueOverview.State {
        if isStopped { return isInFlight ? .pausing : .paused }
        let works = inFlight + waiting + delayed + skipped > 0
        return works || bounds.contains(.waiting) ? .running : .idle
    }
}

extension QueueLine {
    /// The line of another system's queue. `overview` has the facts that its system does not count.
    init(
        _ queue: ForeignQueue, _ overview: QueueOverview, lack: RunnerLack?, system: String
    ) {
        var overview = overview
        overview.counts = queue.counts
        overview.due = queue.waiting - queue.blocked
        (overview.isDueCapped, overview.hasMoreWoken) = (false, false)
        (overview.lost, overview.isStuck) = (0, false)
        overview.oldest = queue.oldest
        (overview.state, overview.lack) = (queue.activity, lack)
        self.init(
            overview, system: system, taken: queue.taken,
            estimated: Set(queue.estimates.compactMap(\.tally)),
            bounded: Set(queue.bounds.compactMap(\.tally)))
    }
}

extension ForeignCount {
    fileprivate var tally: QueueTally.Estimate? {
        switch self {
        case .waiting: .due
        case .delayed: .delayed
        case .skipped: .skipped
        case .running: .running
        case .failed: .failed
        case .blocked: .blocked
        case .held, .taken, .succeeded: nil
        }
    }
}

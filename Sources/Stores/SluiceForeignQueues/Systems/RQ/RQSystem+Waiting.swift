import SluiceModel
import SluiceRedisClient

/// The waiting jobs of a queue in the order of a page: its lists, the two sorted sets of times, and
/// the jobs that depend on others.
extension RQSystem {
    /// A sorted set of waiting jobs.
    private enum WaitingPart: CaseIterable {
        case scheduled, scheduler, deferred
    }

    func waitingJobs(of queue: String, from start: Int, limit: Int) throws -> [ForeignTask] {
        var found = try waiting(in: queue, from: start, limit: limit)
        var before = start == 0 ? 0 : try waitingCount(queue)
        for part in WaitingPart.allCases where found.count < limit {
            found += try jobs(
                part, of: queue, from: max(0, start - before), limit: limit - found.count)
            if start > before { before += try count(part, of: queue) }
        }
        return found
    }

    /// The offset after a waiting job; 0 if it does not wait any more.
    func offset(afterWaiting reference: String, in queue: String) throws -> Int {
        let listed = try offset(after: reference, in: queue)
        guard listed == 0 else { return listed }
        var before = try waitingCount(queue)
        for part in WaitingPart.allCases {
            if let index = try index(of: reference, part, of: queue) { return before + index + 1 }
            before += try count(part, of: queue)
        }
        return 0
    }

    private func jobs(
        _ part: WaitingPart, of queue: String, from start: Int, limit: Int
    ) throws -> [ForeignTask] {
        switch part {
        case .scheduled: try registry("scheduled", queue, .delayed, start, limit)
        case .scheduler: Array(try schedulerJobs(of: queue).dropFirst(start).prefix(limit))
        case .deferred: try registry("deferred", queue, .blocked, start, limit)
        }
    }

    private func count(_ part: WaitingPart, of queue: String) throws -> Int {
        switch part {
        case .scheduled: Int(try redis.look("ZCARD", "rq:scheduled:\(queue)").integer ?? 0)
        case .scheduler: try schedulerJobs(of: queue).count
        case .deferred: Int(try redis.look("ZCARD", "rq:deferred:\(queue)").integer ?? 0)
        }
    }

    private func index(
        of reference: String, _ part: WaitingPart, of queue: String
    ) throws -> Int? {
        switch part {
        case .scheduled:
            try redis.look("ZRANK", "rq:scheduled:\(queue)", reference).integer.map { Int($0) }
        case .scheduler:
            try schedulerJobs(of: queue).firstIndex { $0.reference.isSame(as: reference) }
        case .deferred:
            try redis.look("ZRANK", "rq:deferred:\(queue)", reference).integer.map { Int($0) }
        }
    }
}

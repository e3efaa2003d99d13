import SluiceModel
import SluiceRedisClient

/// What every system of lists shows alike.
extension RedisListSystem {
    /// The place behind a waiting task in its queue's lists; the first place where the task is
    /// gone.
    func offset(after reference: String, in queue: String) throws -> Int {
        guard let place = try place(of: reference, in: queue) else { return 0 }
        var start = 0
        for lane in lanes(of: queue) {
            for list in [lane.held, lane.list, lane.skipped] {
                let length = try length(of: list)
                guard list == place.list else {
                    start += length
                    continue
                }
                let index = Int(try redis.look("LPOS", list, place.element).integer ?? 0)
                return start + (lane.takes == .left ? index : length - 1 - index) + 1
            }
        }
        return 0
    }

    /// What waits in the lists of a queue: held, then in the list itself, then set aside; a page of
    /// it, and whether more follow.
    func waiting(
        in queue: String, from start: Int, limit: Int
    ) throws -> [ForeignTask] {
        var found: [ForeignTask] = []
        var skip = start
        var isFirst = start == 0
        for lane in lanes(of: queue) {
            let parts: [([UInt8], ForeignTask.Display)] = [
                (lane.held, .held), (lane.list, .due), (lane.skipped, .skipped),
            ]
            for (list, display) in parts {
                guard found.count < limit else { return found }
                let length = try length(of: list)
                guard skip < length else {
                    skip -= length
                    continue
                }
                let piece = try elements(
                    list, takes: lane.takes, from: skip, count: limit - found.count)
                skip = 0
                var tasks = try tasks(piece, in: queue, display)
                if isFirst, display == .due, !tasks.isEmpty {
                    tasks[0].display = .next
                    isFirst = false
                }
                found += tasks
            }
        }
        return found
    }

    /// How many lie in a list of each lane, the hold, and the oldest element that waits.
    func glance(
        _ queue: inout ForeignQueue
    ) throws {
        let lanes = lanes(of: queue.name)
        for lane in lanes {
            let counts = try redis.pipeline([
                RedisCommand("LLEN", lane.list), RedisCommand("LLEN", lane.held),
                RedisCommand("LLEN", lane.skipped),
            ]).map { Int($0.integer ?? 0) }
            queue.waiting += counts[0] + counts[1]
            queue.held += counts[1]
            queue.skipped += counts[2]
        }
        queue.hold = HoldRecord.read(try redis.look("HGETALL", lanes[0].record))
        if queue.hold != nil, try !GuardKeeper.isThere(lanes[0], redis) {
            queue.hold?.leak = "the process that holds it is gone: what arrives now runs"
        }
    }

    /// How many elements a list has; what is no list has none.
    func length(of list: [UInt8]) throws -> Int {
        Int(try redis.pipeline([RedisCommand("LLEN", list)]).first?.integer ?? 0)
    }

    /// Whether a queue is held.
    func isHeld(_ queue: String) throws -> Bool {
        try redis.call("EXISTS", lanes(of: queue)[0].record).integer == 1
    }
}

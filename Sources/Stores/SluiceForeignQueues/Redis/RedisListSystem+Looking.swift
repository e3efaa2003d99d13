import SluiceModel
import SluiceRedisClient

/// What every system of lists shows alike.
extension RedisListSystem {
    /// The place behind a waiting task in its queue's lists; the first place where the task is
    /// gone.
    func offset(after reference: String, in queue: String) throws -> Int {
        if let end = seen.end(of: reference), let index = try index(of: reference, near: end) {
            return try start(of: end.list, in: queue) + index + 1
        }
        guard let place = try place(of: reference, in: queue) else { return 0 }
        let index = Int(try redis.look("LPOS", place.list, place.element).integer ?? 0)
        let taken =
            place.workList.takes == .left ? index : try length(of: place.list) - 1 - index
        return try start(of: place.list, in: queue) + taken + 1
    }

    /// Where a task lies whose place is known from a page: there, or nearer to the end that is
    /// taken from, when workers took some meanwhile. Nil where it has gone from there.
    private func index(of reference: String, near end: ListIndex) throws -> Int? {
        for count in [1, 1000] {
            let from = max(0, end.index + 1 - count)
            let piece = try elements(
                end.list, takes: end.takes, from: from, count: end.index + 1 - from)
            let found = piece.lastIndex {
                mayBe(reference, $0) && self.reference(of: $0) == reference
            }
            if let found { return from + found }
        }
        return nil
    }

    /// How many elements lie in the lists of a queue before one of them.
    private func start(of list: [UInt8], in queue: String) throws -> Int {
        var start = 0
        for workList in workLists(of: queue) {
            for other in [workList.held, workList.list, workList.skipped] {
                if other == list { return start }
                start += try length(of: other)
            }
        }
        return start
    }

    /// What waits in the lists of a queue: held, then in the list itself, then set aside; a page of
    /// it, and whether more follow.
    func waiting(
        in queue: String, from start: Int, limit: Int
    ) throws -> [ForeignTask] {
        var found: [ForeignTask] = []
        var skip = start
        var isFirst = start == 0
        for workList in workLists(of: queue) {
            let parts: [([UInt8], ForeignTask.Display)] = [
                (workList.held, .held), (workList.list, .due), (workList.skipped, .skipped),
            ]
            for (list, display) in parts {
                guard found.count < limit else { return found }
                let length = try length(of: list)
                guard skip < length else {
                    skip -= length
                    continue
                }
                let piece = try elements(
                    list, takes: workList.takes, from: skip, count: limit - found.count)
                var tasks = try tasks(piece, in: queue, display)
                // Who reads on names the last task, or the one before it where one was read to
                // see whether more follow.
                for index in tasks.indices.suffix(2) where tasks.count == piece.count {
                    seen.keep(
                        end: ListIndex(list: list, takes: workList.takes, index: skip + index),
                        of: tasks[index].reference)
                }
                skip = 0
                if isFirst, display == .due, !tasks.isEmpty {
                    tasks[0].display = .next
                    isFirst = false
                }
                found += tasks
            }
        }
        return found
    }

    /// How many lie in a list of each work list, the hold, and the oldest element that waits.
    func glance(
        _ queue: inout ForeignQueue
    ) throws {
        let workLists = workLists(of: queue.name)
        for workList in workLists {
            let counts = try redis.pipeline([
                RedisCommand("LLEN", workList.list), RedisCommand("LLEN", workList.held),
                RedisCommand("LLEN", workList.skipped),
            ]).map { Int($0.integer ?? 0) }
            queue.waiting += counts[0] + counts[1]
            queue.held += counts[1]
            queue.skipped += counts[2]
        }
        queue.hold = HoldRecord.read(try redis.look("HGETALL", workLists[0].record))
        if queue.hold != nil, try !GuardKeeper.isThere(workLists[0], redis) {
            queue.hold?.leak = "the process that holds it is gone: what arrives now runs"
        }
    }

    /// How many elements a list has; what is no list has none.
    func length(of list: [UInt8]) throws -> Int {
        Int(try redis.pipeline([RedisCommand("LLEN", list)]).first?.integer ?? 0)
    }

    /// Whether a queue is held.
    func isHeld(_ queue: String) throws -> Bool {
        try redis.call("EXISTS", workLists(of: queue)[0].record).integer == 1
    }
}

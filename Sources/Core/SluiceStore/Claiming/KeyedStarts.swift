package import SluiceModel

/// The first tasks of a queue that its rate for each key lets start (Q13).
package struct KeyedStarts: Hashable, Sendable {
    /// In the order of the queue.
    package var tasks: [QueueTask] = []
    /// When the rate lets the first of the passed tasks start.
    package var opens: Timestamp?

    /// How many tasks a claim passes to find one with another key.
    package static let passed = 4096
    /// The first page, and how many payloads are in memory at the same time.
    static let page = 64

    /// Adds the tasks whose keys may start, up to a limit. Each one counts for the next ones.
    mutating func add(
        _ found: [QueueTask], _ keys: [TaskID: RateKey], of queue: QueueRecord, now: Timestamp,
        limit: Int
    ) {
        var room: [RateKey: Int] = [:]
        for task in found where tasks.count < limit {
            guard let key = keys[task.id] else { continue }
            let free = room[key] ?? queue.allowance(of: key, at: now) ?? 0
            room[key] = free - 1
            if free > 0 {
                tasks.append(task)
            } else if let next = queue.rateOpens(for: key, after: now) {
                opens = min(opens ?? next, next)
            }
        }
    }
}

extension StoreReader {
    /// The key of a task for the rate of its queue; `nil` unless that counts by keys.
    package func rateKey(
        of task: QueueTask, payload: [UInt8]? = nil, in queue: QueueRecord
    ) throws -> RateKey? {
        guard let per = queue.settings.rate?.per else { return nil }
        return RateKey(per, in: try payload ?? self.payload(of: task.id) ?? [])
    }

    /// The first eligible tasks whose keys the rate of the queue lets start now.
    package func startable(
        _ queue: QueueRecord, per: PayloadPath, for runners: [ProcessRecord],
        assumesRunner: Bool = false, now: Timestamp, limit: Int, bounds: DueBounds = .reading
    ) throws -> KeyedStarts {
        var keys: [TaskID: RateKey] = [:]
        var size = max(limit, KeyedStarts.page)
        while true {
            let tasks = try eligible(
                queue, for: runners, assumesRunner: assumesRunner, now: now, limit: size,
                bounds: bounds)
            try read(&keys, of: tasks, per)
            var found = KeyedStarts()
            found.add(tasks, keys, of: queue, now: now, limit: limit)
            guard found.tasks.count < limit, tasks.count == size, size < KeyedStarts.passed
            else { return found }
            size = min(size * 8, KeyedStarts.passed)
        }
    }

    /// When the rate of a queue lets the next of its waiting tasks start; `nil` without a rate, if
    /// one may start now, and if none waits.
    package func nextByRate(_ queue: QueueRecord, now: Timestamp) throws -> Timestamp? {
        guard let rate = queue.settings.rate,
            try counts(queue: queue.name).waitingByFlags[.ready] ?? 0 > 0
        else { return nil }
        guard let per = rate.per else { return queue.rateOpens(after: now) }
        guard !queue.paidKeys.isEmpty else { return nil }
        let starts = try startable(
            queue, per: per, for: [], assumesRunner: true, now: now, limit: 1)
        return starts.tasks.isEmpty ? starts.opens : nil
    }

    private func read(
        _ keys: inout [TaskID: RateKey], of tasks: [QueueTask], _ per: PayloadPath
    ) throws {
        var left = tasks.map(\.id).filter { keys[$0] == nil }[...]
        while !left.isEmpty {
            let page = Array(left.prefix(KeyedStarts.page))
            left = left.dropFirst(page.count)
            let payloads = try payloads(of: page)
            for id in page { keys[id] = RateKey(per, in: payloads[id] ?? []) }
        }
    }
}

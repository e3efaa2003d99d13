package import SluiceModel
package import SluiceStore

/// Ends per minute and per kind of error, and waiting and running tasks per type.
extension TableReader {
    private enum SQL {
        /// Waiting tasks of the types that are not the main one, which an index holds by type.
        static let readyOthers = Query(
            """
            SELECT type, 0, count(*) FROM sluice_task INDEXED BY sluice_task_type
            WHERE queue = ? AND lane = \(IndexBucket.otherType) GROUP BY type
            """)
        static let heldOthers = Query(
            """
            SELECT type, 0, count(*) FROM sluice_task
            WHERE queue = ? AND lane > \(IndexBucket.otherType) GROUP BY type
            """)
        static let running = Query(
            """
            SELECT type, 1, count(*) FROM sluice_task
            WHERE queue = ? AND lane = \(IndexBucket.number(of: .running)) GROUP BY type
            """)
    }

    package func typeCounts() throws -> [TypeCount] {
        try queues(.holding([.waiting, .running])).flatMap { queue in
            try typeCounts(of: try requireEntry(queue.record.name))
        }
    }

    /// One type is counted with its queue. Of several the main one, which most tasks have, is what
    /// the queue has more than the others.
    private func typeCounts(of queue: QueueEntry) throws -> [TypeCount] {
        let name = queue.record.name
        if let type = queue.types.main, !queue.types.isMixed {
            let counts = try counts(of: name)
            let count = TypeCount(
                queue: name, type: type, waiting: counts[.waiting], running: counts[.running])
            return count.waiting + count.running > 0 ? [count] : []
        }
        var found: [String: TypeCount] = [:]
        for query in [SQL.readyOthers, SQL.heldOthers, SQL.running] {
            let row = try connection.prepare(query)
            defer { row.reset() }
            row.bind(queue.id)
            while try row.next() {
                let type = row.text(0)
                let isWaiting = try TaskState.Name(code: row.integer(1)) == .waiting
                found[type, default: TypeCount(queue: name, type: type)]
                    .add(row.int(2), isWaiting: isWaiting)
            }
        }
        // The main type has the rest of the tallies.
        if let main = queue.types.main {
            let rest = try counts(of: name)[.waiting] - found.values.reduce(0) { $0 + $1.waiting }
            if rest > 0 {
                found[main, default: TypeCount(queue: name, type: main)]
                    .add(rest, isWaiting: true)
            }
        }
        return Array(found.values)
    }

    package func endedCounts(
        _ what: EndedSelection, queue: String?, since: Timestamp
    ) throws -> [EndedCounts] {
        guard let id = try queueID(queue) else { return [] }
        try writeTallies()
        let codes = EndedRow.codes(what)
        let row = try connection.prepare(EndedRow.select(what))
        defer { row.reset() }
        row.bind(id)
        row.bind(codes.first)
        row.bind(codes.end)
        row.bind(EndedCounts.minute(of: since))
        var found: [EndedCounts] = []
        while try row.next() {
            let counts = try EndedRow.read(row, what)
            if counts.total > 0 { found.append(counts) }
        }
        return found
    }

    package func failureCounts(queue: String?) throws -> [FailureCount] {
        guard let id = try queueID(queue) else { return [] }
        try writeTallies()
        let row = try connection.prepare(queue == nil ? FailureRow.ofAll : FailureRow.ofQueue)
        defer { row.reset() }
        if queue != nil { row.bind(id) }
        var found: [FailureCount] = []
        while try row.next() { found.append(FailureRow.read(row)) }
        return found
    }

    /// 0 for all together; nil if there is no such queue.
    private func queueID(_ name: String?) throws -> Int64? {
        guard let name else { return 0 }
        return try entry(name)?.id
    }
}

extension TypeCount {
    fileprivate mutating func add(_ count: Int, isWaiting: Bool) {
        if isWaiting { waiting += count } else { running += count }
    }
}

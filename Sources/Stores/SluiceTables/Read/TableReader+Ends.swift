package import SluiceModel
package import SluiceStore

/// What ended, by minute and by kind of error, and what waits and runs by type.
extension TableReader {
    private enum SQL {
        static let ofQueue = Query(
            """
            SELECT type, state, count(*) FROM sluice_task WHERE queue = ? AND lane >= -1
            GROUP BY type, state
            """)
    }

    package func typeCounts() throws -> [TypeCount] {
        try queues(.holding([.waiting, .running])).flatMap { queue in
            try typeCounts(of: try requireEntry(queue.record.name))
        }
    }

    /// One type is counted with its queue.
    private func typeCounts(of queue: QueueEntry) throws -> [TypeCount] {
        let name = queue.record.name
        if let type = queue.types.main, !queue.types.isMixed {
            let counts = try counts(of: name)
            let count = TypeCount(
                queue: name, type: type, waiting: counts[.waiting], running: counts[.running])
            return count.waiting + count.running > 0 ? [count] : []
        }
        let row = try connection.prepare(SQL.ofQueue)
        defer { row.reset() }
        row.bind(queue.id)
        var found: [String: TypeCount] = [:]
        while try row.next() {
            let type = row.text(0)
            var count = found[type] ?? TypeCount(queue: name, type: type)
            if try TaskState.Name(code: row.integer(1)) == .waiting {
                count.waiting += row.int(2)
            } else {
                count.running += row.int(2)
            }
            found[type] = count
        }
        return Array(found.values)
    }

    package func endedCounts(
        _ what: EndedSelection, queue: String?, since: Timestamp
    ) throws -> [EndedCounts] {
        guard let id = try queueID(queue) else { return [] }
        try writeTallies()
        let codes = EndedRow.codes(what)
        let row = try connection.prepare(EndedRow.select)
        defer { row.reset() }
        row.bind(id)
        row.bind(codes.first)
        row.bind(codes.end)
        row.bind(EndedCounts.minute(of: since))
        var found: [EndedCounts] = []
        while try row.next() {
            let counts = try EndedRow.read(row)
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

    /// 0 for all together; nil where there is no such queue.
    private func queueID(_ name: String?) throws -> Int64? {
        guard let name else { return 0 }
        return try entry(name)?.id
    }
}

import SluiceModel
import SluiceStore

/// What ended, by minute and by kind of error.
extension ReadSession {
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

import SluiceModel
import SluiceStore

/// Groups: starts that hold, and members by position.
extension TableReader {
    private enum SQL {
        static let starts = Query(
            """
            SELECT task FROM sluice_role WHERE queue = ? AND name = ? AND holds = 1
            ORDER BY position
            """)
        static let groups = Query(
            """
            SELECT name, waiting + running FROM sluice_group
            WHERE queue = ? AND name > ? AND (starts > 0 OR waiting > 0)
            ORDER BY name LIMIT ?
            """)
    }

    func storedGroups(queue: String, after name: String?, limit: Int) throws -> [GroupSummary] {
        guard let queue = try entry(queue) else { return [] }
        var found: [GroupSummary] = []
        let row = try connection.prepare(SQL.groups)
        defer { row.reset() }
        row.bind(queue.id)
        row.bind(name ?? "")
        row.bind(limit)
        while try row.next() {
            let name = row.text(0)
            found.append(
                GroupSummary(
                    name: name, starts: try starts(of: name, queueID: queue.id),
                    members: row.int(1)))
        }
        return found
    }

    private func starts(of group: String, queueID: Int64) throws(QueueError) -> [TaskID] {
        let row = try connection.prepare(SQL.starts)
        defer { row.reset() }
        row.bind(queueID)
        row.bind(group)
        var found: [TaskID] = []
        while try row.next() { found.append(row.integer(0)) }
        return found
    }
}

import SluiceModel
import SluiceStore

/// Groups: starts that hold, and members by position.
extension ReadSession {
    private enum SQL {
        static let holding = Query(
            """
            SELECT task FROM sluice_role
            WHERE queue = ? AND name = ? AND holds = 1 AND position > ? AND position < ?
            ORDER BY position LIMIT 1
            """)
        static let starts = Query(
            """
            SELECT task FROM sluice_role WHERE queue = ? AND name = ? AND holds = 1
            ORDER BY position
            """)
        static let members = TaskColumns.select(
            """
            FROM sluice_role r CROSS JOIN sluice_task t ON t.id = r.task
            WHERE r.queue = ? AND r.name = ? AND r.is_member = 1 AND r.state = 0
                AND r.position > ? AND r.position <= ?
            ORDER BY r.position LIMIT ?
            """)
        static let memberCount = Query(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM sluice_role
                WHERE queue = ? AND name = ? AND is_member = 1 AND state = 0 AND position > ?
                LIMIT ?
            ) AS found
            """)
        static let groups = Query(
            """
            SELECT name, waiting + running FROM sluice_group
            WHERE queue = ? AND name > ? AND (starts > 0 OR waiting > 0)
            ORDER BY name LIMIT ?
            """)
    }

    package func holdingStart(
        queue: String, group: String, after last: Int64, before position: Int64
    ) throws -> TaskID? {
        guard let queue = try entry(queue) else { return nil }
        let row = try connection.prepare(SQL.holding)
        defer { row.reset() }
        row.bind(queue.id)
        row.bind(group)
        row.bind(last)
        row.bind(position)
        return try row.next() ? row.integer(0) : nil
    }

    package func waitingMembers(
        queue: String, group: String, after position: Int64, through: Int64?, limit: Int
    ) throws -> [QueueTask] {
        guard let queue = try entry(queue) else { return [] }
        let row = try connection.prepare(SQL.members)
        defer { row.reset() }
        row.bind(queue.id)
        row.bind(group)
        row.bind(position)
        row.bind(through ?? .max)
        row.bind(limit)
        return try tasks(of: row)
    }

    package func countWaitingMembers(
        queue: String, group: String, after position: Int64, limit: Int
    ) throws -> Int {
        guard let queue = try entry(queue) else { return 0 }
        let row = try connection.prepare(SQL.memberCount)
        defer { row.reset() }
        row.bind(queue.id)
        row.bind(group)
        row.bind(position)
        row.bind(limit)
        return try row.next() ? row.int(0) : 0
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

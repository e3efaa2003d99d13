import SluiceModel
import SluiceStore

/// The checks of `doctor` in the engine: values derived from the tasks.
extension TableWriter {
    private enum SQL {
        static let page = Query(
            "SELECT id, lane, rank FROM sluice_task WHERE id > ? ORDER BY id LIMIT 1000")
        static let clearTallies = Query("DELETE FROM \(Tallies.rows)")
        static let fillTallies = Query(
            """
            INSERT INTO sluice_tally (queue, state, lane, n)
            \(TallyCheck.counted)
            """)
        static let roleSums = Query(
            """
            SELECT CAST(count(*) AS DOUBLE PRECISION),
                \(["task", "position", "state", "is_member", "holds"].map(total)
                    .joined(separator: ", ")),
                (SELECT \(total("starts * 3 + waiting * 5 + running")) FROM sluice_group)
            FROM sluice_role
            """)
        /// Sums use floating point: they are only compared, and must not overflow.
        private static func total(_ expression: String) -> String {
            "coalesce(sum(CAST(\(expression) AS DOUBLE PRECISION)), 0)"
        }
        static let clearRoles = Query("DELETE FROM sluice_role")
        static let clearGroups = Query("DELETE FROM sluice_group")
    }

    package func rebuildIndexes() throws -> [String] {
        var problems: [String] = []
        try writeCounts()
        let sums = try numbers(SQL.roleSums)
        try run(SQL.clearRoles)
        try run(SQL.clearGroups)
        groupTallies.removeAll()
        let wrong = try rewriteTasks()
        if wrong > 0 { problems.append("\(wrong) tasks had a wrong lane or place in the order") }
        try writeGroupTallies()
        if try numbers(SQL.roleSums) != sums {
            problems.append("the rows of groups did not follow from the tasks")
        }
        let unequal = try TallyCheck.wrong(connection)
        if unequal > 0 { problems.append("\(unequal) counts of tasks were wrong") }
        let early = try numbers(LastPositions.wrong).first ?? 0
        if early > 0 { problems.append("\(Int(early)) queues gave positions that are taken") }
        try run(LastPositions.mend)
        let failures = try Self.wrongFailures(connection)
        if failures > 0 { problems.append("in \(failures) queues counts of errors were wrong") }
        try run(SQL.clearTallies)
        try run(SQL.fillTallies)
        forgetTallies()
        positions = LastPositions()
        try recountFailures()
        return problems
    }

    /// Writes each task's own columns again where they differ, and its rows of groups; gives how
    /// many differed.
    private func rewriteTasks() throws -> Int {
        var last: TaskID = 0
        var wrong = 0
        while true {
            let page = try pageOfColumns(after: last)
            for (id, waitFlags, rank) in page {
                last = id
                guard let task = try storedTask(id) else { continue }
                let queue = try entry(for: task)
                try moveRoles(from: nil, to: Roles(task, queue: queue))
                let key = task.orderKey(queue.record.settings.order)
                guard waitFlags != IndexBucket.number(of: task, in: queue) || rank != key.bytes
                else { continue }
                wrong += 1
                let row = try connection.prepare(TaskColumns.updateLife)
                TaskRow.bindLife(task, in: queue, to: row)
                row.bind(id)
                try row.run()
            }
            if page.count < 1000 { return wrong }
        }
    }

    private func pageOfColumns(
        after id: TaskID
    ) throws -> [(id: TaskID, waitFlags: Int64, rank: [UInt8])] {
        let row = try connection.prepare(SQL.page)
        row.bind(id)
        defer { row.reset() }
        var page: [(id: TaskID, waitFlags: Int64, rank: [UInt8])] = []
        while try row.next() { page.append((row.integer(0), row.integer(1), row.bytes(2))) }
        return page
    }

    private func numbers(_ query: Query) throws -> [Double] {
        let row = try connection.prepare(query)
        defer { row.reset() }
        guard try row.next() else { return [] }
        let columns: Int32 = query === SQL.roleSums ? 7 : 1
        return (0..<columns).map { row.optionalDouble($0) ?? 0 }
    }

    private func run(_ query: Query) throws { try connection.prepare(query).run() }
}

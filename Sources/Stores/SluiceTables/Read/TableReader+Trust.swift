import SluiceModel
package import SluiceStore

/// Whether the rows are what their indexes say (P3).
extension TableReader {
    package func problems(_ check: StoreCheck) throws -> [String] {
        switch check {
        case .file: try connection.integrityProblems(isQuick: false)
        case .fileQuickly: try connection.integrityProblems(isQuick: true)
        case .tasks: try taskProblems()
        case .counts: try countProblems()
        case .surroundings: []
        }
    }

    private func taskProblems() throws -> [String] {
        try writeTallies()
        let problems = try connection.problems(
            in: [
                "sluice_task", "sluice_queue", "sluice_role", "sluice_group", "sluice_tally",
                "sluice_store", "sluice_failure",
            ])
        guard problems.isEmpty else { return problems }
        let counts = try countProblems() + misplacedTasks()
        guard counts.isEmpty else { return counts }
        let failures = try TableWriter.wrongFailures(connection)
        return failures > 0
            ? ["in \(failures) queues counts of errors do not follow from the tasks"] : []
    }

    private func countProblems() throws -> [String] {
        try writeTallies()
        let wrong = try TallyCheck.wrong(connection)
        return wrong > 0 ? ["\(wrong) counts of tasks do not follow from the tasks"] : []
    }

    private func misplacedTasks() throws -> [String] {
        let row = try connection.prepare(TallyCheck.misplaced)
        defer { row.reset() }
        let count = try row.next() ? row.int(0) : 0
        return count > 0 ? ["\(count) tasks are in the place of another state"] : []
    }

    /// Tasks that an index named for a page: the engine itself looks at the index alone, so a
    /// damaged one could name what does not wait, or the same page for ever.
    func trusted(
        _ tasks: [QueueTask], for query: TaskQuery, order: QueueOrder
    ) throws(QueueError) -> [QueueTask] {
        for task in tasks where task.state.name != query.state || task.queue != query.queue {
            throw QueueError.damagedRow("an index names #\(task.id) where it is not")
        }
        guard let after = query.after, let last = tasks.last else { return tasks }
        let key = last.orderKey(order)
        guard query.isBackwards ? key < after : key > after else {
            throw QueueError.damagedRow("an index names #\(last.id) twice")
        }
        return tasks
    }

    /// Tasks that an index named for any other selection.
    func trusted(_ tasks: [QueueTask], in selection: TaskSelection) throws -> [QueueTask] {
        for task in tasks {
            let isIncluded = try selection.includes(
                task, entry(task.queue)?.record.settings ?? QueueSettings())
            if !isIncluded {
                throw QueueError.damagedRow("an index names #\(task.id) where it is not")
            }
        }
        return tasks
    }
}

/// Whether the stored counts match the tasks.
enum TallyCheck {
    /// The counts of all tasks, from the index of lanes in its order. A count by other columns
    /// would sort all tasks in memory.
    static let counted =
        """
        SELECT queue, CASE WHEN lane < 0 THEN -lane ELSE 0 END,
            CASE WHEN lane < 0 THEN 0 ELSE lane & \(IndexBucket.otherType - 1) END,
            CAST(sum(n) AS BIGINT)
        FROM (SELECT queue, lane, count(*) AS n FROM sluice_task GROUP BY queue, lane) AS lanes
        GROUP BY 1, 2, 3
        """

    private static let unequal = Query(
        """
        SELECT CAST(count(*) AS DOUBLE PRECISION) FROM (
            SELECT * FROM (
                \(counted) EXCEPT SELECT queue, state, lane, n FROM \(Tallies.rows)) AS surplus
            UNION ALL
            SELECT * FROM (
                SELECT queue, state, lane, n FROM \(Tallies.rows) AND n <> 0 EXCEPT \(counted))
                AS missing) AS wrong
        """)

    /// How many tasks have a lane of another state.
    static let misplaced = Query(
        """
        SELECT count(*) FROM sluice_task
        WHERE CASE WHEN state = 0 THEN lane < 0 ELSE lane <> -state END
        """)

    /// How many counts differ.
    static func wrong(_ connection: any TableConnection) throws(QueueError) -> Int {
        let row = try connection.prepare(unequal)
        defer { row.reset() }
        return try row.next() ? Int(row.optionalDouble(0) ?? 0) : 0
    }
}

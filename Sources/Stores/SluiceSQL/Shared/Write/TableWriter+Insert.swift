package import SluiceModel
package import SluiceStore

/// Inserts tasks. Tasks without rare values share one statement for many rows, so that each index
/// is searched once and grows at its end.
extension TableWriter {
    /// Cache tasks only for batches up to this size.
    private static let notedAtOnce = 64
    private static let plainAtOnce = 1024

    package func insert(_ tasks: [NewTask]) throws {
        var rest = tasks[...]
        while let first = rest.first {
            let count = countOfPlain(rest)
            if count == 0 {
                try insert(first)
            } else {
                try insert(plain: rest.prefix(count))
            }
            rest = rest.dropFirst(max(1, count))
        }
        // A commit that brings many tasks would look at each of them for every answer.
        if tasks.count <= Self.notedAtOnce {
            for new in tasks { try followAhead(new.task.id, to: new.task) }
        } else {
            ahead.forget()
        }
        if try isRecorded() { notes.record(inserted: tasks) }
        if tasks.count <= Self.notedAtOnce { for new in tasks { cache(new.task) } }
    }

    /// The number of leading tasks that are plain and differ only in bound values.
    private func countOfPlain(_ tasks: ArraySlice<NewTask>) -> Int {
        guard let first = tasks.first, Self.isInline(first), TaskRow.isPlain(first.task) else {
            return 0
        }
        var twin = first.task
        let alike = tasks.prefix(Self.plainAtOnce).dropFirst().prefix {
            Self.isInline($0) && TaskRow.isAlike(&twin, $0.task)
        }
        return 1 + alike.count
    }

    private static func isInline(_ new: NewTask) -> Bool {
        new.payload.count <= TaskRow.inlinePayloadBytes
    }

    private func insert(plain tasks: ArraySlice<NewTask>) throws {
        guard let first = tasks.first?.task else { return }
        let queue = try entry(for: first)
        if let kept {
            try kept.keep(tasks, in: queue)
        } else {
            for new in tasks {
                let row = try connection.prepare(TaskColumns.insertPlain)
                TaskRow.bindAlike(first, in: queue, to: row)
                TaskRow.bindOwn(new, order: queue.record.sharedSettings.value.order, to: row)
                try row.run()
            }
        }
        tallies.add(tasks.count, TallyKey(first, queue: queue.id))
        for new in tasks { positions.raise(to: new.task.position, of: queue.id) }
    }

    private func insert(_ new: NewTask) throws {
        let queue = try entry(for: new.task)
        let row = try connection.prepare(TaskColumns.insert)
        TaskRow.bindLife(new.task, in: queue, to: row)
        TaskRow.bindFixed(new.task, queueID: queue.id, to: row)
        row.bind(new.task.id)
        let isInline = Self.isInline(new)
        row.bind(isInline ? new.payload : nil)
        try row.run()
        if !isInline { try insertPayload(new.payload, of: new.task.id) }
        tallies.add(1, TallyKey(new.task, queue: queue.id))
        ended.move(from: nil, queue.id, to: new.task, queue.id)
        positions.raise(to: new.task.position, of: queue.id)
        try moveRoles(from: nil, to: Roles(new.task, queue: queue))
    }
}

/// Updates the rows that find and count group members after task changes.
extension TableWriter {
    private enum GroupSQL {
        static let put = Query(
            .insert(
                into: "sluice_role",
                ["queue", "name", "task", "state", "rank", "position", "is_member", "holds"],
                replacing: ["queue", "name", "task"]))
        static let delete = Query(
            .delete(from: "sluice_role", where: ["queue", "name", "task"]))
        static let tally = Query(
            .insert(
                into: "sluice_group", ["queue", "name"] + counts, replacing: ["queue", "name"],
                by: counts.map { "\($0) = sluice_group.\($0) + excluded.\($0)" }
                    .joined(separator: ", ")))
        static let sweep = Query(
            .delete(
                from: "sluice_group", where: ["queue", "name"],
                numbers: ["starts": 0, "waiting": 0, "running": 0]))
        private static let counts = ["starts", "waiting", "running"]
    }

    func moveRoles(from old: Roles?, to new: Roles?) throws(QueueError) {
        guard old != new else { return }
        if let old {
            for group in old.byGroup.keys {
                groupTallies[GroupKey(queue: old.queue, name: group), default: GroupTally()]
                    .add(old.tally(of: group), times: -1)
                guard new?.queue != old.queue || new?.byGroup[group] == nil else { continue }
                let row = try connection.prepare(GroupSQL.delete)
                row.bind(old.queue)
                row.bind(group)
                row.bind(old.task)
                try row.run()
            }
        }
        guard let new else { return }
        for (group, role) in new.byGroup {
            groupTallies[GroupKey(queue: new.queue, name: group), default: GroupTally()]
                .add(new.tally(of: group), times: 1)
            let row = try connection.prepare(GroupSQL.put)
            row.bind(new.queue)
            row.bind(group)
            row.bind(new.task)
            row.bind(new.state.code)
            row.bind(new.rank)
            row.bind(new.position)
            row.bind(role.isMember)
            row.bind(role.holds)
            try row.run()
        }
    }

    func writeGroupTallies() throws(QueueError) {
        for (key, tally) in groupTallies where tally != GroupTally() {
            let row = try connection.prepare(GroupSQL.tally)
            row.bind(key.queue)
            row.bind(key.name)
            row.bind(tally.starts)
            row.bind(tally.waiting)
            row.bind(tally.running)
            try row.run()
        }
        // One statement with the same values lets removals run together.
        for (key, tally) in groupTallies where tally != GroupTally() {
            let sweep = try connection.prepare(GroupSQL.sweep)
            sweep.bind(key.queue)
            sweep.bind(key.name)
            try sweep.run()
        }
        groupTallies.removeAll(keepingCapacity: true)
    }
}

/// Counts of failed tasks, made again from the tasks.
extension TableWriter {
    private enum FailureSQL {
        static let clear = [
            Query("DELETE FROM sluice_failure"), Query("DELETE FROM sluice_ended WHERE class < 0"),
        ]
        static let page = TaskColumns.select(
            """
            FROM sluice_task t WHERE t.state = \(TaskState.Name.failed.code) AND t.id > ?
            ORDER BY t.id LIMIT 1000
            """)
        static let wrong = Query(
            """
            SELECT CAST(count(*) AS DOUBLE PRECISION) FROM (
                SELECT queue FROM (
                    SELECT queue, n FROM \(Tallies.rows)
                        AND state = \(TaskState.Name.failed.code)
                    UNION ALL SELECT queue, -n FROM sluice_failure) AS counted
                GROUP BY queue HAVING sum(n) <> 0) AS unequal
            """)
    }

    /// Counts them again.
    func recountFailures() throws {
        try writeCounts()
        for query in FailureSQL.clear { try connection.prepare(query).run() }
        var last: TaskID = 0
        while true {
            let row = try connection.prepare(FailureSQL.page)
            row.bind(last)
            let page = try tasks(of: row)
            row.reset()
            for task in page {
                last = task.id
                let queue = try entry(for: task).id
                ended.move(from: nil, queue, to: task, queue)
            }
            try ended.write(connection)
            if page.count < 1000 { return }
        }
    }

    /// The number of queues with wrong counts of failed tasks.
    static func wrongFailures(_ connection: any TableConnection) throws(QueueError) -> Int {
        let row = try connection.prepare(FailureSQL.wrong)
        defer { row.reset() }
        return try row.next() ? Int(row.optionalDouble(0) ?? 0) : 0
    }
}

extension QueueStore {
    /// Counts failed tasks by their errors, in a store whose tables did not.
    package func countFailures() throws(QueueError) {
        do {
            try writeBlocking { writer in try (writer as? TableWriter)?.recountFailures() }
        } catch let error as QueueError {
            throw error
        } catch {
            throw QueueError.damagedRow("\(error)")
        }
    }
}

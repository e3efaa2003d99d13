import QueueModel
import QueueStore

/// How tasks come in: those that carry nothing rare by many rows in one statement, so that the
/// indexes are looked for once and grow at their ends.
extension WriteSession {
    /// So few are asked for again by the body that brought them.
    private static let notedAtOnce = 64

    package func insert(_ tasks: [NewTask]) throws {
        let isNoted = tasks.count <= Self.notedAtOnce
        var rest = tasks[...]
        while let first = rest.first {
            let plain = rest.prefix(TaskColumns.plainRows).prefix {
                $0.task.queue == first.task.queue && TaskRow.isPlain($0)
            }
            if plain.isEmpty {
                try insert(first)
                rest.removeFirst()
            } else {
                try insert(plain: plain)
                rest = rest[plain.endIndex...]
            }
        }
        if isNoted { for new in tasks { note(new.task) } }
    }

    private func insert(plain tasks: ArraySlice<NewTask>) throws {
        guard let first = tasks.first else { return }
        var queue = try entry(for: first.task)
        for new in tasks where !queue.types.covers(new.task.type) {
            queue = try entry(for: new.task)
        }
        if tasks.count == TaskColumns.plainRows, !connection.joinsRows {
            let row = try connection.prepare(TaskColumns.insertManyPlain)
            for new in tasks { TaskRow.bindPlain(new, in: queue, to: row) }
            try row.run()
        } else {
            for new in tasks {
                let row = try connection.prepare(TaskColumns.insertPlain)
                TaskRow.bindPlain(new, in: queue, to: row)
                try row.run()
            }
        }
        tallies.add(tasks.count, TallyKey(first.task, queue: queue.id))
        let last = tasks.reduce(first.task.position) { max($0, $1.task.position) }
        memory.arrived(at: last, in: queue.id)
    }

    private func insert(_ new: NewTask) throws {
        let queue = try entry(for: new.task)
        let row = try connection.prepare(TaskColumns.insert)
        TaskRow.bindLife(new.task, in: queue, to: row)
        TaskRow.bindFixed(new.task, queueID: queue.id, to: row)
        row.bind(new.task.id)
        let isInline = new.payload.count <= TaskRow.inlinePayloadBytes
        row.bind(isInline ? new.payload : nil)
        try row.run()
        if !isInline { try insertPayload(new.payload, of: new.task.id) }
        tallies.add(1, TallyKey(new.task, queue: queue.id))
        memory.arrived(at: new.task.position, in: queue.id)
        try moveRoles(from: nil, to: Roles(new.task, queue: queue))
    }
}

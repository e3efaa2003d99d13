import SluiceModel
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

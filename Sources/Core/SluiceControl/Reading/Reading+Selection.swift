public import SluiceModel
import SluiceStore

/// Which tasks a predicate selects (D10).
extension Reading {
    /// How many tasks are looked at in one question.
    private static let page = 1000
    /// Numbers that a filter names are looked up one by one up to here.
    public static let namedLimit = 2000

    /// The tasks of some queues that match, in their running order, at the versions that they have
    /// now (D8): numbers and versions alone are kept, so that a million fit. `sections` says which
    /// parts of the list are looked through.
    public func targets(
        in queues: [QueueRecord], sections: [ListSection], matching filter: TaskFilter?
    ) throws -> [TaskTarget] {
        let filter = try ready(filter)
        var found: [TaskTarget] = []
        for queue in queues {
            if let ids = filter?.ids(atMost: Self.namedLimit) {
                found += try named(ids, of: queue, sections, filter)
                continue
            }
            for section in sections {
                try search(queue, section, filter, &found)
            }
        }
        return found
    }

    private func named(
        _ ids: [TaskID], of queue: QueueRecord, _ sections: [ListSection], _ filter: TaskFilter?
    ) throws -> [TaskTarget] {
        let tasks = try store.tasks(ids).filter { $0.queue == queue.name }
        return try sections.flatMap { section in
            let part = tasks.filter { $0.state.name == section.state }
            let order = queue.settings.order
            return try matching(
                part.sorted { $0.orderKey(order) < $1.orderKey(order) }, of: queue, filter)
        }
    }

    private func search(
        _ queue: QueueRecord, _ section: ListSection, _ filter: TaskFilter?,
        _ found: inout [TaskTarget]
    ) throws {
        var query = TaskQuery(queue: queue.name, state: section.state, limit: Self.page)
        filter?.narrow(&query)
        while true {
            let page = try store.page(query, holding: filter?.text)
            found += try matching(page.tasks, of: queue, filter)
            guard let last = page.last, page.looked == Self.page else { return }
            query.after = last
        }
    }

    /// Whether a task matches; its payload is read where a word is about it.
    public func matches(_ line: TaskLine, _ filter: TaskFilter?) throws -> Bool {
        try filter?.matches(line.task, display: line.display) {
            try store.payload(of: line.task.id) ?? []
        } ?? true
    }

    private func matching(
        _ tasks: [QueueTask], of queue: QueueRecord, _ filter: TaskFilter?
    ) throws -> [TaskTarget] {
        guard let filter else { return tasks.map { TaskTarget($0) } }
        guard filter.asksDisplay else {
            // What a task shows says nothing here.
            return try tasks.filter { task in
                try filter.matches(task, display: .due) { try store.payload(of: task.id) ?? [] }
            }.map { TaskTarget($0) }
        }
        return try lines(tasks, of: queue).filter { try matches($0, filter) }.map {
            TaskTarget($0.task)
        }
    }
}

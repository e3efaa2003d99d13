package import SluiceModel

/// A task of a session as its client sees it: the request and the result (S3).
package struct SessionEntry: Hashable, Sendable {
    package var task: QueueTask
    package var payload: [UInt8]
    /// Its result, if it has one.
    package var result: [UInt8]?

    /// A task with its bytes.
    package init(task: QueueTask, payload: [UInt8], result: [UInt8]?) {
        self.task = task
        self.payload = payload
        self.result = result
    }
}

/// A cursor in the list of a session: a state, and a task number in it.
package struct SessionPlace: Hashable, Sendable {
    package var state: TaskState.Name
    /// The number of the last task read.
    package var after: TaskID

    package static let start = SessionPlace(state: .waiting, after: 0)
}

extension StoreReader {
    /// The tasks that a session's client has not collected, state by state from `place`, and the
    /// next place. `nil` at the end. Tasks may change state between two pages.
    package func awaitedTasks(
        session: String, from place: SessionPlace, limit: Int
    ) throws -> (tasks: [QueueTask], next: SessionPlace?) {
        var place = place
        var tasks: [QueueTask] = []
        while true {
            let page = try self.tasks(
                .awaited(session: session, state: place.state, after: place.after),
                limit: limit - tasks.count)
            tasks += page
            if let last = page.last, tasks.count >= limit {
                return (tasks, SessionPlace(state: place.state, after: last.id))
            }
            let states = TaskState.Name.allCases
            guard let index = states.firstIndex(of: place.state), index + 1 < states.count else {
                return (tasks, nil)
            }
            place = SessionPlace(state: states[index + 1], after: 0)
        }
    }

    /// All that a session's client has not collected, by number.
    package func awaitedTasks(session: String) throws -> [QueueTask] {
        let all = try TaskState.Name.allCases.flatMap { state in
            try tasks(.awaited(session: session, state: state, after: 0), limit: .max)
        }
        return all.sorted { $0.id < $1.id }
    }

    /// Tasks with their payloads and results.
    package func entries(_ tasks: [QueueTask]) throws -> [SessionEntry] {
        let payloads = try payloads(of: tasks.map(\.id))
        let results = try results(of: tasks.filter { $0.endedAt != nil }.map(\.id))
        return tasks.map { task in
            SessionEntry(
                task: task, payload: payloads[task.id] ?? [], result: results[task.id])
        }
    }
}

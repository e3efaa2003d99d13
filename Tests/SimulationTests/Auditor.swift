import QueueModel
import QueueStore

/// Judges a world by what handlers and answers said alone; it never reads the store.
struct Auditor {
    /// What is known of one task.
    struct Known {
        var queue: String
        /// The place in the order of arrival.
        var arrival: Int
        /// Executions that are explained and have not started: the first, one for each that ended
        /// without an end of the task, one for each retry of a person.
        var credit = 1
        var starts = 0
        var hasSucceeded = false
        /// A person passed it over; one that is deleted and comes back is so still.
        var isSkipped = false
        /// It was given up, and nobody retried it.
        var hasFailed = false
        /// It was deleted, and nobody brought it back.
        var isDeleted = false
        /// The token of the execution that goes on.
        var executing: Int64?

        /// It does not hold a queue with strict order.
        var holdsNobody: Bool { isSkipped || hasFailed || isDeleted }
    }

    private(set) var tasks: [TaskID: Known] = [:]
    private(set) var problems: [String] = []
    /// The queues with strict order.
    var strict: Set<String> = []

    mutating func enqueued(_ ids: [TaskID], _ queue: String) {
        for id in ids {
            if tasks[id] != nil { complain("#\(id) was enqueued twice") }
            tasks[id] = Known(queue: queue, arrival: tasks.count)
        }
    }

    mutating func started(_ id: TaskID, token: Int64, isNamedStep: Bool = false) {
        guard var task = tasks[id] else { return complain("#\(id) is unknown, and started") }
        if let other = task.executing {
            complain("#\(id) runs twice at once: \(other) and \(token)")
        }
        if task.hasSucceeded { complain("#\(id) started after its success") }
        if task.hasFailed || task.isDeleted { complain("#\(id) started although it had ended") }
        if task.credit < 1 {
            complain("#\(id) started for the time \(task.starts + 1) unexplained")
        }
        if strict.contains(task.queue), !isNamedStep {
            let before = tasks.filter {
                $0.value.queue == task.queue && $0.value.arrival < task.arrival
                    && !$0.value.hasSucceeded && !$0.value.holdsNobody
            }
            if let first = before.keys.min() {
                complain("#\(id) started before #\(first) in the strict \(task.queue)")
            }
        }
        task.credit -= 1
        task.starts += 1
        task.executing = token
        tasks[id] = task
    }

    /// A handler returned, or its process died.
    mutating func ceased(_ id: TaskID, token: Int64) {
        if tasks[id]?.executing == token { tasks[id]?.executing = nil }
    }

    mutating func settled(_ answers: [Settled]) {
        for answer in answers {
            guard let attempt = answer.attempt else { continue }
            guard var task = tasks[answer.id] else {
                complain("#\(answer.id) is unknown, and settled")
                continue
            }
            if task.hasSucceeded { complain("#\(answer.id) was settled after its success") }
            if attempt.outcome == .success {
                task.hasSucceeded = true
            } else {
                task.credit += 1
                task.hasFailed = answer.state == .failed
                task.isDeleted = answer.state == .deleted
            }
            tasks[answer.id] = task
        }
    }

    /// A late report of a process that was buried must change nothing.
    mutating func reportedLate(_ answer: Settled) {
        if answer.attempt != nil { complain("#\(answer.id): a stale token was taken") }
    }

    /// What a verb said that it did to tasks.
    mutating func changed(_ ids: [TaskID], _ change: (inout Known) -> Void) {
        for id in ids {
            guard var task = tasks[id] else { continue }
            change(&task)
            tasks[id] = task
        }
    }

    mutating func closed() {
        for (id, task) in tasks.sorted(by: { $0.key < $1.key }) where !task.hasSucceeded {
            complain("#\(id) of \(task.queue) was lost: started \(task.starts) times")
        }
    }

    mutating func complain(_ problem: String) {
        if problems.count < 10 { problems.append(problem) }
    }
}

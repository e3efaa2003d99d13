import SluiceModel
import SluiceStore

/// Judges a world by requests, answers and handler calls. It never reads the store.
struct Auditor {
    /// The known facts about one task.
    struct Known {
        var queue: String
        /// The place in the order of arrival.
        var arrival: Int
        var groupStart: String?
        var groupMembers: [String] = []
        /// Executions that are explained and have not started: the first, one for each that ended
        /// without an end of the task, one for each retry of a person.
        var credit = 1
        var starts = 0
        /// Counted executions since a person said `retry`.
        var counted = 0
        /// No execution begins before this moment of the store's clock; nil when it has come.
        var notBefore: Timestamp?
        var hasSucceeded = false
        /// A person passed it over; one that is deleted and comes back is so still.
        var isSkipped = false
        /// Whether it failed and no person has retried it.
        var hasFailed = false
        /// Whether it was deleted and not restored.
        var isDeleted = false
        /// It waits for a person's `retry`.
        var isParked = false
        /// The token of the running attempt.
        var executing: Int64?
        /// Whether the running attempt was abandoned and holds no slot of the queue (A6).
        var isAbandoned = false
        /// Whether no person or handler has changed it.
        var isUntouched = true
        /// Whether a breakpoint is set before it, and no person has continued its queue since.
        var hasBreakpoint = false
        /// Whether that breakpoint still exists, and stops each coming start.
        var keepsBreakpoint = false
        /// The faults that were set on it: by number, how many attempts, and which took it.
        var faults: [Int64: (times: Int, taken: Set<Int>)] = [:]
        /// Untouched tasks of its batched queue that were there when its last execution ended: the
        /// run does not end before them.
        var awaits: Set<TaskID> = []

        var hasGroupRole: Bool { groupStart != nil || !groupMembers.isEmpty }
        /// It does not hold a queue with strict order.
        var holdsNobody: Bool { isSkipped || hasFailed || isDeleted }
        /// It runs or waits, unchanged by any verb or attempt.
        var isPlain: Bool { isUntouched && !isSkipped && !isDeleted && notBefore == nil }
    }

    /// The known settings of a queue, as the world set them.
    struct Rules {
        var isStrict = false
        var isBatched = false
        var concurrency = 1
        var attemptLimit: Int?
        var retryMilliseconds: Int64 = 0
    }

    var tasks: [TaskID: Known] = [:]
    private(set) var problems: [String] = []
    var rules: [String: Rules] = [:]
    /// The pauses of a queue, or under `wholeStore` the pauses of all queues.
    var pauses: [String: [Pause]] = [:]
    static let wholeStore = ""
    /// Queues with a run requested by a person since the last pause (D4).
    var asked: Set<String> = []

    /// Records enqueued tasks at a store time. Tasks due by then have no wait.
    mutating func enqueued(
        _ ids: [TaskID], _ requests: [EnqueueRequest], _ queue: String, at now: Timestamp
    ) {
        for (id, request) in zip(ids, requests) {
            if tasks[id] != nil { complain("#\(id) was enqueued twice") }
            var known = Known(queue: queue, arrival: tasks.count)
            known.groupStart = request.groupStart
            known.groupMembers = request.groupMembers
            known.notBefore = request.notBefore.flatMap { $0 > now ? $0 : nil }
            tasks[id] = known
        }
    }

    /// Records a store time. Tasks due by then stay due, even if the clock goes back.
    mutating func noted(_ now: Timestamp) {
        for (id, task) in tasks where task.notBefore.map({ $0 <= now }) ?? false {
            tasks[id]?.notBefore = nil
        }
        // The store may have forgotten a pause that is over, and does not find it again.
        for name in pauses.keys { pauses[name]?.removeAll { !$0.isActive(at: now) } }
    }

    mutating func started(_ id: TaskID, _ lease: Running, at now: Timestamp) {
        let token = lease.token
        guard let task = tasks[id] else { return complain("#\(id) is unknown, and started") }
        judgeLife(id, task, token: token, at: now)
        judgeQueue(id, task, at: now, isStep: lease.isStep)
        judgeFaults(id, task, lease)
        tasks[id]?.took(lease.injection, lease.attempt)
        tasks[id]?.credit -= 1
        tasks[id]?.starts += 1
        tasks[id]?.executing = token
        tasks[id]?.isAbandoned = false
        tasks[id]?.isUntouched = false
        // It was let by for this start alone.
        tasks[id]?.hasBreakpoint = task.keepsBreakpoint
        for other in tasks.keys { tasks[other]?.awaits.remove(id) }
    }

    /// A handler returned, or its process died.
    mutating func ceased(_ id: TaskID, token: Int64) {
        if tasks[id]?.executing == token { tasks[id]?.executing = nil }
    }

    mutating func settled(_ answers: [Settled], at now: Timestamp) {
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
            if attempt.isCounted { task.counted += 1 }
            // One that never began took its fault all the same.
            task.took(attempt.injection, attempt.number)
            task.isAbandoned = attempt.outcome == .abandoned
            task.isParked =
                attempt.outcome == .park || attempt.outcome == .cancelled && !task.isDeleted
            let wait = milliseconds(after: attempt, in: task.queue)
            task.notBefore = wait > 0 ? now + wait : nil
            if rules[task.queue]?.isBatched == true {
                task.awaits = Set(
                    tasks.filter {
                        $0.key != answer.id && $0.value.queue == task.queue && $0.value.isPlain
                    }.keys)
            }
            tasks[answer.id] = task
            if attempt.outcome == .pauseQueue { pausedByHandler(task.queue, at: now) }
        }
    }

    /// How long a task waits at least after such an end.
    private func milliseconds(after attempt: AttemptRecord, in queue: String) -> Int64 {
        let retry = rules[queue]?.retryMilliseconds ?? 0
        return switch attempt.outcome {
        case .retry, .timedOut, .lost: retry
        case .offline: max(1000, retry)
        case .pauseQueue: World.handlerPause + 1000
        default: 0
        }
    }

    /// A late report of a reaped process must have no effect.
    mutating func reportedLate(_ answer: Settled) {
        if answer.attempt != nil { complain("#\(answer.id): a stale token was taken") }
    }

    /// Applies the reported effect of a verb to tasks.
    mutating func changed(_ ids: [TaskID], _ change: (inout Known) -> Void) {
        for id in ids {
            guard var task = tasks[id] else { continue }
            change(&task)
            task.isUntouched = false
            task.awaits = []
            tasks[id] = task
            for other in tasks.keys { tasks[other]?.awaits.remove(id) }
        }
    }

    /// Records that a person continued a queue past its breakpoint.
    mutating func wentOn(_ queue: String) {
        for id in tasks.keys where tasks[id]?.queue == queue { tasks[id]?.hasBreakpoint = false }
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

extension Auditor.Known {
    fileprivate mutating func took(_ injection: Injection?, _ attempt: Int) {
        if let injection { faults[injection.fault]?.taken.insert(attempt) }
    }
}

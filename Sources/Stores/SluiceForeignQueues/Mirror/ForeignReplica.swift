package import SluiceModel
package import SluiceStore
import SluiceSystem

/// A store in memory that follows foreign queues: each snapshot writes its differences in one
/// commit. Code that queries, waits for or records a store can use it.
///
/// A task that appears and disappears between two snapshots is never seen.
package final class ForeignReplica: @unchecked Sendable {
    /// The maximum number of tasks read for each queue and state. If there are more, `update`
    /// throws.
    package static let limit = 20_000
    /// The base of the workers' process ids; the store's own processes have lower ids.
    private static let firstProcess: ProcessID = 1000

    /// The store. Only `update` and a recording write to it.
    package let store: MemoryStore
    private let states: Set<TaskState.Name>
    private let numbers = ForeignNumbers()
    private let lock = Lock()
    // Touched under the lock alone.
    private var known = ReplicaContents()
    private var former: (look: ForeignLook, at: Timestamp, runnersAt: Timestamp)?

    /// An empty one; only tasks in these states come into it.
    package init(name: String, _ states: Set<TaskState.Name> = Set(TaskState.Name.allCases)) {
        store = MemoryStore(name: name)
        self.states = states
    }

    /// The ids that tasks have in their own systems, by their numbers here.
    package var references: [TaskID: String] { numbers.references }

    /// The names in the store of the queues that a typed name means, as of the last snapshot.
    package func names(of queue: String) -> [String] {
        lock.withLock {
            former.map { ForeignQueueName.shown(queue, among: $0.look.queues.keys) } ?? []
        }
    }

    /// Takes a snapshot and writes its differences. Throws the systems' errors, and `notLegal` for
    /// more than `limit` tasks.
    package func update(from systems: ForeignStore, at now: Timestamp) throws {
        try lock.withLock {
            // A passed timer needs no new snapshot: readers compare it with the clock.
            if let former, now - former.at < former.look.stillMilliseconds,
                let stamp = former.look.stamp, try systems.stamp() == stamp
            {
                return
            }
            let recent = former.flatMap {
                now - $0.runnersAt < ForeignLook.runnersMilliseconds ? $0 : nil
            }
            let look = try systems.lookAtAll(
                in: states, limit: Self.limit, runnersOf: recent?.look)
            let told = ForeignSnapshot(
                look, numbers: numbers, firstProcess: Self.firstProcess, at: now)
            let next = ReplicaContents(told, after: known)
            let change = try ReplicaChange(
                from: known, to: next, told, systems, isFirst: former == nil)
            if !change.isEmpty { try store.writeBlocking { try change.write(to: $0) } }
            // Record only the written changes: after an error, the next snapshot reads again.
            known = next
            for task in change.written { known.tasks[task.id] = task }
            former = (look, now, recent?.runnersAt ?? now)
        }
    }

    /// Adds a line to the log, such as that the server is away.
    package func record(_ text: String, at now: Timestamp) throws {
        try store.writeBlocking { writer in
            try writer.tape()?.mark(now)
            try writer.append([
                JournalEvent(
                    at: now, kind: "seen", queue: nil, task: nil, by: "sluice", text: text)
            ])
        }
    }
}

/// The contents of a replica after the last written snapshot.
struct ReplicaContents {
    var queues: [String: QueueRecord] = [:]
    var processes: [ProcessID: ProcessRecord] = [:]
    var tasks: [TaskID: QueueTask] = [:]
    var displays: [TaskID: ForeignTask.Display] = [:]

    init() {}

    /// The values of a snapshot. Values that a snapshot lacks come from `former`: the position of a
    /// waiting task, and the start of a state.
    init(_ told: ForeignSnapshot, after former: ReplicaContents) {
        for var queue in told.queues {
            queue.createdAt = former.queues[queue.name]?.createdAt ?? queue.createdAt
            queues[queue.name] = queue
        }
        for process in told.processes { processes[process.id] = process }
        for entry in told.look.tasks {
            displays[told.numbers.number(entry)] = entry.task.display
        }
        let isTimed = Set(
            told.look.tasks.filter { $0.task.notBefore != nil }.map(told.numbers.number))
        var last: [String: Int64] = [:]
        for var task in told.tasks {
            let old = former.tasks[task.id]
            if task.waiting != nil {
                let own = last[task.queue, default: 0]
                let place = old?.position ?? 0
                task.position = place > own ? place : own + 1
                last[task.queue] = task.position
            } else {
                task.position = old?.position ?? task.position
            }
            let isSame = displays[task.id] == former.displays[task.id]
            let isBlocked = displays[task.id] == .blocked
            if let old, isSame, task.waiting == nil || isBlocked || !isTimed.contains(task.id) {
                task.state = old.state
            }
            // Of the same retry, the details said its error and since when it waits.
            if let old, isSame, task.isSameWait(as: old) {
                task.state = old.state
                (task.lastError, task.updatedAt) = (old.lastError, old.updatedAt)
            }
            task.executions = old?.executions ?? 0
            tasks[task.id] = task
            if case .running(let run) = task.state, processes[run.owner] == nil {
                processes[run.owner] = ProcessRecord(
                    id: run.owner, role: .runner, host: ForeignMirror.unlisted, bootID: "", pid: 0,
                    lockName: "", attachedAt: .unknown)
            }
        }
    }
}

extension QueueTask {
    /// Whether it waits for the same execution, after one that failed, until the same time.
    fileprivate func isSameWait(as old: QueueTask) -> Bool {
        (old.lastError != nil || old.waiting?.timer?.cause == .retry)
            && attempts == old.attempts && waiting != nil
            && waiting?.timer?.until == old.waiting?.timer?.until
    }
}

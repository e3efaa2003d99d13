import QueueModel
import QueueStore

/// What `doctor` found, and whether it mended it (P3).
public struct Diagnosis: Hashable, Sendable {
    /// What is wrong, one sentence each; empty when all is well.
    public var problems: [String] = []
    /// How many tasks were looked at.
    public var tasks = 0
    /// Whether what can be mended was.
    public var isRepaired = false

    /// Nothing found yet.
    public init() {}
}

extension Control {
    /// Checks the store: the engine's own file, every index column, count and group row, the leases
    /// of processes that are gone, and the rows of the inbox that were refused (T4). With `repairs`
    /// what follows from the tasks is made again and refused rows are tried again; damage of the
    /// file itself is only reported, and then nothing is written (P3). Blocks its thread.
    public func examine(repairs: Bool) throws -> Diagnosis {
        var diagnosis = Diagnosis()
        diagnosis.problems = try store.readBlocking { try $0.integrityProblems() }.map {
            "the file is damaged: \($0)"
        }
        guard diagnosis.problems.isEmpty else { return diagnosis }
        guard !store.isReadOnly else {
            (diagnosis.problems, diagnosis.tasks) = try store.readBlocking { store in
                let counts = try store.queues().map { try store.counts(queue: $0.name) }
                let tasks = counts.reduce(0) { $0 + $1.states.values.reduce(0, +) }
                return (try store.surroundingProblems(), tasks)
            }
            diagnosis.problems += try refusedRows()
            return diagnosis
        }
        if repairs { try store.writeBlocking { try ($0 as? any InboxWriter)?.reopenInbox() } }
        let found = try repairs ? mend() : look()
        diagnosis.problems += found.problems
        diagnosis.tasks = found.tasks
        diagnosis.problems += try leftBehind()
        if repairs { try Undertaker.buryTheDead(in: store, now: now(), chance: chance()) }
        let refused = try refusedRows()
        diagnosis.isRepaired = repairs && !diagnosis.problems.isEmpty && refused.isEmpty
        diagnosis.problems += refused
        return diagnosis
    }

    /// What an application put into its inbox and nobody could take in; it stays until its columns
    /// are mended, or it is deleted, by SQL.
    private func refusedRows() throws -> [String] {
        try store.readBlocking { try $0.inbox().refused }.map { row in
            let queue = row.queue.map { " (queue \($0))" } ?? ""
            return "row \(row.row) of \(row.table.rawValue)\(queue) was refused: \(row.error)"
        }
    }

    /// What processes that are gone still hold, one sentence each. One that held nothing is no
    /// damage: whoever attaches next takes its row away.
    private func leftBehind() throws -> [String] {
        let dead = try Undertaker.deadProcesses(in: store).map(\.id)
        return try store.readBlocking { store in
            let permits = try store.permits()
            return try dead.flatMap { id in
                let run = try store.tasksRun(by: id) + store.tasksLingering(of: id)
                let edited = try [store.taskEdited(by: id)].compactMap { $0 }
                return run.map { "#\($0.id) \($0.type) is held by a process that is gone" }
                    + permits.filter { $0.issuer == id || $0.runner == id }
                    .map { "#\($0.task) has a permit of a process that is gone" }
                    + edited.map { "#\($0.id) \($0.type) is edited by a process that is gone" }
            }
        }
    }

    private func mend() throws -> Diagnosis {
        let now = now()
        return try store.writeBlocking { try Checkup(Mutation($0, now: now)).run() }
    }

    /// The same work, taken back.
    private func look() throws -> Diagnosis {
        let now = now()
        do {
            return try store.writeBlocking { store -> Diagnosis in
                throw Seen(diagnosis: try Checkup(Mutation(store, now: now)).run())
            }
        } catch let seen as Seen {
            return seen.diagnosis
        }
    }
}

/// Carries the diagnosis out of the write that is taken back.
private struct Seen: Error {
    var diagnosis: Diagnosis
}

/// Makes everything again that follows from the tasks, and counts what differed.
private struct Checkup {
    let mutation: Mutation

    init(_ mutation: Mutation) { self.mutation = mutation }

    func run() throws -> Diagnosis {
        var diagnosis = Diagnosis()
        diagnosis.problems = try mutation.store.rebuildIndexes()
        for queue in try mutation.store.queues() {
            var wrong = 0
            for state in TaskState.Name.allCases {
                var query = TaskQuery(queue: queue.name, state: state, limit: 1000)
                while true {
                    let page = try mutation.store.tasks(matching: query)
                    diagnosis.tasks += page.count
                    for task in page
                    where task.waiting != nil && !task.groupMembers.isEmpty
                        && queue.barrier(before: task) == nil
                    {
                        if try mutation.refreshHeld(task) { wrong += 1 }
                    }
                    guard page.count == 1000, let last = page.last else { break }
                    query.after = last.orderKey(queue.settings.order)
                }
            }
            if wrong > 0 {
                diagnosis.problems.append(
                    "\(wrong) tasks of \(queue.name) were wrongly held, or wrongly free")
            }
        }
        return diagnosis
    }
}

import SluiceModel
package import SluiceStore

/// What `doctor` found, and whether it mended it (P3).
package struct Diagnosis: Hashable, Sendable {
    /// What is wrong, one sentence each; empty when all is well.
    package var problems: [String] = []
    /// How many tasks were looked at.
    package var tasks = 0
    /// Whether what can be mended was.
    package var isRepaired = false
    /// Whether the file itself is damaged: nothing is written into it until it is mended.
    package var isDamaged = false
    /// What a repair did, and what was lost, one sentence each.
    package var done: [String] = []
    /// The events by which `undo` takes back what was mended of tasks.
    package var undo: [Int64] = []
    /// What takes the room; nil where the store keeps no file of its own.
    package var room: StoreRoom?

    /// Nothing found yet.
    package init() {}
}

extension Control {
    /// Checks the store: the engine's own file, every index column, count and group row, the leases
    /// of processes that are gone, retries that wait for moments beyond their rule, and the rows of
    /// the inbox that were refused (T4). A quick look leaves out whether the file's indexes hold
    /// what its rows say.
    ///
    /// A damaged file is noted: nothing is written into it until it is mended (P3). With `repairs`
    /// its rows are put into whole pages and the damaged file is kept, what follows from the tasks
    /// is made again, and refused rows are tried again. Blocks its thread.
    package func examine(repairs: Bool, isQuick: Bool = false) throws -> Diagnosis {
        var diagnosis = Diagnosis()
        let former = store.upkeep?.damage
        let damage = try fileProblems(isQuick: isQuick)
        if !damage.isEmpty {
            diagnosis.problems = damage.map { "the file is damaged: \($0)" }
            diagnosis.isDamaged = true
            store.upkeep?.note(damage: damage[0])
            guard repairs, !store.isReadOnly, let upkeep = store.upkeep else { return diagnosis }
            diagnosis.done = try upkeep.repair()
            let left = try fileProblems(isQuick: false)
            guard left.isEmpty else {
                diagnosis.problems += left.map { "the file is still damaged: \($0)" }
                return diagnosis
            }
        }
        if !isQuick || diagnosis.isDamaged { store.upkeep?.forgetDamage() }
        do {
            try examineTasks(repairs: repairs, &diagnosis)
        } catch let error as QueueError where error.code == .damagedStore {
            diagnosis.problems.append(error.message)
            (diagnosis.isDamaged, diagnosis.isRepaired) = (true, false)
        }
        if let former, !diagnosis.problems.isEmpty, !diagnosis.isRepaired {
            store.upkeep?.note(damage: former)
        }
        diagnosis.room = try store.upkeep?.room()
        return diagnosis
    }

    /// What the engine finds wrong with its file, also where that ends its look.
    private func fileProblems(isQuick: Bool) throws -> [String] {
        do {
            return try store.readBlocking { try $0.problems(isQuick ? .fileQuickly : .file) }
        } catch let error as QueueError where error.code == .damagedStore {
            return [error.message]
        }
    }

    private func examineTasks(repairs: Bool, _ diagnosis: inout Diagnosis) throws {
        guard !store.isReadOnly else {
            let (problems, tasks) = try store.readBlocking { store in
                let counts = try store.queues().map { try store.counts(queue: $0.name) }
                let tasks = counts.reduce(0) { $0 + $1.states.values.reduce(0, +) }
                return (try store.problems(.surroundings), tasks)
            }
            diagnosis.problems += try problems + refusedRows()
            diagnosis.tasks = tasks
            return
        }
        if repairs { try store.writeBlocking { try ($0 as? any InboxWriter)?.reopenInbox() } }
        let found = try repairs ? mend() : look()
        diagnosis.problems += found.problems
        diagnosis.tasks = found.tasks
        diagnosis.problems += try leftBehind()
        if repairs { try Reaper.reapTheDead(in: store, now: now(), chance: chance()) }
        try examineTimers(repairs: repairs, &diagnosis)
        let refused = try refusedRows() + doubts()
        diagnosis.isRepaired = repairs && !diagnosis.problems.isEmpty && refused.isEmpty
        diagnosis.problems += refused
    }

    /// What was reckoned while the clock was ahead. With `repairs` retries are due, by the verb
    /// `retry`, which `undo` takes back; schedules are counted anew, and pauses last as long as
    /// they were to.
    private func examineTimers(repairs: Bool, _ diagnosis: inout Diagnosis) throws {
        let real = now()
        let now = try store.readBlocking { try $0.storeRecord().time.time(at: real) }
        var (cursor, targets): (TimerCursor?, [TaskTarget]) = (nil, [])
        while true {
            let after = cursor
            let page = try store.readBlocking {
                try $0.tasks(.timers(queue: nil, after: after), limit: 1000)
            }
            for task in page {
                guard let timer = task.waiting?.timer, timer.isBeyondRule(at: now) else { continue }
                targets.append(TaskTarget(task.id, version: task.version))
                diagnosis.problems.append(
                    "#\(task.id) \(task.type) waits until \(TimeText.rfc3339(timer.until)) for a "
                        + "retry, which is beyond what its rule can give: the clock was ahead "
                        + "when it failed")
            }
            guard page.count == 1000, let last = page.last, let at = last.wakesAt else { break }
            cursor = TimerCursor(at: at, id: last.id)
        }
        let beyond = try store.readBlocking { try $0.beyondRule(at: now) }
        diagnosis.problems += beyond.sentences
        guard repairs else { return }
        if !targets.isEmpty {
            let answer = try performBlocking(.retry(targets))
            diagnosis.undo += answer.undo.map { [$0] } ?? []
            diagnosis.done.append(
                "\(targets.count) retries that waited beyond their rule are due now")
        }
        for schedule in beyond.schedules {
            let answer = try performBlocking(.schedule(.resume, name: schedule.name))
            diagnosis.undo += answer.undo.map { [$0] } ?? []
            diagnosis.done.append("schedule \(schedule.name) is counted anew")
        }
        guard !beyond.pauses.isEmpty else { return }
        let count = try store.transactBlocking(at: real) { try $0.shortenPauses() }
        diagnosis.done.append(
            count == 1
                ? "a pause lasts as long as it was to, from now on"
                : "\(count) pauses last as long as they were to, from now on")
    }

    /// What an application put into its inbox and nobody could take in; it stays until its columns
    /// are mended, or it is deleted, by SQL.
    private func refusedRows() throws -> [String] {
        try store.readBlocking { try $0.inbox().refused }.map { row in
            let queue = row.queue.map { " (queue \($0))" } ?? ""
            return "row \(row.row) of \(row.table)\(queue) was refused: \(row.error)"
        }
    }

    /// What processes that are gone still hold, one sentence each. One that held nothing is no
    /// damage: whoever attaches next takes its row away.
    private func leftBehind() throws -> [String] {
        let dead = try Reaper.deadProcesses(in: store).map(\.id)
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

    /// What is held by processes of which nothing says whether they live: a person decides that.
    private func doubts() throws -> [String] {
        let signs = VitalSigns(of: store)
        return try store.readBlocking { store in
            let doubted = try store.processes().filter {
                signs.vitality(of: $0) == .unknown(.closedLock)
            }
            return try doubted.flatMap { process in
                try store.tasksRun(by: process.id).map { task in
                    "#\(task.id) \(task.type) is held by process \(process.id) "
                        + "(pid \(process.pid)), whose lock cannot be opened by this user: "
                        + "whether it lives cannot be "
                        + "told; if it is dead, sluice reclaim \(task.id)"
                }
            }
        }
    }

    private func mend() throws -> Diagnosis {
        let now = now()
        return try store.transactBlocking(at: now) { try Checkup($0).run() }
    }

    /// The same work, taken back.
    private func look() throws -> Diagnosis {
        let now = now()
        do {
            return try store.transactBlocking(at: now) { mutation -> Diagnosis in
                throw Seen(diagnosis: try Checkup(mutation).run())
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

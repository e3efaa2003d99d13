import SluiceModel
package import SluiceStore

/// The result of `doctor`, and of its repairs.
package struct Diagnosis: Hashable, Sendable {
    /// The problems, one sentence each; empty if the store is sound.
    package var problems: [String] = []
    /// The number of checked tasks.
    package var tasks = 0
    /// Whether `doctor` repaired all that it can.
    package var isRepaired = false
    /// Whether the file is damaged. Sluice writes nothing into it before a repair.
    package var isDamaged = false
    /// The repairs and losses, one sentence each.
    package var done: [String] = []
    /// The events that `undo` takes to revert repairs of tasks.
    package var undo: [Int64] = []
    /// The use of disk space; `nil` if the store has no file.
    package var room: StoreRoom?

    /// Nothing found yet.
    package init() {}
}

extension Control {
    /// Checks the store: the engine's file, index columns, counts, group rows, leases of dead
    /// processes, retries beyond their rule, and refused rows of the inbox (T4). A quick check
    /// compares neither the file's indexes with its rows, nor each task with its index columns.
    ///
    /// Reports a damaged file and writes nothing into it (P3). With `repairs` it rebuilds the
    /// file's indexes or tables and keeps a copy of the damaged file. It also recomputes derived
    /// data and retries refused rows. Blocks its thread.
    package func examine(repairs: Bool, isQuick: Bool = false) throws -> Diagnosis {
        var diagnosis = Diagnosis()
        let former = store.upkeep?.damage
        let damage = try fileProblems(isQuick: isQuick)
        if !damage.isEmpty {
            diagnosis.problems = damage.map { "the file is damaged: \($0)" }
            diagnosis.isDamaged = true
            store.upkeep?.record(damage: damage[0])
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
            try examineTasks(repairs: repairs, isQuick: isQuick, &diagnosis)
        } catch let error as QueueError where error.code == .damagedStore {
            diagnosis.problems.append(error.message)
            (diagnosis.isDamaged, diagnosis.isRepaired) = (true, false)
        }
        if let former, !diagnosis.problems.isEmpty, !diagnosis.isRepaired {
            store.upkeep?.record(damage: former)
        }
        diagnosis.room = try store.upkeep?.room()
        return diagnosis
    }

    /// The problems that the engine finds in its file, including an error that ends the check.
    private func fileProblems(isQuick: Bool) throws -> [String] {
        do {
            return try store.readBlocking { try $0.problems(isQuick ? .fileQuickly : .file) }
        } catch let error as QueueError where error.code == .damagedStore {
            return [error.message]
        }
    }

    private func examineTasks(
        repairs: Bool, isQuick: Bool, _ diagnosis: inout Diagnosis
    ) throws {
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
        let found = try repairs ? mend() : isQuick ? glance() : look()
        diagnosis.problems += found.problems
        diagnosis.tasks = found.tasks
        diagnosis.problems += try leftBehind()
        if repairs { try Reaper.reapTheDead(in: store, now: now(), chance: chance()) }
        let ahead = try examineTimers(repairs: repairs, &diagnosis)
        let refused = try refusedRows() + doubts() + ahead
        diagnosis.isRepaired = repairs && !diagnosis.problems.isEmpty && refused.isEmpty
        diagnosis.problems += refused
    }

    /// Checks times computed while the clock was ahead. With `repairs` the verb `retry` makes
    /// retries due, which `undo` reverts. It also recomputes schedules and corrects the end of
    /// pauses. Returns the sentences about tasks' own times, which a person decides about.
    private func examineTimers(
        repairs: Bool, _ diagnosis: inout Diagnosis
    ) throws -> [String] {
        let real = now()
        let now = try store.readBlocking { try $0.storeRecord().time.time(at: real) }
        var (cursor, targets): (TimerCursor?, [TaskTarget]) = (nil, [])
        var (ahead, known): ([String], Set<TaskID>) = ([], [])
        while true {
            let after = cursor
            let page = try store.readBlocking {
                try $0.tasks(.timers(queue: nil, after: after), limit: 1000)
            }
            for task in page {
                let own = task.timesAhead(at: now)
                ahead += own
                if !own.isEmpty { known.insert(task.id) }
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
        let named = known
        ahead += try store.readBlocking { try $0.expiriesAhead(at: now, besides: named) }
        try examineRules(at: now, repairs: repairs, targets, &diagnosis)
        return ahead
    }

    /// The same of schedules and pauses, and the repair of the retries `targets`.
    private func examineRules(
        at now: Timestamp, repairs: Bool, _ targets: [TaskTarget], _ diagnosis: inout Diagnosis
    ) throws {
        let beyond = try store.readBlocking { try $0.beyondRule(at: now) }
        diagnosis.problems += beyond.sentences
        guard repairs else { return }
        if !targets.isEmpty {
            let answer = try performBlocking(.retry(targets))
            diagnosis.undo += answer.undo.map { [$0] } ?? []
            diagnosis.done.append(
                targets.count == 1
                    ? "1 retry that waited beyond its rule is due now"
                    : "\(targets.count) retries that waited beyond their rule are due now")
        }
        for schedule in beyond.schedules {
            let answer = try performBlocking(.schedule(.resume, name: schedule.name))
            diagnosis.undo += answer.undo.map { [$0] } ?? []
            diagnosis.done.append("schedule \(schedule.name) is counted anew")
        }
        guard !beyond.pauses.isEmpty else { return }
        let count = try store.transactBlocking(at: self.now()) { try $0.shortenPauses() }
        diagnosis.done.append(
            count == 1
                ? "a pause lasts as long as it was to, from now on"
                : "\(count) pauses last as long as they were to, from now on")
    }

    /// Rows in an inbox that Sluice refused. They remain until the application corrects or deletes
    /// them by SQL.
    private func refusedRows() throws -> [String] {
        try store.readBlocking { try $0.inbox().sentences }
    }

    /// Resources that dead processes still hold, one sentence each. A dead process without any is
    /// no problem: the next attach removes its row.
    private func leftBehind() throws -> [String] {
        let dead = Set(try Reaper.deadProcesses(in: store).map(\.id))
        return try store.readBlocking { store in
            let permits = try store.permits().filter {
                dead.contains($0.issuer) || dead.contains($0.runner)
            }
            return try dead.sorted().flatMap { id in
                let run = try store.tasksRun(by: id) + store.tasksLingering(of: id)
                let edited = try [store.taskEdited(by: id)].compactMap { $0 }
                return run.map { "#\($0.id) \($0.type) is held by a process that has ended" }
                    + edited.map { "#\($0.id) \($0.type) is edited by a process that has ended" }
            } + permits.map { "#\($0.task) has a permit of a process that has ended" }
        }
    }

    /// Tasks of processes whose death cannot be established. A person decides.
    private func doubts() throws -> [String] {
        let signs = VitalSigns(of: store)
        return try store.readBlocking { store in
            let doubted = try store.processes().filter {
                signs.vitality(of: $0) == .unknown(.closedLock)
            }
            let orphans = try orphansInDoubt(store, signs)
            return try orphans
                + doubted.flatMap { process in
                    try store.tasksRun(by: process.id).map { task in
                        "#\(task.id) \(task.type) is held by process \(process.id) "
                            + "(pid \(process.pid)), whose lock cannot be opened by this user: "
                            + "whether it lives cannot be "
                            + "told; if it is dead, sluice reclaim \(task.id)"
                    }
                }
        }
    }

    /// Tasks that wait for a process whose life cannot be seen from here.
    private func orphansInDoubt(
        _ store: any StoreReader, _ signs: VitalSigns
    ) throws -> [String] {
        try store.queues(.inUse(.lingering)).flatMap { queue in
            try store.orphaned(in: queue.record.name).filter { task in
                guard let lingering = task.waiting?.lingering else { return false }
                let attempt = try store.attempts(of: task.id)
                    .last { $0.number == lingering.attempt }
                let name = Reaper.childLockName(
                    process: lingering.owner, task: task.id, attempt: lingering.attempt)
                return signs.goesOn(attempt, lockName: name) == nil
            }
        }.map { task in
            "#\(task.id) \(task.type) waits for a process of its attempt "
                + "\(task.waiting?.lingering?.attempt ?? 0), and nothing on this machine shows "
                + "whether that has ended; if it has, sluice reclaim \(task.id)"
        }
    }

    private func mend() throws -> Diagnosis {
        let now = now()
        return try store.transactBlocking(at: now) { try Checkup($0).run() }
    }

    /// The kept counts alone, without a look at each task.
    private func glance() throws -> Diagnosis {
        try store.readBlocking { store in
            var diagnosis = Diagnosis()
            diagnosis.problems = try store.problems(.counts)
            diagnosis.tasks = try store.counts().states.values.reduce(0, +)
            return diagnosis
        }
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

/// Carries the diagnosis out of the write, which rolls back.
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
            let counts = try mutation.store.counts(queue: queue.name)
            diagnosis.tasks += counts.states.values.reduce(0, +)
            guard counts.states[.waiting] ?? 0 > 0 else { continue }
            let wrong = try refreshHeld(in: queue)
            if wrong > 0 {
                diagnosis.problems.append(
                    "\(NumberText.tasks(wrong)) of \(queue.name): wrongly held, or wrongly free")
            }
        }
        return diagnosis
    }

    /// Only a queue with groups has members that wait.
    private func refreshHeld(in queue: QueueRecord) throws -> Int {
        let store = mutation.store
        guard try !store.groups(queue: queue.name, after: nil, limit: 1).isEmpty else { return 0 }
        var wrong = 0
        // The place of a group's first start that holds members: a question for a group, and not
        // for each of its members, because a server answers them while all others wait.
        var places: [String: Int64] = [:]
        func place(of group: String) throws -> Int64 {
            if let known = places[group] { return known }
            let starts = TaskSelection.holdingStarts(
                queue: queue.name, group: group, after: .min, before: .max)
            let place = try store.first(starts)?.position ?? .max
            places[group] = place
            return place
        }
        var query = TaskQuery(queue: queue.name, state: .waiting, limit: 1000)
        while true {
            let page = try store.tasks(matching: query)
            for task in page
            where !task.groupMembers.isEmpty && queue.barrier(before: task) == nil {
                let isHeld = try task.groupMembers.contains {
                    try place(of: $0) < task.position
                }
                if isHeld != task.isHeld, try mutation.refreshHeld(task) { wrong += 1 }
            }
            guard page.count == 1000, let last = page.last else { return wrong }
            query.after = last.orderKey(queue.settings.order)
        }
    }
}

import SluiceModel
import SluiceStore

@testable import SluiceControl

/// Removes, one after the other, what `why` names of a task, until it runs.
struct Removal {
    let store: any StoreWriter
    let id: TaskID
    /// The moment in real time.
    private let now: Timestamp

    init(_ store: any StoreWriter, _ id: TaskID, at real: Timestamp = RandomStore.now) {
        self.store = store
        self.id = id
        now = real
    }

    /// Returns the error, or `nil` if the task runs in the end.
    func run() throws -> String? {
        // With enough slots and no pending end, the tasks before it do not matter.
        try store.transact(at: now) { mutation in
            try mutation.changeQueue("q") {
                $0.settings.concurrency = 100
                if $0.run?.limit != nil { $0.run?.limit = .toItsEnd }
            }
        }
        var named: [String] = []
        for _ in 0..<40 {
            // A run opens only when something in it can start, so that one comes last.
            let blockers = try self.blockers()
            // A task failed by a wake needs no further fix.
            guard try store.requireTask(id).waiting != nil else { return nil }
            guard let blocker = blockers.first(where: { $0.kind != .noRun }) ?? blockers.first
            else {
                if try isTaken() { return nil }
                // A breakpoint may have stopped it now, and is the next blocker.
                if try !self.blockers().isEmpty { continue }
                return "nothing named, and not taken after \(named)"
            }
            named.append(blocker.kind.rawValue)
            try remove(blocker)
        }
        return "still blocked after \(named)"
    }

    /// Removes all named blockers but one, which `number` draws. Returns a fault if a runner takes
    /// the task nevertheless; nil if the kept blocker went with another.
    func run(keepingOne number: Int) throws -> String? {
        // The next claim removes expired tasks and finished runs.
        try store.transact(at: now) { mutation in
            try mutation.expireTasks()
            try mutation.endRunIfDone("q")
        }
        guard try store.requireTask(id).waiting != nil else { return nil }
        let all = try blockers()
        guard !all.isEmpty else { return nil }
        let kept = all[number % all.count]
        let isKept = { (blocker: Blocker) in
            blocker.kind == kept.kind && (kept.kind != .queuePaused || blocker.cause == kept.cause)
        }
        // A run needs an eligible task, and a moved queue is driven in its new store: these
        // blockers stay.
        var stays: Set<Blocker.Kind> = []
        for _ in 0..<40 {
            guard try store.requireTask(id).waiting != nil else { return nil }
            let left = try blockers()
            guard left.contains(where: isKept) else { return nil }
            let others = left.filter { !isKept($0) && !stays.contains($0.kind) }
            guard let next = others.first(where: { $0.kind != .noRun }) ?? others.first else {
                return try isGiven(past: left, kept, isKept)
                    ? "taken although \(kept.kind) was left: \(left.map(\.text))" : nil
            }
            if next.kind == .noRun { stays.insert(.noRun) }
            do { try remove(next) } catch let error as QueueError where error.code == .notLegal {
                stays.insert(next.kind)
            }
        }
        return "others came again and again beside \(kept.kind): \(try blockers().map(\.text))"
    }

    private func blockers() throws -> [Blocker] { try Reading(store, now: now).line(id).blockers }

    /// Whether a claim returns the task despite the blocker. The claim starts a due run and ends a
    /// finished one.
    private func isGiven(
        past left: [Blocker], _ kept: Blocker, _ isKept: (Blocker) -> Bool
    ) throws -> Bool {
        let shown = try store.storeRecord().time.time(at: now)
        let isDue = left.contains { $0.kind == .noRun && $0.until.map { $0 <= shown } ?? false }
        guard left.count > 1 || !isDue else { return false }
        // A claim of the head makes the next task the head.
        let slots = kept.kind == .headOfQueue ? 1 : 100
        for runner in try store.processes().filter({ $0.role == .runner }) {
            guard try blockers().contains(where: isKept) else { return false }
            let claimed = try store.transact(at: now) { mutation in
                try mutation.claim(ClaimRequest(runner: runner.id, freeSlots: slots, inFlight: 0))
                    .map(\.task.id)
            }
            if claimed.contains(id) { return true }
        }
        return false
    }

    private func remove(_ blocker: Blocker) throws {
        let target = [TaskTarget(id)]
        let other = [TaskTarget(blocker.task ?? id)]
        switch blocker.kind {
        case .queuePaused:
            let isStop = try !store.requireQueue("q").hits(at: now).isEmpty
            if isStop, blocker.cause == Pause.Cause.breakpoint.rawValue {
                try perform(.goOn(queue: "q"))
            } else {
                try perform(.resume(blocker.cause == "store" ? .store : .queue("q")))
            }
        case .noRun: try perform(.run(queue: "q", limit: nil))
        case .notBefore, .parked, .attemptedInRun: try perform(.retry(target))
        case .skipped: try perform(.unskip(target))
        case .abandoned, .orphan: try perform(.reclaim(target))
        case .groupStart:
            if blocker.task == nil { try workOffWakes() } else { try release(other[0]) }
        case .headOfQueue: try perform(.skip(other, forMilliseconds: nil))
        case .requirement:
            try perform(.network(forced: true))
            try perform(.network(forced: true, queue: "q"))
        case .noSlot:
            try endRunning()
            // A process without a runner occupies a slot too.
            if try store.requireTask(other[0].id).waiting?.isOrphaned == true {
                try perform(.reclaim(other))
            }
        case .rate: try perform(.setQueue("q", [.rate(nil)]))
        case .noRunner: try attach()
        }
    }

    private func release(_ start: TaskTarget) throws {
        if try store.requireTask(start.id).endedAt != nil {
            try perform(.purge([start], members: .release))
        } else {
            try perform(.delete([start], cancelsRunning: true, members: .release))
            try endRunning()
        }
    }

    private func workOffWakes() throws {
        try store.transact(at: now) { mutation in
            try mutation.workOffWakes()
        }
    }

    private func perform(_ verb: Verb) throws {
        let slice = BulkSlice(whole: verb, began: now)
        try store.transact(at: now) { mutation in
            _ = try VerbContext(mutation, person: "ann", chance: 0.5, slice: slice).perform()
        }
    }

    private func attach() throws {
        var process = ProcessRecord(
            id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l", attachedAt: now)
        process.slots = 100
        try store.transact(at: now) { _ = try $0.attach(process) }
    }

    private func endRunning() throws {
        let running = TaskQuery(queue: "q", state: .running, limit: 100)
        for task in try store.tasks(matching: running) {
            guard let lease = task.running else { continue }
            try store.transact(at: now) { mutation in
                _ = try mutation.settle([
                    Completion(
                        task: task.id, token: lease.token,
                        ending: lease.stop.map(Ending.stopped) ?? .handler(.done))
                ])
            }
        }
    }

    /// Whether a runner claims it now. Tasks before it end first, because one of the two may need
    /// to run alone.
    private func isTaken() throws -> Bool {
        let runners = try store.processes().filter { $0.role == .runner }
        for _ in 0..<20 {
            for runner in runners {
                let isTaken = try store.transact(at: now) { mutation in
                    let claimed = try mutation.claim(
                        ClaimRequest(runner: runner.id, freeSlots: 100, inFlight: 0))
                    _ = try mutation.settle(claimed.map { $0.completion(.handler(.done)) })
                    return claimed.contains { $0.task.id == id }
                }
                if isTaken { return true }
            }
        }
        return false
    }
}

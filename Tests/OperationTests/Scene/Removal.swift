import SluiceModel
import SluiceStore

@testable import SluiceControl

/// Removes, one after the other, what `why` names of a task, until it runs.
struct Removal {
    let store: any StoreWriter
    let id: TaskID
    private let now = RandomStore.now

    init(_ store: any StoreWriter, _ id: TaskID) {
        self.store = store
        self.id = id
    }

    /// What went wrong, or nil when the task runs in the end.
    func run() throws -> String? {
        // More slots than tasks and no end asked for, so that those before it do not matter.
        try store.transact(at: now) { mutation in
            try mutation.changeQueue("q") {
                $0.settings.concurrency = 100
                if $0.run?.limit != nil { $0.run?.limit = .toItsEnd }
            }
        }
        var named: [String] = []
        for _ in 0..<40 {
            // A run opens only when something in it can start, so that one comes last.
            let blockers = try Reading(store, now: now).line(id).blockers
            // What a wake gave up meanwhile needs no way any more.
            guard try store.requireTask(id).waiting != nil else { return nil }
            guard let blocker = blockers.first(where: { $0.kind != .noRun }) ?? blockers.first
            else {
                return try isTaken() ? nil : "nothing named, and not taken after \(named)"
            }
            named.append(blocker.kind.rawValue)
            try remove(blocker)
        }
        return "still blocked after \(named)"
    }

    private func remove(_ blocker: Blocker) throws {
        let target = [TaskTarget(id)]
        let other = [TaskTarget(blocker.task ?? id)]
        switch blocker.kind {
        case .queuePaused:
            try perform(.resume(blocker.cause == "store" ? .store : .queue("q")))
        case .noRun: try perform(.run(queue: "q", limit: nil))
        case .notBefore, .parked, .attemptedInRun: try perform(.retry(target))
        case .skipped: try perform(.unskip(target))
        case .abandoned, .orphan: try perform(.reclaim(target))
        case .groupStart:
            if blocker.task == nil { try workOffWakes() } else { try release(other[0]) }
        case .headOfQueue: try perform(.skip(other, forMilliseconds: nil))
        case .requirement: try perform(.network(forced: true))
        case .noSlot: try endRunning()
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

    /// Whether somebody takes it now; what comes before it is let end, for one of the two may
    /// have to be alone.
    private func isTaken() throws -> Bool {
        let runners = try store.processes().filter { $0.role == .runner }
        for _ in 0..<20 {
            for runner in runners {
                let isTaken = try store.transact(at: now) { mutation in
                    let claimed = try mutation.claim(
                        ClaimRequest(runner: runner.id, freeSlots: 100, inHand: 0))
                    _ = try mutation.settle(claimed.map { $0.completion(.handler(.done)) })
                    return claimed.contains { $0.task.id == id }
                }
                if isTaken { return true }
            }
        }
        return false
    }
}

import SluiceModel
import SluiceStore

@testable import SluiceControl
@testable import SluiceRunner

/// Forecasts a random store and runs its runners with immediate handlers at each wake. Then
/// compares their starts with the forecast (N3).
struct ForecastTrial {
    private struct Start {
        var id: TaskID
        var runner: ProcessID
        /// The time on the store's clock.
        var at: Timestamp
        var fault: Int64?
        var breakpoint: Int64?
    }

    private let store: any StoreWriter
    private var real: Timestamp
    private var lines: [ForecastLine] = []
    private var starts: [Start] = []
    /// The breakpoint that stopped the queue before a task which has not started yet.
    private var stopped: [TaskID: Int64] = [:]
    private var runners: [ProcessID] = []
    /// Whether the queue has a rate.
    private var isPaced = false

    init(_ store: any StoreWriter, _ world: RandomStore) {
        self.store = store
        real = world.real
    }

    /// The first difference, or `nil`.
    mutating func run() throws -> String? {
        lines = try Reading(store, now: real).forecast(queue: "q", limit: 40).lines
        isPaced = try store.queue(named: "q")?.settings.rate != nil
        try findRunners()
        for _ in 0..<60 {
            if let problem = try work() { return problem }
            guard try goOn() else { return judge() }
        }
        return "no rest"
    }

    private var time: StoreTime {
        get throws { try store.storeRecord().time }
    }

    /// Whether a runner comes is not foreseen: one does.
    private mutating func findRunners() throws {
        runners = try store.processes().filter(\.isWorking).map(\.id)
        guard runners.isEmpty else { return }
        var process = ProcessRecord(
            id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l", attachedAt: real)
        process.slots = 100
        let added = process
        runners = [try store.transact(at: real) { try $0.attach(added).id }]
    }

    /// All that starts at this moment.
    private mutating func work() throws -> String? {
        for _ in 0..<100 {
            try store.transact(at: real) { try $0.workOffWakes() }
            var isIdle = true
            for runner in runners {
                let claimed = try store.transact(at: real) { mutation in
                    let claimed = try mutation.claim(
                        ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
                    _ = try mutation.settle(claimed.map { $0.completion(.handler(.done)) })
                    return claimed
                }
                for one in claimed {
                    isIdle = false
                    let id = one.task.id
                    starts.append(
                        Start(
                            id: id, runner: runner, at: try time.time(at: real),
                            fault: one.task.running?.injection?.fault,
                            breakpoint: stopped.removeValue(forKey: id)))
                }
            }
            if try passStop() { continue }
            if isIdle { return nil }
        }
        return "workers do not come to rest"
    }

    /// Continues a queue that a breakpoint stopped.
    private mutating func passStop() throws -> Bool {
        let queue = try store.requireQueue("q")
        let hits = queue.hits(at: real).filter { !$0.isPassed }
        guard queue.pauses.contains(where: { $0.cause == .breakpoint && $0.since == real }),
            let hit = hits.last
        else { return false }
        if hit.moment == .before {
            stopped[hit.task] = hits.first { $0.task == hit.task }?.breakpoint
        }
        return try perform(.goOn(queue: "q"))
    }

    @discardableResult
    private func perform(_ verb: Verb) throws -> Bool {
        let slice = BulkSlice(whole: verb, began: real)
        do {
            try store.transact(at: real) { mutation in
                _ = try VerbContext(mutation, person: "ann", chance: 0.5, slice: slice).perform()
            }
            return true
        } catch let error as QueueError where error.code == .notLegal { return false }
    }

    /// Advances to the next wake of a runner, or just before a forecast one. Sets a stopped clock
    /// to it. Returns false without one.
    private mutating func goOn() throws -> Bool {
        let time = try time
        if case .frozen(let shown) = time {
            if try perform(.setClock(ClockRequest(.next(queue: nil)))) { return true }
            // A runner that counts as offline is nothing that waits.
            guard let next = lines.compactMap(\.at).filter({ $0 > shown }).min() else {
                return false
            }
            return try perform(.setClock(ClockRequest(.set(next))))
        }
        let wakes = try runners.compactMap { runner in
            try RunnerPoll(store, runner: runner, now: real, wantsWork: true, inFlight: 0)
                .nextMoment
        }
        let early = lines.compactMap(\.at).compactMap { time.moment(of: $0) }.map { $0 + -1 }
        guard let next = (wakes + early).filter({ $0 > real }).min() else { return false }
        real = next
        return true
    }

    private func judge() -> String? {
        let known = Dictionary(uniqueKeysWithValues: lines.map { ($0.id, $0) })
        var isForeseen = true
        for start in starts {
            guard let line = known[start.id] else { return "#\(start.id) started, unforeseen" }
            guard let moment = line.at else {
                // The end of its blocker cannot be foreseen.
                isForeseen = false
                if [.groupStart, .headOfQueue].contains(line.blocker) { continue }
                return "#\(start.id) started, with \(line.blocker?.rawValue ?? "") named"
            }
            // A fast clock shows some times first when they are over, and a start that was not
            // foreseen counts in the rate.
            guard start.at >= moment, start.at - moment < 10 || isPaced && !isForeseen else {
                return "#\(start.id) started at \(start.at - at(0)), not \(moment - at(0))"
            }
            // Unforeseen starts also count for breakpoints and faults.
            guard isForeseen else { continue }
            if start.fault != line.fault { return "#\(start.id) took \(start.fault ?? 0)" }
            if start.breakpoint != line.breakpoint {
                return "#\(start.id) was stopped by \(start.breakpoint ?? 0)"
            }
        }
        for runner in runners {
            let own = starts.filter { $0.runner == runner }.map(\.id)
            let ahead = lines.filter { $0.at != nil && own.contains($0.id) }.map(\.id)
            let timed = own.filter { ahead.contains($0) }
            if timed != ahead { return "\(timed) started in this order, not \(ahead)" }
        }
        // A start that was not foreseen may leave no turn of the rate before another's expiry.
        if isPaced, !isForeseen { return nil }
        let missing = lines.filter { line in
            line.at != nil && !starts.contains { $0.id == line.id }
        }
        return missing.isEmpty ? nil : "did not start: \(missing.map(\.id))"
    }
}

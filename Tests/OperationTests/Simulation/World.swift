import SluiceModel
import SluiceSQL
import SluiceSystem

@testable import SluiceControl
@testable import SluiceRunner
@testable import SluiceStore

/// A whole world in one process, drawn from a seed: a store, runners with handlers that succeed,
/// fail, hang and vanish, people who drive it, and a clock that jumps.
final class World {
    var random: SeededRandom
    var auditor = Auditor()
    let store: any QueueStore
    let faults = WriteFaults()
    var runners: [SimulatedRunner] = []
    /// Processes that died and are not reaped yet.
    var dead: [SimulatedRunner] = []
    /// Attempts of reaped processes.
    private var ghosts: [ExecutionKey] = []
    /// Monotonic milliseconds, and the real time.
    var instant: Int64 = 0
    var now = Timestamp(milliseconds: 1_800_000_000_000) {
        didSet { auditor.noted(shown) }
    }
    /// The setting of the store's clock.
    var clock = WorldClock() {
        didSet { auditor.noted(shown) }
    }
    /// The time on the store's clock (G3).
    var shown: Timestamp { clock.time(at: now) }
    /// In the end everything succeeds and nothing breaks.
    var isCalm = false
    /// The random steps so far.
    private(set) var steps = 0
    /// The planted error that the auditor must find.
    let planted: PlantedFault?
    /// How many members follow their starts in one commit: in half of the worlds one by one.
    let membersAtOnce: Int
    private let folder: String?
    /// Who is seen to live: some of the dead still are, for a while.
    private let living = Protected<Set<ProcessID>>([])
    /// Tasks that an enqueue dispatched and that have not begun, with their runners.
    var handed: [ExecutionKey: ProcessID] = [:]
    private var heard: Set<Int64> = []
    /// How much was handed over, and how much of it to runners that died before it began.
    private(set) var handOvers = (all: 0, lost: 0)

    static let queues = ["strict", "fast", "batch", "manual"]
    static let taskLimit = 60
    /// How long a handler that pauses its queue pauses it.
    static let handlerPause: Int64 = 500

    init(seed: Int, onDisk: Bool = false, planted: PlantedFault? = nil) throws {
        random = SeededRandom(seed: seed)
        self.planted = planted
        membersAtOnce = seed % 2 == 0 ? 1 : Mutation.membersAtOnce
        if onDisk {
            let folder = try Files.makeTemporaryDirectory(prefix: "simulation-")
            self.folder = folder
            store = try SQLiteStore.open(
                path: "\(folder)/store.db", createIfMissing: true, durability: .normal,
                faults: faults)
        } else {
            folder = nil
            store = MemoryStore(faults: faults) { [living] process in
                living.withLock { $0.contains(process.id) }
            }
        }
        try makeQueues()
        for _ in 0..<2 { try attachRunner() }
    }

    deinit {
        store.close()
        if let folder { try? Files.removeTree(folder) }
    }

    private func makeQueues() throws {
        let now = now
        try store.writeBlocking { store in
            for name in Self.queues {
                var settings = QueueSettings()
                settings.attemptLimit = name == "fast" ? 2 : nil
                settings.retry = .fixed(milliseconds: name == "batch" ? 0 : 300)
                settings.timeoutMilliseconds = 2000
                switch name {
                case "strict": settings.afterFailure = .block
                case "fast": settings.concurrency = 3
                case "batch": settings.start = .batched(count: 3, delayMilliseconds: 200)
                default: settings.start = .manual
                }
                try store.put(QueueRecord(name: name, settings: settings, createdAt: now))
            }
        }
        for name in Self.queues {
            auditor.rules[name] = Auditor.Rules(
                isStrict: name == "strict", isBatched: name == "batch",
                concurrency: name == "fast" ? 3 : 1, attemptLimit: name == "fast" ? 2 : nil,
                retryMilliseconds: name == "batch" ? 0 : 300)
        }
    }

    /// Performs random steps, then calms down until all tasks are done.
    func live(steps: Int) throws {
        for _ in 0..<steps where auditor.problems.isEmpty { try step() }
        if auditor.problems.isEmpty { try calmDown() }
    }

    func chance(_ percent: Int) -> Bool { random.below(100) < percent }

    private func step() throws {
        steps += 1
        switch random.below(100) {
        case 0..<8: try enqueueSome()
        case 8..<20: try operate()
        case 20..<22 where runners.count < 4: try attachRunner()
        case 22..<24: crash()
        case 24..<27: try buryOne()
        case 27..<29: now = now + Int64(random.below(7_200_000) - 3_600_000)
        case 29..<30: stopRunner()
        case 30..<34: reportLate()
        case 34..<50: pass(Int64(random.below(chance(10) ? 6000 : 400)))
        default: try turn()
        }
    }

    func pass(_ milliseconds: Int64) {
        instant += milliseconds
        now = now + milliseconds
    }

    func turn() throws {
        guard !runners.isEmpty else { return }
        let place = random.below(runners.count)
        try runners[place].turn(in: self)
        if runners[place].isFinished { runners.remove(at: place) }
    }

    private func enqueueSome() throws {
        guard auditor.tasks.count < Self.taskLimit else { return }
        let queue = random.pick(Self.queues)
        let requests = (0...random.below(3)).map { _ in
            var request = EnqueueRequest(type: "t", payload: [])
            if queue == "fast" {
                if chance(30) { request.groupStart = random.pick(["g", "h"]) }
                if chance(50) { request.groupMembers = [random.pick(["g", "h"])] }
                if chance(20) { request.notBefore = shown + Int64(random.below(1000)) }
            }
            return request
        }
        guard let ids = attempt({ try $0.enqueue(requests, to: queue).ids }) else { return }
        auditor.enqueued(ids, requests, queue, at: shown)
        try hearHandOvers()
        if chance(20), let unlucky = handed.values.min() {
            crash(runners.firstIndex { $0.process == unlucky })
        }
    }

    /// Judges the claims that the last enqueue made for runners.
    private func hearHandOvers() throws {
        let found = try store.readBlocking { store in
            try store.slotOffers().flatMap { try store.dispatched(to: $0.process) }
        }
        for claimed in found {
            guard let lease = claimed.task.running, heard.insert(lease.token).inserted
            else { continue }
            handOvers.all += 1
            handed[ExecutionKey(task: claimed.task.id, token: lease.token)] = lease.owner
            auditor.started(claimed.task.id, lease, at: shown)
        }
    }

    /// Forgets a runner's unstarted tasks, after it ended or returned them.
    @discardableResult
    func forgetHanded(of process: ProcessID) -> Int {
        let keys = handed.filter { $0.value == process }.keys
        for key in keys {
            handed[key] = nil
            auditor.ceased(key.task, token: key.token)
        }
        return keys.count
    }

    /// One commit that may meet a full disk; nil when it did.
    func attempt<Value: Sendable>(
        _ body: @escaping @Sendable (Mutation) throws -> Value
    ) -> Value? {
        breakDisk()
        defer { faults.fail(from: nil) }
        let (now, planted, membersAtOnce) = (now, planted, membersAtOnce)
        let isLost = planted == .commitLost && random.once(in: 20)
        do {
            return try store.writeBlocking { store in
                let value = try store.transact(at: now, membersAtOnce: membersAtOnce, body)
                try planted?.spoil(store)
                if isLost { throw LostCommit(value: value) }
                return value
            }
        } catch let lost as LostCommit<Value> {
            return lost.value
        } catch let error as QueueError {
            if error.code != .diskFull && error.code != .readOnly {
                auditor.complain("unexpected: \(error)")
            }
            return nil
        } catch {
            auditor.complain("unexpected: \(error)")
            return nil
        }
    }

    /// Now and then the disk is full, or refuses every write, from a chosen change on.
    func breakDisk() {
        guard !isCalm, chance(6) else { return }
        faults.fail(from: 1 + random.below(12), as: chance(30) ? .readOnly : .diskFull)
    }

    private func attachRunner() throws {
        let now = now
        let process = attempt { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                attachedAt: now)
            process.slots = 3
            return try mutation.attach(process).id
        }
        guard let process else { return }
        living.withLock { _ = $0.insert(process) }
        runners.append(SimulatedRunner(process, slots: 3))
    }

    private func stopRunner() {
        guard !runners.isEmpty else { return }
        let place = random.below(runners.count)
        runners[place].pending.append(.stop(isUrgent: chance(50)))
    }

    private func crash(_ place: Int? = nil) {
        guard !runners.isEmpty else { return }
        let gone = runners.remove(at: place ?? random.below(runners.count))
        for (key, _) in gone.inFlight { auditor.ceased(key.task, token: key.token) }
        handOvers.lost += forgetHanded(of: gone.process)
        if chance(50) { living.withLock { _ = $0.remove(gone.process) } }
        dead.append(gone)
    }

    func buryOne() throws {
        if planted == .livingBuried, let living = runners.first {
            // The process still runs, and so do its attempts.
            attempt { try $0.reap(living.process) }.map { auditor.settled($0, at: shown) }
        }
        guard let gone = dead.first else { return }
        let (id, chance) = (gone.process, 0.5)
        guard let settled = attempt({ try $0.reap(id, chance: chance) }) else { return }
        forgetHanded(of: id)
        auditor.settled(settled, at: shown)
        living.withLock { _ = $0.remove(id) }
        dead.removeFirst()
        // Its attempts may still report at any later time.
        ghosts += gone.inFlight.keys.sorted { $0.task < $1.task }
    }

    private func reportLate() {
        guard !ghosts.isEmpty else { return }
        let key = random.pick(ghosts)
        let current = try? store.readBlocking { try $0.task(key.task)?.running?.token }
        let token = planted == .tokenUnchecked ? current ?? key.token : key.token
        let late = Completion(
            task: key.task, token: token, ending: .handler(.success(result: nil)))
        for answer in attempt({ try $0.settle([late]) }) ?? [] { auditor.reportedLate(answer) }
    }

    /// Repairs everything, restores all tasks, and runs them to success.
    private func calmDown() throws {
        isCalm = true
        while !dead.isEmpty { try buryOne() }
        if runners.isEmpty { try attachRunner() }
        let ids = auditor.tasks.keys.sorted().map { TaskTarget($0) }
        for round in 0..<400 {
            if round % 20 == 0 { try bringBack(ids) }
            guard auditor.problems.isEmpty else { return }
            if auditor.tasks.values.allSatisfy(\.hasSucceeded) { break }
            for _ in 0..<runners.count + 1 { try turn() }
            if runners.isEmpty { try attachRunner() }
            pass(round % 3 == 0 ? 6000 : 700)
            if round % 5 == 0 { now = now + 1_800_000 }
        }
        auditor.closed()
        for (id, task) in auditor.tasks where !task.hasSucceeded {
            // For who reads the failure; the auditor judged without it.
            let left = try store.readBlocking { try $0.task(id) }
            auditor.complain("#\(id) is \(left.map { "\($0.state)" } ?? "gone")")
        }
    }

    private func bringBack(_ ids: [TaskTarget]) throws {
        perform(.setClock(ClockRequest(.real)))
        perform(.removeBreakpoints(.all))
        perform(.resume(.store))
        for queue in Self.queues { perform(.resume(.queue(queue))) }
        perform(.undelete(ids))
        perform(.unskip(ids))
        perform(.retry(ids))
        perform(.run(queue: "manual", limit: nil))
    }
}

import SluiceModel
import SluiceStore

/// A small store in some state that it could be in, drawn from a seed.
struct RandomStore: Sendable {
    static let now = at(100)
    private static let moments: [Timestamp?] = [at(50), at(100), at(150)]

    var random: SeededRandom
    var store = StoreRecord(identity: "random")
    var queue = QueueRecord(name: "q", createdAt: at(0))
    var tasks: [QueueTask] = []
    var processes: [ProcessRecord] = []
    var permits: [Permit] = []
    /// The real time when the store's clock shows `now`.
    var real = RandomStore.now

    /// With permits, or with a clock, breakpoints and faults of the debugger.
    init(seed: Int, withPermits: Bool, withDebugger: Bool = false) {
        random = SeededRandom(seed: seed)
        drawSettings()
        drawPauses()
        drawProcesses()
        drawTasks()
        if random.once(in: 4) { drawWakes() }
        if withPermits, random.once(in: 3) { drawPermit() }
        if withDebugger { drawDebugger() }
    }

    /// The store's contents as the pure rules read them.
    var snapshot: Snapshot {
        var snapshot = Snapshot(queue: queue, tasks: tasks, now: Self.now)
        snapshot.storePauses = store.pauses
        snapshot.forcedNetwork = store.forcedNetwork
        snapshot.processes = processes
        snapshot.permitted = Set(permits.map(\.task))
        if let per = queue.settings.rate?.per {
            for task in tasks { snapshot.rateKeys[task.id] = RateKey(per, in: payload(of: task)) }
        }
        return snapshot
    }

    /// The payload of a task: one of two users, or none.
    private func payload(of task: QueueTask) -> [UInt8] {
        task.id % 3 == 0 ? [] : Array("{\"user\":\(task.id % 3)}".utf8)
    }

    func put(into writer: any StoreWriter) throws {
        try writer.put(store)
        try writer.put(queue)
        for process in processes { try writer.put(process) }
        _ = try writer.reserveTaskIDs(tasks.count)
        for _ in 0..<30 { _ = try writer.reserveNumber() }
        try writer.insert(tasks.map { NewTask(task: $0, payload: payload(of: $0)) })
        for permit in permits { try writer.put(permit) }
    }

    private mutating func drawSettings() {
        queue.settings.order = random.pick(QueueOrder.allCases)
        queue.settings.afterFailure = random.pick([.advance, .advance, .block])
        queue.settings.concurrency = random.pick([1, 1, 2])
        drawRate()
        drawTypes()
        queue.settings.whenStartFails = random.pick(StartFailurePolicy.allCases)
        queue.settings.startsExpire = random.once(in: 2)
        queue.settings.retry = .fixed(milliseconds: 10)
        let batched = StartMode.batched(count: 3, delayMilliseconds: 40)
        queue.settings.start = random.pick([.continuous, .continuous, .manual, batched])
        if random.once(in: 2) { queue.lastRunEnd = random.pick([at(20), at(80), at(120)]) }
        guard random.once(in: 2) else { return }
        let limits: [RunLimit?] = [
            nil, nil, .toItsEnd, .stepsOnly, .count(1), .time(at(90)), .time(at(110)),
        ]
        var run = Run(number: 1, since: at(85), limit: random.pick(limits))
        run.attempted = random.below(2)
        queue.run = run
    }

    /// A rate of the queue or of each user, with starts that are not paid for yet.
    private mutating func drawRate() {
        guard random.once(in: 3) else { return }
        let per = PayloadPath([.key("user")])
        queue.settings.rate = Rate(2, each: 3000, per: random.pick([nil, per]))
        if random.once(in: 2) { queue.paidUp = random.pick([90_000, 900_000, 9_000_000]) }
        var paid: [RateKey: Int64] = [:]
        for user in ["1", "2"] where random.once(in: 2) {
            let key = RateKey(per, in: Array("{\"user\":\(user)}".utf8))
            paid[key] = random.pick([90_000, 900_000, 9_000_000])
        }
        if queue.settings.rate?.per != nil { queue.paidKeys = PaidKeys(paid) }
    }

    private mutating func drawTypes() {
        guard random.once(in: 4) else { return }
        var own = TypeSettings()
        own.concurrency = random.pick([1, 1, 2])
        queue.settings.types["a"] = own
    }

    private mutating func drawPauses() {
        for cause in Pause.Cause.allCases where random.once(in: 12) {
            var pause = Pause(
                cause: cause, by: "ann", reason: nil, since: at(0),
                until: random.pick(Self.moments + [nil]),
                direction: random.pick(Pause.Direction.allCases))
            // Only a person ends a move (D13).
            if [.moving, .moved].contains(cause) { (pause.until, pause.direction) = (nil, .both) }
            if cause == .store { store.pauses = [pause] } else { queue.pauses.append(pause) }
        }
        if random.once(in: 8) { store.forcedNetwork = random.once(in: 2) }
        if random.once(in: 8) { queue.settings.forcedNetwork = random.once(in: 2) }
    }

    private mutating func drawProcesses() {
        for id in 1...3 where random.below(4) > id - 1 {
            var process = ProcessRecord(
                id: ProcessID(id), role: random.once(in: 6) ? .console : .runner, host: "h",
                bootID: "b", pid: 1, lockName: "l", attachedAt: at(0))
            process.types = random.pick([nil, nil, ["a"], ["b"]])
            process.queues = random.pick([nil, nil, ["q"], ["x"]])
            process.network = random.pick([nil, nil, nil, .online, .noRoute, .noAnswer])
            process.offlineUntil = random.once(in: 4) ? random.pick(Self.moments) : nil
            process.isStopping = random.once(in: 10)
            process.takesOnlyPermits = random.once(in: 10)
            processes.append(process)
        }
    }

    private mutating func drawTasks() {
        let count = 1 + random.below(12)
        var positions = (1...count).map { Int64($0 * 10) }
        positions.shuffle(using: &random)
        for (place, position) in positions.enumerated() {
            var task = QueueTask(
                id: TaskID(place + 1), queue: "q", type: random.pick(["a", "a", "b"]),
                position: position, createdAt: at(0))
            task.priority = random.below(3) - 1
            task.sortKey = random.pick([nil, .integer(1), .integer(2), .text("x")])
            if random.once(in: 3) { task.groupStart = random.pick(["g", "h"]) }
            if random.once(in: 2) { task.groupMembers = random.pick([["g"], ["h"], ["h", "g"]]) }
            if random.once(in: 6) { task.requires = [.network] }
            if random.once(in: 4) { task.expiresAt = random.pick(Self.moments) }
            if random.once(in: 10) { task.lossesInSuccession = random.below(3) }
            task.freshAt = random.pick([Timestamp(milliseconds: 0), at(10), at(50), at(90)])
            task.state = drawState(task)
            // A task that waits for a time is fresh from then on.
            if let timer = task.waiting?.timer { task.freshAt = timer.until }
            tasks.append(task)
        }
        markHeld()
    }

    /// The group columns that an engine keeps for each waiting task.
    mutating func markHeld() {
        var still = snapshot
        still.now = Timestamp(milliseconds: .min)
        for place in tasks.indices where tasks[place].waiting != nil {
            tasks[place].isHeld = still.holder(of: tasks[place]) != nil
        }
    }

    private mutating func drawState(_ task: QueueTask) -> TaskState {
        let policy = task.groupStart.map { _ in random.pick(StartFailurePolicy.allCases) }
        switch random.below(12) {
        case 0:
            return .running(Running(owner: 1, token: task.id, attempt: 1, since: at(90)))
        case 1: return .succeeded(Success(at: at(90)))
        case 2: return .failed(Failure(at: at(90), reason: "no", startPolicy: policy))
        case 3:
            return .deleted(
                Trash(at: at(90), by: "ann", former: .waiting(Waiting()), startPolicy: policy))
        default: return .waiting(drawWaiting())
        }
    }

    private mutating func drawWaiting() -> Waiting {
        var waiting = Waiting()
        if random.once(in: 3), let until = random.pick(Self.moments) {
            let cause = random.pick([WaitTimer.Cause.retry, .notBefore])
            waiting.timer = WaitTimer(until: until, cause: cause, since: at(0))
        }
        if random.once(in: 6) {
            let until = random.pick(Self.moments + [nil])
            waiting.skip = Skip(by: "ann", since: at(0), until: until, endsWithRun: until == nil)
        }
        if random.once(in: 8) {
            waiting.parking = Parking(
                cause: random.pick(Parking.Cause.allCases), detail: "", since: at(0))
        }
        // Run marks exist only during an open run.
        if queue.run != nil, random.once(in: 4) { waiting.attemptedInRun = true }
        if random.once(in: 12) {
            let kind = random.pick([Lingering.Kind.abandoned, .orphan])
            waiting.lingering = Lingering(kind: kind, owner: 1, attempt: 1)
        }
        return waiting
    }

    /// Pending wakes. The columns of members after their positions may hold any value.
    private mutating func drawWakes() {
        let waiting = snapshot.waitingInOrder
        for group in ["g", "h"] where random.once(in: 2) {
            var wake = GroupWake(group: group)
            if let last = waiting.indices.randomElement(using: &random), random.below(3) > 0 {
                wake.cursor = waiting[last].orderKey(queue.settings.order)
            }
            if random.once(in: 3), let start = tasks.randomElement(using: &random) {
                wake.taking = GroupWake.Taking(start: start, below: TaskID(random.below(14)))
            }
            queue.wakes.append(wake)
        }
        for place in tasks.indices where tasks[place].waiting != nil {
            let (task, order) = (tasks[place], queue.settings.order)
            let isUnseen = queue.wakes.contains {
                task.groupMembers.contains($0.group) && $0.taking?.takes(task) != false
                    && !$0.hasPassed(task, order: order)
            }
            if isUnseen { tasks[place].isHeld = random.once(in: 2) }
        }
    }

    private mutating func drawPermit() {
        guard let task = tasks.first(where: { $0.waiting != nil }) else { return }
        permits = [
            Permit(id: 1, task: task.id, version: task.version, queue: "q", issuer: 1, runner: 1)
        ]
    }
}

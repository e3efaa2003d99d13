import SluiceModel
import SluiceStore

/// A counted class of tasks.
struct TallyKey: Hashable {
    var queue: Int64
    var state: TaskState.Name
    var waitFlags: WaitFlags

    init(_ task: QueueTask, queue: Int64) {
        self.init(queue: queue, state: task.state.name, waitFlags: task.waitFlags)
    }

    init(queue: Int64, state: TaskState.Name, waitFlags: WaitFlags) {
        self.queue = queue
        self.state = state
        self.waitFlags = waitFlags
    }
}

/// How many tasks each queue holds: what the tables say and what came since.
struct Tallies {
    /// The rows of queues; rows of queue 0 are a file's counters. Append a condition with AND.
    static let rows = "sluice_tally WHERE queue > 0"

    /// The latest changes, one entry per class: tasks often change in groups of the same class.
    private var recent: [(key: TallyKey, count: Int)] = []
    private var pending: [TallyKey: Int] = [:]
    private var counted: [Int64: QueueCounts] = [:]
    private var knownWaiting: Set<Int64>?
    /// The queues with new waiting tasks since the last question, if anyone asks.
    private var lastGrown: Set<Int64>?

    private static let recentLimit = 8

    /// Adds to the stored value. In queue 0 it sets the stored value if the new one is larger. One
    /// statement covers both, so that a server runs them together.
    static let put = Query(
        .insert(
            into: "sluice_tally", ["queue", "state", "lane", "n"],
            replacing: ["queue", "state", "lane"],
            by: """
                n = CASE WHEN excluded.queue > 0 THEN sluice_tally.n + excluded.n
                    WHEN excluded.n > sluice_tally.n THEN excluded.n ELSE sluice_tally.n END
                """))

    mutating func add(_ count: Int, _ key: TallyKey) {
        if let line = recent.firstIndex(where: { $0.key == key }) {
            recent[line].count += count
            return
        }
        if recent.count == Self.recentLimit { gather() }
        recent.append((key, count))
    }

    /// Puts what came last to the rest.
    private mutating func gather() {
        for (key, count) in recent where count != 0 {
            pending[key, default: 0] += count
            record(count, key)
        }
        recent.removeAll(keepingCapacity: true)
    }

    private mutating func record(_ count: Int, _ key: TallyKey) {
        counted[key.queue]?.add(count, key)
        guard count > 0, key.state == .waiting else { return }
        knownWaiting?.insert(key.queue)
        lastGrown?.insert(key.queue)
    }

    /// Every queue with waiting tasks, perhaps with more; `nil` if not loaded.
    mutating func waiting() -> Set<Int64>? {
        gather()
        return knownWaiting
    }

    mutating func record(waiting: Set<Int64>) { knownWaiting = waiting }

    /// The queues with new waiting tasks that are not written yet.
    mutating func grown() -> Set<Int64> {
        gather()
        return Set(pending.filter { $0.value > 0 && $0.key.state == .waiting }.map(\.key.queue))
    }

    /// Notes from now on which queues get waiting tasks.
    mutating func followGrowth() {
        gather()
        lastGrown = []
    }

    /// The queues with new waiting tasks since the last call; nothing before `followGrowth`.
    mutating func takeGrown() -> Set<Int64> {
        gather()
        guard let found = lastGrown, !found.isEmpty else { return [] }
        lastGrown = []
        return found
    }

    /// Waiting tasks that change their wait flags.
    mutating func move(_ count: Int, in queue: Int64, from old: WaitFlags, to new: WaitFlags) {
        add(-count, TallyKey(queue: queue, state: .waiting, waitFlags: old))
        add(count, TallyKey(queue: queue, state: .waiting, waitFlags: new))
    }

    /// The counts of a queue; `stored` reads what the tables say.
    mutating func counts(
        of queue: Int64, stored: () throws(QueueError) -> QueueCounts
    ) throws(QueueError) -> QueueCounts {
        gather()
        defer { if counted[queue]?[.waiting] == 0 { knownWaiting?.remove(queue) } }
        if let known = counted[queue] { return known }
        var counts = try stored()
        for (key, count) in pending where key.queue == queue { counts.add(count, key) }
        if let (state, count) = counts.states.first(where: { $0.value < 0 }) {
            throw QueueError.damagedRow(
                "a queue would hold \(count) tasks that are \(state.rawValue)")
        }
        counted[queue] = counts
        return counts
    }

    mutating func forget(queue: Int64) {
        gather()
        counted[queue] = nil
        pending = pending.filter { $0.key.queue != queue }
    }

    mutating func write(
        _ connection: any TableConnection, _ minutes: inout WaitingMinutes
    ) throws(QueueError) {
        if pending.isEmpty {
            for (key, count) in recent { record(count, key) }
        } else {
            gather()
            recent = pending.map { ($0.key, $0.value) }
            pending.removeAll(keepingCapacity: true)
        }
        for (key, count) in recent where count != 0 && key.state == .waiting {
            try minutes.keep(key.queue, connection)
        }
        for (key, count) in recent where count != 0 {
            let row = try connection.prepare(Self.put)
            row.bind(key.queue)
            row.bind(key.state.code)
            row.bind(key.waitFlags.rawValue)
            row.bind(count)
            try row.run()
        }
        recent.removeAll(keepingCapacity: true)
    }
}

extension QueueCounts {
    fileprivate mutating func add(_ count: Int, _ key: TallyKey) {
        let total = self[key.state] + count
        states[key.state] = total == 0 ? nil : total
        guard key.state == .waiting else { return }
        let waiting = (waitingByFlags[key.waitFlags] ?? 0) + count
        waitingByFlags[key.waitFlags] = waiting == 0 ? nil : waiting
    }
}

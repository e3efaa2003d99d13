import SluiceModel
import SluiceStore
import Testing

/// Index lookups of the store in memory, compared with the pure rule and counted.
@Suite("the store in memory")
struct MemoryLookTests {
    /// A task of each state in two queues, covering every query.
    private static func fill(_ writer: any StoreWriter, count: Int) throws {
        for name in ["q", "r"] {
            try writer.makeQueue(name) {
                $0.order = name == "q" ? .key : .priority
                if name == "r" { $0.start = .batched(count: 3, delayMilliseconds: 10) }
            }
            try writer.add(count, to: name) { task, place in
                Samples.fill(&task, place)
                task.state = Samples.states[place % Samples.states.count]
                task.freshAt = at(Int64(place % 4))
            }
        }
    }

    private static func selections() -> [TaskSelection] {
        var all: [TaskSelection] = []
        for queue in ["q", "r", "none"] {
            all += [
                .arrived(queue: queue, after: nil), .arrived(queue: queue, after: 20),
                .arrivedBefore(queue: queue, position: 50),
                .timers(queue: queue), .timers(queue: queue, through: at(30)),
                .timers(queue: queue, after: TimerCursor(at: at(10), id: 9)),
                .fresh(queue: queue, since: nil, now: at(2)),
                .fresh(queue: queue, since: at(1), now: at(1)),
            ]
            for state in TaskState.Name.allCases {
                all += [true, false].map { isBackwards in
                    var query = TaskQuery(queue: queue, state: state, limit: 0)
                    query.isBackwards = isBackwards
                    return .page(query)
                }
                all.append(.ended(queue: queue, state: state, before: at(20)))
            }
            all += WaitFlags.all.map { .page(TaskQuery(queue: queue, waitFlags: $0, limit: 0)) }
            for group in ["g0", "g1"] {
                all += [
                    .holdingStarts(queue: queue, group: group, after: 3, before: 70),
                    .waitingMembers(queue: queue, group: group, after: 3),
                    .waitingMembers(queue: queue, group: group, after: 3, through: 40),
                ]
            }
            all += (0..<9).map {
                .uniqueHolders(queue: queue, type: "mail", key: "key \($0)")
            }
            all += (0..<9).map { .keyUses(queue: queue, type: "mail", key: "key \($0)") }
        }
        all += [
            .numbered(after: 40), .numbered(after: 3, in: [.running, .failed]),
            .newest(), .newest(before: 33, in: [.waiting]), .expiring(),
            .expiring(through: at(30)), .timers(queue: nil), .timers(queue: nil, through: at(9)),
        ]
        for number in Int64(0)..<12 {
            all += [.running(by: number), .lingering(of: number), .followUps(of: number)]
        }
        for state in TaskState.Name.allCases {
            all.append(.awaited(session: "s", state: state, after: 30))
        }
        return all
    }

    /// Compares each index answer and each count with the rule applied to all tasks.
    private static func compare(_ store: MemoryStore) throws {
        try store.readBlocking { reader in
            let tasks = try reader.tasks(Array(1...400))
            let queues = try reader.queues()
            let settings = Dictionary(
                uniqueKeysWithValues: queues.map { ($0.name, $0.settings) })
            func own(_ task: QueueTask) -> QueueSettings { settings[task.queue] ?? .init() }
            for selection in selections() {
                let included = tasks.filter { selection.includes($0, own($0)) }
                let sorted = included.sorted {
                    let left = selection.key(of: $0, own($0).order)
                    let right = selection.key(of: $1, own($1).order)
                    return left == right ? $0.id < $1.id : left < right
                }
                let ids = sorted.map(\.id)
                let expected = selection.isBackwards ? ids.reversed() : ids
                let found = try reader.tasks(selection, limit: .max)
                #expect(found.map(\.id) == expected, "\(selection)")
                let first = try reader.tasks(selection, limit: 3)
                #expect(first.map(\.id) == Array(expected.prefix(3)), "\(selection)")
            }
            for queue in queues.map(\.name) {
                var counts = QueueCounts()
                for task in tasks where task.queue == queue {
                    counts.states[task.state.name, default: 0] += 1
                    if task.waiting != nil {
                        counts.waitingByFlags[task.waitFlags, default: 0] += 1
                    }
                }
                #expect(try reader.counts(queue: queue).withoutZeros == counts)
            }
        }
    }

    @Test("N1 the index gives what the pure rule includes, in its order")
    func pure() throws {
        let store = MemoryStore()
        try store.writeBlocking { try Self.fill($0, count: 200) }
        try Self.compare(store)
        // Other orders and other states put each task elsewhere.
        try store.writeBlocking { writer in
            for (name, order) in [("q", QueueOrder.lifo), ("r", .fifo)] {
                var queue = try writer.requireQueue(name)
                queue.settings.order = order
                queue.settings.start =
                    name == "q" ? .batched(count: 2, delayMilliseconds: 1) : .manual
                try writer.put(queue)
            }
            var tasks = try writer.tasks(Array(1...400))
            for place in tasks.indices {
                tasks[place].state = Samples.states[(place * 7 + 3) % Samples.states.count]
            }
            try writer.update(tasks)
            try writer.remove([5, 6, 205])
            try writer.clearRunMarks(queue: "q")
        }
        try Self.compare(store)
        try store.writeBlocking { try $0.removeQueue(named: "q") }
        try Self.compare(store)
    }

    @Test("K6 a question looks at what it asks for, however many tasks there are")
    func looks() throws {
        func looked(among count: Int) throws -> [Int] {
            let store = MemoryStore()
            try store.writeBlocking { writer in
                try writer.makeQueue()
                try writer.add(count) { task, place in
                    if place % 2 == 0 {
                        task.state = .waiting(
                            Waiting(
                                timer: WaitTimer(
                                    until: at(Int64(place)), cause: .notBefore, since: at(0))))
                    }
                }
            }
            let selections: [TaskSelection] = [
                .page(TaskQuery(queue: "q", waitFlags: .ready, limit: 5)),
                .page(TaskQuery(queue: "q", state: .waiting, limit: 5)),
                .timers(queue: nil, through: at(6)), .running(by: 1), .newest(),
                .arrivedBefore(queue: "q", position: 50), .expiring(),
            ]
            return try selections.map { selection in
                let before = store.looked
                _ = try store.readBlocking { try $0.tasks(selection, limit: 5) }
                return store.looked - before
            }
        }
        #expect(try looked(among: 100) == [5, 5, 4, 0, 5, 5, 0])
        #expect(try looked(among: 3_000) == [5, 5, 4, 0, 5, 5, 0])
    }

    @Test("T2 a moment that is read stays, while a thousand tasks come, move and go beside it")
    func moments() throws {
        let everyState = TaskState.Name.allCases.map { TaskQuery(queue: "q", state: $0, limit: 0) }
        @Sendable func order(_ reader: any StoreReader) throws -> [[TaskID]] {
            try everyState.map { try reader.tasks(.page($0), limit: .max).map(\.id) }
        }
        @Sendable func expected(_ reader: any StoreReader) throws -> [[TaskID]] {
            let tasks = try reader.tasks(Array(1...5_000))
            return everyState.map { query in
                let places = tasks.filter { $0.state.name == query.state }.map { task in
                    (key: task.orderKey(.priority), id: task.id)
                }
                let sorted = places.sorted { left, right in
                    left.key == right.key ? left.id < right.id : left.key < right.key
                }
                return sorted.map(\.id)
            }
        }
        let store = MemoryStore()
        try store.writeBlocking { try $0.makeQueue("q") { $0.order = .priority } }
        for round in 1...20 {
            try store.readBlocking { former in
                let before = try order(former)
                try store.writeBlocking { writer in
                    try writer.add(200, to: "q") { task, place in
                        task.priority = place * 7919 * round % 1_000
                    }
                    // Scattered ones change their state and their place, others go.
                    var tasks = try writer.tasks((1...180).map { $0 * 613 % 4_000 + 1 })
                    for place in tasks.indices {
                        tasks[place].priority = place * round % 900
                        tasks[place].state = Samples.states[place % Samples.states.count]
                    }
                    try writer.update(tasks)
                    try writer.remove((1...60).map { Int64($0 * 37 + round * 101) })
                }
                let (after, rule) = (try order(former), try expected(former))
                #expect(after == before && rule == before)
            }
        }
        try store.readBlocking { reader in
            let (found, rule) = (try order(reader), try expected(reader))
            #expect(found == rule)
            #expect(found.joined().count > 2_500)
        }
    }
}

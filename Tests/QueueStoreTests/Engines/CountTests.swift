import SluiceModel
import SluiceStore
import Testing

@Suite("Counts")
struct CountTests {
    private static func counted(_ tasks: [QueueTask]) -> QueueCounts {
        var counts = QueueCounts()
        for task in tasks {
            counts.states[task.state.name, default: 0] += 1
            if task.waiting != nil { counts.waitingByFlags[task.waitFlags, default: 0] += 1 }
        }
        return counts
    }

    private static let changes: [@Sendable (any StoreWriter, [QueueTask]) throws -> Void] = [
        { writer, _ in try writer.add(5) },
        { writer, tasks in
            let held = tasks.filter { $0.id % 2 == 0 }.map { task in
                var task = task
                task.isHeld.toggle()
                return task
            }
            try writer.update(held)
        },
        { writer, tasks in
            let states = Samples.states
            let turned = tasks.enumerated().map { place, old in
                var task = old
                task.state = states[(place * 7 + 3) % states.count]
                return task
            }
            try writer.update(turned)
        },
        { writer, _ in try writer.clearRunMarks(queue: "q") },
        { writer, tasks in try writer.remove(tasks.prefix(7).map(\.id)) },
        { writer, tasks in
            var task = tasks[tasks.count - 1]
            task.queue = "other"
            try writer.update([task])
        },
        { writer, _ in
            var queue = try writer.requireQueue("q")
            queue.settings.order = .key
            try writer.put(queue)
        },
        { writer, tasks in try writer.remove(tasks.map(\.id)) },
    ]

    @Test("K6 the counts follow every kind of change", arguments: Engine.all)
    func follow(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let states = Samples.states
        try bench.write { writer in
            try writer.makeQueue()
            try writer.makeQueue("other")
            try writer.add(states.count * 2) { task, place in
                task.state = states[place % states.count]
                task.isHeld = place >= states.count
            }
        }
        for change in Self.changes {
            try bench.write { try change($0, try $0.all("q")) }
            for queue in ["q", "other"] {
                let (kept, tasks) = try bench.read {
                    (try $0.counts(queue: queue), try $0.all(queue))
                }
                #expect(kept.withoutZeros == Self.counted(tasks))
            }
        }
        #expect(try bench.read { try $0.counts(queue: "none").withoutZeros } == QueueCounts())
    }

    @Test("K6 a page is counted as it is read, in whatever lanes and types", arguments: Engine.all)
    func pages(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let many = (0..<70).map { "t\($0)" }
        try bench.write { writer in
            try writer.makeQueue()
            try writer.add(Samples.states.count * 4) { task, place in
                task.state = Samples.states[place % Samples.states.count]
                task.isHeld = place % 3 == 0
                task.type = many[place * 7 % 5]
                if place % 4 == 0 { task.groupStart = "g" }
            }
        }
        let last = try bench.read { try $0.all("q") }.last
        let key = try #require(last).orderKey(QueueSettings().order)
        for state in TaskState.Name.allCases {
            for (waitFlags, types) in [
                (nil, nil), (.ready, nil), (.ready, ["t0"]), (.ready, ["t1", "t2", "x"]),
                (.ready, many), (.held, ["t0"]), (.retrying, nil), (nil, ["t3"]),
            ] as [(WaitFlags?, [String]?)] {
                for after in [nil, key] {
                    var query = TaskQuery(queue: "q", state: state, limit: 1000)
                    (query.waitFlags, query.types, query.after) = (waitFlags, types, after)
                    query.isBackwards = after != nil
                    for group in [nil, "g"] {
                        query.group = group
                        let wanted = query
                        let (read, all, some) = try bench.read {
                            (
                                try $0.tasks(matching: wanted).count,
                                try $0.countTasks(.page(wanted), limit: 1000),
                                try $0.countTasks(.page(wanted), limit: 2)
                            )
                        }
                        #expect(all == read && some == min(2, read), "\(wanted)")
                    }
                }
            }
        }
    }

    @Test("K6 a timer that has passed holds nothing in the counts of a moment")
    func woken() throws {
        let bench = try Bench(.memory)
        let woken = try bench.write { writer in
            try writer.makeQueue()
            return try writer.add(3) { task, place in
                var waiting = Waiting()
                waiting.timer = WaitTimer(
                    until: at(5), cause: place == 0 ? .retry : .notBefore, since: at(0))
                if place == 2 {
                    waiting.skip = Skip(by: "a", since: at(0), until: nil, endsWithRun: false)
                }
                task.state = .waiting(waiting)
            }
        }
        var counts = try bench.read { try $0.counts(queue: "q") }
        #expect(counts.waiting(in: .retrying) == 1 && counts.waiting(in: .delayed) == 2)
        counts.wake(woken, at: at(5))
        #expect(counts.withoutZeros.waitingByFlags == [.ready: 2, .skipped: 1])
    }

    @Test(
        "Q4 the end of a run clears its marks and the skips that end with it",
        arguments: Engine.all)
    func runMarks(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let before = try bench.write { writer in
            try writer.makeQueue()
            try writer.makeQueue("other")
            try writer.add(1, to: "other") { task, _ in
                var waiting = Waiting()
                waiting.attemptedInRun = true
                task.state = .waiting(waiting)
            }
            return try writer.add(Samples.waits.count) { task, place in
                task.state = .waiting(Samples.waits[place])
            }
        }
        try bench.write { try $0.clearRunMarks(queue: "q") }
        let expected = before.map { old in
            var task = old
            guard var waiting = old.waiting else { return old }
            waiting.attemptedInRun = false
            if waiting.skip?.endsWithRun == true { waiting.skip = nil }
            task.state = .waiting(waiting)
            return task
        }
        #expect(try bench.read { try $0.tasks(before.map(\.id)) } == expected)
        let other = try bench.read { try $0.all("other").first?.waiting?.attemptedInRun }
        #expect(other == true)
    }
}

extension StoreReader {
    /// Every task of a queue, by number.
    func all(_ queue: String) throws -> [QueueTask] {
        try TaskState.Name.allCases.flatMap {
            try tasks(matching: TaskQuery(queue: queue, state: $0, limit: 1_000_000))
        }.sorted { $0.id < $1.id }
    }
}

extension QueueCounts {
    /// The counts without zero entries.
    var withoutZeros: QueueCounts {
        var counts = self
        counts.states = states.filter { $0.value != 0 }
        counts.waitingByFlags = waitingByFlags.filter { $0.value != 0 }
        return counts
    }
}

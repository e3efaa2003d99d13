import SluiceModel
import SluiceStore
import Testing

@Suite("Timers, expiry and fresh tasks")
struct TimeTests {
    private static func wait(
        _ timer: Int64?, skipUntil: Int64? = nil, _ cause: WaitTimer.Cause = .retry
    ) -> TaskState {
        var waiting = Waiting(
            timer: timer.map { WaitTimer(until: at($0), cause: cause, since: at(0)) })
        if let skipUntil {
            waiting.skip = Skip(by: "ann", since: at(0), until: at(skipUntil), endsWithRun: false)
        }
        return .waiting(waiting)
    }

    /// Seven tasks of `q` and one of `other`: times of waking 10, 10, 20 (a skip), 5, none, none.
    private static func fill(_ writer: any StoreWriter) throws -> [TaskID] {
        try writer.makeQueue()
        try writer.makeQueue("other")
        let running = TaskState.running(Samples.leases[0])
        let states = [
            wait(10), wait(10, .notBefore), wait(30, skipUntil: 20), wait(5), wait(nil), running,
        ]
        var ids = try writer.add(states.count) { task, place in task.state = states[place] }.map(
            \.id)
        ids += try writer.add(1, to: "other") { task, _ in task.state = wait(7) }.map(\.id)
        return ids
    }

    @Test("T2 tasks are woken by time, the earliest first", arguments: Engine.all)
    func wakes(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let ids = try bench.write { try Self.fill($0) }
        func due(_ queue: String?, _ now: Int64, _ limit: Int = 10) throws -> [TaskID] {
            try bench.read {
                try $0.tasks(.timers(queue: queue, through: at(now)), limit: limit).map(\.id)
            }
        }
        #expect(try due(nil, 4) == [])
        #expect(try due("q", 10) == [ids[3], ids[0], ids[1]])
        #expect(try due(nil, 10, 2) == [ids[3], ids[6]])
        #expect(try due("other", 100) == [ids[6]])
        #expect(try due("q", 20) == [ids[3], ids[0], ids[1], ids[2]])
        try bench.write { writer in
            try writer.update(try writer.tasks(ids).map { $0.awake(at: at(20)) })
        }
        #expect(try due("q", 20) == [])
        #expect(try due("q", 30) == [ids[2]])
    }

    @Test("Timers are paged by time and number", arguments: Engine.all)
    func timers(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let ids = try bench.write { try Self.fill($0) }
        for (queue, expected) in [
            ("q", [ids[3], ids[0], ids[1], ids[2]]),
            (nil, [ids[3], ids[6], ids[0], ids[1], ids[2]]), ("none", []),
        ] as [(String?, [TaskID])] {
            for limit in 1...6 {
                let found = try bench.read { reader in
                    var all: [TaskID] = []
                    var cursor: TimerCursor?
                    while all.count < 20 {
                        let page = try reader.tasks(
                            .timers(queue: queue, after: cursor), limit: limit)
                        all += page.map(\.id)
                        guard page.count == limit, let last = page.last,
                            let wakesAt = last.wakesAt
                        else { break }
                        cursor = TimerCursor(at: wakesAt, id: last.id)
                    }
                    return all
                }
                #expect(found == expected)
            }
        }
    }

    @Test("Q8 waiting tasks expire; starts may be exempt", arguments: Engine.all)
    func expiry(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let ids = try bench.write { writer in
            try writer.makeQueue()
            try writer.makeQueue("exempt") { $0.startsExpire = false }
            let ids = try writer.add(4) { task, place in
                task.expiresAt = [at(20), at(10), nil, at(5)][place]
                if place == 3 { task.state = .running(Samples.leases[0]) }
                if place == 0 { task.groupStart = "g" }
            }.map(\.id)
            return ids
                + (try writer.add(2, to: "exempt") { task, place in
                    task.expiresAt = at(1 + Int64(place) * 30)
                    if place == 0 { task.groupStart = "g" }
                }.map(\.id))
        }
        func expired(_ now: Int64, _ limit: Int = 10) throws -> [TaskID] {
            try bench.read { try $0.tasks(.expiring(through: at(now)), limit: limit).map(\.id) }
        }
        func next() throws -> Timestamp? { try bench.read { try $0.nextExpiry() } }
        #expect(try expired(9) == [])
        #expect(try expired(10) == [ids[1]])
        #expect(try expired(100) == [ids[1], ids[0], ids[5]])
        #expect(try expired(100, 1) == [ids[1]])
        #expect(try next() == at(10))
        try bench.write { try $0.remove([ids[1]]) }
        #expect(try next() == at(20))
        try bench.write { try $0.remove([ids[0], ids[5]]) }
        #expect(try next() == nil)
        try bench.write { writer in
            var queue = try writer.requireQueue("exempt")
            queue.settings.startsExpire = true
            try writer.put(queue)
        }
        #expect(try next() == at(1))
        #expect(try expired(1) == [ids[4]])
    }

    @Test("Q4 fresh tasks came, or became due, since the last run", arguments: Engine.all)
    func fresh(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { writer in
            try writer.makeQueue()
            try writer.makeQueue("other")
            try writer.add(1, to: "other") { task, _ in task.freshAt = at(1) }
            try writer.add(6) { task, place in
                task.freshAt =
                    [
                        at(10), at(20), at(30), Timestamp(milliseconds: 0), at(40), at(12),
                    ][place]
                if place == 5 { task.state = .running(Samples.leases[0]) }
            }
            // Only batched queues query it, and it includes earlier tasks.
            var queue = try writer.requireQueue("q")
            queue.settings.start = .batched(count: 10, delayMilliseconds: 1000)
            try writer.put(queue)
            try writer.add(1) { task, _ in task.freshAt = at(60) }
        }
        func fresh(_ since: Int64?, _ now: Int64, _ limit: Int = 10) throws -> FreshTasks {
            try bench.read {
                try $0.fresh(queue: "q", since: since.map { at($0) }, now: at(now), limit: limit)
            }
        }
        #expect(try fresh(nil, 35) == FreshTasks(count: 3, first: at(10)))
        #expect(try fresh(15, 100) == FreshTasks(count: 4, first: at(20)))
        #expect(try fresh(nil, 100, 2) == FreshTasks(count: 2, first: at(10)))
        #expect(try fresh(41, 100) == FreshTasks(count: 1, first: at(60)))
        #expect(try fresh(nil, 9) == FreshTasks(count: 0, first: nil))
    }

    @Test("Q9 ended tasks are found by their age", arguments: Engine.all)
    func ended(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let ids = try bench.write { writer in
            try writer.makeQueue()
            return try writer.add(5) { task, place in
                task.state =
                    place < 4
                    ? .succeeded(Success(at: at([30, 10, 20, 10][place])))
                    : .failed(Failure(at: at(1), reason: "", startPolicy: nil))
            }.map(\.id)
        }
        func ended(_ state: TaskState.Name, _ before: Int64, _ limit: Int = 10) throws -> [TaskID] {
            try bench.read {
                try $0.tasks(.ended(queue: "q", state: state, before: at(before)), limit: limit)
                    .map(\.id)
            }
        }
        #expect(try ended(.succeeded, 30) == [ids[1], ids[3], ids[2]])
        #expect(try ended(.succeeded, 100, 2) == [ids[1], ids[3]])
        #expect(try ended(.failed, 100) == [ids[4]])
        #expect(try ended(.deleted, 100) == [])
    }
}

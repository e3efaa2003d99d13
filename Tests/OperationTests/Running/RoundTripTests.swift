import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceRunner
@testable import SluiceSQL

@Suite("Round trips of a worker", .enabled(if: PostgresServer.isInstalled))
struct RoundTripTests {
    @Test("P7 a commit of a busy worker is two round trips, whatever its queue keeps")
    func busyRunner() throws {
        let bench = try Bench(.postgres)
        try bench.makeQueue {
            $0.concurrency = 8
            $0.keepFinished = .last(10)
        }
        try bench.enqueue((0..<400).map { _ in request() })
        let count = try #require((bench.store as? PostgresStore)?.commitCount)
        let (trips, commits) = (count.roundTrips, count.commits)
        let reads = count.readsAhead
        let looking = count.readingRoundTrips
        let events = try bench.runToTheEnd { _ in
            AsyncHandler { _, _ in .done }
        }
        #expect(events.count { if case .settled = $0 { true } else { false } } == 400)
        let made = count.commits - commits
        // The first commits of a runner, and its end, are no commits of a busy one.
        #expect(made >= 20, "\(made) commits")
        #expect(
            count.roundTrips - trips <= 2 * made + 30,
            "\(count.roundTrips - trips) round trips for \(made) commits")
        let all = count.roundTrips - trips + count.readingRoundTrips - looking
        #expect(all <= 3 * made + 30, "\(all) round trips with looks for \(made) commits")
        // It reads its tasks, the next ones, removals, the next expiry and requests to stop. It
        // always reads the inbox and the queue's counts.
        #expect(
            count.readsAhead - reads <= 7 * made + 30,
            "\(count.readsAhead - reads) questions ahead for \(made) commits")
    }

    @Test("P7 A6 the commits of a busy worker see requests to stop, without a look")
    func stops() throws {
        let bench = try Bench(.postgres)
        try bench.makeQueue { $0.concurrency = 8 }
        let long = try bench.enqueue((0..<6).map { _ in request("long") })
        try bench.enqueue(400)
        let count = try #require((bench.store as? PostgresStore)?.commitCount)
        /// The tasks still to cancel, and the round trips of looks at each request and stop.
        let state = Protected((left: long, asked: [TaskID: Int](), stopped: [TaskID: Int]()))
        let quick = ToldHandler { _, _ in
            let next = state.withLock { state in
                state.asked.count == state.stopped.count ? state.left.popLast() : nil
            }
            if let next {
                do { try bench.perform(.cancel([TaskTarget(next)])) } catch { Issue.record(error) }
                state.withLock { $0.asked[next] = count.readingRoundTrips }
            }
            return .success(result: nil)
        }
        let waiting = ToldHandler { _, _ in nil }
        try bench.runToTheEnd({ $0 == "long" ? waiting : quick }) { event in
            guard case .settled(let settled) = event, settled.type == "long" else { return }
            state.withLock { $0.stopped[settled.id] = count.readingRoundTrips }
        }
        let (asked, stopped) = state.withLock { ($0.asked, $0.stopped) }
        #expect(Set(stopped.keys) == Set(long))
        // A look may come by chance between two commits, each quarter of a second.
        #expect(long.contains { asked[$0] == stopped[$0] }, "\(asked) \(stopped)")
    }

    @Test("P7 T4 what an application inserts starts after one look")
    func inserted() throws {
        let bench = try Bench(.postgres)
        try bench.makeQueue()
        // After another worker that takes the same, a worker looks before it claims.
        try bench.attach()
        let count = try #require((bench.store as? PostgresStore)?.commitCount)
        let schema = try Files.read("\(bench.folder)/schema", limitBytes: 100)
        let insert = """
            INSERT INTO \(String(decoding: schema, as: UTF8.self)).inbox (queue, type, payload)
            VALUES ('q', 't', '')
            """
        let started = Protected((looks: 0, gate: EndGate()))
        let handler = ToldHandler { _, _ in
            started.withLock { state in
                state.looks = count.readingRoundTrips
                state.gate.open()
            }
            return .success(result: nil)
        }
        let runner = try Runner(
            store: bench.store, types: nil, handlers: { _ in handler }, now: { bench.now })
        try runner.start()
        defer {
            runner.stop(isUrgent: true)
            runner.wait()
        }
        var looks: [Int] = []
        // The look needs two round trips, because the looks between inserts ask less. A second look
        // needs one more at least. On a busy machine looks of earlier commits come between, so a
        // test that counts ten inserts fails there.
        while looks.count < 200, looks.count(where: { $0 <= 2 }) < 5 {
            let gate = EndGate()
            started.withLock { $0.gate = gate }
            let before = count.readingRoundTrips
            try PostgresServer.shared().run(insert)
            try #require(gate.isOpen(within: 60_000))
            looks.append(started.withLock { $0.looks } - before)
        }
        #expect(looks.count { $0 <= 2 } >= 5, "\(looks)")
    }

    @Test("P7 T4 the commit that takes a row in claims its task, in three round trips")
    func claimedWithIntake() throws {
        let bench = try Bench(.postgres)
        try bench.makeQueue()
        let runner = try bench.attach()
        let count = try #require((bench.store as? PostgresStore)?.commitCount)
        let schema = try Files.read("\(bench.folder)/schema", limitBytes: 100)
        let insert = """
            INSERT INTO \(String(decoding: schema, as: UTF8.self)).inbox (queue, type, payload)
            VALUES ('q', 't', '')
            """
        // What a worker announces after it saw the row.
        var reads = ExpectedReads()
        reads.addInbox()
        reads.add(.page(TaskQuery(queue: "q", waitFlags: .ready, limit: 1)), limit: 1)
        reads.add(.expiring(), limit: 1)
        var trips: [[Int]] = []
        for _ in 0..<6 {
            try PostgresServer.shared().run(insert)
            let before = (count.commits, count.roundTrips)
            let request = ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0)
            let claimed = try bench.store.transactBlocking(at: bench.now, expecting: reads) {
                try $0.claim(request)
            }
            trips.append([count.commits - before.0, count.roundTrips - before.1])
            try bench.settle(try #require(claimed.first))
        }
        // The first transactions learn the queues.
        #expect(trips.suffix(3).allSatisfy { $0 == [1, 3] }, "\(trips)")
    }

    @Test("P7 a look is one round trip, also between looks for dead processes")
    func looks() throws {
        let bench = try Bench(.postgres)
        try bench.makeQueue()
        try bench.enqueue(3)
        let runner = try bench.attach()
        let count = try #require((bench.store as? PostgresStore)?.commitCount)
        func look() throws -> Int {
            let before = count.readingRoundTrips
            let now = bench.now
            let poll = try bench.read {
                try RunnerPoll($0, runner: runner, now: now, wantsWork: true, inFlight: 0)
            }
            #expect(poll.hasWork)
            return count.readingRoundTrips - before
        }
        func reap() throws -> Int {
            let before = count.readingRoundTrips
            try Reaper.reapTheDead(in: bench.store, now: bench.now)
            return count.readingRoundTrips - before
        }
        var trips: [[Int]] = []
        for _ in 0..<6 { trips.append([try look(), try reap()]) }
        #expect(trips[0][0] > 1, "the first look expects nothing")
        #expect(trips.suffix(3).allSatisfy { $0 == [1, 2] }, "\(trips)")
    }

    @Test("P7 doctor asks a server for pages of tasks, and once for each group")
    func doctor() throws {
        let bench = try Bench(.postgres)
        try bench.makeQueue()
        try bench.enqueue([member(start: "g")] + (0..<199).map { _ in member("g") })
        try bench.enqueue(300)
        let count = try #require((bench.store as? PostgresStore)?.commitCount)
        let before = count.roundTrips
        #expect(try bench.control().examine(repairs: false).tasks == 500)
        // Only a commit that keeps something counts the connection's round trips.
        try bench.enqueue(1)
        let trips = count.roundTrips - before
        #expect(trips < 60, "\(trips) round trips")
    }
}

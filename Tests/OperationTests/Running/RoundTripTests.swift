import SluiceModel
import SluicePostgresHarness
import SluiceStore
import Testing

@testable import SluicePostgresStore
@testable import SluiceRunner

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
        // It reads its tasks, the next ones, removals and the next expiry. It always reads the
        // inbox, the store's row, the queue's counts, and whether rows are separate.
        #expect(
            count.readsAhead - reads <= 8 * made + 30,
            "\(count.readsAhead - reads) questions ahead for \(made) commits")
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
}

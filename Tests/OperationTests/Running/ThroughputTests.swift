import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("how a queue goes")
struct ThroughputTests {
    @Test(
        "K4 it empties by what ends for good less what comes, and where it grows it never does",
        arguments: Engine.large)
    func empties(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { ($0.concurrency, $0.retry) = (100, .fixed(milliseconds: 0)) }
        try bench.enqueue(60)
        bench.pass(120_000)
        let runner = try bench.attach()
        let claimed = try bench.claim(runner, slots: 20)
        bench.pass(100)
        for (place, one) in claimed.enumerated() {
            try bench.settle(one, place % 2 == 0 ? .done : .fail)
        }
        func look() throws -> Throughput {
            try bench.read { [now = bench.now] in try Reading($0, now: now).throughput(of: "q") }
        }
        bench.pass(59_000)
        let busy = try look()
        // Ten of the twenty are done, and nothing came.
        #expect(busy.perMinuteNow == 0 || busy.endedPerMinute * 2 == busy.perMinuteNow)
        for one in try bench.claim(runner, slots: 10) { try bench.settle(one) }
        let empties = try look()
        #expect(empties.arrivedPerMinute == 0)
        #expect(
            empties.millisecondsUntilEmpty(waiting: 40)
                == 40 * 60_000 / Int64(empties.endedPerMinute))
        // A retry is no arrival; a task that came is one, also if it has gone already.
        try bench.enqueue(5)
        #expect(try look().arrivedPerMinute == 5)
        try bench.enqueue(200)
        let grows = try look()
        #expect(grows.arrivedPerMinute > grows.endedPerMinute)
        #expect(grows.millisecondsUntilEmpty(waiting: 245) == nil)
    }

    @Test(
        "K6 a start counts how long its task had been due, a retry from its own moment on",
        arguments: Engine.all)
    func waits(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { ($0.concurrency, $0.retry) = (9, .fixed(milliseconds: 10_000)) }
        try bench.enqueue(2)
        let runner = try bench.attach()
        func waits() throws -> [Int64] {
            try bench.read { [now = bench.now] reader in
                try reader.endedCounts(.waits, queue: "q", since: now + -3_000_000).flatMap {
                    count -> [Int64] in
                    guard case .waits(let wait) = count.what else { return [] }
                    return Array(repeating: wait.milliseconds, count: count.total)
                }.sorted()
            }
        }
        #expect(try waits() == [])
        bench.pass(64)
        let first = try #require(try bench.claim(runner, slots: 1).first)
        #expect(try waits() == [DurationBucket(milliseconds: 64).milliseconds])
        try bench.settle(first, .fail)
        bench.pass(10_512)
        // Since its retry was due, and since it came.
        let both = try bench.claim(runner, slots: 9)
        #expect(both.count == 2)
        let expected = [64, 512, 10_576].map { DurationBucket(milliseconds: $0).milliseconds }
        #expect(try waits() == expected)
    }

    @Test(
        "K6 the waiting tasks are counted where a minute begins in which they change",
        arguments: Engine.all)
    func waitingStarts(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 9 }
        let first = EndedCounts.minute(of: bench.now)
        func starts(since: Timestamp? = nil) throws -> [Int64: Int] {
            let found = try bench.read { try $0.waitingStarts(queue: "q", since: since) }
            return Dictionary(uniqueKeysWithValues: found.map { ($0.key - first, $0.value) })
        }
        #expect(try starts() == [:])
        try bench.enqueue(5)
        try bench.enqueue(2)
        #expect(try starts() == [0: 0])
        bench.pass(180_000)
        // An undone body leaves no count.
        #expect(throws: CancellationError.self) {
            try bench.store.transactBlocking(at: bench.now) { mutation in
                try mutation.store.remove([1])
                throw CancellationError()
            }
        }
        #expect(try starts() == [0: 0])
        let runner = try bench.attach()
        let claimed = try bench.claim(runner, slots: 3)
        #expect(try starts() == [0: 0, 3: 7])
        bench.pass(60_000)
        for one in claimed { try bench.settle(one) }
        #expect(try starts() == [0: 0, 3: 7], "an end changes nothing that waits")
        bench.pass(60_000)
        _ = try bench.claim(runner, slots: 9)
        #expect(try starts() == [0: 0, 3: 7, 5: 4])
        #expect(try starts(since: bench.now) == [5: 4])
    }

    @Test(
        "K4 one end alone is no rate, and what ended in ten minutes goes out of them bit by bit",
        arguments: Engine.large)
    func window(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 9 }
        try bench.enqueue(6)
        let runner = try bench.attach()
        func look() throws -> Throughput {
            try bench.read { [now = bench.now] in try Reading($0, now: now).throughput(of: "q") }
        }
        for _ in 0..<6 {
            for one in try bench.claim(runner, slots: 1) { try bench.settle(one) }
            let found = try look()
            #expect(found.perMinuteNow == found.succeeded, "few ends are counted")
            bench.pass(10_000)
        }
        bench.pass(600_000 - 60_000 - 10_000)
        var seen: [Int] = []
        for _ in 0...9 {
            seen.append(try look().succeeded)
            bench.pass(10_000)
        }
        // Each ten seconds one of them is too old.
        #expect(seen.first == 6 && seen.last == 0, "\(seen)")
        #expect(zip(seen, seen.dropFirst()).allSatisfy { (0...1).contains($0 - $1) }, "\(seen)")
    }

    @Test(
        "K what was lost with its worker is in no rate and no time: it ended when that was noticed",
        arguments: Engine.all)
    func lost(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 2 }
        _ = try bench.enqueue(2)
        let dead = try bench.attach()
        #expect(try bench.claim(dead, slots: 2).count == 2)
        bench.pass(900_000)
        try bench.act { try $0.reap(dead) }
        bench.pass(5000)
        let runner = try bench.attach()
        let claimed = try bench.claim(runner, slots: 2)
        try #require(claimed.count == 2)
        bench.pass(100)
        try bench.settle(claimed[0])
        try bench.settle(claimed[1], .retry(afterMilliseconds: 0, error: "no"))
        let found = try bench.read { [now = bench.now] in
            try Reading($0, now: now).throughput(of: "q")
        }
        #expect([found.succeeded, found.failed, found.perMinute.reduce(0, +)] == [1, 1, 2])
        #expect(try #require(found.medianMilliseconds) <= 125)
        #expect(try #require(found.slowMilliseconds) <= 125)
        #expect(found.perMinuteNow > 0)
    }
}

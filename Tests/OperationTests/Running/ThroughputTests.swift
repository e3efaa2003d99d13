import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("how a queue goes")
struct ThroughputTests {
    @Test(
        "K what was lost with its runner is in no rate and no time: it ended when that was noticed",
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

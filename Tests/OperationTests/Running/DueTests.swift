import SluiceModel
import SluiceStore
import Testing

@Suite("moments that come together")
struct DueTests {
    private static let count = 3000

    /// A queue with thousands of tasks due at one moment, some ready, and some later.
    private static func crowd(
        _ engine: Engine, _ change: @escaping @Sendable (inout QueueSettings) -> Void
    ) throws -> Bench {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0.order = .priority
            $0.concurrency = 100
            change(&$0)
        }
        try bench.enqueue(
            (0..<count).map { place in
                request {
                    $0.notBefore = at(place.isMultiple(of: 50) ? 5000 : 1000)
                    $0.priority = place * 7919 % 13
                }
            })
        try bench.enqueue((0..<10).map { place in request { $0.priority = place } })
        bench.pass(1000)
        return bench
    }

    /// The due or ready tasks, ordered by the pure rules.
    private static func expected(_ bench: Bench) throws -> [TaskID] {
        let snapshot = try bench.snapshot()
        return snapshot.waitingInOrder.filter {
            $0.wakesAt.map { $0 <= snapshot.now } ?? true
        }.map(\.id)
    }

    private static func asleep(_ bench: Bench) throws -> Int {
        try bench.read { try $0.counts(queue: "q").waitingByFlags[.delayed] ?? 0 }
    }

    @Test(
        "T2 N1 what is due at one moment starts in the queue's order while commits move a part",
        arguments: Engine.all)
    func order(_ engine: Engine) throws {
        let bench = try Self.crowd(engine) { _ in }
        let expected = try Self.expected(bench)
        let runner = try bench.attach()
        var (ran, asleep): ([TaskID], Int) = ([], Self.count)
        for _ in 0..<10 {
            for claimed in try bench.claim(runner, slots: 7) {
                ran.append(claimed.task.id)
                try bench.settle(claimed)
            }
            let left = try Self.asleep(bench)
            #expect(asleep - left <= DueBounds.claim.moved + 7)
            asleep = left
        }
        #expect(ran == Array(expected.prefix(70)))
        #expect(asleep == Self.count / 50)
    }

    @Test(
        "T2 B7 the head of a strict queue is known while moments are worked off",
        arguments: Engine.all)
    func head(_ engine: Engine) throws {
        let bench = try Self.crowd(engine) { $0.afterFailure = .block }
        let expected = try Self.expected(bench)
        let runner = try bench.attach()
        #expect(try bench.drain(runner, limit: 12) == Array(expected.prefix(12)))
    }

    @Test(
        "T2 N1 nothing overtakes a task whose place was not looked at yet", arguments: Engine.all)
    func undecided(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        // The first tasks in order wait longer than the claim's range of tasks.
        try bench.enqueue((0..<200).map { _ in request { $0.notBefore = at(9000) } })
        let due = try bench.enqueue((0..<30).map { _ in request { $0.notBefore = at(1000) } })
        let ready = try bench.enqueue(1)
        bench.pass(1000)
        let runner = try bench.attach()
        let bounds = DueBounds(moved: 3, listed: 2, rows: 20)
        var ran: [TaskID] = []
        for _ in 0..<50 where ran.count < 31 {
            let moment = bench.now
            ran += try bench.store.writeBlocking { store in
                try store.transact(at: moment, bounds: bounds) { mutation in
                    let claimed = try mutation.claim(
                        ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
                    _ = try mutation.settle(claimed.map { $0.completion(.handler(.done)) })
                    return claimed.map(\.task.id)
                }
            }
        }
        #expect(ran == due + ready)
    }
}

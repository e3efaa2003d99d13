import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// The acceptance scenarios of the five seeds that no other suite runs, on their presets.
@Suite("scenarios of the seeds")
struct SeedScenarioTests {
    private func open(_ engine: Engine, _ preset: String) throws -> (Bench, ProcessID) {
        let bench = try Bench(engine)
        try bench.makePreset(preset)
        return (bench, try bench.attach())
    }

    @Test("CIO-41 CIO-57 a 400 goes, another 4xx stays, and the run goes on", arguments: Engine.all)
    func badRequests(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "customer-io")
        let ids = try bench.enqueue([member(start: "g"), member("g"), member("g")])
        try bench.perform(.run(queue: "q", limit: nil))
        let ran = try bench.drain(runner) { id in
            id == ids[1] ? .giveUp(error: "400") : id == ids[2] ? .fail : .done
        }
        #expect(ran == ids)
        #expect(try bench.states(ids) == [nil, .failed, .waiting])
    }

    @Test("CIO-20 of tasks ten days old the member goes, the start stays", arguments: Engine.all)
    func expired(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "customer-io")
        let ids = try bench.enqueue([member(start: "g"), member("g")])
        bench.pass(10 * 86_400_000)
        #expect(try bench.drain(runner) == [ids[0]])
        #expect(try bench.states([ids[1]]) == [.failed])
    }

    @Test(
        "YTQ-07 YTQ-08 a failed head holds the queue for its time, or until it is deleted",
        arguments: Engine.all)
    func head(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "yap")
        let ids = try bench.enqueue(2)
        let fail = HandlerOutcome.retry(afterMilliseconds: 3000, error: nil)
        #expect(try bench.drain(runner, limit: 1) { _ in fail } == [ids[0]])
        bench.pass(2999)
        #expect(try bench.drain(runner) == [])
        bench.pass(1)
        #expect(try bench.drain(runner, limit: 1) { _ in fail } == [ids[0]])
        try bench.perform(.delete([TaskTarget(ids[0])], cancelsRunning: false, members: nil))
        #expect(try bench.drain(runner) == [ids[1]])
    }

    @Test(
        "YTQ-06 YTQ-10 YTQ-11 a parked head waits for a person, a wait of 0 for nobody",
        arguments: Engine.all)
    func parked(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "yap")
        let ids = try bench.enqueue(2)
        #expect(try bench.drain(runner, limit: 1) { _ in .park(error: nil) } == [ids[0]])
        bench.pass(86_400_000)
        #expect(try bench.drain(runner) == [])
        try bench.perform(.retry([TaskTarget(ids[0])]))
        var isFirst = true
        let ran = try bench.drain(runner) { _ in
            defer { isFirst = false }
            return isFirst ? .retry(afterMilliseconds: 0, error: nil) : .done
        }
        #expect(ran == [ids[0], ids[0], ids[1]])
    }

    @Test(
        "YTQ-14 the late end of a deleted head does not touch the next one", arguments: Engine.all)
    func lateEnd(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "yap")
        let ids = try bench.enqueue(2)
        let first = try bench.claimOne(runner)
        try bench.perform(.delete([TaskTarget(ids[0])], cancelsRunning: true, members: nil))
        try bench.settle(first, .abandoned(.deleted))
        let second = try bench.claimOne(runner)
        #expect(second.task.id == ids[1])
        #expect(try bench.settle(first).attempt == nil)
        #expect(try bench.states(ids) == [.deleted, .running])
        try bench.perform(.undelete([TaskTarget(ids[0])]))
        #expect(try bench.blockers(ids[0]).contains(.abandoned))
    }

    @Test("YTQ-16 a head that fails for ever does not delay another queue", arguments: Engine.all)
    func otherQueue(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "yap")
        try bench.makePreset("yap", "r")
        let bad = try bench.enqueue(1)
        let good = try bench.enqueue(3, to: "r")
        let ran = try bench.drain(runner) { bad.contains($0) ? .fail : .done }
        #expect(ran == bad + good)
    }

    @Test(
        "YTQ-19 what sorts before the running one waits for it, and is next", arguments: Engine.all)
    func sortsBefore(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "yap")
        try bench.perform(.setQueue("q", [.order(.key)]))
        let ids = try bench.enqueue([5, 7].map { key in request { $0.sortKey = .integer(key) } })
        let running = try bench.claimOne(runner)
        let early = try bench.enqueue([request { $0.sortKey = .integer(1) }])[0]
        #expect(try bench.claim(runner) == [])
        try bench.settle(running)
        #expect(try bench.drain(runner) == [early, ids[1]])
    }

    @Test(
        "IDJ-08 IDJ-09 IDJ-27 larger first, later ones not yet, equal ones as they came",
        arguments: Engine.all)
    func priorities(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "delayed-job")
        let ids = try bench.enqueue(
            ([(1, 0), (5, 0), (10, 500), (5, 0)] as [(Int, Int64)]).map { priority, wait in
                request {
                    $0.priority = priority
                    $0.notBefore = wait > 0 ? at(wait) : nil
                }
            })
        #expect(try bench.drain(runner) == [ids[1], ids[3], ids[0]])
        bench.pass(500)
        #expect(try bench.drain(runner) == [ids[2]])
    }

    @Test(
        "IDJ-18 a task whose process was killed runs again, its attempts as before",
        arguments: Engine.all)
    func killed(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "delayed-job")
        let id = try bench.enqueue(1)[0]
        try bench.settle(try bench.claimOne(runner), .fail)
        bench.pass(20_000)
        try bench.claim(runner)
        try bench.act { _ = try $0.reap(runner) }
        #expect(try bench.task(id).attempts == 1)
        bench.pass(60_000)
        #expect(try bench.drain(try bench.attach()) == [id])
    }

    @Test(
        "IDJ-20 IDJ-21 a unique one is replaced while it waits, and left while it runs",
        arguments: Engine.all)
    func unique(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "delayed-job")
        let job = request { ($0.uniqueKey, $0.uniquePolicy) = ("k", .replace) }
        let ids = try [bench.enqueue([job])[0], bench.enqueue([job])[0]]
        #expect(try bench.states(ids) == [.deleted, .waiting])
        let running = try bench.claimOne(runner)
        let third = try bench.enqueue([job])[0]
        try bench.settle(running)
        #expect(try bench.drain(runner) == [third])
    }

    @Test(
        "KKT-04 KKT-17 KKT-18 a smaller rank comes next; optional ones may fail, required stop",
        arguments: Engine.all)
    func ranks(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "startup")
        func ranked(_ rank: Int, _ isRequired: Bool = false) -> EnqueueRequest {
            request {
                $0.priority = -rank
                $0.isRequired = isRequired
            }
        }
        let ids = try bench.enqueue([ranked(2), ranked(3, true), ranked(4)])
        try bench.perform(.run(queue: "q", limit: nil))
        let first = try bench.claimOne(runner)
        let zero = try bench.enqueue([ranked(0)])[0]
        try bench.settle(first, .fail)
        let ran = try bench.drain(runner) { $0 == ids[1] ? .fail : .done }
        #expect(ran == [zero, ids[1]])
        #expect(try bench.states(ids) == [.failed, .failed, .waiting])
        #expect(try bench.record().pauses.map(\.cause) == [.required])
    }

    @Test("KKT-06 a task asks for another before it and for itself again", arguments: Engine.all)
    func goesBack(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "startup")
        func ranked(_ rank: Int) -> EnqueueRequest { request("r\(rank)") { $0.priority = -rank } }
        try bench.enqueue([2, 3, 4].map(ranked))
        try bench.perform(.run(queue: "q", limit: nil))
        var order: [String] = []
        while let claimed = try bench.claim(runner).first {
            order.append(claimed.task.type)
            var completion = claimed.completion(.handler(.done))
            if claimed.task.type == "r3", order.count == 2 {
                // Before the one that it asks for: each goes to its own place.
                try bench.enqueue([ranked(1)])
                completion.followUps = [FollowUp(queue: "q", task: ranked(2))]
            }
            let sent = completion
            try bench.act { _ = try $0.settle([sent]) }
        }
        #expect(order == ["r2", "r3", "r1", "r2", "r4"])
    }
}

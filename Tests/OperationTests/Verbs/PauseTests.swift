import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("pauses")
struct PauseTests {
    @Test(
        "D1 a second pause of the same cause never shortens or narrows the first",
        arguments: Case.all([VerbScope.queue("q"), .store]))
    func joins(_ test: Case<VerbScope>) throws {
        let bench = try Bench(test.engine)
        try bench.makeQueue()
        func pause(_ time: Int64?, _ direction: Pause.Direction, _ reason: String?) throws {
            var request = PauseRequest(test.value, reason: reason)
            request.forMilliseconds = time
            request.direction = direction
            try bench.perform(.pause(request))
        }
        func held() throws -> Pause {
            let store = try bench.read { try $0.storeRecord().pauses }
            return try #require((store + (try bench.record().pauses)).last)
        }
        try pause(100, .work, nil)
        bench.pass(10)
        try pause(50, .work, "b")
        #expect(try held().until == at(100) && held().since == at(0) && held().reason == "b")
        try pause(500, .enqueues, "c")
        #expect(try held().until == at(510) && held().direction == .both && held().reason == "b")
        try pause(nil, .work, nil)
        #expect(try held().until == nil && held().direction == .both)
        #expect(try bench.events().count == 4)
    }

    @Test("D1 a timed pause ends by itself, and a later one is a new one", arguments: Engine.all)
    func timed(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(2)
        let runner = try bench.attach()
        var request = PauseRequest(.queue("q"), reason: "old")
        request.forMilliseconds = 100
        try bench.perform(.pause(request))
        bench.pass(99)
        #expect(try bench.drain(runner) == [])
        bench.pass(1)
        #expect(try bench.drain(runner, limit: 1) == [ids[0]])
        try bench.perform(.pause(PauseRequest(.queue("q"), reason: "new")))
        #expect(try bench.record().pauses.map(\.reason) == ["new"])
    }

    @Test(
        "D2 resume ends every pause of the queue and names it; the store's stays",
        arguments: Engine.all)
    func resume(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(2)
        let runner = try bench.attach()
        let claimed = try bench.claimOne(runner)
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        try bench.settle(claimed, .pauseQueue(milliseconds: 9000, isCounted: false, error: nil))
        try bench.perform(.pause(PauseRequest(.store)))
        let answer = try bench.perform(.resume(.queue("q")))
        #expect(answer.endedPauses.map(\.cause) == [.person, .handler])
        #expect(answer.pauses.map(\.cause) == [.store])
        #expect(answer.consequences.count == 1)
        #expect(try bench.drain(runner) == [])
        try bench.perform(.resume(.store))
        #expect(try bench.drain(runner) == [ids[1]])
        #expect(try bench.perform(.resume(.queue("q"))).undo == nil)
    }

    @Test(
        "D1 A6 pause --now tells what runs to stop; it waits again, not counted",
        arguments: Case.all([VerbScope.queue("q"), .store]))
    func now(_ test: Case<VerbScope>) throws {
        let bench = try Bench(test.engine)
        try bench.makeQueue()
        let id = try bench.enqueue(1)[0]
        let claimed = try bench.claim(try bench.attach())[0]
        var request = PauseRequest(test.value)
        request.stopsRunning = true
        let answer = try bench.perform(.pause(request))
        #expect(answer.consequences.count == 1)
        #expect(try bench.task(id).running?.stop == .stopped)
        try bench.settle(claimed, .stopped(.stopped))
        #expect(try bench.task(id).attempts == 0)
        #expect(try bench.blockers(id) == [.queuePaused])
    }

    @Test("A3 a task that paused its queue waits from the end of the pause", arguments: Engine.all)
    func handler(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.retry = .fixed(milliseconds: 0) }
        let ids = try bench.enqueue(2)
        let runner = try bench.attach()
        let outcome = HandlerOutcome.pauseQueue(milliseconds: 100, isCounted: true, error: nil)
        #expect(try bench.drain(runner) { _ in outcome } == [ids[0]])
        bench.pass(100)
        #expect(try bench.drain(runner) == [ids[1]])
        bench.pass(999)
        #expect(try bench.drain(runner) == [])
        bench.pass(1)
        #expect(try bench.drain(runner) == [ids[0]])
    }

    @Test(
        "D7 reading says what a verb did: postpone, retry, skip with a time", arguments: Engine.all)
    func displays(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let id = try bench.enqueue(1)[0]
        let target = [TaskTarget(id)]
        try bench.perform(.postpone(target, until: at(50)))
        #expect(try bench.display(id) == .delayed)
        try bench.perform(.skip(target, forMilliseconds: 20))
        #expect(try bench.display(id) == .skipped)
        bench.pass(20)
        #expect(try bench.display(id) == .delayed)
        bench.pass(30)
        #expect(try bench.display(id) == .next)
        try bench.perform(.postpone(target, until: at(500)))
        try bench.perform(.retry(target))
        #expect(try bench.display(id) == .next)
        try bench.perform(.postpone(target, until: at(1)))
        #expect(try bench.drain(try bench.attach()) == [id])
    }
}

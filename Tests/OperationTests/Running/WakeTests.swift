import SluiceModel
import SluiceRunner
import SluiceStore
import Testing

@testable import SluiceControl

extension Bench {
    func wakes(_ queue: String = "q") throws -> [GroupWake] { try record(queue).wakes }

    /// One commit of what wakes have left to do.
    @discardableResult
    func workOff() throws -> Bool { try act { try $0.workOffWakes() } }

    func workOffAll() throws { while try workOff() {} }

    /// The waiting members with a holding start by their column.
    func heldCount(_ queue: String = "q") throws -> Int {
        try read { try $0.counts(queue: queue) }.waiting(in: .held)
    }

    /// Ends a start, which must be next, with success.
    func end(_ runner: ProcessID, _ outcome: HandlerOutcome = .done) throws {
        try settle(try claimOne(runner), outcome)
    }
}

@Suite("wakes")
struct WakeTests {
    private static let orders = Case.all(
        QueueOrder.allCases.flatMap { order in AfterFailure.allCases.map { (order, $0) } })

    @Test("T2 order holds over a wake, and nothing overtakes it", arguments: orders)
    func order(_ test: Case<(QueueOrder, AfterFailure)>) throws {
        let bench = try Bench(test.engine, membersAtOnce: 4)
        let (order, afterFailure) = test.value
        try bench.makeQueue {
            ($0.order, $0.afterFailure) = (order, afterFailure)
        }
        let runner = try bench.attach()
        let start = try bench.enqueue([member(start: "g")])[0]
        let ids = try bench.enqueue(
            (0..<30).map { place in
                var task = place % 3 == 0 ? request() : member("g")
                task.priority = place % 4
                task.sortKey = place % 5 == 0 ? nil : .integer(Int64(place % 7))
                return task
            })
        let expected = try bench.waiting().filter { $0 != start }
        try bench.perform(.delete([TaskTarget(start)], cancelsRunning: false, members: .release))
        #expect(try bench.heldCount() == 16)
        var ran: [TaskID] = []
        while try !bench.wakes().isEmpty {
            ran += try bench.drain(runner)
            #expect(try bench.wronglyHeld() == [])
            try bench.workOff()
        }
        #expect(!ran.isEmpty && ran.count < ids.count)
        ran += try bench.drain(runner)
        #expect(ran == expected)
    }

    @Test("T2 what a wake has not come to says so, and is not next", arguments: Engine.all)
    func blocked(_ engine: Engine) throws {
        let bench = try Bench(engine, membersAtOnce: 2)
        try bench.makeQueue { $0.concurrency = 9 }
        let runner = try bench.attach()
        try bench.enqueue([member(start: "g")])
        let ids = try bench.enqueue([member("g"), member("g"), member("g"), request()])
        try bench.end(runner)
        #expect(try bench.wakes().count == 1)
        #expect(try ids.map { try bench.display($0) } == [.next, .due, .blocked, .blocked])
        let line = try bench.read { [now = bench.now] in try Reading($0, now: now).line(ids[3]) }
        #expect(line.blockers.map(\.kind) == [.groupStart])
        #expect(line.blockers[0].cause == "g")
        #expect(line.blockers[0].task == nil)
        #expect(try bench.claim(runner, slots: 8).map(\.task.id) == [ids[0], ids[1]])
        #expect(try bench.claim(runner, slots: 8).isEmpty)
        #expect(try !bench.workOff())
        #expect(try bench.claim(runner, slots: 8).map(\.task.id) == [ids[2], ids[3]])
    }

    @Test("T2 P1 a wake survives a crash between two slices", arguments: Engine.all)
    func crash(_ engine: Engine) throws {
        let bench = try Bench(engine, membersAtOnce: 3)
        try bench.makeQueue()
        let runner = try bench.attach()
        try bench.enqueue([member(start: "g")])
        let ids = try bench.enqueue(Array(repeating: member("g"), count: 10))
        let start = try bench.claim(runner)
        let completion = start[0].completion(.handler(.done))
        // Its process dies in the commit, and again in one of the next slice.
        var deaths = [0, 0]
        for step in 1...100 {
            bench.faults.fail(from: step)
            let isDone = (try? bench.act { _ = try $0.settle([completion]) }) != nil
            bench.faults.fail(from: nil)
            if isDone { break }
            deaths[0] += 1
            #expect(try bench.heldCount() == 10)
        }
        #expect(try bench.heldCount() == 7)
        let store = try bench.wakes()
        for step in 1...100 {
            bench.faults.fail(from: step)
            let isDone = (try? bench.workOff()) != nil
            bench.faults.fail(from: nil)
            if isDone { break }
            deaths[1] += 1
            #expect(try bench.wakes() == store)
        }
        #expect(deaths.allSatisfy { $0 > 0 })
        #expect(try bench.heldCount() == 4)
        #expect(try bench.wronglyHeld() == [])
        try bench.workOffAll()
        #expect(try bench.wakes().isEmpty)
        #expect(try bench.drain(runner) == ids)
    }

    @Test("T2 Q10 a start that holds again holds those that were freed", arguments: Engine.all)
    func again(_ engine: Engine) throws {
        let bench = try Bench(engine, membersAtOnce: 2)
        try bench.makeQueue { $0.whenStartFails = .release }
        let runner = try bench.attach()
        let start = try bench.enqueue([member(start: "g")])[0]
        let ids = try bench.enqueue(Array(repeating: member("g"), count: 7))
        try bench.end(runner, .giveUp(error: "no"))
        #expect(try bench.heldCount() == 5)
        try bench.perform(.retry([TaskTarget(start)]))
        #expect(try bench.wakes().count == 1)
        #expect(try bench.drain(runner, limit: 1) { _ in .fail } == [start])
        #expect(try bench.claim(runner).isEmpty)
        try bench.workOffAll()
        #expect(try bench.heldCount() == 7)
        bench.pass(1000)
        #expect(try bench.drain(runner, limit: 1) == [start])
        try bench.workOffAll()
        #expect(try bench.drain(runner) == ids)
    }

    @Test("T2 another start of the group, and another order, in the middle", arguments: Engine.all)
    func changes(_ engine: Engine) throws {
        let bench = try Bench(engine, membersAtOnce: 2)
        try bench.makeQueue()
        let runner = try bench.attach()
        try bench.enqueue([member(start: "g")])
        let first = try bench.enqueue(Array(repeating: member("g"), count: 5))
        try bench.end(runner)
        let second = try bench.enqueue([member(start: "g"), member("g"), member("g"), member("g")])
        #expect(try bench.wakes().count == 1)
        try bench.perform(.setQueue("q", [.order(.lifo)]))
        #expect(try bench.wakes()[0].cursor == nil)
        try bench.workOff()
        try bench.perform(.move(TaskTarget(first[0]), .last))
        try bench.perform(.move(TaskTarget(second[0]), .before(second[2])))
        try bench.workOffAll()
        #expect(try bench.wronglyHeld() == [])
        #expect(try bench.heldCount() == 1)
    }

    @Test("T2 D3 a permit behind a wake waits for it", arguments: Engine.all)
    func permits(_ engine: Engine) throws {
        let bench = try Bench(engine, membersAtOnce: 1)
        try bench.makeQueue { $0.concurrency = 2 }
        let runner = try bench.attach()
        try bench.enqueue([member(start: "g")])
        try bench.enqueue([member("g"), member("g")])
        let last = try bench.enqueue(1)[0]
        let start = try bench.claimOne(runner)
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        try bench.act { mutation in
            _ = try PermitContext(mutation, issuer: runner, person: "ann").issue(
                .task(TaskTarget(last)))
        }
        try bench.settle(start)
        #expect(try bench.claim(runner).isEmpty)
        #expect(try bench.read { try $0.permits() }.count == 1)
        try bench.workOffAll()
        #expect(try bench.claim(runner).map(\.task.id) == [last])
    }

    @Test("T2 doctor finds nothing wrong in what is under way", arguments: Engine.all)
    func doctor(_ engine: Engine) throws {
        let bench = try Bench(engine, membersAtOnce: 2)
        try bench.makeQueue()
        let runner = try bench.attach()
        try bench.enqueue([member(start: "g")])
        try bench.enqueue(Array(repeating: member("g"), count: 5))
        try bench.end(runner)
        let diagnosis = try bench.control().examine(repairs: true)
        #expect(diagnosis.problems.filter { $0.contains("held") } == [])
        try bench.workOffAll()
        #expect(try bench.heldCount() == 0)
    }

    @Test("T2 a worker that may start nothing works wakes off", arguments: Engine.all)
    func idleRunner(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let start = try bench.enqueue([member(start: "g")])[0]
        try bench.enqueue(Array(repeating: member("g"), count: 2500))
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        try bench.act { mutation in
            let task = try mutation.store.requireTask(start)
            try mutation.apply(.delete(Deletion(by: "ann", members: .release)), to: task)
        }
        #expect(try bench.heldCount() == 2500 - Mutation.membersOfMany)
        try bench.runToTheEnd { _ in nil }
        #expect(try bench.heldCount() == 0)
        #expect(try bench.wakes().isEmpty)
    }

    @Test("T2 a worker executes 1,300 members in order", arguments: Engine.large)
    func busyRunner(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.afterFailure = .block }
        var ids = try bench.enqueue([member(start: "g")])
        ids += try bench.enqueue(Array(repeating: member("g"), count: 1300))
        ids += try bench.enqueue(1)
        let calls = CallLog()
        let handler = InstantHandler { execution in
            calls.add(execution.task.id)
            return .done
        }
        try bench.runToTheEnd { _ in handler }
        #expect(calls.all == ids)
    }

    @Test("T2 a verb returns when the members have followed", arguments: Engine.all)
    func verb(_ engine: Engine) async throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.start = .manual }
        let start = try bench.enqueue([member(start: "g")])[0]
        let ids = try bench.enqueue(Array(repeating: member("g"), count: 2100))
        let target = [TaskTarget(start)]
        try bench.perform(.delete(target, cancelsRunning: false, members: .release))
        #expect(try bench.heldCount() == 0)
        _ = try await bench.control().perform(.undelete(target))
        #expect(try bench.heldCount() == 2100)
        try bench.perform(.delete(target, cancelsRunning: false, members: .giveUp))
        #expect(try bench.states([ids[0], ids[2099]]) == [.failed, .failed])
        #expect(try bench.wakes().isEmpty)
    }
}

import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// How a start may end.
enum StartEnd: CaseIterable, Sendable {
    case success, givenUp, expired, deleted

    func happen(to start: TaskID, _ bench: Bench, _ runner: ProcessID) throws {
        switch self {
        case .success: try bench.settle(try bench.claimOne(runner))
        case .givenUp: try bench.settle(try bench.claimOne(runner), .giveUp(error: "no"))
        case .expired:
            let expiry = bench.now + 5
            try bench.perform(
                .edit([TaskTarget(start)], payload: nil, fields: [.expiresAt(expiry)]))
            bench.pass(5)
            try bench.act { try $0.expireTasks() }
        case .deleted:
            try bench.perform(.delete([TaskTarget(start)], cancelsRunning: false, members: nil))
        }
    }
}

@Suite("groups")
struct GroupTests {
    private static let policiesAndEnds = StartFailurePolicy.allCases.flatMap { policy in
        StartEnd.allCases.map { (policy, $0) }
    }

    @Test(
        "Q10 what the end of a start means for its members, present and future",
        arguments: Case.all(policiesAndEnds))
    func ends(_ test: Case<(StartFailurePolicy, StartEnd)>) throws {
        let bench = try Bench(test.engine)
        let (policy, end) = test.value
        try bench.makeQueue { $0.whenStartFails = policy }
        let runner = try bench.attach()
        let ids = try bench.enqueue([
            member(start: "g"), member("g"), member("g"), request(),
        ])
        #expect(try ids.map { try bench.task($0).isHeld } == [false, true, true, false])
        try end.happen(to: ids[0], bench, runner)
        let late = try bench.enqueue([member("g")])[0]
        let isFree = end == .success || policy != .hold
        #expect(try bench.task(late).isHeld == !isFree)
        #expect(try bench.wronglyHeld() == [])
        let gaveUp = end != .success && policy == .giveUp
        #expect(try bench.states([ids[1]]) == [gaveUp ? .failed : .waiting])
        let expected =
            isFree ? (gaveUp ? [ids[3], late] : [ids[1], ids[2], ids[3], late]) : [ids[3]]
        #expect(try bench.drain(runner) == expected)
        #expect(try bench.record().pauses == [])
    }

    @Test(
        "B5 an enqueue says which members nothing starts, and they are not held",
        arguments: Engine.all)
    func mistakes(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.keepFinished = .last(100) }
        let runner = try bench.attach()
        func said(_ requests: [EnqueueRequest]) throws -> [String] {
            let answer = try bench.perform(.enqueue(queue: "q", requests))
            #expect(try bench.wronglyHeld() == [])
            return answer.consequences
        }
        #expect(try said([member(start: "g"), member("g"), member("g")]) == [])
        let none = try said([member("h"), member("h"), request()])
        #expect(none == ["nothing holds #4 in q: the group h has no start"])
        #expect(try !bench.task(4).isHeld)
        // An ended task may have had a start that was removed since.
        #expect(try bench.drain(runner).count == 6)
        #expect(try said([member("g"), member("h")]) == [])
    }

    @Test("Q10 retry, or undelete, of a start makes it hold again", arguments: Engine.all)
    func holdsAgain(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.whenStartFails = .release }
        let runner = try bench.attach()
        let ids = try bench.enqueue([member(start: "g"), member("g")])
        let target = [TaskTarget(ids[0])]
        try bench.settle(try bench.claimOne(runner), .giveUp(error: "no"))
        #expect(try !bench.task(ids[1]).isHeld)
        try bench.perform(.retry(target))
        #expect(try bench.task(ids[1]).isHeld)
        try bench.perform(.delete(target, cancelsRunning: false, members: .release))
        #expect(try !bench.task(ids[1]).isHeld)
        try bench.perform(.undelete(target))
        #expect(try bench.task(ids[1]).isHeld)
        #expect(try bench.drain(runner) == ids)
    }

    @Test(
        "Q10 a start that ended once keeps what its end meant when it is deleted",
        arguments: Engine.all)
    func deletedAfterwards(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.keepFinished = .last(5) }
        let runner = try bench.attach()
        let ids = try bench.enqueue([member(start: "g"), member(start: "h"), member("g", "h")])
        try bench.settle(try bench.claimOne(runner))
        try bench.perform(.delete([TaskTarget(ids[0])], cancelsRunning: false, members: nil))
        try bench.perform(.setQueue("q", [.whenStartFails(.release)]))
        try bench.settle(try bench.claimOne(runner), .giveUp(error: "no"))
        try bench.perform(.setQueue("q", [.whenStartFails(.hold)]))
        try bench.perform(.delete([TaskTarget(ids[1])], cancelsRunning: false, members: nil))
        #expect(try bench.wronglyHeld() == [])
        #expect(try bench.drain(runner) == [ids[2]])
    }

    @Test("N2 CIO-88 a held start holds its own members", arguments: Engine.all)
    func transitive(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makePreset("customer-io")
        try bench.perform(.setQueue("q", [.start(.continuous), .retry(.fixed(milliseconds: 50))]))
        let ids = try bench.enqueue([member(start: "g1"), member("g1", start: "g2"), member("g2")])
        let runner = try bench.attach()
        #expect(try bench.drain(runner, limit: 1) { _ in .fail } == [ids[0]])
        #expect(try bench.drain(runner) == [])
        let chain = try bench.read { [now = bench.now] in try Reading($0, now: now).why(ids[2]) }
        #expect(chain.map(\.task.id) == [ids[2], ids[1], ids[0]])
        bench.pass(50)
        #expect(try bench.drain(runner) == ids)
    }

    @Test(
        "Q10 members given up in a cascade take their own members along, and never pause",
        arguments: Engine.all)
    func cascade(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.whenStartFails = .giveUp }
        var nested = member("a", start: "b")
        nested.isRequired = true
        let ids = try bench.enqueue([
            member(start: "a"), nested, member("b", "a"), member("b"), request(),
        ])
        try bench.settle(try bench.claim(try bench.attach())[0], .giveUp(error: "no"))
        #expect(try bench.states(ids) == [.failed, .failed, .failed, .failed, .waiting])
        #expect(try bench.record().pauses == [])
        #expect(try bench.wronglyHeld() == [])
    }

    @Test(
        "Q10 a start that holds members is purged only with a word about them",
        arguments: Case.all(MemberFate.allCases))
    func purge(_ test: Case<MemberFate>) throws {
        let bench = try Bench(test.engine)
        try bench.makeQueue()
        let ids = try bench.enqueue([member(start: "g"), member("g")])
        let target = [TaskTarget(ids[0])]
        try bench.perform(.delete(target, cancelsRunning: false, members: nil))
        #expect(try bench.refusal(.purge(target, members: nil)) == .notLegal)
        try bench.perform(.purge(target, members: test.value))
        let fates: [MemberFate: TaskState.Name] = [
            .release: .waiting, .giveUp: .failed, .delete: .deleted,
        ]
        #expect(try bench.states(ids) == [nil, fates[test.value]])
        #expect(try bench.wronglyHeld() == [])
    }

    @Test(
        "B5 Q8 behind starts that have expired, the first that still holds is named",
        arguments: Engine.all)
    func expiredStarts(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.whenStartFails = .release }
        var passing = member(start: "g")
        passing.expiresAt = at(5)
        let ids = try bench.enqueue([passing, passing, member(start: "g"), member("g")])
        func holder() throws -> TaskID? {
            let now = bench.now
            return try bench.read { store in
                let queue = try store.requireQueue("q")
                return try store.holder(of: store.requireTask(ids[3]), in: queue, now: now)?.id
            }
        }
        #expect(try holder() == ids[0])
        bench.pass(5)
        #expect(try holder() == ids[2])
        try bench.perform(
            .edit([TaskTarget(ids[2])], payload: nil, fields: [.expiresAt(at(6))]))
        bench.pass(1)
        #expect(try holder() == nil)
    }
}

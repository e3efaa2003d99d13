import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

/// The progress of a bulk, and the point to stop it.
final class BulkLog: Sendable {
    private let heard = Protected<[BulkProgress]>([])
    private let stopAt: Int?
    private let meanwhile: @Sendable (BulkProgress) -> Void

    /// Stops before the slice that begins at `stopAt`; does something `meanwhile` between slices.
    init(
        stopAt: Int? = nil, meanwhile: @escaping @Sendable (BulkProgress) -> Void = { _ in }
    ) {
        self.stopAt = stopAt
        self.meanwhile = meanwhile
    }

    var progress: [BulkProgress] { heard.withLock { $0 } }

    var watch: BulkWatch {
        { [heard, stopAt, meanwhile] progress in
            heard.withLock { $0.append(progress) }
            meanwhile(progress)
            return progress.done == stopAt ? .stop : .goOn
        }
    }
}

extension Bench {
    /// A queue with `count` tasks, at their current versions.
    func fill(_ count: Int) throws -> [TaskTarget] {
        try makeQueue()
        let ids = try enqueue(count)
        return try read { try $0.tasks(ids).map { TaskTarget($0) } }
    }

    func counts(_ queue: String = "q") throws -> [TaskState.Name: Int] {
        try read { try $0.counts(queue: queue).states.filter { $0.value > 0 } }
    }

    @discardableResult
    func perform(_ verb: Verb, _ log: BulkLog) throws -> Answer {
        try control().performBlocking(verb, watching: log.watch)
    }

    static func delete(_ targets: [TaskTarget]) -> Verb {
        .delete(targets, cancelsRunning: false, members: nil)
    }
}

@Suite("bulks")
struct BulkTests {
    @Test("D10 many tasks are changed in slices of 1,000, and told as one", arguments: Engine.large)
    func slices(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let targets = try bench.fill(2500)
        let log = BulkLog()
        let answer = try bench.perform(Bench.delete(targets), log)
        let isAll = answer.changed == targets.map(\.id)
        #expect(isAll)
        #expect(answer.failed == [] && answer.stop == nil)
        #expect(answer.summary == "2,500 tasks deleted by ann")
        let wanted = [0, 1000, 2000].map { BulkProgress(done: $0, total: 2500) }
        #expect(log.progress == wanted)
        let events = try bench.events()
        #expect(
            events.map(\.text) == [
                "1,000 tasks deleted by ann (1,000 of 2,500)",
                "1,000 tasks deleted by ann (2,000 of 2,500)",
                "500 tasks deleted by ann (2,500 of 2,500)",
            ])
        let first = try #require(events.first?.sequence)
        #expect(events.map(\.bulk) == [nil, first, first])
        #expect(answer.undo == first)
        #expect(try bench.counts() == [.deleted: 2500])
    }

    @Test("D10 up to 1,000 tasks are one commit, of which nothing is told", arguments: Engine.large)
    func oneSlice(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let targets = try bench.fill(1000)
        let log = BulkLog(stopAt: 0)
        let answer = try bench.perform(Bench.delete(targets), log)
        #expect(answer.changed.count == 1000 && log.progress == [])
        #expect(try bench.events().map(\.text) == ["1,000 tasks deleted by ann"])
    }

    @Test(
        "D9 one undo takes back every slice, by whichever event it is named",
        arguments: Engine.large,
        [nil, 0, 1, 2])
    func undo(_ engine: Engine, _ slice: Int?) throws {
        let bench = try Bench(engine)
        let targets = try bench.fill(2500)
        let before = try bench.dump().tasks.map(\.unversioned)
        try bench.perform(Bench.delete(targets))
        bench.pass(5)
        let named = try slice.map { try bench.events()[$0].sequence }
        let log = BulkLog()
        let answer = try bench.perform(.undo(event: named), log)
        let isAll = Set(answer.changed) == Set(targets.map(\.id))
        #expect(isAll && answer.failed == [])
        #expect(answer.summary == "2,500 tasks undone by ann")
        #expect(log.progress.map(\.done) == [500, 1500])
        #expect(log.progress.allSatisfy { $0.total == 2500 })
        let isBack = try bench.dump().tasks.map(\.unversioned) == before
        #expect(isBack)
        #expect(try bench.refusal(.undo(event: nil)) == .notLegal)
        #expect(try bench.refusal(.undo(event: named)) == .notLegal)
    }

    @Test(
        "D10 a bulk stops between slices, names what it left, and is undone",
        arguments: Engine.large)
    func stop(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let targets = try bench.fill(3500)
        let answer = try bench.perform(Bench.delete(targets), BulkLog(stopAt: 2000))
        let isFirst = answer.changed == targets.prefix(2000).map(\.id)
        let namesRest = answer.stop == Answer.Stop(left: Array(targets[2000...]))
        #expect(isFirst && namesRest)
        #expect(answer.summary == "2,000 tasks deleted by ann")
        #expect(try bench.counts() == [.deleted: 2000, .waiting: 1500])
        try bench.perform(.undo(event: nil))
        #expect(try bench.counts() == [.waiting: 3500])
        let none = try bench.perform(Bench.delete(targets), BulkLog(stopAt: 0))
        let leavesAll = none.stop?.left == targets
        #expect(none.changed == [] && leavesAll && none.undo == nil)
        #expect(none.summary == "nothing was changed")
    }

    @Test("D9 an undo that was stopped goes on where it was", arguments: Engine.large)
    func stopUndo(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let targets = try bench.fill(2500)
        try bench.perform(Bench.delete(targets))
        let part = try bench.perform(.undo(event: nil), BulkLog(stopAt: 1500))
        #expect(part.changed.count == 1500 && part.stop?.error == nil)
        #expect(part.stop != nil && part.consequences.joined().contains("undo continues"))
        #expect(try bench.counts() == [.deleted: 1000, .waiting: 1500])
        let rest = try bench.perform(.undo(event: nil))
        #expect(rest.changed.count == 1000)
        #expect(try bench.counts() == [.waiting: 2500])
        #expect(try bench.refusal(.undo(event: nil)) == .notLegal)
    }

    @Test(
        "D8 what another changed between two slices is left alone, and named",
        arguments: Engine.large)
    func changed(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let targets = try bench.fill(2500)
        let (first, late) = (targets[3], targets[1700])
        let log = BulkLog { progress in
            guard progress.done == 1000 else { return }
            // Other writers get in: one finds what the bulk has done, one is before it.
            _ = try? bench.perform(.undelete([TaskTarget(first.id)]), by: "bob")
            _ = try? bench.perform(.priority([TaskTarget(late.id)], 9), by: "bob")
        }
        let answer = try bench.perform(Bench.delete(targets), log)
        #expect(answer.failed.map(\.id) == [late.id])
        #expect(answer.failed.map(\.error.code) == [.changed])
        #expect(answer.changed.count == 2499)
        #expect(log.progress.map(\.failed) == [0, 0, 1])
        #expect(try bench.states([first.id, late.id]) == [.waiting, .waiting])
        let undone = try bench.perform(.undo(event: answer.undo))
        #expect(undone.failed.map(\.id) == [first.id])
        #expect(undone.changed.count == 2498)
        #expect(try bench.task(late.id).priority == 9)
    }

    @Test(
        "D10 a commit that fails ends the bulk; what was done stands, and is undone as one",
        arguments: Engine.large)
    func failure(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let targets = try bench.fill(2500)
        let log = BulkLog { progress in
            if progress.done == 1000 { bench.faults.fail(from: 900) }
        }
        let answer = try bench.perform(Bench.delete(targets), log)
        #expect(answer.changed.count == 1000)
        #expect(answer.stop?.error?.code == .diskFull)
        #expect(answer.stop?.left.count == 1500)
        bench.faults.fail(from: nil)
        #expect(try bench.counts() == [.deleted: 1000, .waiting: 1500])
        try bench.perform(.undo(event: nil))
        #expect(try bench.counts() == [.waiting: 2500])
    }

    @Test("D10 where the first slice fails nothing was done", arguments: Engine.large)
    func firstFailure(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let targets = try bench.fill(1500)
        bench.faults.fail(from: 500)
        #expect(try bench.refusal(Bench.delete(targets)) == .diskFull)
        bench.faults.fail(from: nil)
        #expect(try bench.counts() == [.waiting: 1500])
        #expect(try bench.events() == [])
    }

    @Test("D10 a rehearsal of a bulk tells the same and changes nothing", arguments: Engine.large)
    func rehearsal(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let targets = try bench.fill(1500)
        let before = try bench.dump()
        let log = BulkLog()
        let answer = try bench.control().rehearse(
            .skip(targets, forMilliseconds: nil), watching: log.watch)
        let isSame = try bench.dump() == before
        #expect(answer.changed.count == 1500 && log.progress.count == 2 && isSame)
    }

    @Test("D10 what follows is told of 100 tasks and counted beyond", arguments: Engine.large)
    func consequences(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let pairs = (0..<1100).flatMap { [member(start: "g\($0)"), member("g\($0)")] }
        let ids = try bench.enqueue(pairs)
        let starts = stride(from: 0, to: ids.count, by: 2).map { TaskTarget(ids[$0]) }
        let answer = try bench.perform(.skip(starts, forMilliseconds: nil))
        #expect(answer.changed.count == 1100 && answer.consequences.count == 101)
        #expect(answer.consequences.last == "and 1,000 more")
    }
}

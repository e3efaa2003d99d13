import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// Members that end with their start, too many for one commit.
@Suite("members that end with their start")
struct TakingTests {
    private static let starts = [member(start: "g")]
    private static let members = Array(repeating: member("g"), count: 6)

    /// A failed start with six members. The commit settled two of them.
    private func givenUp(_ engine: Engine) throws -> (Bench, ProcessID, TaskID, [TaskID]) {
        let bench = try Bench(engine, membersAtOnce: 2)
        try bench.makeQueue { $0.whenStartFails = .giveUp }
        let runner = try bench.attach()
        let start = try bench.enqueue(Self.starts)[0]
        let ids = try bench.enqueue(Self.members)
        try bench.end(runner, .giveUp(error: "no"))
        let former = Array(repeating: TaskState.Name.failed, count: 2)
        #expect(try bench.states(ids) == former + Array(repeating: .waiting, count: 4))
        return (bench, runner, start, ids)
    }

    @Test(
        "T2 Q10 many members are given up in slices, and none of them runs", arguments: Engine.all)
    func slices(_ engine: Engine) throws {
        let (bench, runner, start, ids) = try givenUp(engine)
        let late = try bench.enqueue([member("g"), request()])
        #expect(try bench.drain(runner) == [])
        try bench.workOff()
        #expect(try bench.drain(runner) == [])
        try bench.workOffAll()
        #expect(try bench.states(ids) == Array(repeating: .failed, count: 6))
        #expect(try bench.task(ids[5]).lastError == "its start #\(start) was given up")
        #expect(try bench.record().pauses == [])
        #expect(try bench.drain(runner) == late)
    }

    @Test(
        "T2 D6 members not yet given up are spared when the start is retried", arguments: Engine.all
    )
    func spared(_ engine: Engine) throws {
        let (bench, runner, start, ids) = try givenUp(engine)
        try bench.perform(.retry([TaskTarget(start)]))
        try bench.workOffAll()
        #expect(try bench.wronglyHeld() == [])
        #expect(try bench.drain(runner, limit: 1) == [start])
        try bench.workOffAll()
        #expect(try bench.drain(runner) == Array(ids[2...]))
        #expect(try bench.states(ids.prefix(2) + []) == [.failed, .failed])
    }

    @Test("T2 a member that is moved, or put before others, does not escape", arguments: Engine.all)
    func moved(_ engine: Engine) throws {
        let (bench, runner, start, ids) = try givenUp(engine)
        let plain = try bench.enqueue(1)
        try bench.perform(.move(TaskTarget(ids[5]), .first))
        #expect(try bench.states([ids[5]]) == [.failed])
        try bench.perform(.setQueue("q", [.order(.priority)]))
        try bench.workOff()
        try bench.perform(.priority([TaskTarget(ids[4])], 9))
        #expect(try bench.states([ids[4]]) == [.failed])
        try bench.workOffAll()
        #expect(try bench.drain(runner) == plain)
        #expect(try bench.states([start]) == [.failed])
    }

    @Test("T2 what was retried already stays free", arguments: Engine.all)
    func retried(_ engine: Engine) throws {
        let (bench, runner, _, ids) = try givenUp(engine)
        try bench.perform(.retry([TaskTarget(ids[0])]))
        #expect(try bench.drain(runner) == [ids[0]])
        try bench.workOffAll()
        #expect(try bench.drain(runner) == [])
        #expect(try bench.wakes().isEmpty)
    }

    @Test("T2 Q10 a start among the members takes its own along", arguments: Engine.all, 1...7)
    func nested(_ engine: Engine, _ atOnce: Int) throws {
        let bench = try Bench(engine, membersAtOnce: atOnce)
        try bench.makeQueue { $0.whenStartFails = .giveUp }
        let runner = try bench.attach()
        let start = try bench.enqueue(Self.starts)
        var ids: [TaskID] = []
        for name in ["a", "b", "c"] {
            ids += try bench.enqueue([member("g", start: name), member(name), member("g", name)])
        }
        let free = try bench.enqueue(1)
        try bench.perform(
            .delete([TaskTarget(start[0])], cancelsRunning: false, members: .giveUp))
        while try !bench.wakes().isEmpty {
            #expect(try bench.claim(runner).isEmpty)
            try bench.workOff()
        }
        #expect(try bench.states(ids) == Array(repeating: .failed, count: 9))
        #expect(try bench.drain(runner) == free)
    }

    @Test("T2 D7 purge --members delete takes many to the trash", arguments: Engine.all)
    func purged(_ engine: Engine) throws {
        let bench = try Bench(engine, membersAtOnce: 2)
        try bench.makeQueue()
        let runner = try bench.attach()
        let start = try bench.enqueue(Self.starts)
        let ids = try bench.enqueue(Self.members)
        try bench.end(runner, .giveUp(error: "no"))
        try bench.perform(.purge([TaskTarget(start[0])], members: .delete))
        #expect(try bench.states(start) == [nil])
        while try !bench.wakes().isEmpty {
            #expect(try bench.drain(runner) == [])
            try bench.workOff()
        }
        #expect(try bench.states(ids) == Array(repeating: .deleted, count: 6))
    }

    @Test(
        "T2 D9 the undo of a verb brings back every member that it took, however many had followed",
        arguments: Engine.all, 0...3)
    func undone(_ engine: Engine, _ slices: Int) throws {
        let bench = try Bench(engine, membersAtOnce: 2)
        try bench.makeQueue()
        let runner = try bench.attach()
        let start = try bench.enqueue(Self.starts)
        let ids = try bench.enqueue(Self.members)
        let late = try bench.enqueue([member("g", start: "h"), member("h")])
        try bench.perform(
            .delete([TaskTarget(start[0])], cancelsRunning: false, members: .giveUp))
        #expect(try bench.states([ids[1], ids[2]]) == [.failed, .waiting])
        for _ in 0..<slices { try bench.workOff() }
        let lines = try bench.events().filter { $0.kind == JournalEvent.followed }
        #expect(lines.count == slices)
        #expect(lines.allSatisfy { $0.by == "ann" && $0.undo != nil })
        try bench.perform(.undo(event: nil))
        try bench.workOffAll()
        #expect(try bench.wakes().isEmpty)
        #expect(try bench.wronglyHeld() == [])
        #expect(try bench.drain(runner, limit: 1) == start)
        try bench.workOffAll()
        #expect(try bench.drain(runner) == ids + late)
    }

    @Test("T2 D9 in the middle of an undo no member runs without its start", arguments: Engine.all)
    func undoneInOrder(_ engine: Engine) throws {
        let bench = try Bench(engine, membersAtOnce: 2)
        try bench.makeQueue()
        let start = try bench.enqueue(Self.starts)
        let ids = try bench.enqueue(Self.members)
        try bench.perform(
            .delete([TaskTarget(start[0])], cancelsRunning: false, members: .giveUp))
        try bench.workOffAll()
        let answer = try bench.control().performBlocking(.undo(event: nil)) {
            $0.done >= 5 ? .stop : .goOn
        }
        #expect(answer.stop != nil)
        #expect(try bench.states(start + [ids[5], ids[2]]) == [.waiting, .waiting, .failed])
        #expect(try bench.heldCount() == 4)
        try bench.perform(.undo(event: nil))
        #expect(try bench.heldCount() == 6)
    }
}

import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// Equal elements show the direction of a search.
@Suite("lists that are long", .enabled(if: RedisServer.isInstalled))
struct LongListTests {
    private static let twin = Array("twin".utf8)

    private static func texts(_ list: [UInt8], _ redis: RedisConnection) throws -> [String] {
        try redis.call("LRANGE", list, 0, -1).array.compactMap(\.text)
    }

    /// The number of calls of a command at the server.
    private static func calls(_ name: String, _ redis: RedisConnection) throws -> Int {
        let stats = try redis.call("INFO", "commandstats").text ?? ""
        let start = "cmdstat_\(name):calls="
        let line = stats.split(whereSeparator: \.isNewline).first { $0.hasPrefix(start) }
        return line.flatMap { Int($0.dropFirst(start.count).prefix(while: \.isNumber)) } ?? 0
    }

    @Test(
        "D3 a step looks from where workers take, and from behind for what none of them took",
        arguments: [ListEnd.left, .right])
    func step(takes: ListEnd) throws {
        let server = try RedisServer()
        let redis = try server.connect()
        let workList = WorkList("mail", takes: takes)
        let before = ["twin", "a", "b", "twin"]
        try redis.call(
            RedisCommand("RPUSH", words: [workList.held] + before.map { Array($0.utf8) }))
        let answer = try redis.call(
            workList.releasing(Self.twin, into: workList.list, at: takes)
        ).array
        let rest = takes == .left ? ["a", "b", "twin"] : ["twin", "a", "b"]
        #expect(try Self.texts(workList.held, redis) == rest)
        #expect(answer.last?.text == (takes == .left ? "a" : "b"))
        // A guard returns it, and then more elements arrive than the list had.
        let (from, to) = (takes.rawValue, takes.other.rawValue)
        try redis.call("LMOVE", workList.list, workList.held, from, to)
        let late = (0..<3000).map { Array("late\($0)".utf8) }
        try redis.call(RedisCommand(takes.other.push, words: [workList.held] + late))
        let found = try redis.call(
            workList.finding(
                Self.twin, behind: answer.last?.bytes, of: answer.first?.integer ?? -1))
        #expect(found.text == "held")
        let (all, came) = (try Self.texts(workList.held, redis), late.count)
        #expect(Array(takes == .left ? all.dropLast(came) : all.dropFirst(came)) == before)
    }

    @Test("X2 a hold and its end move the shorter of two lists", arguments: [ListEnd.left, .right])
    func join(takes: ListEnd) throws {
        let server = try RedisServer()
        let redis = try server.connect()
        let workList = WorkList("mail", takes: takes)
        func fill(held: Range<Int>, list: Range<Int>) throws {
            for (key, range) in [(workList.held, held), (workList.list, list)] {
                try redis.call("DEL", key)
                let words = range.map { Array("\($0)".utf8) }
                guard !words.isEmpty else { continue }
                try redis.call(RedisCommand(takes.other.push, words: [key] + words))
            }
        }
        let all = (0..<3000).map { "\($0)" }
        let ordered = takes == .left ? all : all.reversed()
        for held in [0, 2, 1500, 2998, 3000] {
            for (command, target) in [
                (workList.absorbing(), workList.held), (workList.restoring(), workList.list),
            ] {
                try fill(held: 0..<held, list: held..<3000)
                let before = try Self.calls("lmove", redis)
                try redis.call(command)
                #expect(try Self.texts(target, redis) == ordered)
                let moves = try Self.calls("lmove", redis) - before
                #expect(moves <= min(held, 3000 - held) + 1)
                let other = target == workList.held ? workList.list : workList.held
                #expect(try redis.call("EXISTS", other).integer == 0)
            }
        }
        try fill(held: 0..<0, list: 0..<0)
        try redis.call(workList.absorbing())
        try redis.call(workList.restoring())
        #expect(try redis.call("EXISTS", workList.held, workList.list).integer == 0)
    }

    @Test("a task that is named by its id is looked for in its list once")
    func once() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        try Fixture.send("celery", (0..<3000).map { "task-\($0)" }, to: redis)
        let system = CelerySystem(redis, KeeperLauncher { _, _ in })
        #expect(try system.detail("task-2500")?.task.display == .due)
        // The search covers the held tasks first.
        #expect(try Self.calls("lrange", redis) == 1 + 3)
        _ = try system.change("task-2500", .skip, by: "dana")
        #expect(try system.detail("task-2500")?.task.display == .skipped)
        // A first change tries each of its commands once.
        #expect(try Self.calls("lrange", redis) == 1 + 3 + 1)
    }

    @Test("D9 a change looks at the ends of a list before it looks through all of it")
    func change() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        let list = Array("mail".utf8)
        let many = Array(repeating: Array("x".utf8), count: 15_000)
        try redis.call(RedisCommand("RPUSH", words: [list] + many + [Self.twin] + many))
        try redis.call("RPUSH", list, "twin", "a")
        var steps = RedisChange()
        steps.take(Self.twin, from: list)
        let journal = RedisJournal(redis: redis)
        try journal.perform(steps, task: "twin", verb: .delete, by: "dana")
        #expect(try redis.call("LPOS", list, "twin").integer == 15_000)
        #expect(try redis.call("LRANGE", list, -2, -1).array.map(\.text) == ["x", "a"])
        #expect(try journal.undo(by: "dana")?.task == "twin")
        #expect(try redis.call("LRANGE", list, -3, -1).array.map(\.text) == ["x", "twin", "a"])
        // The call that tests the command before the first change.
        #expect(try Self.calls("linsert", redis) == 1)
        for (side, end) in [("BEFORE", ["twin", "b", "a"]), ("AFTER", ["twin", "a", "b"])] {
            var steps = RedisChange()
            steps.put(Array("b".utf8), into: list, side, Array("a".utf8))
            try journal.perform(steps, task: "b", verb: .move, by: "dana")
            #expect(try redis.call("LRANGE", list, -3, -1).array.map(\.text) == end)
            #expect(try journal.undo(by: "dana")?.task == "b")
        }
        #expect(try Self.calls("linsert", redis) == 1)
        // Only a search finds an element in the middle.
        try redis.call("LREM", list, -1, "twin")
        try journal.perform(steps, task: "twin", verb: .delete, by: "dana")
        #expect(try redis.call("LPOS", list, "twin").isNone)
    }
}

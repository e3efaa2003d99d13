import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

private struct ARQBench {
    let fixture: Fixture
    let system: ARQSystem

    init() throws {
        fixture = try Fixture("arq", "idle")
        system = ARQSystem(fixture.redis, KeeperLauncher { _, _ in })
    }

    var redis: RedisConnection { fixture.redis }

    func send(_ id: String, at score: Int64 = 1_700_000_000_000) throws {
        try Fixture.play(
            "arq", "send", ["sent-job": id, "1700000000000": "\(score)"], at: redis)
    }

    /// The jobs that a worker would begin, by `Worker._poll_iteration` and `Worker.start_jobs` of
    /// 0.28.0: the first hundred that are due and do not look as if they ran.
    func startable() throws -> [String] {
        let now = try system.serverMilliseconds()
        let ids = try redis.call(
            "ZRANGEBYSCORE", "mail", "-inf", now, "LIMIT", 0, 100
        ).array.compactMap(\.text)
        return try ids.filter { try redis.call("EXISTS", "arq:in-progress:\($0)").integer == 0 }
    }

    func waiting() throws -> [String] {
        try system.page(ForeignQuery(queue: "mail", state: .waiting)).tasks.map(\.reference)
    }
}

@Suite("ARQ as it lies in Redis", .enabled(if: RedisServer.isInstalled), .serialized)
struct ARQTests {
    @Test(
        "D3 plugs hide what waits and what comes; a step without a worker takes its task back"
    )
    func hold() throws {
        let bench = try ARQBench()
        for number in 0..<3 {
            try bench.send("j\(number)", at: 1_700_000_000_000 + Int64(number))
        }
        #expect(try bench.startable() == ["j0", "j1", "j2"])
        _ = try bench.system.hold("mail", RQBench.note)
        try bench.send("j3", at: 1_600_000_000_000)
        #expect(try bench.startable().isEmpty)
        #expect(try bench.waiting() == ["j3", "j0", "j1", "j2"])
        let queue = try #require(try bench.system.queues().first)
        #expect(queue.held == 4 && queue.hold?.note == RQBench.note)
        let error = #expect(throws: QueueError.self) {
            try bench.system.step("mail", task: "j1", limits: StepLimits(takeMilliseconds: 0))
        }
        #expect(error?.message.contains("no worker of mail took j1") == true)
        #expect(try bench.waiting() == ["j3", "j0", "j1", "j2"])
        #expect(throws: QueueError.self) { try bench.system.hold("mail", RQBench.note) }
        _ = try bench.system.release("mail")
        #expect(try bench.startable() == ["j3", "j0", "j1", "j2"])
        #expect(try bench.redis.call("ZCARD", "mail").integer == 4)
        let plugs = Set(
            try bench.redis.call("KEYS", "*sluice*").array.compactMap(\.text))
        #expect(plugs.subtracting(["sluice:open:probe", "sluice:reply:probe"]).isEmpty)
    }

    @Test("D7 skip, move, edit, postpone and delete are taken back one by one")
    func undo() throws {
        let bench = try ARQBench()
        for number in 0..<4 {
            try bench.send("j\(number)", at: 1_700_000_000_000 + Int64(number))
        }
        let system = bench.system
        _ = try system.change("j1", .skip, by: "dana")
        #expect(try bench.waiting() == ["j0", "j2", "j3", "j1"])
        #expect(try system.detail("j1")?.task.display == .skipped)
        _ = try system.change("j3", .move(.before("j2")), by: "dana")
        #expect(try bench.waiting() == ["j0", "j3", "j2", "j1"])
        let before = try bench.redis.call("GET", "arq:job:j0").bytes
        let call: JSONValue = ["function": "other", "args": [9, "x"], "kwargs": ["a": true]]
        _ = try system.change("j0", .edit(call), by: "dana")
        #expect(try system.detail("j0")?.payload.value == call)
        #expect(try system.detail("j0")?.payload.whyFixed == nil)
        _ = try system.change(
            "j2", .postpone(Timestamp(milliseconds: 9_000_000_000_000)), by: "dana")
        #expect(try system.detail("j2")?.task.display == .delayed)
        _ = try system.change("j3", .delete, by: "dana")
        #expect(try bench.redis.call("EXISTS", "arq:job:j3").integer == 0)
        let undone = try (0..<5).map { _ in try system.undo(by: "dana")?.changed }
        #expect(undone == [["j3"], ["j2"], ["j0"], ["j3"], ["j1"]])
        #expect(try bench.waiting() == ["j0", "j1", "j2", "j3"])
        #expect(try bench.redis.call("GET", "arq:job:j0").bytes == before)
    }

    @Test("D7 a moved job stays due at the place that was named, or the move is refused")
    func moves() throws {
        let bench = try ARQBench()
        for number in 0..<4 {
            try bench.send("j\(number)", at: 1_700_000_000_000 + Int64(number))
        }
        try bench.send("later", at: bench.system.serverMilliseconds() + 7_200_000)
        func move(_ id: String, _ place: ForeignPlace) throws {
            _ = try bench.system.change(id, .move(place), by: "dana")
        }
        try move("j0", .after("j3"))
        #expect(try bench.startable() == ["j1", "j2", "j3", "j0"])
        try move("j1", .after("j2"))
        try move("j3", .before("j2"))
        #expect(try bench.startable() == ["j3", "j2", "j1", "j0"])
        try move("j3", .last)
        try move("j2", .before("j3"))
        #expect(try bench.startable() == ["j1", "j0", "j2", "j3"])
        for id in ["twin1", "twin2"] { try bench.send(id, at: 1_600_000_000_000) }
        let between = #expect(throws: QueueError.self) { try move("j0", .after("twin1")) }
        #expect(between?.message.contains("no time between") == true)
        let future = #expect(throws: QueueError.self) { try move("j0", .after("later")) }
        #expect(future?.message.contains("waits for its time") == true)
        #expect(try bench.startable() == ["twin1", "twin2", "j1", "j0", "j2", "j3"])
    }

    @Test("what was let through by a tool that died waits behind the plugs again")
    func died() throws {
        let bench = try ARQBench()
        for id in ["a", "b"] { try bench.send(id) }
        _ = try bench.system.hold("mail", RQBench.note)
        let through = ARQSystem.workList("mail").requests
        try bench.redis.call("HSET", through, "a", 1_700_000_000_000)
        try bench.redis.call("ZADD", "mail", -2_000_000_000_000_000, "a")
        #expect(try bench.startable() == ["a"])
        _ = try? bench.system.step("mail", task: "b", limits: StepLimits(takeMilliseconds: 0))
        #expect(try bench.startable().isEmpty)
        #expect(try bench.waiting() == ["a", "b"])
    }

    @Test("X1 a queue of any name is known by its jobs, where no worker has told of it yet")
    func custom() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        try redis.call("ZADD", "scores", 1, "kim")
        try Fixture.play("arq", "aborted", at: redis)
        try Fixture.others(3000, at: redis)
        func open() throws -> ForeignStore {
            try ForeignStore.open(server.address(), as: nil, keepers: KeeperLauncher { _, _ in })
        }
        #expect(throws: QueueError.self) { try open() }
        // The payload of the first one has expired.
        try Fixture.play("arq", "named", at: redis)
        let store = try open()
        #expect(store.systems.map(\.name) == ["arq"])
        let system = store.systems[0]
        #expect(try system.queues().map(\.name) == ["night mail"])
        #expect(try system.queues().map(\.waiting) == [3])
        _ = try system.change("b", .skip, by: "dana")
        #expect(try system.queues().map(\.name) == ["night mail"])
        _ = try system.hold("night mail", RQBench.note)
        let other = ARQSystem(try server.connect(), KeeperLauncher { _, _ in })
        #expect(try other.queues().map(\.held) == [2])
    }
}

import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// Jobs that RQ's own library enqueued.
struct RQBench {
    let server: RedisServer
    let redis: RedisConnection
    let system: RQSystem
    let keeper = Protected<Thread?>(nil)

    init() throws {
        let server = try RedisServer()
        try self.init(server, at: server.address())
    }

    /// A bench that reaches the server under another address.
    init(_ server: RedisServer, at place: String) throws {
        self.server = server
        let redis = try RedisConnection(try RedisAddress(place))
        self.redis = redis
        let address = redis.address
        let keeper = keeper
        let launcher = KeeperLauncher { _, queue in
            let thread = try Thread(name: "keeper") {
                guard let own = try? RedisConnection(address) else { return }
                let silent = KeeperLauncher { _, _ in }
                try? RQSystem(own, silent).keep(queue)
            }
            keeper.withLock { $0 = thread }
        }
        system = RQSystem(redis, launcher)
        try Fixture.play("rq", "emptied", at: redis)
    }

    func enqueue(_ ids: [String]) throws { try Fixture.send("rq", ids, to: redis) }

    var waiting: [String] {
        get throws {
            try system.page(ForeignQuery(queue: "mail", state: .waiting)).tasks.map(\.reference)
        }
    }

    static let note = HoldNote(by: "dana", since: Timestamp(milliseconds: 1000), reason: "look")
    static let limits = StepLimits(takeMilliseconds: 20_000, endMilliseconds: 0)
}

@Suite("a hold by guards", .enabled(if: RedisServer.isInstalled), .serialized)
struct GuardTests {
    @Test("D3 what is held and what comes later is taken by nobody, and a step lets one through")
    func steps() throws {
        let bench = try RQBench()
        let workers = try (0..<3).map { _ in
            try FakeWorker(bench.redis.address, list: "rq:queue:mail")
        }
        try bench.enqueue(["seen"])
        try until("a worker takes") { workers.flatMap(\.all) == ["seen"] }
        _ = try bench.system.hold("mail", RQBench.note)
        let names = (0..<30).map { "t\($0)" }
        try bench.enqueue(names)
        try until("all are held") { try bench.waiting == names }
        let queue = try #require(try bench.system.queues().first)
        #expect(queue.held == 30 && queue.hold?.note == RQBench.note && queue.hold?.leak == nil)
        var expected = ["seen"]
        for index in [0, 17, 3, 29, 4] {
            let step = try bench.system.step("mail", task: "t\(index)", limits: RQBench.limits)
            #expect(step?.task.reference == "t\(index)")
            expected.append("t\(index)")
            try bench.enqueue(["late\(index)"])
            try until("it is taken") { workers.flatMap(\.all).count == expected.count }
            #expect(Set(workers.flatMap(\.all)) == Set(expected))
        }
        // Without a name the next one goes.
        let next = try bench.system.step("mail", task: nil, limits: RQBench.limits)
        #expect(next?.task.reference == "t1")
        _ = try bench.system.release("mail")
        try until("the others run") { workers.flatMap(\.all).count == 36 }
        #expect(Set(workers.flatMap(\.all)).count == 36)
        #expect(try bench.system.queues().first?.hold == nil)
        for worker in workers { worker.end() }
    }

    @Test("D3 without a worker a step waits, then the task is in its place again")
    func nobodyTakes() throws {
        let bench = try RQBench()
        try bench.enqueue(["a", "b", "c"])
        _ = try bench.system.hold("mail", RQBench.note)
        let error = #expect(throws: QueueError.self) {
            try bench.system.step(
                "mail", task: "b", limits: StepLimits(takeMilliseconds: 0))
        }
        #expect(error?.code == .notLegal)
        #expect(try bench.waiting == ["a", "b", "c"])
        let again = #expect(throws: QueueError.self) {
            try bench.system.hold("mail", RQBench.note)
        }
        #expect(again?.message == "mail is held already")
        _ = try bench.system.release("mail")
        #expect(
            try bench.redis.call("LRANGE", "rq:queue:mail", 0, -1).array.map(\.text)
                == ["a", "b", "c"])
        #expect(throws: QueueError.self) { try bench.system.release("mail") }
    }

    @Test("a burst of 200 in one command stays held in front of waiting workers")
    func burst() throws {
        let bench = try RQBench()
        let workers = try (0..<3).map { _ in
            try FakeWorker(bench.redis.address, list: "rq:queue:mail")
        }
        _ = try bench.system.hold("mail", RQBench.note)
        let ids = (0..<200).map { Array("b\($0)".utf8) }
        try bench.redis.call(RedisCommand("RPUSH", words: [Array("rq:queue:mail".utf8)] + ids))
        let workList = bench.system.workLists(of: "mail")[0]
        try until("all are held") { try bench.redis.call("LLEN", workList.held).integer == 200 }
        #expect(workers.flatMap(\.all).isEmpty)
        _ = try bench.system.release("mail")
        try until("all are taken") { workers.flatMap(\.all).count == 200 }
        for worker in workers { worker.end() }
    }

    @Test("a look takes no more round trips where there are more queues, held or not")
    func roundTrips() throws {
        let bench = try RQBench()
        func reads() throws -> Int64 {
            let stats = try bench.redis.call("INFO", "stats").text ?? ""
            let line = stats.split(whereSeparator: \.isNewline).first {
                $0.hasPrefix("total_reads_processed:")
            }
            return line.flatMap { Int64($0.split(separator: ":")[1]) } ?? -1
        }
        func asked() throws -> Int64 {
            let before = try reads()
            _ = try bench.system.queues()
            return try reads() - before
        }
        try bench.enqueue(["a"])
        let one = try asked()
        #expect((1...6).contains(one))
        for number in 1...30 {
            try Fixture.send("rq", ["a"], queue: "q\(number)", to: bench.redis)
        }
        #expect(try bench.system.queues().count == 31)
        #expect(try asked() == one)
        for number in 1...30 {
            try bench.redis.call(
                "HSET", "{rq:queue:q\(number)}:sluice:hold", "by", "dana", "since", "1000")
        }
        #expect(try asked() == one + 1)
        #expect(try bench.system.queues().count { $0.hold?.leak != nil } == 30)
    }

    @Test("a server that goes and comes back finds what was held, and is held again")
    func restart() throws {
        let bench = try RQBench()
        try bench.enqueue(["a", "b"])
        _ = try bench.system.hold("mail", RQBench.note)
        try bench.server.stop()
        try bench.server.start()
        let redis = try bench.server.connect()
        let system = RQSystem(redis, KeeperLauncher { _, _ in })
        try until("it is held again") {
            try system.queues().first.map { $0.hold != nil && $0.hold?.leak == nil } ?? false
        }
        try Fixture.send("rq", ["c"], to: redis)
        try until("what comes is held") {
            try redis.call("LLEN", system.workLists(of: "mail")[0].held).integer == 3
        }
        _ = try system.release("mail")
        #expect(try redis.call("LLEN", "rq:queue:mail").integer == 3)
    }

    @Test("a user who may not unblock others is told before anything is held")
    func rights() throws {
        let server = try RedisServer(options: [
            "--user", "kim", "on", ">word", "~*", "&*", "+@all", "-client|unblock",
        ])
        let address = try RedisAddress("redis://kim:word@127.0.0.1:\(server.port)")
        let redis = try RedisConnection(address)
        try Fixture.send("rq", ["a"], to: server.connect())
        let system = RQSystem(redis, KeeperLauncher { _, _ in })
        let error = #expect(throws: QueueError.self) {
            try system.hold("mail", RQBench.note)
        }
        #expect(error?.message.hasPrefix("arrivals would leak: ") == true)
        #expect(try redis.call("LLEN", "rq:queue:mail").integer == 1)
        #expect(try redis.call("EXISTS", system.workLists(of: "mail")[0].record).integer == 0)
    }

    @Test(
        "a user who lacks one command or the keys beside a queue is told before anything is held",
        arguments: ["+@all -blmove ~*", "+@all -rename ~*", "+@all ~rq:*", "+@all -eval ~*"])
    func oneCommand(rules: String) throws {
        let server = try RedisServer(
            options: ["--user", "kim", "on", ">word", "&*"]
                + rules.split(separator: " ").map(String.init))
        let address = try RedisAddress("redis://kim:word@127.0.0.1:\(server.port)")
        let redis = try RedisConnection(address)
        try Fixture.send("rq", ["a"], to: server.connect())
        let system = RQSystem(redis, KeeperLauncher { _, _ in })
        let error = #expect(throws: QueueError.self) {
            try system.hold("mail", RQBench.note)
        }
        #expect(error?.message.hasPrefix("arrivals would leak: the server refuses") == true)
        #expect(try redis.call("LRANGE", "rq:queue:mail", 0, -1).array.map(\.text) == ["a"])
    }
}

extension GuardTests {
    @Test(
        "a server that refuses transactions, or a command by its name, is told so before a hold",
        arguments: [
            ["--user", "kim on >word &* ~* +@all -@transaction", "the server refuses MULTI"],
            ["--rename-command", "RENAME \"\"", "the server refuses RENAME"],
            ["--maxclients", "100", "260 connections are needed"],
        ])
    func refused(_ words: [String]) throws {
        let isUser = words[0] == "--user"
        let server = try RedisServer(
            options: [words[0]]
                + words[1].split(separator: " ").map {
                    $0 == "\"\"" ? "" : String($0)
                })
        let login = isUser ? "kim:word@" : ""
        let redis = try RedisConnection(
            try RedisAddress("redis://\(login)127.0.0.1:\(server.port)"))
        try Fixture.send("rq", ["a"], to: server.connect())
        let system = RQSystem(redis, KeeperLauncher { _, _ in })
        let error = #expect(throws: QueueError.self) { try system.hold("mail", RQBench.note) }
        #expect(
            error?.message.hasPrefix("arrivals would leak: \(words[2])") == true,
            "\(error?.message ?? "")")
        let isRoom = words[0] == "--maxclients"
        #expect(error?.fix.contains(isRoom ? "maxclients" : "an account") == true)
        #expect(try redis.call("LRANGE", "rq:queue:mail", 0, -1).array.map(\.text) == ["a"])
        #expect(try redis.call("EXISTS", system.workLists(of: "mail")[0].record).integer == 0)
    }

    @Test("a process that cannot hold says why, and the hold that began with it ends")
    func failed() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        try Fixture.send("rq", ["a"], to: redis)
        let address = redis.address
        let system = RQSystem(
            redis,
            KeeperLauncher { _, _ in
                // Simulates a keeper process that finds the server full.
                let own = try RedisConnection(address)
                let list = WorkList("rq:queue:mail", takes: .left)
                try own.call("SET", list.failure, "max number of clients reached", "PX", 20_000)
            })
        let error = #expect(throws: QueueError.self) { try system.hold("mail", RQBench.note) }
        #expect(
            error?.message
                == "mail is not held: the process that holds it could not: max number of clients "
                + "reached")
        #expect(try system.queues().first?.hold == nil)
        #expect(try redis.call("LRANGE", "rq:queue:mail", 0, -1).array.map(\.text) == ["a"])
    }

    @Test("a verb whose script a user may not run to its end changes nothing")
    func halfScript() throws {
        let server = try RedisServer(options: [
            "--user", "kim", "on", ">word", "~*", "&*", "+@all", "-rpush",
        ])
        let redis = try RedisConnection(
            try RedisAddress("redis://kim:word@127.0.0.1:\(server.port)"))
        try Fixture.send("rq", ["a"], to: server.connect())
        let system = RQSystem(redis, KeeperLauncher { _, _ in })
        let error = #expect(throws: QueueError.self) { try system.change("a", .skip, by: "dana") }
        #expect(error?.message.hasPrefix("nothing was changed: the server refuses RPUSH") == true)
        #expect(try redis.call("LRANGE", "rq:queue:mail", 0, -1).array.map(\.text) == ["a"])
    }
}

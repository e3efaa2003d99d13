import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("RQ as it lies in Redis", .enabled(if: RedisServer.isInstalled))
struct RQTests {
    @Test("D7 skip, move, delete, edit and retry are taken back one by one")
    func undo() throws {
        let bench = try RQBench()
        let system = bench.system
        try bench.enqueue(["a", "b", "c", "d"])
        _ = try system.change("b", .skip, by: "dana")
        #expect(try bench.waiting == ["a", "c", "d", "b"])
        _ = try system.change("d", .move(.before("c")), by: "dana")
        #expect(try bench.waiting == ["a", "d", "c", "b"])
        _ = try system.change("a", .delete, by: "dana")
        #expect(try bench.redis.call("EXISTS", "rq:job:a").integer == 0)
        let call = try JSONValue.parse(#"{"function":"tasks.run","args":[9],"kwargs":{}}"#)
        _ = try system.change("c", .edit(call), by: "dana")
        #expect(try system.detail("c")?.payload.value == call)
        _ = try system.change("c", .skip, by: "kim")
        #expect(try system.undo(by: "kim")?.changed == ["c"])
        let undone = (0..<4).map { _ in try? system.undo(by: "dana")?.changed }
        #expect(undone == [["c"], ["a"], ["d"], ["b"]])
        #expect(try system.undo(by: "dana") == nil)
        #expect(try bench.waiting == ["a", "b", "c", "d"])
        #expect(try system.detail("c")?.payload.value?["args"]?.array?.count == 4)
    }

    @Test("what has changed is not undone, and nothing is half done")
    func changed() throws {
        let bench = try RQBench()
        try bench.enqueue(["a", "b"])
        _ = try bench.system.change("a", .skip, by: "dana")
        let workList = bench.system.workLists(of: "mail")[0]
        try bench.redis.call("DEL", workList.skipped)
        let error = #expect(throws: QueueError.self) { try bench.system.undo(by: "dana") }
        #expect(error?.code == .changed)
        #expect(try bench.waiting == ["b"])
    }

    @Test("a failed job is retried, a priority refused with the reason")
    func retry() throws {
        let bench = try RQBench()
        try bench.enqueue(["a"])
        for part in ["begin", "fail"] {
            try Fixture.play("rq", part, ["sent-job": "a"], at: bench.redis)
        }
        let page = try bench.system.page(ForeignQuery(queue: "mail"))
        #expect(page.tasks.map(\.error) == ["RuntimeError: boom"])
        _ = try bench.system.change("a", .retry, by: "dana")
        #expect(try bench.redis.call("LRANGE", "rq:queue:mail", 0, -1).array.count == 1)
        #expect(try bench.redis.call("HGET", "rq:job:a", "status").text == "queued")
        let error = #expect(throws: QueueError.self) {
            try bench.system.change("a", .priority(3), by: "dana")
        }
        #expect(error?.message.contains("RQ keeps no priorities") == true)
    }

    @Test("D3 a step that failed ends with the line of the error, wherever RQ keeps it")
    func errorOfStep() throws {
        let bench = try RQBench()
        try bench.enqueue(["a"])
        let task = try #require(try bench.system.page(ForeignQuery(queue: "mail")).tasks.first)
        for part in ["begin", "fail"] {
            try Fixture.play("rq", part, ["sent-job": "a"], at: bench.redis)
        }
        let end = try bench.system.end(of: task, since: 0)
        #expect(end?.outcome == "giveUp" && end?.error == "RuntimeError: boom")
    }

    @Test("hostile names, types and payloads are shown, refused or passed over")
    func hostile() throws {
        let bench = try RQBench()
        let odd = "a b\"'\u{1B}[31m]] .. redis.call('FLUSHALL') --"
        let sent = try Fixture.commands("rq", "send", ["sent-job": odd, "mail": odd])
        try Fixture.play(sent.map { $0.cutting("data") }, at: bench.redis)
        try Fixture.send("rq", ["gone"], queue: odd, to: bench.redis)
        try bench.redis.call("DEL", "rq:job:gone")
        try bench.redis.call("SADD", "rq:queues", "other", "rq:queue:wrong")
        try bench.redis.call("SET", "rq:queue:wrong", "no list")
        let names = try bench.system.queues().map(\.name)
        #expect(names.contains(odd))
        let page = try bench.system.page(ForeignQuery(queue: odd, state: .waiting))
        #expect(page.tasks.map(\.reference) == [odd, "gone"])
        let detail = try #require(try bench.system.detail(odd))
        #expect(detail.payload.value == nil && detail.payload.whyFixed != nil)
        _ = try bench.system.change(odd, .skip, by: ForeignAuthor(odd))
        #expect(try bench.system.undo(by: odd)?.changed == [odd])
        #expect(try bench.redis.call("EXISTS", "rq:queues").integer == 1)
    }

    @Test("a queue that no worker serves says so, unless it is held, empty or at work")
    func unserved() throws {
        let bench = try RQBench()
        try bench.enqueue(["a"])
        let store = try ForeignStore.open(
            bench.server.address(), as: nil, keepers: KeeperLauncher { _, _ in })
        func lacks() throws -> [Int: RunnerLack] { try store.lacks(of: store.queues()) }
        #expect(try lacks() == [0: .nobody])
        func work(_ queues: String) throws {
            let worker = try Fixture.commands("rq", "elsewhere", ["other": queues])
            try Fixture.play(
                worker.filter { $0.isOf("rq:workers") || $0.isOf("rq:worker:w1") },
                at: bench.redis)
        }
        try work("etl")
        #expect(try lacks() == [0: .queue("mail", runners: 1, serve: ["etl"])])
        var held = try store.queues()
        held[0].hold = ForeignHold(note: RQBench.note, recipe: "guards")
        #expect(try store.lacks(of: held).isEmpty)
        try work("etl,mail")
        #expect(try lacks().isEmpty)
        try bench.redis.call("DEL", "rq:workers")
        try Fixture.play("rq", "begin", ["sent-job": "a"], at: bench.redis)
        #expect(try lacks().isEmpty)
    }

    @Test("a queue whose key is no list is not held, and no hold stays")
    func wrongType() throws {
        let bench = try RQBench()
        try bench.enqueue(["a"])
        try bench.redis.call("SET", "rq:queue:mail", "x")
        let error = #expect(throws: QueueError.self) {
            try bench.system.hold("mail", RQBench.note)
        }
        #expect(
            error?.message == "nothing was held: rq:queue:mail is a string, and a list is needed")
        #expect(try bench.system.queues().map(\.hold) == [nil])
        // The keys of a trial of rights expire after a millisecond.
        let left = try bench.redis.call("KEYS", "*sluice*").array.compactMap(\.text)
        for key in left { #expect(try bench.redis.call("PTTL", key).integer != -1, "\(key)") }
    }

    @Test("a store is recognised by its keys, or said to be")
    func recognition() throws {
        let bench = try RQBench()
        let keepers = KeeperLauncher { _, _ in }
        let found = try ForeignStore.open(bench.server.address(), as: nil, keepers: keepers)
        #expect(found.systems.map(\.name) == ["rq"])
        let empty = #expect(throws: QueueError.self) {
            try ForeignStore.open(
                bench.server.address(database: 5), as: nil, keepers: keepers)
        }
        #expect(empty?.code == .notAStore)
        #expect(throws: QueueError.self) {
            try ForeignStore.open(bench.server.address(), as: "resc", keepers: keepers)
        }
    }

    @Test("X1 among many keys a known system is found by its own, and they are seen by one pass")
    func manyKeys() throws {
        let bench = try RQBench()
        try bench.enqueue(["a"])
        try Fixture.send("bullmq", ["b"], to: bench.redis)
        try Fixture.others(60_000, at: bench.redis)
        func scans() throws -> Int {
            let told = try bench.redis.call("INFO", "commandstats").text ?? ""
            let line = told.split(whereSeparator: \.isNewline).first {
                $0.hasPrefix("cmdstat_scan:calls=")
            }
            let calls = line?.drop { $0 != "=" }.dropFirst().prefix { $0.isNumber }
            return calls.flatMap { Int($0) } ?? 0
        }
        let redis = try bench.server.connect()
        let keepers = KeeperLauncher { _, _ in }
        let found = try RedisSystems.recognise(redis, as: nil, keepers)
        #expect(found.contains { $0.name == "rq" })
        // Sixty pieces are all keys: nine systems ask, and the pass is made once or a part of it.
        #expect(try (1...75).contains(scans()))
        let before = try scans()
        #expect(try found.flatMap { try $0.queues() }.contains { $0.name == "mail" })
        #expect(try scans() == before)
        let other = try bench.server.connect()
        try other.call("DEL", "rq:queues")
        let bull = try RedisSystems.recognise(other, as: nil, keepers)
        #expect(bull.map(\.name) == ["bullmq"])
    }
}

import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// A queue with five waiting or failed jobs and a delayed one, and BullMQ's own pause, resume and
/// arrivals, as the scripts of an edition do them (`pause-7.lua`, `addStandardJob-9.lua`).
struct BullMQBench {
    enum Edition: String, CaseIterable {
        /// Paused jobs are in `paused`, and a resume renames that list to `wait`.
        case old = "bullmq-old"
        /// All are in `wait`, as in version 6, but no key says the version.
        case python = "bullmq"
        /// Version 6 for Node, which says its version.
        case six
    }

    let edition: Edition
    let redis: RedisConnection
    let system: BullMQSystem

    init(_ edition: Edition) throws {
        self.edition = edition
        let file = edition == .six ? Edition.python : edition
        let fixture = try Fixture(file.rawValue, "several")
        redis = fixture.redis
        system = try fixture.system(BullMQSystem.self)
        if edition == .six {
            try redis.call(Self.version("bullmq:6.2.0", of: "bull:mail"))
        }
    }

    /// The version that BullMQ for Node writes, and Python's does not.
    static func version(_ text: String, of queue: String) -> RedisCommand {
        RedisCommand("HSET", "\(queue):meta", "version", text)
    }

    private func script(_ text: String, _ words: any RedisWord...) throws {
        let keys = ["wait", "paused", "meta"].map { Array("bull:mail:\($0)".utf8) }
        try redis.call(.script(text, keys: keys, arguments: words))
    }

    func pauseByBullMQ() throws {
        try script("redis.call('HSET', KEYS[3], 'paused', 1)")
        try redis.call("DEL", "bull:mail:marker")
        guard edition == .old else { return }
        try script(
            "if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('RENAME', KEYS[1], KEYS[2]) end")
    }

    func resumeByBullMQ() throws {
        try script(
            """
            redis.call('HDEL', KEYS[3], 'paused')
            if redis.call('EXISTS', KEYS[2]) == 0 then return end
            if ARGV[1] == 'old' or redis.call('EXISTS', KEYS[1]) == 0 then
                redis.call('RENAME', KEYS[2], KEYS[1])
            else
                local jobs = redis.call('LRANGE', KEYS[2], 0, 6999)
                redis.call('RPUSH', KEYS[1], unpack(jobs))
                redis.call('LTRIM', KEYS[2], #jobs, -1)
            end
            """, edition == .old ? "old" : "new")
    }

    func arrive(_ id: String) throws {
        try Fixture.send("bullmq", [id], to: redis)
        guard edition == .old else { return }
        try script(
            """
            if redis.call('HEXISTS', KEYS[3], 'paused') == 0 then return end
            redis.call('LREM', KEYS[1], 1, ARGV[1])
            redis.call('LPUSH', KEYS[2], ARGV[1])
            """, id)
    }

    func hold() throws { _ = try system.hold("mail", RQBench.note) }

    /// A pause, by BullMQ or by this program.
    func pause(byBullMQ isOwn: Bool) throws {
        if isOwn { try pauseByBullMQ() } else { try hold() }
    }

    func change(_ id: String, _ change: ForeignChange) throws {
        _ = try system.change("mail:\(id)", change, by: "dana")
    }

    func undo() throws {
        let undone = try system.undoLast(by: "dana")
        #expect(undone != nil && undone?.late == nil)
    }

    /// The waiting jobs in a list, the next one first.
    func list(_ name: String) throws -> [String] {
        try redis.call("LRANGE", "bull:mail:\(name)", 0, -1).array.compactMap(\.text).reversed()
    }
}

@Suite("BullMQ's two lists of waiting jobs", .enabled(if: RedisServer.isInstalled))
struct BullMQListTests {
    @Test(
        "a job that comes back to a paused queue is there after BullMQ's own resume",
        arguments: BullMQBench.Edition.allCases, [true, false])
    func retried(edition: BullMQBench.Edition, byBullMQ: Bool) throws {
        let bench = try BullMQBench(edition)
        try bench.pause(byBullMQ: byBullMQ)
        for id in ["1", "2", "6"] { try bench.change(id, .retry) }
        #expect(try bench.redis.call("EXISTS", "bull:mail:marker").integer == 0)
        try bench.resumeByBullMQ()
        #expect(try bench.list("wait") == ["3", "4", "5", "1", "2", "6"])
        #expect(try bench.list("paused").isEmpty)
    }

    @Test("a delayed job with a priority waits by it when it is made due")
    func promoted() throws {
        let fixture = try Fixture("bullmq", "ranked")
        let system = try fixture.system(BullMQSystem.self)
        let ranked = { () throws in
            try fixture.redis.call("ZRANGE", "bull:mail:prioritized", 0, -1, "WITHSCORES")
                .array.compactMap(\.text)
        }
        let before = try ranked()
        _ = try system.change("mail:2", .retry, by: "dana")
        // As `promote-9.lua` writes it: the priority * 2^32 + the counter.
        #expect(try ranked() == before + ["2", "\(3 << 32 + 2)"])
        #expect(try fixture.redis.call("EXISTS", "bull:mail:wait").integer == 0)
        _ = try system.undoLast(by: "dana")
        #expect(try ranked() == before)
        #expect(try fixture.redis.call("ZCARD", "bull:mail:delayed").integer == 1)
        try Fixture.send("bullmq", ["plain"], to: fixture.redis)
        let error = #expect(throws: QueueError.self) {
            try system.change("mail:plain", .move(.before("mail:1")), by: "dana")
        }
        #expect(error?.message.contains("does not wait in the same list") == true)
        let last = try system.change("mail:plain", .move(.last), by: "dana")
        #expect(last.consequences == ["jobs with a priority come after it: \(before.count / 2)"])
    }

    @Test(
        "an undo after a pause puts a job into the list that has the others now",
        arguments: BullMQBench.Edition.allCases, [true, false])
    func deleted(edition: BullMQBench.Edition, byBullMQ: Bool) throws {
        let bench = try BullMQBench(edition)
        try bench.change("4", .delete)
        try bench.pause(byBullMQ: byBullMQ)
        try bench.undo()
        try bench.resumeByBullMQ()
        #expect(try bench.list("wait") == ["3", "4", "5"])
    }

    @Test(
        "an undo of a move finds the job after a pause, and after a resume",
        arguments: BullMQBench.Edition.allCases)
    func moved(edition: BullMQBench.Edition) throws {
        let bench = try BullMQBench(edition)
        try bench.change("5", .move(.first))
        try bench.hold()
        try bench.undo()
        try bench.change("5", .move(.after("mail:3")))
        _ = try bench.system.release("mail")
        #expect(try bench.list("wait") == ["3", "5", "4"])
        try bench.undo()
        #expect(try bench.list("wait") == ["3", "4", "5"])
    }

    @Test(
        "a move in a held queue counts the arrivals", arguments: BullMQBench.Edition.allCases)
    func arrivals(edition: BullMQBench.Edition) throws {
        let bench = try BullMQBench(edition)
        try bench.hold()
        for id in ["7", "8"] { try bench.arrive(id) }
        try bench.change("3", .move(.last))
        try bench.change("8", .move(.first))
        try bench.change("4", .move(.after("mail:7")))
        let shown = try bench.system.page(ForeignQuery(queue: "mail", state: .waiting)).tasks
        #expect(
            shown.map(\.reference).dropLast() == ["mail:8", "mail:5", "mail:7", "mail:4", "mail:3"])
        _ = try bench.system.release("mail")
        #expect(try bench.list("wait") == ["8", "5", "7", "4", "3"])
    }

    @Test(
        "the page's lines give back a queue whose step died: held jobs and arrivals",
        arguments: BullMQBench.Edition.allCases)
    func byHand(edition: BullMQBench.Edition) throws {
        let bench = try BullMQBench(edition)
        try bench.hold()
        try bench.arrive("7")
        let keys = BullMQKeys("mail")
        try bench.redis.call(keys.opening(Array("3".utf8)))
        for id in ["8", "9"] { try bench.arrive(id) }
        for line in try Self.lines() { try bench.redis.call(line) }
        try bench.resumeByBullMQ()
        #expect(
            try Set(texts: bench.list("wait")) == Set(texts: ["3", "4", "5", "7", "8", "9"]))
        #expect(try bench.system.queues().map(\.hold) == [nil])
    }

    /// The commands of the page about giving back a queue of BullMQ.
    private static func lines() throws -> [RedisCommand] {
        let root = String(
            #filePath.dropLast("Tests/ForeignQueuesTests/BullMQListTests.swift".count))
        let page = String(
            decoding: try Files.read("\(root)docs/foreign/redis.md", limitBytes: 1 << 20),
            as: UTF8.self)
        let part = try #require(page.split(separator: "## The gate: BullMQ").last)
        let block = try #require(part.split(separator: "```\n").dropFirst().first)
        return block.split(separator: "\n").map { line in
            let parts = String(line).replacing("QUEUE", with: "mail").split(separator: "\"")
            let words = parts.enumerated().flatMap { index, part in
                index == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
            }
            return RedisCommand(words[0], words: words.dropFirst().map { Array($0.utf8) })
        }
    }

    @Test(
        "BullMQ's own pause and resume in an open gate lose no job",
        arguments: BullMQBench.Edition.allCases, [true, false])
    func gate(edition: BullMQBench.Edition, byBullMQ: Bool) throws {
        let bench = try BullMQBench(edition)
        try bench.hold()
        let keys = BullMQKeys("mail")
        try bench.redis.call(keys.opening(Array("4".utf8)))
        try bench.arrive("7")
        #expect(try bench.list("wait").first == "4")
        try bench.change("1", .retry)
        #expect(try bench.system.queues().map(\.waiting) == [5])
        if byBullMQ {
            try bench.pauseByBullMQ()
            try bench.resumeByBullMQ()
        }
        #expect(try bench.redis.call(keys.closing(Array("4".utf8))).integer == 0)
        let shown = try bench.system.page(ForeignQuery(queue: "mail", state: .waiting)).tasks
        #expect(
            shown.map(\.reference).dropLast() == ["mail:4", "mail:3", "mail:5", "mail:7", "mail:1"])
        try bench.resumeByBullMQ()
        #expect(try bench.list("wait") == ["4", "3", "5", "7", "1"])
    }

    @Test("jobs that BullMQ's resume of 7,000 left in their list are named and given back")
    func left() throws {
        let bench = try BullMQBench(.python)
        try Fixture.send("bullmq", (100..<7104).map { "\($0)" }, to: bench.redis)
        try bench.hold()
        try bench.arrive("7200")
        try bench.resumeByBullMQ()
        for field in ["by", "since", "reason"] {
            try bench.redis.call("HDEL", "bull:mail:meta", "sluice:\(field)")
        }
        #expect(try bench.list("paused") == ["3", "4", "5", "100", "101", "102", "103"])
        #expect(try bench.system.queues().map(\.leftAside) == [7])
        #expect(try bench.system.why("mail:3").first == "it is held since a hold that ended")
        #expect(try bench.system.detail("mail:104")?.task.display == .due)
        _ = try bench.system.release("mail")
        #expect(try bench.list("wait").prefix(5) == ["3", "4", "5", "100", "101"])
        #expect(try bench.list("wait").last == "7200")
        #expect(try bench.system.queues().map(\.leftAside) == [0])
        #expect(throws: QueueError.self) { try bench.system.release("mail") }
    }

    @Test(
        "a queue that BullMQ resumed in a hold has its jobs in the list of its workers",
        arguments: BullMQBench.Edition.allCases)
    func resumed(edition: BullMQBench.Edition) throws {
        let bench = try BullMQBench(edition)
        try bench.hold()
        try bench.resumeByBullMQ()
        try bench.change("1", .retry)
        #expect(try bench.list("wait") == ["3", "4", "5", "1"])
        #expect(try bench.redis.call("EXISTS", "bull:mail:marker").integer == 1)
    }
}

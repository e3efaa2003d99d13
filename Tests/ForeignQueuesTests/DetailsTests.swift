import SluiceModel
import SluiceRedisClient
import SluiceRedisHarness
import Testing

@testable import SluiceForeignQueues

@Suite("what the tasks of a page carry, in few questions", .enabled(if: RedisServer.isInstalled))
struct DetailsTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case rq, saq, dramatiq, resque, arq, bullmq
        var testDescription: String { rawValue }

        /// A task of number `n` as its own library enqueues it.
        func commands(_ n: Int) -> [RedisCommand] {
            switch self {
            case .rq:
                [
                    RedisCommand("SADD", "rq:queues", "rq:queue:mail"),
                    RedisCommand(
                        "HSET", "rq:job:j\(n)", "origin", "mail", "status", "queued",
                        "data", #"["run",null,[\#(n)],{}]"#),
                    RedisCommand("RPUSH", "rq:queue:mail", "j\(n)"),
                ]
            case .saq:
                [
                    RedisCommand(
                        "SET", "saq:job:mail:\(n)",
                        #"{"function":"run","kwargs":{"n":\#(n)},"queue":"mail","#
                            + #""status":"queued"}"#),
                    RedisCommand("ZADD", "saq:mail:incomplete", 0, "saq:job:mail:\(n)"),
                    RedisCommand("RPUSH", "saq:mail:queued", "saq:job:mail:\(n)"),
                ]
            case .dramatiq:
                [
                    RedisCommand(
                        "HSET", "dramatiq:mail.msgs", "m\(n)",
                        #"{"queue_name":"mail","actor_name":"run","args":[\#(n)],"kwargs":{},"#
                            + #""options":{},"message_id":"m\#(n)","message_timestamp":1}"#),
                    RedisCommand("RPUSH", "dramatiq:mail", "m\(n)"),
                ]
            case .resque:
                [
                    RedisCommand("SADD", "resque:queues", "mail"),
                    RedisCommand(
                        "RPUSH", "resque:queue:mail", #"{"class":"Run","args":[\#(n)]}"#),
                    RedisCommand(
                        "RPUSH", "resque:failed",
                        #"{"payload":{"class":"Run","args":[-\#(n)]},"queue":"mail","#
                            + #""error":"boom","exception":"E"}"#),
                ]
            case .arq:
                [
                    RedisCommand("SET", "mail:health-check", "j_complete=0"),
                    RedisCommand("SET", "arq:job:j\(n)", ARQTests.payload(n)),
                    RedisCommand("ZADD", "mail", 1_700_000_000_000 + n, "j\(n)"),
                ]
            case .bullmq:
                [
                    RedisCommand("HSET", "bull:mail:meta", "opts.maxLenEvents", 10_000),
                    RedisCommand(
                        "HSET", "bull:mail:\(n)", "name", "run", "opts", "{}", "timestamp", 1,
                        "data", #"{"n":\#(n)}"#),
                    RedisCommand("LPUSH", "bull:mail:wait", n),
                ]
            }
        }
    }

    private static func reads(_ redis: RedisConnection) throws -> Int {
        let info = try redis.call("INFO", "stats").text ?? ""
        let line = info.split(whereSeparator: \.isNewline).first {
            $0.hasPrefix("total_reads_processed:")
        }
        return line?.split(separator: ":").last.flatMap { Int($0) } ?? 0
    }

    @Test(
        "a page of 200 tasks is read with all that they carry by a handful of questions",
        arguments: Kind.allCases)
    func page(kind: Kind) throws {
        let server = try RedisServer()
        let redis = try server.connect()
        _ = try redis.pipeline((1...300).flatMap(kind.commands))
        let store = try ForeignStore.open(
            server.address(), as: kind.rawValue, keepers: KeeperLauncher { _, _ in })
        let system = try #require(store.systems.first)
        for state in kind == .resque ? [TaskState.Name.waiting, .failed] : [.waiting] {
            let page = try system.page(ForeignQuery(queue: "mail", state: state, limit: 200))
            #expect(page.tasks.count == 200)
            let before = try Self.reads(redis)
            let details = try system.details(of: page.tasks)
            // The server may read one long question in several pieces.
            #expect(try Self.reads(redis) - before <= 12)
            #expect(details.map { $0?.task } == page.tasks)
            for place in [0, 77, 199] {
                let alone = try #require(try system.detail(page.tasks[place].reference))
                let together = try #require(details[place])
                #expect(alone.payload == together.payload && !alone.payload.bytes.isEmpty)
                #expect(alone.attempts == together.attempts)
                #expect(alone.fields == together.fields)
            }
            var gone = page.tasks[3]
            gone.reference = "no such"
            #expect(
                try system.details(of: [gone, page.tasks[4]]).map { $0 == nil } == [true, false])
        }
        #expect(try system.details(of: []).isEmpty)
    }
}

@Suite("why, in the words of each system", .enabled(if: RedisServer.isInstalled))
struct WordsTests {
    @Test("X1 a waiting RQ job says which workers serve what, and that all is suspended")
    func workers() throws {
        let fixture = try Fixture("rq", "busy")
        let system = try fixture.system(RQSystem.self)
        let now = Timestamp(milliseconds: 1)
        func why() throws -> [String] { try system.why("next", at: now) }
        #expect(try why() == ["w1 of RQ: all 1 slots for etl are busy"])
        try fixture.redis.call("HSET", "rq:worker:w1", "queues", "other")
        #expect(try why() == ["no worker of RQ serves etl: w1 serves other"])
        try fixture.redis.call("SET", "rq:suspended", 1)
        #expect(
            try why().first
                == "etl is paused by RQ: rq suspend, all queues; an idle worker takes one more")
        try fixture.redis.call("DEL", "rq:suspended", "rq:worker:w1", "rq:workers")
        #expect(try why() == ["no worker of RQ serves etl: none is known"])
    }
}

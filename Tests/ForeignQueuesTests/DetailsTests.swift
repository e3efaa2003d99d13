import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("what the tasks of a page carry, in few questions", .enabled(if: RedisServer.isInstalled))
struct DetailsTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case rq, saq, dramatiq, resque, arq, bullmq, laravel, taskiq, taskiqstream
        var testDescription: String { rawValue }

        /// Tasks as the system's own library enqueues them, and failures of Resque.
        func fill(_ redis: RedisConnection) throws {
            guard self == .resque else {
                return try Fixture.send(rawValue, (1...300).map { "j\($0)" }, to: redis)
            }
            let failure = try Fixture.commands("resque", "fail").filter {
                ["SADD", "RPUSH"].map { Array($0.utf8) }.contains($0.words[0])
                    && $0.words[1] != Array("resque:queue:mail".utf8)
            }
            for number in 1...300 {
                try Fixture.play("resque", "send", ["123456789": "\(number)"], at: redis)
                for command in failure {
                    try redis.call(command.named(["[-7]": "[-\(number)]"]))
                }
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
        try kind.fill(redis)
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
        let now = Timestamp(milliseconds: 1)
        func why(_ scenario: String, _ task: String = "next") throws -> [String] {
            try Fixture("rq", scenario).system(RQSystem.self).why(task, at: now)
        }
        #expect(try why("busy") == ["w1 of RQ: all 1 slots for etl are busy"])
        #expect(try why("elsewhere") == ["no worker of RQ serves etl: w1 serves other"])
        #expect(
            try why("suspended").first
                == "etl is paused by RQ: rq suspend, all queues; an idle worker takes one more")
        #expect(try why("queued", "job1") == ["no worker of RQ serves etl: none is known"])
    }
}

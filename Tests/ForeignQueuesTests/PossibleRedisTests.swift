import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// A task of a fixture that shows itself in one way.
private struct Specimen: Sendable {
    var scenario: String
    var reference: String

    init(_ scenario: String, _ reference: String) {
        (self.scenario, self.reference) = (scenario, reference)
    }
}

/// A system in Redis whose tasks its own library and worker brought into each state.
private struct PlayedRedis: Sendable, CustomTestStringConvertible {
    var name: String
    var make: @Sendable (RedisConnection) -> any ForeignSystem
    /// The displays that a worker or a client causes.
    var specimens: [ForeignTask.Display: Specimen]

    var testDescription: String { name }

    static let all: [PlayedRedis] = [
        PlayedRedis(name: "rq", make: { RQSystem($0, silent) }) {
            [
                .due: Specimen("queued", "job2"),
                .delayed: Specimen("scheduled", "later"), .taken: Specimen("intermediate", "lost"),
                .running: Specimen("busy", "long"), .blocked: Specimen("deferred", "load"),
                .succeeded: Specimen("failed", "good"), .failed: Specimen("failed", "bad"),
                .cancelled: Specimen("canceled", "dropped"),
            ]
        },
        PlayedRedis(name: "celery", make: { CelerySystem($0, silent) }) {
            [
                .due: Specimen("queued", "t2"),
                .taken: Specimen("taken", "late"), .delayed: Specimen("timed", "later"),
                .failed: Specimen("results", "bad"), .succeeded: Specimen("results", "good"),
            ]
        },
        PlayedRedis(name: "sidekiq", make: { SidekiqSystem($0, silent) }) {
            func id(_ name: String) -> String {
                name + String(repeating: "0", count: 24 - name.utf8.count)
            }
            return [
                .due: Specimen("client", id("j2")),
                .delayed: Specimen("scheduled", id("later")),
                .retrying: Specimen("worked", id("again")),
                .failed: Specimen("worked", id("dead")), .running: Specimen("busy", id("long")),
            ]
        },
        PlayedRedis(name: "bullmq", make: { BullMQSystem($0, silent) }) {
            [
                .due: Specimen("queued", "mail:2"),
                .running: Specimen("busy", "mail:1"), .delayed: Specimen("queued", "mail:5"),
                .failed: Specimen("failed", "mail:1"), .succeeded: Specimen("failed", "mail:2"),
                .blocked: Specimen("flow", "reports:parent"),
            ]
        },
        PlayedRedis(name: "saq", make: { SAQSystem($0, silent) }) {
            let key = "saq:job:mail:"
            return [
                .due: Specimen("queued", key + "j2"),
                .delayed: Specimen("queued", key + "later"),
                .running: Specimen("busy", key + "long"),
                .failed: Specimen("failed", key + "bad"),
                .succeeded: Specimen("failed", key + "good"),
                .cancelled: Specimen("aborted", key + "dropped"),
            ]
        },
        PlayedRedis(name: "huey", make: { HueySystem($0, silent) }) {
            [
                .due: Specimen("three", "id-2"),
                .delayed: Specimen("plain", "scheduled"), .blocked: Specimen("plain", "revoked"),
                .failed: Specimen("ended", "bad"),
            ]
        },
        PlayedRedis(name: "arq", make: { ARQSystem($0, silent) }) {
            [
                .due: Specimen("queued", "j2"),
                .delayed: Specimen("queued", "later"), .retrying: Specimen("retrying", "again"),
                .running: Specimen("busy", "long"), .failed: Specimen("failed", "bad"),
                .succeeded: Specimen("failed", "good"),
            ]
        },
        PlayedRedis(name: "dramatiq", make: { DramatiqSystem($0, silent) }) {
            [
                .due: Specimen("queued", "m3"),
                .delayed: Specimen("busy", "m3"), .running: Specimen("busy", "m2"),
                .failed: Specimen("failed", "m5"),
            ]
        },
        PlayedRedis(name: "resque", make: { ResqueSystem($0, silent) }) {
            func id(_ number: Int) -> String {
                ResqueJob(Array(#"{"class":"Run","args":[\#(number)]}"#.utf8))?.id ?? ""
            }
            return [
                .due: Specimen("queued", id(2)),
                .running: Specimen("busy", id(600)), .failed: Specimen("failed", id(-7)),
            ]
        },
        PlayedRedis(name: "laravel", make: { LaravelSystem($0, silent) }) {
            [
                .due: Specimen("queued", "job-2"), .delayed: Specimen("delayed", "later"),
                .retrying: Specimen("retrying", "again"), .running: Specimen("busy", "long"),
                .failed: Specimen("horizon", "job-1"), .succeeded: Specimen("horizon", "job-2"),
            ]
        },
        PlayedRedis(name: "taskiq", make: { TaskiqListSystem($0, silent) }) {
            [.due: Specimen("queued", "t2")]
        },
        PlayedRedis(name: "taskiqstream", make: { TaskiqStreamSystem($0, silent) }) {
            [.due: Specimen("queued", "t2"), .taken: Specimen("taken", "fetched")]
        },
    ]

    private static let silent = KeeperLauncher { _, _ in }

    init(
        name: String, make: @escaping @Sendable (RedisConnection) -> any ForeignSystem,
        specimens: () -> [ForeignTask.Display: Specimen]
    ) {
        (self.name, self.make, self.specimens) = (name, make, specimens())
    }

    /// Makes a task that shows so, and gives its reference; nil where the library makes none.
    func play(
        _ display: ForeignTask.Display, at redis: RedisConnection, _ system: any ForeignSystem
    ) throws -> String? {
        if let specimen = specimens[display] {
            try Fixture.play(name, specimen.scenario, at: redis)
            return specimen.reference
        }
        guard display == .held || display == .skipped, let due = specimens[.due] else {
            return nil
        }
        try Fixture.play(name, due.scenario, at: redis)
        let queue = try system.require(due.reference).task.queue
        if display == .skipped {
            guard system.refusal(of: .skip) == nil else { return nil }
            _ = try system.change(due.reference, .skip, by: "dana")
        } else if let list = (system as? any RedisListSystem)?.workLists(of: queue).first {
            // As a hold does, without the process that holds.
            try redis.call("RENAME", list.list, list.held)
        } else {
            _ = try system.hold(queue, RQBench.note)
        }
        return due.reference
    }
}

@Suite(
    "What is possible in Redis, by the systems' own keys", .enabled(if: RedisServer.isInstalled),
    .serialized)
struct PossibleRedisTests {
    @Test("D7 each verb on each state does what the table says", arguments: PlayedRedis.all)
    private func cells(played: PlayedRedis) throws {
        let server = try RedisServer()
        let redis = try server.connect()
        let rules = played.make(redis).rules
        var seen: Set<ForeignTask.Display> = []
        var cells = 0
        for display in ForeignTask.Display.allCases where rules.displays.contains(display) {
            // Cancelling a task requires the worker that runs it.
            for verb in PossibleCell.verbs
            where verb != .cancel || rules.refusal(of: .cancel, on: display) != nil {
                try redis.call("FLUSHALL")
                let system = played.make(try server.connect())
                guard let reference = try played.play(display, at: redis, system) else { continue }
                seen.insert(display)
                try PossibleCell(system: system, reference: reference, display: display)
                    .check(verb)
                cells += 1
            }
        }
        print("cells tried: \(played.name) \(cells) in \(seen.count) states")
        #expect(seen.isSuperset(of: [.due]) && seen.count >= 3, "\(seen)")
    }

    @Test("D7 the page of a task has the error of its row", arguments: PlayedRedis.all)
    private func errors(played: PlayedRedis) throws {
        let server = try RedisServer()
        let redis = try server.connect()
        let rules = played.make(redis).rules
        for (display, specimen) in played.specimens where rules.displays.contains(display) {
            let place = "\(played.name) \(display)"
            try redis.call("FLUSHALL")
            let system = played.make(try server.connect())
            _ = try played.play(display, at: redis, system)
            let page = try system.require(specimen.reference).task
            let query = ForeignQuery(queue: page.queue, state: display.state)
            let rows = try system.page(query).tasks
            let row = try #require(
                rows.first { $0.reference == specimen.reference }, "\(place)")
            #expect(page.error == row.error, "\(place)")
            #expect(page.display == row.display && page.type == row.type, "\(place)")
            let isFailed = display == .failed || display == .retrying
            #expect(isFailed || row.error == nil, "\(place)")
            #expect(display != .failed || row.error != nil, "\(place)")
        }
    }

    @Test("D7 a running job of RQ is stopped by its worker, as its own command does it")
    func stopsRQ() throws {
        let bench = try RQBench()
        try bench.enqueue(["a"])
        try Fixture.play("rq", "begin", ["sent-job": "a"], at: bench.redis)
        let deaf = #expect(throws: QueueError.self) { try bench.system.cancel("a") }
        #expect(deaf?.message == "the worker w1 of task a hears no commands")
        let heard = try bench.server.connect()
        try heard.send([RedisCommand("SUBSCRIBE", "rq:pubsub:w1")])
        _ = try heard.receive()
        let answer = try bench.system.cancel("a")
        #expect(answer.changed == ["a"])
        let told = try heard.receive(timeoutMilliseconds: 20_000).array.last?.bytes
        #expect(
            try JSONValue.parse(told ?? []) == ["command": "stop-job", "job_id": "a"])
        try bench.redis.call("HDEL", "rq:job:a", "worker_name")
        #expect(throws: QueueError.self) { try bench.system.cancel("a") }
    }
}

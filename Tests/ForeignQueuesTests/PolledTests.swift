import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// A worker that asks a list again and again, each time for several: Dramatiq's by the command
/// `fetch` of its script `dispatch.lua` (2.2.1), which pops one after the other, Resque's by
/// `Resque::DataStore::QueueAccess#pop_from_queue` (3.0.0).
private final class AskingWorker: Sendable {
    private let taken = Protected<[String]>([])
    private let isEnding = Protected(false)
    private let thread: Thread

    init(_ address: RedisAddress, list: String, most: Int) throws {
        let (taken, isEnding) = (taken, isEnding)
        thread = try Thread(name: "asking") {
            guard let redis = try? RedisConnection(address, name: "worker") else { return }
            while !isEnding.withLock({ $0 }) {
                guard let answer = try? redis.call("LPOP", list, most) else { return }
                let found = answer.array.compactMap(\.text)
                taken.withLock { $0 += found }
                _ = try? Poll.wait(fds: [], timeoutMilliseconds: 3)
            }
        }
    }

    var all: [String] { taken.withLock { $0 }.filter { $0 != "sluice:filler" } }

    func end() {
        isEnding.withLock { $0 = true }
        thread.join()
    }
}

private struct PolledBench {
    let server: RedisServer
    let redis: RedisConnection
    let dramatiq: DramatiqSystem
    let resque: ResqueSystem

    init() throws {
        server = try RedisServer()
        let redis = try server.connect()
        self.redis = redis
        let address = redis.address
        let launcher = KeeperLauncher { system, queue in
            _ = try Thread(name: "keeper") {
                guard let own = try? RedisConnection(address) else { return }
                let silent = KeeperLauncher { _, _ in }
                let kept: any RedisListSystem =
                    system == ResqueSystem.systemName
                    ? ResqueSystem(own, silent) : DramatiqSystem(own, silent)
                try? kept.keep(queue)
            }
        }
        dramatiq = DramatiqSystem(redis, launcher)
        resque = ResqueSystem(redis, launcher)
    }

    func send(_ ids: String...) throws { try Fixture.send("dramatiq", ids, to: redis) }

    func push(_ number: Int) throws {
        try Fixture.play("resque", "send", ["123456789": "\(number)"], at: redis)
    }

    static let limits = StepLimits(takeMilliseconds: 20_000, endMilliseconds: 0)
}

@Suite("a hold of lists that workers ask", .enabled(if: RedisServer.isInstalled), .serialized)
struct PolledTests {
    @Test("D3 workers that take sixteen at once take the one of a step, and nothing that came")
    func several() throws {
        let bench = try PolledBench()
        let workers = try (0..<2).map { _ in
            try AskingWorker(bench.redis.address, list: "dramatiq:mail", most: 16)
        }
        _ = try bench.dramatiq.hold("mail", RQBench.note)
        for number in 0..<30 { try bench.send("t\(number)") }
        try until("all are held") { try bench.dramatiq.queues().first?.held == 30 }
        #expect(workers.flatMap(\.all).isEmpty)
        var expected: Set<String> = []
        for index in [0, 17, 3, 29, 4, 11, 12] {
            try bench.send("early\(index)")
            let step = try bench.dramatiq.step(
                "mail", task: "t\(index)", limits: PolledBench.limits)
            #expect(step?.task.reference == "t\(index)")
            expected.insert("t\(index)")
            try bench.send("late\(index)")
            try until("it is taken") { workers.flatMap(\.all).count >= expected.count }
            #expect(Set(workers.flatMap(\.all)) == expected)
        }
        try until("what came is held") { try bench.dramatiq.queues().first?.held == 37 }
        _ = try bench.dramatiq.release("mail")
        try until("the others run") { workers.flatMap(\.all).count == 44 }
        #expect(Set(workers.flatMap(\.all)).count == 44)
        #expect(try bench.dramatiq.queues().first?.hold == nil)
        for worker in workers { worker.end() }
    }

    @Test("D3 what comes in the very moment in which a step ends is held too")
    func always() throws {
        let bench = try PolledBench()
        let workers = try (0..<2).map { _ in
            try AskingWorker(bench.redis.address, list: "dramatiq:mail", most: 4)
        }
        _ = try bench.dramatiq.hold("mail", RQBench.note)
        let tasks = (0..<100).map { "t\($0)" }
        for task in tasks { try bench.send(task) }
        try until("all are held") { try bench.dramatiq.queues().first?.held == 100 }
        let isEnding = Protected(false)
        let address = bench.redis.address
        let sender = try Thread(name: "sender") {
            guard let redis = try? RedisConnection(address) else { return }
            while !isEnding.withLock({ $0 }) {
                try? Fixture.send("dramatiq", ["late"], to: redis)
                _ = try? Poll.wait(fds: [], timeoutMilliseconds: 1)
            }
        }
        for task in tasks {
            let step = try bench.dramatiq.step("mail", task: task, limits: PolledBench.limits)
            #expect(step?.task.reference == task)
        }
        isEnding.withLock { $0 = true }
        sender.join()
        try until("all are taken") { workers.flatMap(\.all).count >= tasks.count }
        #expect(workers.flatMap(\.all).sorted() == tasks.sorted())
        for worker in workers { worker.end() }
    }

    @Test("D3 without a worker the task is in its place again, and what came behind it is held")
    func nobody() throws {
        let bench = try PolledBench()
        for id in ["a", "b", "c"] { try bench.send(id) }
        _ = try bench.dramatiq.hold("mail", RQBench.note)
        let error = #expect(throws: QueueError.self) {
            try bench.dramatiq.step("mail", task: "b", limits: StepLimits(takeMilliseconds: 0))
        }
        #expect(error?.code == .notLegal)
        let page = try bench.dramatiq.page(ForeignQuery(queue: "mail", state: .waiting))
        #expect(page.tasks.map(\.reference) == ["a", "b", "c"])
        #expect(page.tasks.allSatisfy { $0.display == .held })
        try bench.send("d")
        try until("it is held") { try bench.dramatiq.queues().first?.held == 4 }
        _ = try bench.dramatiq.release("mail")
        #expect(
            try bench.redis.call("LRANGE", "dramatiq:mail", 0, -1).array.map(\.text)
                == ["a", "b", "c", "d"])
    }

    @Test("what a tool that died left behind a task is no task, and goes")
    func fillers() throws {
        let bench = try PolledBench()
        try bench.send("a")
        try bench.redis.call("RPUSH", "dramatiq:mail", "sluice:filler", "sluice:filler")
        #expect(
            try bench.dramatiq.page(ForeignQuery(queue: "mail")).tasks.map(\.reference) == ["a"])
        _ = try bench.dramatiq.hold("mail", RQBench.note)
        try until("only the task is held") { try bench.dramatiq.queues().first?.held == 1 }
        _ = try bench.dramatiq.release("mail")
    }

    @Test("the fillers of a step count as no task")
    func shownFillers() throws {
        let bench = try PolledBench()
        let (redis, list) = (bench.redis, WorkList("dramatiq:mail", takes: .left))
        for id in ["a", "b"] { try bench.send(id) }
        #expect(
            try HoldRecord.begin(
                RQBench.note, system: "dramatiq", queue: "mail", recipe: "guards",
                at: list.record, redis))
        try redis.call("LMOVE", list.list, list.held, "LEFT", "RIGHT")
        let polling = try #require(bench.dramatiq.polling)
        try redis.call(list.showing(Array("a".utf8), polling))
        #expect(try redis.call("LLEN", list.list).integer == 4001)
        let queue = try #require(try bench.dramatiq.queues().first)
        #expect(queue.waiting == 2 && queue.held == 1)
    }

    @Test("D7 what is done to a message of Dramatiq is undone, its own field of the hash too")
    func undo() throws {
        let bench = try PolledBench()
        let system = bench.dramatiq
        for id in ["a", "b", "c"] { try bench.send(id) }
        let before = try bench.redis.call("HGET", "dramatiq:mail.msgs", "b").text
        _ = try system.change("b", .edit(["args": [9], "kwargs": [:]]), by: "dana")
        #expect(try system.detail("b")?.payload.value?["args"] == [9])
        _ = try system.change("b", .postpone(Timestamp(milliseconds: 2_000)), by: "dana")
        #expect(try system.detail("b")?.task.display == .delayed)
        _ = try system.change("a", .delete, by: "dana")
        #expect(try system.detail("a") == nil)
        let undone = try (0..<3).map { _ in try system.undo(by: "dana")?.changed }
        #expect(undone == [["a"], ["b"], ["b"]])
        #expect(try bench.redis.call("HGET", "dramatiq:mail.msgs", "b").text == before)
        let page = try system.page(ForeignQuery(queue: "mail", state: .waiting))
        #expect(page.tasks.map(\.reference) == ["a", "b", "c"])
    }

    @Test("a message of Dramatiq that has failed is shown with its error, and retried")
    func dead() throws {
        let bench = try PolledBench()
        try Fixture.play("dramatiq", "failed", at: bench.redis)
        let failed = try bench.dramatiq.page(ForeignQuery(queue: "mail", state: .failed)).tasks
        #expect(failed.map(\.error) == ["ValueError: no such order"])
        let id = try #require(failed.first?.reference)
        _ = try bench.dramatiq.change(id, .retry, by: "dana")
        #expect(try bench.redis.call("LRANGE", "dramatiq:mail", 0, -1).array.map(\.text) == [id])
        #expect(try bench.redis.call("ZCARD", "dramatiq:mail.XQ").integer == 0)
        _ = try bench.dramatiq.undo(by: "dana")
        #expect(try bench.redis.call("ZCARD", "dramatiq:mail.XQ").integer == 1)
        #expect(try bench.redis.call("HEXISTS", "dramatiq:mail.msgs", id).integer == 0)
    }

    @Test("D3 workers of Resque take the one of a step; what has no id has one by its content")
    func resque() throws {
        let bench = try PolledBench()
        let workers = try (0..<2).map { _ in
            try AskingWorker(bench.redis.address, list: "resque:queue:mail", most: 1)
        }
        try bench.push(0)
        try until("a worker takes") { workers.flatMap(\.all).count == 1 }
        _ = try bench.resque.hold("mail", RQBench.note)
        for number in 1...9 { try bench.push(number) }
        try until("all are held") { try bench.resque.queues().first?.held == 9 }
        let tasks = try bench.resque.page(ForeignQuery(queue: "mail", state: .waiting)).tasks
        #expect(tasks.map(\.label) == (1...9).map { "Run([\($0)])" })
        for index in [3, 0, 8] {
            let step = try bench.resque.step(
                "mail", task: tasks[index].reference, limits: PolledBench.limits)
            #expect(step?.task.reference == tasks[index].reference)
        }
        #expect(
            Set(workers.flatMap(\.all))
                == Set([0, 4, 1, 9].map { #"{"class":"Run","args":[\#($0)]}"# }))
        _ = try bench.resque.release("mail")
        try until("the others run") { workers.flatMap(\.all).count == 10 }
        #expect(Set(workers.flatMap(\.all)).count == 10)
        for worker in workers { worker.end() }
    }

    @Test("a job that a worker of Resque runs is shown with its worker, and no verb takes it")
    func runningResque() throws {
        let fixture = try Fixture("resque", "busy")
        let system = try fixture.system(ResqueSystem.self)
        let runner = try #require(try system.runners().first)
        let id = try #require(runner.running.first)
        let detail = try #require(try system.detail(id))
        #expect(detail.task.display == .running && detail.task.label == "Run([600])")
        #expect(detail.payload.value == [600])
        #expect(detail.attempts.map(\.runner) == [runner.name])
        #expect(detail.attempts.first?.startedAt != nil)
        let page = try system.page(ForeignQuery(queue: "mail", state: .running)).tasks
        #expect(try system.details(of: page).map { $0?.task } == page)
        let error = #expect(throws: QueueError.self) {
            try system.change(id, .delete, by: "dana")
        }
        #expect(error?.message == "task \(id) runs: it cannot be deleted")
    }

    @Test("a failure of Resque is shown with its error, retried, and taken back")
    func failure() throws {
        let bench = try PolledBench()
        try Fixture.play("resque", "failed", at: bench.redis)
        try bench.redis.call("LPUSH", "resque:failed", "rubbish")
        let failed = try bench.resque.page(ForeignQuery(queue: "mail", state: .failed)).tasks
        #expect(failed.map(\.error) == ["RuntimeError: boom"])
        let id = try #require(failed.first?.reference)
        let trace = try bench.resque.detail(id)?.attempts.first?.error
        #expect(trace?.contains("make_resque.rb:") == true)
        _ = try bench.resque.change(id, .retry, by: "dana")
        #expect(try bench.resque.detail(id)?.task.display == .due)
        _ = try bench.resque.undo(by: "dana")
        #expect(try bench.redis.call("LLEN", "resque:failed").integer == 2)
        #expect(try bench.redis.call("LLEN", "resque:queue:mail").integer == 0)
    }
}

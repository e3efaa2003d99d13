import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// A worker of `RedisStreamBroker` 1.2.4: it reads a hundred entries and acknowledges each.
private final class StreamWorker: Sendable {
    private let taken = Protected<[String]>([])
    private let isEnding = Protected(false)
    private let thread: Thread

    init(_ address: RedisAddress, _ name: String) throws {
        let (taken, isEnding) = (taken, isEnding)
        thread = try Thread(name: "stream") {
            guard let redis = try? RedisConnection(address, name: "worker") else { return }
            while !isEnding.withLock({ $0 }) {
                guard
                    let answer = try? redis.call(
                        "XREADGROUP", "GROUP", "taskiq", name, "COUNT", 100, "BLOCK", 2000,
                        "STREAMS", "mail", ">")
                else { return }
                for one in answer.array.first?.array.last?.array ?? [] {
                    guard let entry = TaskiqEntry(one) else { continue }
                    taken.withLock { $0.append(entry.message.id) }
                    _ = try? redis.call("XACK", "mail", "taskiq", entry.id)
                }
            }
        }
    }

    var all: [String] { taken.withLock { $0 } }

    func end() {
        isEnding.withLock { $0 = true }
        thread.join()
    }
}

@Suite("Taskiq on lists", .enabled(if: RedisServer.isInstalled), .serialized)
struct TaskiqListTests {
    @Test("X1 a list of its default name is recognised, and held by the same name")
    func recognised() throws {
        let fixture = try Fixture("taskiq", "queued", ["mail": "taskiq"])
        #expect(try fixture.recognised() == ["taskiq"])
        let system = try fixture.system(TaskiqListSystem.self)
        #expect(try system.shown("taskiq") == ["t1 next", "t2 due", "t3 due"])
        let detail = try #require(try system.detail("t2"))
        #expect(detail.task.label == #"shop:ship([2] {"note":"now"})"#)
        #expect(detail.payload.value == ["args": [2], "kwargs": ["note": "now"]])
        try fixture.redis.call("RENAME", "taskiq", "{taskiq}:sluice:held")
        #expect(try fixture.recognised() == ["taskiq"])
        #expect(try system.queues().map(\.name) == ["taskiq"])
    }

    @Test("X1 a list of another name is found where the system is named, others are passed over")
    func named() throws {
        let fixture = try Fixture("taskiq", "queued")
        try fixture.redis.call("RPUSH", "other", "{}", #"{"task_id":"x"}"#)
        #expect(throws: QueueError.self) { try fixture.recognised() }
        let system = try fixture.system(TaskiqListSystem.self)
        #expect(try system.queues().map { "\($0.name) \($0.waiting)" } == ["mail 3"])
    }

    @Test("D3 a step lets one task through, and reads its end from the result")
    func steps() throws {
        let fixture = try Fixture("taskiq", "queued")
        let address = fixture.redis.address
        let system = TaskiqListSystem(
            fixture.redis,
            KeeperLauncher { _, queue in
                _ = try Thread(name: "keeper") {
                    guard let own = try? RedisConnection(address) else { return }
                    try? TaskiqListSystem(own, KeeperLauncher { _, _ in }).keep(queue)
                }
            })
        _ = try system.hold("mail", RQBench.note)
        let worker = try FakeWorker(address, list: "mail", takes: "BRPOP")
        try Fixture.play("taskiq", "ended", ["bad": "t2", "good": "t3"], at: fixture.redis)
        let limits = StepLimits(takeMilliseconds: 20_000, endMilliseconds: 0)
        try Fixture.send("taskiq", ["t4"], to: fixture.redis)
        try until("all are held") { try system.queues().first?.held == 4 }
        for (id, outcome) in [("t2", "giveUp"), ("t3", "success")] {
            let step = try #require(try system.step("mail", task: id, limits: limits))
            #expect(step.task.reference == id)
            let end = try #require(try system.end(of: step.task, since: 0))
            #expect(end.outcome == outcome)
            #expect(end.error == (id == "t2" ? "ValueError: no such order: -1" : nil))
        }
        try until("the worker notes both") { worker.all.count >= 2 }
        #expect(worker.all.count == 2)
        _ = try system.release("mail")
        try until("the others run") { worker.all.count == 4 }
        worker.end()
    }

    @Test("D7 an edited message is undone")
    func edit() throws {
        let system = try Fixture("taskiq", "queued").system(TaskiqListSystem.self)
        _ = try system.change("t2", .edit(["args": [9], "kwargs": [:]]), by: "dana")
        #expect(try system.detail("t2")?.payload.value?["args"] == [9])
        #expect(throws: QueueError.self) {
            try system.change("t2", .edit(["args": 9]), by: "dana")
        }
        _ = try system.undo(by: "dana")
        #expect(try system.detail("t2")?.payload.value?["args"] == [2])
    }
}

@Suite("Taskiq on streams", .enabled(if: RedisServer.isInstalled), .serialized)
struct TaskiqStreamTests {
    private let fixture: Fixture
    private let system: TaskiqStreamSystem

    init() throws {
        fixture = try Fixture("taskiqstream", "queued")
        system = try fixture.system(TaskiqStreamSystem.self)
    }

    private static let limits = StepLimits(takeMilliseconds: 20_000, endMilliseconds: 20_000)

    private func workers() throws -> [StreamWorker] {
        try (0..<2).map { try StreamWorker(fixture.redis.address, "w\($0)") }
    }

    private func send(_ ids: String...) throws {
        try Fixture.send("taskiqstream", ids, to: fixture.redis)
    }

    private func waiting() throws -> [String] {
        try system.page(ForeignQuery(queue: "mail", state: .waiting)).tasks.map(\.reference)
    }

    @Test("X1 a stream of its default name is recognised; waiting and fetched tasks are shown")
    func shown() throws {
        let named = try Fixture("taskiqstream", "queued", ["mail": "taskiq"])
        #expect(try named.recognised() == ["taskiqstream"])
        #expect(try system.shown("mail") == ["t1 next", "t2 due", "t3 due"])
        let queue = try #require(try system.queues().first)
        #expect(queue.waiting == 3 && queue.oldest != nil)
        let taken = try Fixture("taskiqstream", "taken").system(TaskiqStreamSystem.self)
        #expect(try taken.shown("mail") == ["long taken", "fetched taken", "next next"])
        let long = try #require(try taken.detail("long"))
        let runner = try #require(try taken.runners().first)
        #expect(runner.running == ["long", "fetched"] && runner.queues == ["mail"])
        #expect(try taken.holder(of: long)?.worker == runner.name)
        let ended = try Fixture("taskiqstream", "ended").system(TaskiqStreamSystem.self)
        #expect(try ended.shown("mail").isEmpty)
        #expect(try ended.queues().map(\.waiting) == [0])
    }

    @Test("D2 a held stream gives nothing to any worker, and needs no process")
    func held() throws {
        _ = try system.hold("mail", RQBench.note)
        let workers = try workers()
        try send("t4", "t5")
        #expect(try fixture.recognised() == ["taskiqstream"])
        let again = try fixture.system(TaskiqStreamSystem.self)
        #expect(try again.shown("mail") == (1...5).map { "t\($0) due" })
        let queue = try #require(try again.queues().first)
        #expect(queue.held == 5 && queue.hold?.leak == nil && queue.hold?.note == RQBench.note)
        #expect(throws: QueueError.self) { try again.hold("mail", RQBench.note) }
        // A worker that waits proves that it got nothing of the five.
        try until("both wait") {
            try RedisClientLine.all(fixture.redis, database: 0).count {
                $0.isBlocked && $0.readsGroup
            } == 2
        }
        #expect(workers.flatMap(\.all).isEmpty)
        _ = try again.release("mail")
        try until("all run") { workers.flatMap(\.all).count == 5 }
        #expect(Set(workers.flatMap(\.all)).count == 5)
        for worker in workers { worker.end() }
    }

    @Test("D3 each step gives its task alone to one worker, whatever arrives, and nothing twice")
    func steps() throws {
        _ = try system.hold("mail", RQBench.note)
        let workers = try workers()
        let tasks = (4...50).map { "t\($0)" }
        try Fixture.send("taskiqstream", tasks, to: fixture.redis)
        let isEnding = Protected(false)
        let address = fixture.redis.address
        let sender = try Thread(name: "sender") {
            guard let redis = try? RedisConnection(address) else { return }
            var number = 100
            while !isEnding.withLock({ $0 }) {
                try? Fixture.send("taskiqstream", ["late\(number)"], to: redis)
                number += 1
                _ = try? Poll.wait(fds: [], timeoutMilliseconds: 1)
            }
        }
        let chosen = tasks.filter { $0.hasSuffix("5") || $0.hasSuffix("8") } + ["t1", "t3"]
        for task in chosen {
            let step = try system.step("mail", task: task, limits: Self.limits)
            #expect(step?.task.reference == task && step?.note != nil)
        }
        isEnding.withLock { $0 = true }
        sender.join()
        #expect(workers.flatMap(\.all).sorted() == chosen.sorted())
        let rest = try waiting()
        #expect(rest.prefix(2) == ["t2", "t4"] && Set(rest).isDisjoint(with: chosen))
        let all = try #require(try system.queues().first).waiting
        _ = try system.release("mail")
        try until("the others run") { workers.flatMap(\.all).count >= all + chosen.count }
        #expect(Set(workers.flatMap(\.all)).count == workers.flatMap(\.all).count)
        for worker in workers { worker.end() }
    }

    @Test("D3 a step reads the end of its task from the result")
    func outcome() throws {
        _ = try system.hold("mail", RQBench.note)
        let workers = try workers()
        try Fixture.play("taskiqstream", "ended", ["bad": "t2", "mail": "old"], at: fixture.redis)
        let step = try system.step("mail", task: "t2", limits: Self.limits)
        #expect(step?.outcome == "giveUp" && step?.error == "ValueError: no such order: -1")
        for worker in workers { worker.end() }
    }

    @Test("D3 without a worker nothing changes, and the next task is the first one")
    func nobody() throws {
        _ = try system.hold("mail", RQBench.note)
        let before = try fixture.redis.call("XRANGE", "mail", "-", "+")
        let error = #expect(throws: QueueError.self) {
            try system.step("mail", task: "t2", limits: StepLimits(takeMilliseconds: 0))
        }
        #expect(error?.code == .notLegal)
        #expect(try fixture.redis.call("XRANGE", "mail", "-", "+") == before)
        _ = try system.release("mail")
        #expect(try waiting() == ["t1", "t2", "t3"])
        #expect(throws: QueueError.self) { try system.release("mail") }
    }

    @Test("D3 a task that no worker got in the moment of its step returns to its place")
    func missed() throws {
        _ = try system.hold("mail", RQBench.note)
        // A worker that waits at another stream looks as if it could take.
        let other = try fixture.server.connect()
        try fixture.redis.call("XGROUP", "CREATE", "elsewhere", "taskiq", "$", "MKSTREAM")
        try other.send([
            RedisCommand(
                "XREADGROUP", "GROUP", "taskiq", "w", "BLOCK", 0, "STREAMS", "elsewhere", ">")
        ])
        try until("it waits") {
            try RedisClientLine.all(fixture.redis, database: 0).contains {
                $0.isBlocked && $0.readsGroup
            }
        }
        #expect(throws: QueueError.self) {
            try system.step("mail", task: "t2", limits: StepLimits(takeMilliseconds: 0))
        }
        #expect(try waiting() == ["t1", "t2", "t3"])
        #expect(try system.queues().first { $0.name == "mail" }?.held == 3)
        other.close()
    }

    @Test(
        "D7 skip, edit and delete are undone; a changed task comes last", arguments: [false, true])
    func verbs(isHeld: Bool) throws {
        if isHeld { _ = try system.hold("mail", RQBench.note) }
        _ = try system.change("t1", .skip, by: "dana")
        #expect(try system.shown("mail").last == "t1 skipped")
        #expect(try system.queues().first?.skipped == 1)
        _ = try system.change("t1", .unskip, by: "dana")
        #expect(try waiting() == ["t2", "t3", "t1"])
        _ = try system.change("t3", .edit(["args": [9], "kwargs": [:]]), by: "dana")
        #expect(try waiting() == ["t2", "t1", "t3"])
        #expect(try system.detail("t3")?.payload.value?["args"] == [9])
        _ = try system.change("t2", .delete, by: "dana")
        #expect(try system.detail("t2") == nil)
        let undone = try (0..<4).map { _ in try system.undo(by: "dana") }
        #expect(undone.map { $0?.changed } == [["t2"], ["t3"], ["t1"], ["t1"]])
        let places = undone.map { $0?.consequences.last == "it comes last in its stream" }
        #expect(places == [true, true, false, true], "\(undone)")
        #expect(try waiting().sorted() == ["t1", "t2", "t3"])
        #expect(try system.detail("t3")?.payload.value?["args"] == [3])
    }

    @Test("X4 a stream with a skipped task is no queue on a list, so the task comes back")
    func skippedAlone() throws {
        let named = try Fixture("taskiqstream", "queued", ["mail": "taskiq"])
        let stream = try named.system(TaskiqStreamSystem.self)
        _ = try stream.change("t1", .skip, by: "dana")
        #expect(try named.recognised() == ["taskiqstream"])
        let lists = try named.system(TaskiqListSystem.self)
        #expect(try lists.queues().map(\.name) == [])
        #expect(try lists.detail("t1") == nil)
        _ = try stream.change("t1", .unskip, by: "dana")
        #expect(try stream.shown("taskiq").contains("t1 due"))
    }

    @Test("X4 a change whose key has another type changes nothing")
    func wrongType() throws {
        _ = try system.change("t1", .skip, by: "dana")
        let list = WorkList("mail", takes: .right)
        let element = try #require(
            try fixture.redis.call("LINDEX", list.skipped, 0).bytes)
        var steps = RedisChange()
        steps.take(element, from: list.skipped)
        steps.put(element, into: list.list, at: .right)
        let error = #expect(throws: QueueError.self) {
            try RedisJournal(redis: fixture.redis).perform(
                steps, task: "t1", verb: .unskip, by: "dana")
        }
        #expect(error?.code == .changed)
        #expect(try fixture.redis.call("LLEN", list.skipped).integer == 1)
    }

    @Test("D7 a verb that a worker was quicker than, and the undo of such a task, are refused")
    func late() throws {
        let detail = try #require(try system.detail("t2"))
        let made = try system.steps(of: .delete, on: detail)
        _ = try system.change("t3", .edit(["args": [9], "kwargs": [:]]), by: "dana")
        try fixture.redis.call(
            "XREADGROUP", "GROUP", "taskiq", "w", "COUNT", 9, "STREAMS", "mail", ">")
        let late = #expect(throws: QueueError.self) {
            try RedisJournal(redis: fixture.redis).perform(
                made.change, task: "t2", verb: .delete, by: "dana")
        }
        #expect(late?.code == .changed)
        let error = #expect(throws: QueueError.self) { try system.undo(by: "dana") }
        #expect(error?.code == .changed)
        #expect(throws: QueueError.self) { try system.steps(of: .delete, on: detail) }
        #expect(try fixture.redis.call("XPENDING", "mail", "taskiq").array.first?.integer == 3)
        #expect(try fixture.redis.call("XLEN", "mail").integer == 3)
    }

    @Test("a hold whose position another program changed leaks, says so, and is begun again")
    func leak() throws {
        _ = try system.hold("mail", RQBench.note)
        try fixture.redis.call("XGROUP", "SETID", "mail", "taskiq", "0")
        #expect(try system.queues().first?.hold?.leak?.contains("new tasks run") == true)
        #expect(throws: QueueError.self) { try system.step("mail", task: nil, limits: Self.limits) }
        _ = try system.hold("mail", RQBench.note)
        #expect(try system.queues().first?.hold?.leak == nil)
        #expect(try system.queues().first?.held == 3)
    }

    @Test("streams without a group and with two are shown, and not held")
    func groups() throws {
        try fixture.redis.call("XGROUP", "CREATE", "mail", "audit", "0")
        #expect(try system.shown("mail").count == 3)
        let two = #expect(throws: QueueError.self) { try system.hold("mail", RQBench.note) }
        #expect(two?.message.contains("2 consumer groups") == true)
        #expect(throws: QueueError.self) { try system.change("t1", .delete, by: "dana") }
        try fixture.redis.call("XGROUP", "DESTROY", "mail", "audit")
        try fixture.redis.call("XGROUP", "DESTROY", "mail", "taskiq")
        #expect(try system.shown("mail").count == 3)
        let none = #expect(throws: QueueError.self) { try system.hold("mail", RQBench.note) }
        #expect(none?.fix == "start one first")
    }

    @Test("a stream that goes after its name was seen is no queue")
    func gone() throws {
        #expect(try system.queues().count == 1)
        try fixture.redis.call("DEL", "mail")
        #expect(try system.queues().isEmpty)
        try fixture.redis.call("SET", "mail", "no stream")
        #expect(try system.queues().isEmpty)
        #expect(try system.shown("mail").isEmpty)
    }

    @Test("pages continue where the last one ended, also among skipped tasks")
    func pages() throws {
        try send("t4", "t5")
        for id in ["t2", "t4"] { _ = try system.change(id, .skip, by: "dana") }
        var found: [String] = []
        _ = try system.each(of: "mail", .waiting, limit: 100) {
            found.append($0.reference)
            return true
        }
        #expect(found == ["t1", "t3", "t5", "t2", "t4"])
        func page(after: String?) throws -> [String] {
            try system.page(
                ForeignQuery(queue: "mail", state: .waiting, limit: 2, after: after)
            ).tasks.map(\.reference)
        }
        #expect(try page(after: "t1") == ["t3", "t5"])
        #expect(try page(after: "t3") == ["t5", "t2"])
        #expect(try page(after: "t2") == ["t4"])
    }
}

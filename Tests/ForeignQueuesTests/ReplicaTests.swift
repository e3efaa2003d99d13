import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTapes
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("a copy that keeps up with other systems' queues", .enabled(if: RedisServer.isInstalled))
struct ReplicaTests {
    private static let start = Timestamp(milliseconds: 1_769_868_202_000)

    /// Jobs of RQ, and a copy of them that is brought up to date a second later each time.
    private final class Scene {
        let bench: RQBench
        let store: ForeignStore
        let replica = ForeignReplica(name: "redis")
        let now = Protected(ReplicaTests.start)

        init() throws {
            bench = try RQBench()
            store = try ForeignStore.open(
                bench.server.address(), as: "rq", keepers: KeeperLauncher { _, _ in })
        }

        func look() throws {
            let moment = now.withLock { now in
                now = now + 1000
                return now
            }
            try store.ask { try replica.update(from: $0, at: moment) }
        }

        /// A worker takes the next job, which is this one.
        func begin(_ id: String) throws {
            try Fixture.play("rq", "begin", ["sent-job": id], at: bench.redis)
        }

        /// The worker ends it with the error "RuntimeError: boom".
        func fail(_ id: String) throws {
            try Fixture.play("rq", "fail", ["sent-job": id], at: bench.redis)
        }

        /// RQ deletes a waiting job.
        func delete(_ id: String) throws {
            let steps = try Fixture.commands("rq", "emptied", ["first": id])
            for step in steps.drop(while: { $0.words[0] != Array("LREM".utf8) }) {
                try bench.redis.call(step)
            }
        }

        func rows(_ queue: String = "mail") throws -> [String] { try Self.rows(replica.store) }

        static func rows(_ store: MemoryStore) throws -> [String] {
            try store.readBlocking { reader in
                try Reading(reader, now: ReplicaTests.start + 60_000)
                    .list(queue: "mail", limit: 99)
                    .map { "\($0.task.id) \($0.display.rawValue)" }
            }
        }

        func lines() throws -> [String] {
            // A system that keeps its attempts gives an attempt in the place of a line.
            try replica.store.readBlocking { try $0.journal(JournalQuery(limit: 99)) }
                .map { entry in
                    switch entry {
                    case .event(let event): event.text
                    case .attempt(let attempt):
                        "#\(attempt.task) \(attempt.outcome?.rawValue ?? "?"): "
                            + (attempt.error?.split(separator: "\n").last.map(String.init) ?? "")
                    }
                }
        }
    }

    @Test("what came, ran, failed and went since the last look is one commit with a line for each")
    func changes() throws {
        let scene = try Scene()
        try scene.bench.enqueue(["a", "b"])
        try scene.look()
        #expect(try scene.rows() == ["1 next", "2 due"])
        #expect(try scene.lines() == [], "what was there is no news")
        try scene.begin("a")
        try scene.bench.enqueue(["c"])
        try scene.look()
        let begun = try scene.rows()
        #expect(begun == ["1 running", "2 next", "3 due"])
        try scene.fail("a")
        try scene.delete("b")
        try scene.look()
        #expect(try scene.rows() == ["3 next", "1 failed"])
        let lines = try scene.lines()
        #expect(
            Set(lines) == [
                "#1 tasks.run runs", "#3 tasks.run came", "#2 tasks.run is not there any more",
                "#1 giveUp: RuntimeError: boom",
            ])
        #expect(scene.replica.references == [1: "a", 2: "b", 3: "c"])
        let failures = try scene.replica.store.readBlocking {
            try Reading($0, now: Self.start).failures(of: "mail").map(\.kind.text)
        }
        #expect(failures == ["RuntimeError: boom"])
    }

    @Test("a look at what has not changed writes nothing, and an order that changed is kept")
    func stillness() throws {
        let scene = try Scene()
        try scene.bench.enqueue(["a", "b", "c"])
        try scene.look()
        let commits = Protected(0)
        let observation = try scene.replica.store.observe { commits.withLock { $0 += 1 } }
        // Longer than the interval between queries of workers.
        for _ in 0..<9 { try scene.look() }
        #expect(commits.withLock { $0 } == 0)
        try scene.bench.redis.call("LMOVE", "rq:queue:mail", "rq:queue:mail", "RIGHT", "LEFT")
        try scene.look()
        #expect(try scene.rows() == ["3 next", "1 due", "2 due"])
        withExtendedLifetime(observation) {}
    }

    @Test("G6 a recording of it plays: each moment is as it was seen")
    func tape() throws {
        let scene = try Scene()
        try scene.bench.enqueue(["a", "b"])
        try scene.look()
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-replica-")
        defer { try? Files.removeTree(folder) }
        let now = scene.now
        let recorder = try TapeRecorder(
            scene.replica.store, TapeRecorder.Request(path: "\(folder)/t.tape"), person: "dana",
            now: { now.withLock { $0 } })
        try recorder.writeBeginning()
        var seen = [try scene.rows()]
        for step in [
            { try scene.begin("a") }, { try scene.bench.enqueue(["c"]) },
            { try scene.fail("a") },
        ] {
            try step()
            try scene.look()
            seen.append(try scene.rows())
            #expect(try recorder.move() == nil)
        }
        _ = try recorder.end(nil)
        let file = try TapeFile("\(folder)/t.tape")
        var played: [[String]] = []
        for event in 0...file.count {
            let rows = try Scene.rows(try TapePlayer.view(of: file, at: event).store)
            if rows != played.last { played.append(rows) }
        }
        #expect(played == seen)
        #expect(seen.last == ["2 next", "3 due", "1 failed"])
    }

    @Test("tasks that wait for a retry have their error, and the time of the failure")
    func retrying() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        func add(_ id: String, _ more: String, at seconds: Int64 = 4_102_444_800) throws {
            try redis.call(
                "ZADD", "retry", seconds,
                """
                {"retry":true,"queue":"mail","class":"Send","args":[1],"jid":"\(id)",
                "created_at":1769860000,"enqueued_at":1769860000,"error_class":"Down",
                "error_message":"no answer","retry_count":1\(more)}
                """)
        }
        try redis.call("SADD", "queues", "mail")
        try add("aaaaaaaa", #","failed_at":1769868000,"retried_at":1769868100"#)
        let store = try ForeignStore.open(
            server.address(), as: "sidekiq", keepers: KeeperLauncher { _, _ in })
        let replica = ForeignReplica(name: "redis")
        func group() throws -> FailureGroup? {
            try store.ask { try replica.update(from: $0, at: Self.start) }
            return try replica.store.readBlocking {
                try Reading($0, now: Self.start).retryingFailures(of: nil).groups.first
            }
        }
        let first = try #require(try group())
        #expect(first.total == 1 && first.text == "Down: no answer")
        #expect(first.last == Timestamp(milliseconds: 1_769_868_100_000))
        #expect(first.since?.at == first.last && first.since?.isEstimate == false)
        let version = try replica.store.readBlocking { try $0.task(1)?.version }
        #expect(try group() == first)
        #expect(try replica.store.readBlocking { try $0.task(1)?.version } == version)
        // Its time has come, and Sidekiq has not put it into its queue yet.
        try redis.call("DEL", "retry")
        try add("cccccccc", "", at: 1_769_868_150)
        #expect(try group()?.total == 1)
        // A time that its system does not keep is not known.
        try redis.call("DEL", "retry")
        try add("bbbbbbbb", "")
        let unknown = try #require(try group())
        #expect(unknown.since == nil && unknown.last.ifKnown == nil)
    }

    @Test("a look that fails on its way is no look: the next one writes what it would have")
    func failing() throws {
        let scene = try Scene()
        try scene.bench.enqueue(["a"])
        let system = InterruptedSystem(scene.bench.system)
        let store = ForeignStore(name: "redis", systems: [system])
        system.failures = 1
        #expect(throws: QueueError.self) { try scene.replica.update(from: store, at: Self.start) }
        #expect(try scene.replica.store.readBlocking { try $0.queues().isEmpty })
        try scene.replica.update(from: store, at: Self.start + 1000)
        #expect(try scene.rows() == ["1 next"])
    }

    @Test("a copy asks for each task by its state, and not for timers once more")
    func timers() throws {
        let scene = try Scene()
        try scene.bench.enqueue(["a"])
        let system = InterruptedSystem(scene.bench.system)
        let store = ForeignStore(name: "redis", systems: [system])
        try scene.replica.update(from: store, at: Self.start)
        #expect(try scene.rows() == ["1 next"])
        #expect(system.timerQuestions == 0)
    }

    @Test("X1 a copy outside of memory shows a blocked task as its system does, with its reason")
    func blocked() throws {
        let fixture = try Fixture("rq", "deferred")
        let system = try fixture.system(RQSystem.self)
        let store = ForeignStore(name: "redis", systems: [system])
        let replica = ForeignReplica(name: "redis")
        // The tasks as a tape or a file keeps them: without the states of the system.
        func copied(at now: Timestamp) throws -> [String] {
            try replica.update(from: store, at: now)
            let copy = MemoryStore(name: "copy")
            let references = replica.references
            let contents = try replica.store.readBlocking { reader in
                let queues = try reader.queues()
                let all = try reader.tasks(.numbered(after: 0), limit: 99)
                return (queues, all.filter { $0.waiting != nil })
            }
            return try copy.writeBlocking { writer in
                for queue in contents.0 { try writer.put(queue) }
                _ = try writer.reserveTaskIDs(99)
                try writer.insert(contents.1.map { NewTask(task: $0, payload: []) })
                let reading = try Reading(writer, now: now)
                return try contents.1.map(\.id)
                    .filter { ["both", "load"].contains(references[$0]) }
                    .compactMap { try reading.why($0).first }
                    .map { "\($0.display.rawValue) \($0.blockers.first?.text ?? "")" }.sorted()
            }
        }
        #expect(
            try copied(at: Self.start) == [
                "blocked RQ blocked it: it depends on extract (failed)",
                "blocked RQ blocked it: it depends on extract (failed), other (queued)",
            ])
        _ = try system.change("extract", .retry, by: "dana")
        #expect(
            try copied(at: Self.start + 60_000).first
                == "blocked RQ blocked it: it depends on extract (queued)")
    }

    @Test("a queue with more tasks than a copy takes is refused, and nothing of it is read")
    func limit() throws {
        let scene = try Scene()
        let ids = (0...ForeignReplica.limit).map(String.init)
        let push = try #require(try Fixture.commands("rq", "send").last)
        for part in stride(from: 0, to: ids.count, by: 1000) {
            let some = ids[part..<min(part + 1000, ids.count)]
            _ = try scene.bench.redis.pipeline(some.map { push.named(["sent-job": $0]) })
        }
        let error = #expect(throws: QueueError.self) { try scene.look() }
        #expect(error?.message.contains("mail has more than 20,000 tasks") == true)
        #expect(try scene.replica.store.readBlocking { try $0.queues().isEmpty })
    }
}

/// RQ with payload reads that fail a set number of times.
private final class InterruptedSystem: ForeignSystem {
    private let base: RQSystem
    var failures = 0
    var timerQuestions = 0

    init(_ base: RQSystem) { self.base = base }

    var name: String { base.name }
    var title: String { base.title }
    func stamp() throws -> String? { "as it was" }
    func queues() throws -> [ForeignQueue] { try base.queues() }
    func page(_ query: ForeignQuery) throws -> ForeignPage { try base.page(query) }
    func detail(_ reference: String) throws -> ForeignDetail? { try base.detail(reference) }
    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        failures -= 1
        guard failures < 0 else { throw QueueError(.serverGone, "the connection has ended") }
        return try base.details(of: tasks)
    }
    func timers(limit: Int) throws -> [ForeignTimer] {
        timerQuestions += 1
        return try base.timers(limit: limit)
    }
    func runners() throws -> [ForeignRunner] { try base.runners() }
    func refusal(of verb: ForeignVerb) -> String? { base.refusal(of: verb) }
    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        try base.hold(queue, note)
    }
    func release(_ queue: String) throws -> ForeignAnswer { try base.release(queue) }
    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        try base.step(queue, task: task, limits: limits)
    }
    func change(
        _ reference: String, _ change: ForeignChange, by author: ForeignAuthor
    ) throws -> ForeignAnswer { try base.change(reference, change, by: author) }
    func undoLast(by author: ForeignAuthor) throws -> ForeignUndone? {
        try base.undoLast(by: author)
    }
}

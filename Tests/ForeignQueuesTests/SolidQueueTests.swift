import SluiceModel
import SluicePostgresHarness
import Testing

@testable import SluiceForeignQueues

/// Solid Queue beyond what every table does.
@Suite("Solid Queue by its tables", .enabled(if: PostgresServer.isInstalled), .serialized)
struct SolidQueueTests {
    private let session: SQLSession
    private let system: any ForeignSystem

    init() throws {
        let server = try PostgresServer.shared()
        let name = "solid_\(server.newName())"
        try server.run("CREATE DATABASE \(name)")
        session = try SQLSession(server.address(name))
        try PlayedTable.solidQueue.install(session)
        let store = try ForeignStore.open(
            server.address(name), as: nil, keepers: KeeperLauncher { _, _ in })
        system = try #require(store.systems.first)
    }

    private func enqueue(_ numbers: ClosedRange<Int>, to queue: String = "mail") throws {
        for number in numbers {
            try session.run(PlayedTable.solidQueue.insert("'\(queue)'", number))
        }
    }

    private func texts(_ question: String) throws -> [String] {
        try session.rows("SELECT x.value::text AS text FROM (\(question)) x(value)")
            .compactMap { $0["text"]?.string }
    }

    private func names() throws -> [String] {
        try texts("SELECT queue_name FROM solid_queue_ready_executions ORDER BY job_id")
    }

    private func serve(_ queues: String) throws {
        try session.run(
            """
            UPDATE solid_queue_processes SET metadata = '{"queues":"\(queues)"}'
            WHERE kind = 'Worker'
            """)
    }

    @Test("D1 a hold is its own pause; one that it had is shown, taken up, and ended by resume")
    func pause() throws {
        try enqueue(1...2)
        try session.run(
            "INSERT INTO solid_queue_pauses (queue_name, created_at) VALUES ('mail', now())")
        let paused = try #require(try system.queues().first)
        #expect(paused.hold == nil && paused.ownPause?.hasPrefix("since 20") == true)
        let first = try #require(try system.page(ForeignQuery(queue: "mail")).tasks.first)
        let why = try system.blockers(
            of: try #require(try system.detail(first.reference)), now: Timestamp(milliseconds: 1))
        #expect(why.map(\.text).first?.hasPrefix("mail is paused by Solid Queue: since") == true)
        let answer = try system.hold("mail", RQBench.note)
        #expect(answer.consequences.contains("it was paused already: resume ends that too"))
        let held = try #require(try system.queues().first)
        #expect(held.hold?.note == RQBench.note && held.held == 2 && held.ownPause == nil)
        #expect(held.hold?.recipe == "its own pause")
        #expect(throws: QueueError.self) { try system.hold("mail", RQBench.note) }
        _ = try system.release("mail")
        #expect(try texts("SELECT queue_name FROM solid_queue_pauses").isEmpty)
        #expect(throws: QueueError.self) { try system.release("mail") }
    }

    @Test("D3 a step takes a name that a worker of the queue serves, or says that there is none")
    func sideNames() throws {
        try enqueue(1...2)
        _ = try system.hold("mail", RQBench.note)
        let none = StepLimits(takeMilliseconds: 0)
        func refusal() throws -> String {
            let error = #expect(throws: QueueError.self) {
                try system.step("mail", task: nil, limits: none)
            }
            // After every refused step the task is back in its place.
            #expect(try names() == ["mail", "mail"])
            #expect(try texts("SELECT max(priority) FROM solid_queue_ready_executions") == ["0"])
            return error?.message ?? ""
        }
        for served in ["*", "ma*", "mail,other", "other,mail"] {
            try serve(served)
            #expect(try refusal().contains("no worker of mail took 1; it waits in its place"))
        }
        try serve("mail")
        #expect(try refusal().contains("serve mail by its name alone"))
        try serve("mail,other")
        try session.run(
            "INSERT INTO solid_queue_pauses (queue_name, created_at) VALUES ('other', now())")
        #expect(try refusal().contains("serve mail by its name alone"))
        try serve("other")
        #expect(try refusal().contains("no worker of Solid Queue serves mail"))
        let runner = try #require(try system.runners().first)
        #expect(runner.queues == ["other"] && runner.processID == 42 && runner.host == "web")
    }

    @Test("a failed job goes to the dispatcher with its counts anew, and back by undo")
    func retry() throws {
        try enqueue(1...1)
        try session.run(
            """
            DELETE FROM solid_queue_ready_executions;
            UPDATE solid_queue_jobs SET arguments =
            '{"n":1,"executions":5,"exception_executions":{"[E]":5}}';
            INSERT INTO solid_queue_failed_executions (job_id, error, created_at) VALUES (1,
            '{"exception_class":"E","message":"say \\"no\\"","backtrace":["a"]}', now())
            """)
        let failed = try #require(try system.detail("1"))
        #expect(failed.task.display == .failed && failed.task.error == #"E: say \"no\""#)
        #expect(failed.attempts.map(\.outcome) == ["giveUp"] && failed.task.attempts == 5)
        _ = try system.change("1", .retry, by: "dana")
        let waiting = try #require(try system.detail("1"))
        #expect(waiting.task.display == .delayed && waiting.task.attempts == 0)
        // The dispatcher is quick.
        try session.run(
            """
            DELETE FROM solid_queue_scheduled_executions;
            INSERT INTO solid_queue_ready_executions (job_id, queue_name, priority, created_at)
            VALUES (1, 'mail', 0, now())
            """)
        _ = try system.undo(by: "dana")
        #expect(try system.detail("1") == failed)
        // A claimed task cannot be undone.
        _ = try system.change("1", .retry, by: "dana")
        try session.run(
            """
            DELETE FROM solid_queue_scheduled_executions;
            INSERT INTO solid_queue_claimed_executions (job_id, process_id, created_at)
            VALUES (1, 1, now())
            """)
        let error = #expect(throws: QueueError.self) { try system.undo(by: "dana") }
        #expect(error?.code == .changed)
        #expect(throws: QueueError.self) { try system.change("1", .delete, by: "dana") }
        #expect(try system.detail("1")?.task.display == .running)
    }

    @Test("what has its part of a concurrency gives it to the next one when it goes")
    func concurrency() throws {
        try enqueue(1...3)
        try session.run(
            """
            UPDATE solid_queue_jobs SET concurrency_key = 'k' WHERE id IN (1, 2);
            DELETE FROM solid_queue_ready_executions WHERE job_id = 2;
            INSERT INTO solid_queue_blocked_executions (job_id, queue_name, priority,
                concurrency_key, expires_at, created_at) VALUES (2, 'mail', 0, 'k', now(), now());
            INSERT INTO solid_queue_semaphores (key, value, expires_at, created_at, updated_at)
            VALUES ('k', 0, now(), now(), now())
            """)
        let blocked = try #require(try system.detail("2"))
        #expect(blocked.task.display == .blocked)
        #expect(
            try system.obstacle(of: blocked) == #"its concurrency key "k" is taken by #1"#)
        _ = try system.change("1", .delete, by: "dana")
        #expect(try system.detail("1") == nil && system.detail("2")?.task.display == .due)
        let value = "SELECT value FROM solid_queue_semaphores"
        #expect(try texts(value) == ["0"])
        _ = try system.change(
            "2", .postpone(Timestamp(milliseconds: 4_000_000_000_000)), by: "dana")
        #expect(try texts(value) == ["1"])
        // Back again they ask the dispatcher, who keeps to the concurrency.
        _ = try system.undo(by: "dana")
        _ = try system.undo(by: "dana")
        #expect(try system.detail("1")?.task.display == .delayed)
        #expect(try system.detail("2")?.task.display == .delayed)
        #expect(try texts(value) == ["1"])
    }

    @Test("a ready job moves to either end of its queue, by the number that workers look at")
    func move() throws {
        try enqueue(1...3)
        func order() throws -> [String] {
            try system.page(ForeignQuery(queue: "mail", state: .waiting)).tasks.map(\.reference)
        }
        _ = try system.change("3", .move(.first), by: "dana")
        _ = try system.change("1", .move(.last), by: "dana")
        #expect(try order() == ["3", "2", "1"])
        #expect(throws: QueueError.self) {
            try system.change("2", .move(.before("3")), by: "dana")
        }
        _ = try system.undo(by: "dana")
        _ = try system.undo(by: "dana")
        #expect(try order() == ["1", "2", "3"])
    }
}

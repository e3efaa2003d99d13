import SluiceModel
import Testing

@testable import SluiceForeignQueues

/// Solid Queue in the databases that Rails gives it.
@Suite("Solid Queue by its tables", .serialized)
struct SolidQueueTests {
    private static let limits = StepLimits(takeMilliseconds: 20_000, endMilliseconds: 20_000)

    @Test(
        "D3 nobody claims what is held or comes, a step lets one through, all run once at the end",
        arguments: PlayedRows.engines)
    func steps(_ engine: PlayedRows.Engine) throws {
        let bench = try SolidBench(engine)
        try bench.enqueue(1...5)
        _ = try bench.system.hold("mail", RQBench.note)
        try bench.enqueue(6...6)
        let worker = try SolidWorker(bench.address)
        try until("the worker asks") { worker.hasLooked }
        let queue = try #require(try bench.queue())
        #expect(queue.held == 6 && queue.waiting == 6 && queue.hold?.note == RQBench.note)
        let step = try bench.system.step("mail", task: "4", limits: Self.limits)
        #expect(step?.outcome == "success" && worker.all == ["4"])
        worker.failNext()
        let failed = try bench.system.step("mail", task: "2", limits: Self.limits)
        #expect(failed?.outcome == "retry")
        let again = try #require(try bench.system.detail("7"))
        #expect(again.task.display == .retrying && again.task.attempts == 1)
        #expect(again.attempts.map(\.outcome) == ["retry"])
        #expect(try bench.system.timers(limit: 9).map(\.task.reference) == ["7"])
        _ = try bench.system.change("5", .priority(-1), by: "dana")
        let next = try bench.system.step("mail", task: nil, limits: Self.limits)
        #expect(next?.task.reference == "5" && worker.all == ["4", "2", "5"])
        #expect(try bench.queue()?.succeeded == 3)
        _ = try bench.system.release("mail")
        try until("the others run") { worker.all.count == 6 }
        #expect(Set(worker.all).count == 6)
        worker.end()
    }

    @Test(
        "D7 what verbs change is undone whole, held or not", arguments: PlayedRows.engines,
        [false, true])
    func undo(_ engine: PlayedRows.Engine, isHeld: Bool) throws {
        let bench = try SolidBench(engine)
        let system = bench.system
        try bench.enqueue(1...2)
        if isHeld { _ = try system.hold("mail", RQBench.note) }
        let before = try bench.whole()
        let later = Timestamp(milliseconds: 2_114_380_900_000)
        for change in [
            .skip, .delete, .priority(3), .postpone(later), .move(.last),
            .edit(["n": 9, "it's": "é\\"]),
        ] as [ForeignChange] {
            _ = try system.change("1", change, by: "dana")
            let detail = try system.detail("1")
            #expect(try bench.whole() != before, "\(change)")
            switch change {
            case .skip: #expect(detail?.task.display == .skipped)
            case .postpone: #expect(detail?.task.notBefore == later)
            case .delete: #expect(detail == nil)
            case .edit: #expect(detail?.payload.value?["it's"] == "é\\")
            default: #expect(detail?.task.priority == (change == .priority(3) ? 3 : 1))
            }
            #expect(try system.undo(by: "dana")?.changed == ["1"])
            #expect(try bench.whole() == before, "\(change)")
        }
        _ = try system.change("1", .skip, by: "dana")
        #expect(try bench.queue()?.skipped == 1)
        #expect(try bench.queue()?.name == "mail")
        _ = try system.change("1", .unskip, by: "dana")
        #expect(try bench.names() == ["mail", "mail"])
        #expect(try bench.waiting().map(\.display) == (isHeld ? [.held, .held] : [.due, .due]))
        #expect(try system.undo(by: "dana")?.changed == ["1"])
        #expect(try system.undo(by: "dana")?.changed == ["1"])
        #expect(try bench.waiting().map(\.reference) == ["1", "2"])
    }

    @Test(
        "D1 a hold is its own pause; one that it had is shown, taken up, and ended by resume",
        arguments: PlayedRows.engines)
    func pause(_ engine: PlayedRows.Engine) throws {
        let bench = try SolidBench(engine)
        let system = bench.system
        try bench.enqueue(1...2)
        try bench.run(
            "INSERT INTO solid_queue_pauses (queue_name, created_at) VALUES ('mail', \(bench.now))")
        let paused = try #require(try bench.queue())
        #expect(paused.hold == nil && paused.ownPause?.hasPrefix("since 20") == true)
        let first = try #require(try system.page(ForeignQuery(queue: "mail")).tasks.first)
        let why = try system.blockers(
            of: try #require(try system.detail(first.reference)), now: Timestamp(milliseconds: 1))
        #expect(why.map(\.text).first?.hasPrefix("mail is paused by Solid Queue: since") == true)
        let answer = try system.hold("mail", RQBench.note)
        #expect(answer.consequences.contains("it was paused already: resume ends that too"))
        let held = try #require(try bench.queue())
        #expect(held.hold?.note == RQBench.note && held.held == 2 && held.ownPause == nil)
        #expect(held.hold?.recipe == "its own pause")
        #expect(throws: QueueError.self) { try system.hold("mail", RQBench.note) }
        _ = try system.release("mail")
        #expect(try bench.texts("SELECT queue_name AS value FROM solid_queue_pauses").isEmpty)
        #expect(throws: QueueError.self) { try system.release("mail") }
    }

    @Test("D1 a reason that is longer than the column is left out of the hold")
    func longReason() throws {
        for engine in PlayedRows.engines {
            let bench = try SolidBench(engine)
            try bench.enqueue(1...1)
            var note = RQBench.note
            note.reason = String(repeating: "é", count: 250)
            _ = try bench.system.hold("mail", note)
            let held = try #require(try bench.queue()?.hold)
            #expect(held.note.by == note.by && held.note.since == note.since)
            #expect(held.note.reason == (engine == .mariadb ? nil : note.reason))
        }
    }

    @Test(
        "D3 a step takes a name that a worker of the queue serves, or says that there is none",
        arguments: PlayedRows.engines)
    func sideNames(_ engine: PlayedRows.Engine) throws {
        let bench = try SolidBench(engine)
        let system = bench.system
        try bench.enqueue(1...2)
        _ = try system.hold("mail", RQBench.note)
        let none = StepLimits(takeMilliseconds: 0)
        func refusal() throws -> String {
            let error = #expect(throws: QueueError.self) {
                try system.step("mail", task: nil, limits: none)
            }
            // After every refused step the task is back in its place.
            #expect(try bench.names() == ["mail", "mail"])
            #expect(
                try bench.texts("SELECT max(priority) AS value FROM solid_queue_ready_executions")
                    == ["0"])
            return error?.message ?? ""
        }
        for served in ["*", "ma*", "mail,other", "other,mail"] {
            try bench.serve(served)
            #expect(try refusal().contains("no worker of mail took 1; it waits in its place"))
        }
        try bench.serve("mail")
        #expect(try refusal().contains("serve mail by its name alone"))
        try bench.serve("mail,other")
        try bench.run(
            "INSERT INTO solid_queue_pauses (queue_name, created_at) VALUES ('other', \(bench.now))"
        )
        #expect(try refusal().contains("serve mail by its name alone"))
        try bench.serve("other")
        #expect(try refusal().contains("no worker of Solid Queue serves mail"))
        let runner = try #require(try system.runners().first)
        #expect(runner.queues == ["other"] && runner.processID == 42 && runner.host == "web")
    }

    @Test(
        "a failed job goes to the dispatcher with its counts anew, and back by undo",
        arguments: PlayedRows.engines)
    func retry(_ engine: PlayedRows.Engine) throws {
        let bench = try SolidBench(engine)
        let system = bench.system
        try bench.enqueue(1...1)
        let error = #"{"exception_class":"E","message":"say \"no\"","backtrace":["a"]}"#
        try bench.run(
            "DELETE FROM solid_queue_ready_executions",
            """
            UPDATE solid_queue_jobs SET arguments =
            '{"n":1,"arguments":[7],"executions":5,"exception_executions":{"[E]":5}}'
            """,
            """
            INSERT INTO solid_queue_failed_executions (job_id, error, created_at)
            VALUES (1, \(try bench.session.dialect.literal(error)), \(bench.now))
            """)
        let failed = try #require(try system.detail("1"))
        #expect(failed.task.label == "[7]" && failed.payload.value?["n"] == 1)
        #expect(failed.task.display == .failed && failed.task.error == #"E: say "no""#)
        #expect(failed.attempts.map(\.outcome) == ["giveUp"] && failed.task.attempts == 5)
        #expect(try bench.queue()?.failed == 1)
        _ = try system.change("1", .retry, by: "dana")
        let waiting = try #require(try system.detail("1"))
        #expect(waiting.task.display == .delayed && waiting.task.attempts == 0)
        // The dispatcher is quick.
        try bench.run(
            "DELETE FROM solid_queue_scheduled_executions",
            """
            INSERT INTO solid_queue_ready_executions (job_id, queue_name, priority, created_at)
            VALUES (1, 'mail', 0, \(bench.now))
            """)
        _ = try system.undo(by: "dana")
        #expect(try system.detail("1") == failed)
        // A claimed task cannot be undone.
        _ = try system.change("1", .retry, by: "dana")
        try bench.run(
            "DELETE FROM solid_queue_scheduled_executions",
            """
            INSERT INTO solid_queue_claimed_executions (job_id, process_id, created_at)
            VALUES (1, 1, \(bench.now))
            """)
        let late = #expect(throws: QueueError.self) { try system.undo(by: "dana") }
        #expect(late?.code == .changed)
        #expect(throws: QueueError.self) { try system.change("1", .delete, by: "dana") }
        let running = try #require(try system.detail("1"))
        #expect(running.task.display == .running)
        let holder = try #require(try system.holder(of: running))
        #expect(holder.worker == "worker-1")
        #expect(holder.since != nil && running.task.startedAt == holder.since)
        #expect(try system.runners().first?.running == ["1"])
        let alive = #expect(throws: QueueError.self) { try system.reclaim("1") }
        #expect(alive?.message.contains("worker-1 gave a sign of life") == true)
        try bench.run("UPDATE solid_queue_processes SET last_heartbeat_at = '2026-01-01 00:00:00'")
        #expect(try system.reclaim("1").changed == ["1"])
        let pruned = try #require(try system.detail("1"))
        #expect(pruned.task.display == .failed)
        #expect(pruned.task.error?.hasPrefix("SolidQueue::Processes::ProcessPrunedError: ") == true)
        #expect(throws: QueueError.self) { try system.reclaim("1") }
    }

    @Test(
        "what has its part of a concurrency gives it to the next one when it goes",
        arguments: PlayedRows.engines)
    func concurrency(_ engine: PlayedRows.Engine) throws {
        let bench = try SolidBench(engine)
        let system = bench.system
        try bench.enqueue(1...3)
        let key = bench.session.dialect.name("key")
        try bench.run(
            "UPDATE solid_queue_jobs SET concurrency_key = 'k' WHERE id IN (1, 2)",
            "DELETE FROM solid_queue_ready_executions WHERE job_id = 2",
            """
            INSERT INTO solid_queue_blocked_executions (job_id, queue_name, priority,
            concurrency_key, expires_at, created_at)
            VALUES (2, 'mail', 0, 'k', \(bench.now), \(bench.now))
            """,
            """
            INSERT INTO solid_queue_semaphores (\(key), value, expires_at, created_at, updated_at)
            VALUES ('k', 0, \(bench.now), \(bench.now), \(bench.now))
            """)
        let blocked = try #require(try system.detail("2"))
        #expect(blocked.task.display == .blocked)
        #expect(
            try system.obstacle(of: blocked) == #"its concurrency key "k" is taken by #1"#)
        _ = try system.change("1", .delete, by: "dana")
        #expect(try system.detail("1") == nil && system.detail("2")?.task.display == .due)
        let value = "SELECT value FROM solid_queue_semaphores"
        #expect(try bench.texts(value) == ["0"])
        _ = try system.change(
            "2", .postpone(Timestamp(milliseconds: 4_000_000_000_000)), by: "dana")
        #expect(try bench.texts(value) == ["1"])
        // Back again they ask the dispatcher, who keeps to the concurrency.
        _ = try system.undo(by: "dana")
        _ = try system.undo(by: "dana")
        #expect(try system.detail("1")?.task.display == .delayed)
        #expect(try system.detail("2")?.task.display == .delayed)
        #expect(try bench.texts(value) == ["1"])
    }

    @Test(
        "a ready job moves to either end of its queue, by the number that workers look at",
        arguments: PlayedRows.engines)
    func move(_ engine: PlayedRows.Engine) throws {
        let bench = try SolidBench(engine)
        let system = bench.system
        try bench.enqueue(1...3)
        func order() throws -> [String] { try bench.waiting().map(\.reference) }
        _ = try system.change("3", .move(.first), by: "dana")
        _ = try system.change("1", .move(.last), by: "dana")
        #expect(try order() == ["3", "2", "1"])
        let later = Timestamp(milliseconds: 4_000_000_000_000)
        let answer = try system.change("3", .postpone(later), by: "dana")
        #expect(answer.consequences == ["its move ends: its priority is 0 again"])
        #expect(try system.change("2", .postpone(later), by: "dana").consequences == [])
        _ = try system.undo(by: "dana")
        _ = try system.undo(by: "dana")
        #expect(try order() == ["3", "2", "1"])
        #expect(throws: QueueError.self) {
            try system.change("2", .move(.before("3")), by: "dana")
        }
        _ = try system.undo(by: "dana")
        _ = try system.undo(by: "dana")
        #expect(try order() == ["1", "2", "3"])
    }
}

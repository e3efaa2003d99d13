import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// A worker that claims like its system, and records the task numbers.
private final class PlayedWorker: Sendable {
    private let taken = Protected<[Int]>([])
    private let failing = Protected(false)
    private let isEnding = Protected(false)
    private let looked = Protected(false)
    private let thread: Thread

    init(_ address: String, _ played: PlayedTable) throws {
        let (taken, failing, isEnding, looked) = (taken, failing, isEnding, looked)
        thread = try Thread(name: "played") {
            guard let session = try? SQLSession(address) else { return }
            while !isEnding.withLock({ $0 }) {
                let text = try? session.value(of: played.claim)
                looked.withLock { $0 = true }
                if let number = text.flatMap({ Int($0) }) {
                    taken.withLock { $0.append(number) }
                    let isFailure = failing.withLock { $0 }
                    failing.withLock { $0 = false }
                    let end = isFailure ? played.fail(number) : played.finish(number)
                    try? session.run(end)
                }
                _ = try? Poll.wait(fds: [], timeoutMilliseconds: 5)
            }
        }
    }

    var all: [Int] { taken.withLock { $0 } }
    /// Whether it has polled once.
    var hasLooked: Bool { looked.withLock { $0 } }
    func failNext() { failing.withLock { $0 = true } }

    func end() {
        isEnding.withLock { $0 = true }
        thread.join()
    }
}

struct TableBench {
    /// A name that statements must not take for something else.
    static let queue = "mail@ho'me$1"
    let played: PlayedTable
    let address: String
    let session: SQLSession
    let system: any ForeignSystem

    init(_ played: PlayedTable, tasks: Int = 6) throws {
        self.played = played
        let server = try PostgresServer.shared()
        let name = "played_\(server.newName())"
        try server.run("CREATE DATABASE \(name)")
        address = server.address(name)
        session = try SQLSession(address)
        try played.install(session)
        let store = try ForeignStore.open(
            address, as: nil, keepers: KeeperLauncher { _, _ in })
        system = try #require(store.systems.first)
        for number in 1...tasks { try insert(number) }
    }

    func insert(_ number: Int) throws {
        try session.run(played.insert(try SQLSession.literal(Self.queue), number))
    }

    func waiting() throws -> [ForeignTask] {
        try system.page(ForeignQuery(queue: Self.queue, state: .waiting)).tasks
    }

    /// The queue, counted: of a server that is too busy to count within a moment a look has
    /// estimates.
    func queue() throws -> ForeignQueue? {
        var found: ForeignQueue?
        try until("it is counted") {
            (system as? SolidQueueSystem)?.rows.forget()
            found = try system.queues().first { $0.name == Self.queue }
            return found?.estimates.isEmpty ?? true
        }
        return found
    }

    /// The whole row of a task.
    func row(_ reference: String) throws -> String {
        let rows = try session.rows(
            "SELECT \(played.whole) AS row FROM \(try played.table(in: session)) j "
                + "WHERE j.id::text = '\(reference)'")
        return rows.first?["row"]?.string ?? "none"
    }
}

@Suite(
    "queues that are tables, by the statements of their systems",
    .enabled(if: PostgresServer.isInstalled), .serialized)
struct TableTests {
    private static let limits = StepLimits(takeMilliseconds: 20_000, endMilliseconds: 20_000)

    @Test(
        "D3 nobody claims what is held or comes, a step lets one through, all run once at the end",
        arguments: PlayedTable.all)
    func steps(played: PlayedTable) throws {
        let bench = try TableBench(played)
        #expect(bench.system.name == played.name)
        let tasks = try bench.waiting()
        #expect(tasks.count == 6 && tasks.allSatisfy { $0.display == .due })
        _ = try bench.system.hold(TableBench.queue, RQBench.note)
        try bench.insert(7)
        let worker = try PlayedWorker(bench.address, played)
        try until("the worker asks") { worker.hasLooked }
        let queue = try #require(try bench.queue())
        #expect(queue.held == 7 && queue.waiting == 7 && queue.hold?.note == RQBench.note)
        #expect(throws: QueueError.self) {
            try bench.system.hold(TableBench.queue, RQBench.note)
        }
        let step = try bench.system.step(
            TableBench.queue, task: tasks[3].reference, limits: Self.limits)
        #expect(step?.outcome == "success" || step?.note?.contains("was removed") == true)
        #expect(worker.all == [4])
        worker.failNext()
        let failed = try bench.system.step(
            TableBench.queue, task: tasks[1].reference, limits: Self.limits)
        #expect(failed?.outcome == "retry")
        try bench.insert(8)
        let next = try bench.system.step(TableBench.queue, task: nil, limits: Self.limits)
        #expect(next?.task.reference == tasks[0].reference)
        #expect(worker.all == [4, 2, 1])
        _ = try bench.system.release(TableBench.queue)
        let isLater = ["oban", "solidqueue"].contains(played.name)
        let rest = isLater ? [3, 5, 6, 7, 8] : [2, 3, 5, 6, 7, 8]
        try until("the others run") { worker.all.count == 3 + rest.count }
        #expect(worker.all.dropFirst(3).sorted() == rest)
        #expect(try bench.queue()?.hold == nil)
        worker.end()
    }

    @Test(
        "D3 without a worker a step takes the task back, with all that its row said",
        arguments: PlayedTable.all)
    func nobody(played: PlayedTable) throws {
        let bench = try TableBench(played, tasks: 2)
        let id = try bench.waiting()[1].reference
        _ = try bench.system.hold(TableBench.queue, RQBench.note)
        #expect(throws: QueueError.self) {
            try bench.system.step(
                TableBench.queue, task: id, limits: StepLimits(takeMilliseconds: 0))
        }
        #expect(try bench.waiting().map(\.display) == [.held, .held])
        _ = try bench.system.release(TableBench.queue)
        #expect(Set(try bench.waiting().map(\.display)) == [.due])
    }

    @Test(
        "D7 what verbs change is undone whole, held or not", arguments: PlayedTable.all,
        [false, true])
    func undo(played: PlayedTable, isHeld: Bool) throws {
        let bench = try TableBench(played, tasks: 3)
        let (system, id) = (bench.system, try bench.waiting()[1].reference)
        if isHeld { _ = try system.hold(TableBench.queue, RQBench.note) }
        let before = try bench.row(id)
        let later = Timestamp(milliseconds: 4_000_000_000_000)
        let payload: JSONValue =
            played.name == "que" ? ["a@b", "it's $1"] : ["to": "a@b", "it's": "$1 \\ x"]
        let changes: [ForeignChange] =
            [
                .skip, .edit(payload), .postpone(later), .delete,
            ] + (system.refusal(of: .priority) == nil ? [.priority(3)] : [])
        for change in changes {
            _ = try system.change(id, change, by: "dana")
            let detail = try system.detail(id)
            #expect(try bench.row(id) != before)
            switch change {
            case .skip: #expect(detail?.task.display == .skipped)
            case .edit: #expect(detail?.payload.value == payload)
            case .postpone: #expect(detail?.task.notBefore == later)
            case .delete:
                #expect(detail.map { [.cancelled, .failed].contains($0.task.display) } ?? true)
            default: #expect(detail?.task.priority == 3)
            }
            #expect(try system.undo(by: "dana")?.changed == [id])
            #expect(try bench.row(id) == before, "\(change)")
        }
        #expect(try system.undo(by: "dana") == nil)
        guard system.refusal(of: .move) != nil else { return }
        let refused = #expect(throws: QueueError.self) {
            try system.change(id, .move(.first), by: "dana")
        }
        #expect(refused?.message.contains("orders by its columns") == true)
    }

    @Test(
        "a skip outlives the end of a hold, and is taken in at its own time",
        arguments: PlayedTable.all)
    func skip(played: PlayedTable) throws {
        let bench = try TableBench(played, tasks: 2)
        let id = try bench.waiting()[0].reference
        let before = try bench.row(id)
        _ = try bench.system.hold(TableBench.queue, RQBench.note)
        _ = try bench.system.change(id, .skip, by: "dana")
        _ = try bench.system.release(TableBench.queue)
        #expect(try bench.system.detail(id)?.task.display == .skipped)
        #expect(try bench.queue()?.skipped == 1)
        _ = try bench.system.change(id, .unskip, by: "dana")
        #expect(try bench.row(id) == before)
    }

    @Test(
        "pages follow one another, and what has another form is refused", arguments: PlayedTable.all
    )
    func pages(played: PlayedTable) throws {
        let bench = try TableBench(played, tasks: 7)
        var seen: [String] = []
        _ = try bench.system.each(of: TableBench.queue, .waiting, limit: 100) {
            seen.append($0.reference)
            return true
        }
        var query = ForeignQuery(queue: TableBench.queue, state: .waiting, limit: 3)
        var paged: [String] = []
        for _ in 0..<3 {
            let page = try bench.system.page(query)
            paged += page.tasks.map(\.reference)
            #expect(page.more == (paged.count < 7))
            query.after = page.tasks.last?.reference
        }
        #expect(paged == seen && Set(paged).count == 7)
        #expect(try bench.system.detail("no such id") == nil)
        #expect(throws: QueueError.self) {
            try bench.system.change(seen[0], .edit(.string("text")), by: "dana")
        }
    }

    @Test(
        "a page of jobs is read with its executions as each of them alone",
        arguments: PlayedTable.all)
    func details(played: PlayedTable) throws {
        let bench = try TableBench(played, tasks: 4)
        let tasks = try bench.waiting()
        let details = try bench.system.details(of: tasks + [tasks[0]])
        #expect(details.map { $0?.task } == tasks + [tasks[0]])
        #expect(try details.dropLast() == tasks.map { try bench.system.detail($0.reference) }[...])
        #expect(try bench.system.details(of: []).isEmpty)
        for detail in details.compactMap(\.self) {
            #expect(try bench.system.obstacle(of: detail) == nil)
        }
    }

    @Test("X1 a lock, a paused class, a named queue and a system's own pause are said in its words")
    func words() throws {
        func bench(_ name: String) throws -> TableBench {
            try TableBench(try PlayedTable.named(name), tasks: 2)
        }
        func obstacle(_ bench: TableBench, _ place: Int) throws -> String? {
            let task = try bench.waiting()[place]
            let detail = try #require(try bench.system.detail(task.reference))
            return try bench.system.obstacle(of: detail)
        }
        let queue = try SQLSession.literal(TableBench.queue)
        let locked = try bench("procrastinate")
        try locked.session.run("UPDATE procrastinate_jobs SET lock = 'it''s'")
        #expect(try obstacle(locked, 0) == nil)
        #expect(try obstacle(locked, 1) == #"its lock "it's" is with #1, which comes first"#)
        let good = try bench("goodjob")
        try good.session.run(
            """
            INSERT INTO good_job_settings (key, value, created_at, updated_at) VALUES ('pauses',
            jsonb_build_object('job_classes', '["RunJob"]'::jsonb,
            'queues', jsonb_build_array(\(queue)::text)), now(), now())
            """)
        #expect(try obstacle(good, 0) == "its class RunJob is paused in GoodJob")
        #expect(try good.queue()?.ownPause?.contains("enable_pauses") == true)
        let river = try bench("river")
        try river.session.run(
            """
            INSERT INTO river_queue (name, paused_at, updated_at)
            VALUES (\(queue), '2026-01-02 03:04:05+00', now())
            """)
        #expect(try river.queue()?.ownPause == "since 2026-01-02T03:04:05Z")
        let graphile = try bench("graphile")
        try graphile.session.run(
            """
            INSERT INTO graphile_worker._private_job_queues (queue_name, locked_at, locked_by)
            VALUES ('kim', now(), 'w1');
            UPDATE graphile_worker._private_jobs SET job_queue_id = (
            SELECT q.id FROM graphile_worker._private_job_queues q)
            """)
        #expect(try obstacle(graphile, 0) == #"its named queue "kim" is locked by w1"#)
        let oban = try bench("oban")
        try oban.session.run("UPDATE oban_jobs SET state = 'suspended'")
        #expect(try obstacle(oban, 0) == "it is suspended in Oban")
    }

    @Test("a job of Que runs where its own database has the lock of its number, not another's")
    func locks() throws {
        let played = PlayedTable.que
        let (bench, other) = (try TableBench(played, tasks: 2), try TableBench(played, tasks: 1))
        try other.session.run("SELECT pg_advisory_lock(1)")
        #expect(try bench.waiting().map(\.display) == [.due, .due])
        try bench.session.run("SELECT pg_advisory_lock(2)")
        #expect(try bench.waiting().map(\.reference) == ["1"])
        #expect(try bench.queue()?.running == 1)
    }

    @Test(
        "the list has since when a job runs, as its system keeps it",
        arguments: [
            (PlayedTable.oban, "oban_jobs SET state = 'executing', attempted_at"),
            (PlayedTable.graphile, "graphile_worker._private_jobs SET locked_by = 'w', locked_at"),
        ])
    func since(played: PlayedTable, statement: String) throws {
        let bench = try TableBench(played, tasks: 1)
        try bench.session.run("UPDATE \(statement) = now() - interval '1 hour'")
        let queue = try #require(try bench.queue())
        let query = ForeignQuery(queue: queue.name, state: .running)
        let task = try #require(try bench.system.page(query).tasks.first)
        let detail = try bench.system.require(task.reference)
        let holder = try #require(try bench.system.holder(of: detail))
        #expect(holder.since != nil && task.startedAt == holder.since)
    }
}

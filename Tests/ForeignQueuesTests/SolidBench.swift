import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceForeignQueues

/// Tables of Solid Queue in one of the databases, with statements of its client and its workers.
final class SolidBench {
    let session: any RowSession
    let system: any ForeignSystem
    let address: String
    private let folder: String?

    init(_ engine: PlayedRows.Engine) throws {
        let schema = try PlayedTable.schema(
            engine == .postgres ? "solidqueue" : "solidqueue-\(engine)"
        ).joined()
        (address, folder) = try RowBench.database(engine, schema)
        let store = try ForeignStore.open(
            address, as: nil, keepers: KeeperLauncher { _, _ in })
        #expect(store.systems.map(\.name) == ["solidqueue"])
        system = try #require(store.systems.first)
        session = try RowBench.session(address)
        try run(
            """
            INSERT INTO solid_queue_processes (kind, last_heartbeat_at, pid, hostname, metadata,
            created_at, name) VALUES ('Worker', \(now), 42, 'web',
            '{"polling_interval":0.1,"queues":"*","thread_pool_size":3}', \(now), 'worker-1'),
            ('Dispatcher', \(now), 43, 'web', '{}', \(now), 'dispatcher-1')
            """)
    }

    deinit { if let folder { try? Files.removeTree(folder) } }

    var now: String { session.dialect.now(.date) }

    func run(_ statements: String...) throws {
        for statement in statements { try session.define(statement) }
    }

    func enqueue(_ numbers: ClosedRange<Int>, to queue: String = "mail") throws {
        for number in numbers {
            try run(
                """
                INSERT INTO solid_queue_jobs (queue_name, class_name, arguments, active_job_id,
                scheduled_at, created_at, updated_at) VALUES ('\(queue)', 'RunJob',
                '{"n":\(number),"executions":0}', 'job-\(number)', \(now), \(now), \(now))
                """,
                """
                INSERT INTO solid_queue_ready_executions (job_id, queue_name, priority, created_at)
                SELECT id, queue_name, priority, \(now) FROM solid_queue_jobs
                WHERE active_job_id = 'job-\(number)'
                """)
        }
    }

    func texts(_ question: String) throws -> [String] {
        try session.rows(question).map { RowSystem.text($0["value"]) }
    }

    func names() throws -> [String] {
        try texts("SELECT queue_name AS value FROM solid_queue_ready_executions ORDER BY job_id")
    }

    func serve(_ queues: String) throws {
        try run(
            """
            UPDATE solid_queue_processes SET metadata = '{"queues":"\(queues)"}'
            WHERE kind = 'Worker'
            """)
    }

    /// Everything that the tables say about jobs.
    func whole() throws -> [String] {
        let places = SolidQueuePlace.allCases.map(\.table)
        let tables =
            [("solid_queue_jobs", "id"), ("solid_queue_semaphores", "id")]
            + places.map { ($0, "job_id") } + [("solid_queue_pauses", "queue_name")]
        return try tables.flatMap { table, key in
            try session.rows("SELECT * FROM \(table) ORDER BY \(key)").map { "\(table) \($0.text)" }
        }
    }

    /// The only queue, counted now: a slow count is kept for a while.
    func queue() throws -> ForeignQueue? {
        (system as? SolidQueueSystem)?.rows.forget()
        return try system.queues().first
    }

    func waiting() throws -> [ForeignTask] {
        try system.page(ForeignQuery(queue: "mail", state: .waiting)).tasks
    }
}

/// A worker that claims as Solid Queue does, and records its jobs.
final class SolidWorker: Sendable {
    private let taken = Protected<[String]>([])
    private let failing = Protected(false)
    private let isEnding = Protected(false)
    private let looked = Protected(false)
    private let thread: Thread

    init(_ address: String) throws {
        let (taken, failing, isEnding, looked) = (taken, failing, isEnding, looked)
        thread = try Thread(name: "solid") {
            guard let session = try? RowBench.session(address) else { return }
            while !isEnding.withLock({ $0 }) {
                if let id = (try? Self.claim(session)) ?? nil {
                    taken.withLock { $0.append(id) }
                    let isFailure = failing.withLock { $0 }
                    failing.withLock { $0 = false }
                    _ = try? Self.end(id, session, isFailure: isFailure)
                }
                looked.withLock { $0 = true }
                _ = try? Poll.wait(fds: [], timeoutMilliseconds: 5)
            }
        }
    }

    private static func claim(_ session: any RowSession) throws -> String? {
        try session.transaction {
            let row = try session.first(
                """
                SELECT job_id FROM solid_queue_ready_executions WHERE queue_name NOT IN (
                SELECT queue_name FROM solid_queue_pauses) ORDER BY priority, job_id LIMIT 1
                \(session.dialect.locking)
                """)
            guard let row else { return nil }
            let id = RowSystem.text(row["job_id"])
            try session.changeOne("DELETE FROM solid_queue_ready_executions WHERE job_id = \(id)")
            try session.changeOne(
                """
                INSERT INTO solid_queue_claimed_executions (job_id, process_id, created_at)
                VALUES (\(id), 1, \(session.dialect.now(.date)))
                """)
            return id
        }
    }

    /// Ends a job; after a failure Active Job retries with a new one.
    private static func end(
        _ id: String, _ session: any RowSession, isFailure: Bool
    ) throws {
        let now = session.dialect.now(.date)
        try session.transaction {
            if isFailure {
                try session.changeOne(
                    """
                    INSERT INTO solid_queue_jobs (queue_name, class_name, arguments, active_job_id,
                    scheduled_at, created_at, updated_at) SELECT queue_name, class_name,
                    '{"n":2,"executions":1}', active_job_id, '2037-01-01 00:00:00', \(now), \(now)
                    FROM solid_queue_jobs WHERE id = \(id)
                    """)
                try session.changeOne(
                    """
                    INSERT INTO solid_queue_scheduled_executions (job_id, queue_name, priority,
                    scheduled_at, created_at) SELECT max(id), 'mail', 0, '2037-01-01 00:00:00',
                    \(now) FROM solid_queue_jobs
                    """)
            }
            try session.changeOne(
                "UPDATE solid_queue_jobs SET finished_at = \(now) WHERE id = \(id)")
            try session.changeOne("DELETE FROM solid_queue_claimed_executions WHERE job_id = \(id)")
        }
    }

    var all: [String] { taken.withLock { $0 } }
    var hasLooked: Bool { looked.withLock { $0 } }
    func failNext() { failing.withLock { $0 = true } }

    func end() {
        isEnding.withLock { $0 = true }
        thread.join()
    }
}

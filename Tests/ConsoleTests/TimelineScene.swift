import SluiceControl
import SluiceModel
import SluiceStore

@testable import SluiceConsole

/// A queue of runs as the drawing has it: two runs that ended, with a retry, a failure and a group.
enum TimelineScene {
    static let now = LivingScene.now

    /// Moments of the newest run, in milliseconds after its first attempt.
    static let began = now + -8000

    static func store() throws -> MemoryStore {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { try fill($0) }
        return store
    }

    static func fill(_ store: any StoreWriter) throws {
        var startup = QueueRecord(name: "startup", createdAt: LivingScene.ago(86_400))
        startup.settings.start = .manual
        startup.lastRunEnd = began + 4000
        try store.put(startup)
        try store.put(QueueRecord(name: "jobs", createdAt: LivingScene.ago(86_400)))
        try store.put(LivingScene.runner(1, pid: 4710, types: nil))
        _ = try store.reserveTaskIDs(100)
        _ = try store.reserveNumber()
        try store.insert(tasks.map { NewTask(task: $0, payload: []) })
        // The run before had one task, now forgotten.
        try store.put([attempt(90, "network", 1, -60_000, 300)])
        try endRun(store, -59_000, attempts: 1)
        try store.put([
            attempt(1, "network", 1, 0, 420), attempt(2, "location", 1, 420, 330),
            attempt(3, "my information", 1, 750, 270, failed: "HTTP 401"),
            attempt(3, "my information", 2, 1500, 330), attempt(4, "login", 1, 1830, 1320),
            attempt(10, "my information", 1, 3150, 220), attempt(5, "app info", 1, 3370, 180),
            attempt(7, "option update", 1, 3700, 170, failed: "HTTP 500", isLast: true),
        ])
        try endRun(store, 4000, attempts: 8)
    }

    static func endRun(_ store: any StoreWriter, _ offset: Int64, attempts: Int) throws {
        try store.append([
            JournalEvent(
                at: began + offset, kind: "runEnded", queue: "startup", task: nil, by: "sluice",
                text: "the run ended after \(attempts) attempts")
        ])
    }

    private static var tasks: [QueueTask] {
        let types: [(TaskID, String)] = [
            (1, "network"), (2, "location"), (3, "my information"), (4, "login"),
            (5, "app info"), (7, "option update"), (10, "my information"),
        ]
        return types.map { id, type in
            var task = task(id, type)
            task.state = .succeeded(Success(at: began + (id == 4 ? 3150 : 4000)))
            task.executions = id == 3 ? 2 : 1
            if id == 4 { task.groupStart = "login" }
            if id == 10 { task.groupMembers = ["login"] }
            if id == 7 {
                task.state = .failed(Failure(at: began + 3870, reason: "", startPolicy: nil))
            }
            return task
        }
    }

    static func task(_ id: TaskID, _ type: String, queue: String = "startup") -> QueueTask {
        LivingScene.task(id, queue, type, 60)
    }

    static func attempt(
        _ id: TaskID, _ type: String, _ number: Int, _ start: Int64, _ length: Int64?,
        failed: String? = nil, isLast: Bool = false, queue: String = "startup"
    ) -> AttemptRecord {
        var attempt = AttemptRecord(
            task: task(id, type, queue: queue), number: number, runner: 1,
            startedAt: began + start)
        guard let length else { return attempt }
        attempt.endedAt = began + start + length
        attempt.outcome = failed == nil ? .success : .retry
        (attempt.isCounted, attempt.error) = (true, failed)
        if failed != nil { attempt.consequence = isLast ? "given up" : "retry in 480 ms" }
        return attempt
    }
}

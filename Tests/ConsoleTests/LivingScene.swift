import SluiceControl
import SluiceModel
import SluiceStore

/// A store with the scene of the drawings: five queues, groups, timers, two runners.
enum LivingScene {
    /// 2026-01-31 14:03:22 UTC.
    static let now = Timestamp(milliseconds: 1_769_868_202_000)

    static func store() throws -> MemoryStore {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { try fill($0) }
        return store
    }

    static func fill(_ store: any StoreWriter) throws {
        for queue in queues { try store.put(queue) }
        try store.put(runner(1, pid: 4710, types: nil))
        try store.put(runner(2, pid: 4711, types: ["upload", "resize"]))
        _ = try store.reserveTaskIDs(1052)
        for _ in 0..<2 { _ = try store.reserveNumber() }
        var tasks = profiles
        tasks.append(running(877, "uploads", "upload", since: 400_000, owner: 2))
        tasks.append(running(930, "messages", "push", since: 3000, owner: 1))
        for index in 0..<12 { tasks.append(task(600 + Int64(index), "messages", "push", 90)) }
        tasks.append(retrying(911, "jobs", "resize", 2, age: 600, in: 24, of: 30))
        try store.insert(tasks.map { NewTask(task: $0, payload: payload($0)) })
        try store.put(attempts)
        try store.append([
            JournalEvent(
                at: ago(1), kind: "pause", queue: "profiles", task: nil, by: "dana",
                text: "profiles paused by dana: checking #1040")
        ])
    }

    static func ago(_ seconds: Int64) -> Timestamp { now + -1000 * seconds }

    private static var queues: [QueueRecord] {
        func queue(_ name: String, _ priority: Int) -> QueueRecord {
            var queue = QueueRecord(name: name, createdAt: ago(86_400))
            queue.settings.priority = priority
            return queue
        }
        var profiles = queue("profiles", 9)
        profiles.pauses = [
            Pause(cause: .person, by: "dana", reason: "checking #1040", since: ago(120))
        ]
        return [
            profiles, queue("messages", 5), queue("uploads", 1), queue("jobs", 1),
            queue("startup", 0),
        ]
    }

    static func runner(_ id: ProcessID, pid: Int64, types: [String]?) -> ProcessRecord {
        var process = ProcessRecord(
            id: id, role: .runner, host: "atlas", bootID: "b", pid: pid, lockName: "r\(id).lock",
            attachedAt: ago(3600))
        process.slots = 4
        process.types = types
        return process
    }

    static func task(
        _ id: TaskID, _ queue: String, _ type: String, _ age: Int64
    ) -> QueueTask {
        QueueTask(id: id, queue: queue, type: type, position: id << 20, createdAt: ago(age))
    }

    static func running(
        _ id: TaskID, _ queue: String, _ type: String, since: Int64, owner: ProcessID
    ) -> QueueTask {
        var task = task(id, queue, type, 500)
        task.state = .running(
            Running(owner: owner, token: id, attempt: 1, since: now + -since))
        task.executions = 1
        return task
    }

    static func retrying(
        _ id: TaskID, _ queue: String, _ type: String, _ attempts: Int, age: Int64,
        in seconds: Int64, of whole: Int64
    ) -> QueueTask {
        var task = task(id, queue, type, age)
        task.attempts = attempts
        task.executions = attempts
        task.lastError = "HTTP 500 Internal Server Error"
        task.state = .waiting(
            Waiting(
                timer: WaitTimer(
                    until: now + seconds * 1000, cause: .retry,
                    since: now + (seconds - whole) * 1000)))
        return task
    }

    private static func member(
        _ id: TaskID, _ type: String, of group: String, _ age: Int64
    ) -> QueueTask {
        var member = task(id, "profiles", type, age)
        member.groupMembers = [group]
        member.isHeld = true
        return member
    }

    private static func start(
        _ id: TaskID, _ type: String, of group: String, _ age: Int64
    ) -> QueueTask {
        var start = task(id, "profiles", type, age)
        start.groupStart = group
        return start
    }

    private static var profiles: [QueueTask] {
        var first = start(1040, "identify", of: "dana", 120)
        first.attempts = 2
        first.executions = 2
        first.priority = 5
        var skipped = task(1044, "profiles", "metric", 360)
        skipped.state = .waiting(Waiting())
        var waiting = Waiting()
        waiting.skip = Skip(by: "dana", since: ago(60), until: nil, endsWithRun: false)
        skipped.state = .waiting(waiting)
        var delayed = task(1049, "profiles", "screen", 51)
        delayed.state = .waiting(
            Waiting(
                timer: WaitTimer(until: now + 1_598_000, cause: .notBefore, since: ago(51))))
        var mira = retrying(1051, "profiles", "identify", 1, age: 44, in: 100, of: 120)
        mira.groupStart = "mira"
        var failed = task(1039, "profiles", "track", 7200)
        failed.attempts = 10
        failed.executions = 10
        failed.state = .failed(
            Failure(at: ago(3000), reason: "HTTP 404 Not Found", startPolicy: nil))
        return [
            first, member(1041, "track", of: "dana", 120), member(1042, "track", of: "dana", 118),
            retrying(1043, "profiles", "metric", 3, age: 300, in: 12, of: 48), skipped,
            task(1045, "profiles", "track", 61), start(1046, "register", of: "token c25", 60),
            member(1047, "unregister", of: "token c25", 60), task(1048, "profiles", "track", 58),
            delayed, task(1050, "profiles", "track", 50), mira,
            member(1052, "track", of: "mira", 44), failed,
        ]
    }

    static func payload(_ task: QueueTask) -> [UInt8] {
        Array(
            #"{"id":\#(task.id),"user":"dana","at":1769868202,"token":"eyJ1IjoxLCJyIjpbMSwyXX0="}"#
                .utf8)
    }

    private static var attempts: [AttemptRecord] {
        func attempt(
            _ id: TaskID, _ queue: String, _ type: String, _ number: Int, _ start: Int64,
            _ milliseconds: Int64, _ outcome: AttemptRecord.Outcome?, _ error: String?,
            _ consequence: String?
        ) -> AttemptRecord {
            var record = AttemptRecord(
                task: task(id, queue, type, 0), number: number, runner: 1, startedAt: ago(start))
            record.outcome = outcome
            record.isCounted = true
            record.error = error
            record.consequence = consequence
            if outcome != nil { record.endedAt = ago(start) + milliseconds }
            return record
        }
        var upload = attempt(877, "uploads", "upload", 1, 400, 0, nil, nil, nil)
        upload.fraction = 0.42
        upload.progressText = "412 MiB of 981 MiB, 8.2 MiB/s, 1m 10s left"
        return [
            attempt(1040, "profiles", "identify", 1, 300, 210, .retry, "HTTP 503", "retry in 1s"),
            attempt(1040, "profiles", "identify", 2, 200, 190, .timedOut, "30s", "retry in 2s"),
            attempt(1038, "jobs", "resize", 1, 51, 88, .success, nil, nil),
            attempt(
                1051, "profiles", "identify", 1, 25, 402, .retry,
                "HTTP 500 Internal Server Error", "retry in 2m"),
            upload,
        ]
    }
}

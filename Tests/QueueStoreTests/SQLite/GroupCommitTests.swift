import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceSQL

private struct Refused: Error {}

/// A write lock whose first wait is long, so that others arrive.
private final class LateWriteLock: WriteLock {
    private let lock: FileWriteLock
    private var wait: (() -> Void)?

    init(_ connection: Connection, wait: @escaping () -> Void) {
        (lock, self.wait) = (FileWriteLock(connection) {}, wait)
    }

    var mayBeSharedLater: Bool { true }

    func begin(
        _ session: TableWriter, isShared: Bool, mayJoin: Bool
    ) throws(QueueError) -> Bool {
        wait?()
        wait = nil
        return try lock.begin(session, isShared: true, mayJoin: mayJoin)
    }

    func committed() { lock.committed() }
    func ended() { lock.ended() }
}

@Suite("Writers share commits")
struct GroupCommitTests {
    @Test("P1 64 writers at once share a few commits, and each finds its work in the file")
    func shared() async throws {
        let place = try Place()
        let faults = WriteFaults()
        let store = try place.openWithQueue(faults: faults)
        let (entered, leave, arrived) = (Waiter(), Waiter(), Waiter())
        faults.fail(from: nil)
        // The first holds the writer until the others have come.
        let first = try Thread(name: "first") {
            do {
                try store.writeBlocking { _ in
                    entered.add()
                    _ = leave.passes(0)
                }
            } catch {
                Issue.record(error)
            }
        }
        while entered.count == 0 { await Task.yield() }
        let ids = try await withThrowingTaskGroup(of: TaskID.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    arrived.add()
                    return try await store.write { try $0.insertTasks()[0] }
                }
            }
            while arrived.count < 64 { await Task.yield() }
            leave.add()
            return try await group.reduce(into: [TaskID]()) { $0.append($1) }
        }
        first.join()
        #expect(ids.sorted() == Array(1...64))
        #expect(try place.sql("SELECT count(*) FROM sluice_task") == ["64"])
        // Each commit has some statements that insert and two that count; alone they had 256.
        #expect(faults.steps <= 64)
        store.close()
    }

    /// Runs bodies as one batch, which others join in between; returns each one's result.
    private func batch(
        _ place: Place, _ faults: WriteFaults? = nil,
        _ bodies: [@Sendable (any StoreWriter) throws -> TaskID],
        late: [[@Sendable (any StoreWriter) throws -> TaskID]] = []
    ) throws -> (done: Int, told: [Result<TaskID, any Error>], commits: Int) {
        let connection = try Connection(path: place.path, mode: .readWrite, faults: faults)
        let told = Protected<[Result<TaskID, any Error>]>([])
        let commits = Protected(0)
        let batch = WriteBatch(connection) { commits.withLock { $0 += 1 } }
        // However busy the machine is.
        batch.nanosecondLimit = 3_600_000_000_000
        func job(_ body: @escaping @Sendable (any StoreWriter) throws -> TaskID) -> any WriteJob {
            BodyJob(body) { result in told.withLock { $0.append(result) } }
        }
        var (jobs, coming, count) = (bodies.map(job), late[...], bodies.count)
        let done = batch.commit(&jobs) { limit in
            #expect(limit == WriteBatch.bodyLimit - count)
            let more = (coming.popFirst() ?? []).map(job)
            count += more.count
            return more
        }
        return (done, told.withLock { $0 }, commits.withLock { $0 })
    }

    @Test("P1 P2 who comes while a shared commit is under way shares it, and nobody waits for one")
    func late() throws {
        let place = try Place()
        try place.openWithQueue().close()
        let add: @Sendable (any StoreWriter) throws -> TaskID = { try $0.insertTasks()[0] }
        let refused: @Sendable (any StoreWriter) throws -> TaskID = { writer in
            try writer.insertTasks()
            throw Refused()
        }
        let shared = try batch(place, nil, [add, add], late: [[add, refused], [add]])
        #expect(shared.done == 5 && shared.commits == 1)
        #expect(shared.told.compactMap { try? $0.get() } == [1, 2, 3, 4])
        // One that began alone has no savepoint for others.
        let alone = try batch(place, nil, [add], late: [[add]])
        #expect(alone.done == 1 && alone.commits == 1)
        #expect(try place.sql("SELECT id FROM sluice_task") == ["1", "2", "3", "4", "5"])
        #expect(try place.sql("SELECT count(DISTINCT position) FROM sluice_task") == ["5"])
    }

    @Test("P1 a caller whose commit others join does not go on for them after its own body")
    func callers() async throws {
        let place = try Place()
        try place.openWithQueue().close()
        let (begun, goOn) = (Waiter(), Waiter())
        let connection = try Connection(path: place.path, mode: .readWrite)
        let lock = LateWriteLock(connection) {
            begun.add()
            _ = goOn.passes(0)
        }
        let batch = WriteBatch(connection, lock: lock, settingsCache: SettingsCache())
        // One body for each commit.
        batch.nanosecondLimit = 0
        let commits = GroupCommit(name: "app.db", bodies: BodyThreads(), batch: batch)
        let add: @Sendable (any StoreWriter) throws -> UInt = { writer in
            try writer.insertTasks()
            return Thread.currentNumber
        }
        let own = Protected<[UInt]>([])
        let first = try Thread(name: "first") {
            do {
                let number = try commits.writeBlocking(add)
                own.withLock { $0 = [number, Thread.currentNumber] }
            } catch {
                Issue.record(error)
            }
        }
        #expect(begun.passes(0))
        let others = try await withThrowingTaskGroup(of: UInt.self) { group in
            for _ in 0..<5 { group.addTask { try await commits.write(add) } }
            for _ in 0..<1000 { await Task.yield() }
            goOn.add()
            return try await group.reduce(into: [UInt]()) { $0.append($1) }
        }
        first.join()
        commits.close()
        let numbers = own.withLock { $0 }
        #expect(Set(numbers).count == 1 && numbers.count == 2)
        #expect(others.count == 5 && !others.contains(numbers[0]))
        #expect(try place.sql("SELECT count(*) FROM sluice_task") == ["6"])
    }

    @Test(
        "P2 of writers that share a commit, one that throws undoes itself alone",
        arguments: [1, 30], [false, true])
    func alone(count: Int, asks: Bool) throws {
        let place = try Place()
        try place.openWithQueue().close()
        let result = try batch(
            place,
            nil,
            (0..<count).map { number in
                { writer in
                    let id = try writer.insertTasks(3)[0]
                    // The query flushes the buffered changes to the tables.
                    if asks && number % 2 == 0 { _ = try writer.nearestPosition() }
                    if number % 3 == 0 { throw Refused() }
                    return id
                }
            })
        let kept = count / 3 * 2
        #expect(result.done == count && result.told.count == count)
        #expect(result.told.compactMap { try? $0.get() }.count == kept)
        #expect(try place.sql("SELECT count(*) FROM sluice_task") == ["\(kept * 3)"])
        #expect(result.commits == (kept == 0 ? 0 : 1))
        let store = try place.open()
        #expect(try store.readBlocking { try $0.counts(queue: "q")[.waiting] } == kept * 3)
        #expect(try store.writeBlocking { try $0.reserveTaskIDs(1) } == Int64(kept * 3 + 1))
        store.close()
    }

    /// Gives a task to a runner, and lets another one end: what such bodies change is kept back.
    private static func work(
        _ number: Int64, _ writer: any StoreWriter, asks: Bool, fails: Bool
    ) throws -> TaskID {
        var task = try #require(try writer.task(2 * number + 1))
        let token = try writer.reserveNumber()
        task.state = .running(
            Running(owner: 7 + number / 20, token: token, attempt: 1, since: at(5), isStep: false))
        (task.executions, task.updatedAt) = (1, at(5))
        task.version += 1
        try writer.update([task])
        if asks { _ = try writer.nearestPosition() }
        let other = try #require(try writer.task(2 * number + 2))
        var attempt = AttemptRecord(task: other, number: 1, runner: 7, startedAt: at(number))
        (attempt.endedAt, attempt.outcome, attempt.isCounted) = (at(9), .success, true)
        if number % 7 == 0 { attempt.error = "told" }
        try writer.remove([other.id])
        try writer.put([attempt])
        if fails { throw Refused() }
        return task.id
    }

    @Test(
        "P2 claims and ends that share a commit leave what they leave one by one",
        arguments: [3, 90], [1, 2, 5])
    func together(count: Int, asking: Int64) throws {
        let places = [try Place(), try Place()]
        for (place, size) in zip(places, [count, 1]) {
            let store = try place.openWithQueue()
            _ = try store.writeBlocking { try $0.insertTasks(2 * count) }
            store.close()
            let bodies = (0..<count).map { number in
                { @Sendable (writer: any StoreWriter) in
                    try Self.work(
                        Int64(number), writer, asks: Int64(number) % asking == 1,
                        fails: number % 3 == 2)
                }
            }
            for start in stride(from: 0, to: count, by: size) {
                let told = try batch(place, nil, Array(bodies[start..<start + size])).told
                #expect(told.count == size)
            }
        }
        let (shared, alone) = try (places[0].dump(), places[1].dump())
        // Each store has a unique name.
        #expect(shared.filter { !$0.hasPrefix("sluice_store") }.count > 2 * count)
        #expect(Set(shared).symmetricDifference(alone).allSatisfy { $0.hasPrefix("sluice_store") })
        let ended = try places[0].sql("SELECT count(*) FROM sluice_attempt")
        #expect(ended == ["\(count / 3 * 2)"])
    }

    @Test("P2 a commit that fails fails all that shared it, and keeps nothing", arguments: [1, 5])
    func failedCommit(count: Int) throws {
        let place = try Place()
        try place.openWithQueue().close()
        let before = try place.dump()
        let faults = WriteFaults()
        let bodies: [@Sendable (any StoreWriter) throws -> TaskID] = Array(
            repeating: { try $0.insertTasks()[0] }, count: count)
        let other = try Place()
        try other.openWithQueue().close()
        faults.fail(from: nil)
        _ = try batch(other, faults, bodies)
        // The commit is the last that can fail.
        faults.fail(from: faults.steps)
        let result = try batch(place, faults, bodies)
        #expect(result.told.count == count && result.commits == 0)
        for told in result.told { #expect(throws: QueueError.self) { try told.get() } }
        #expect(try place.dump() == before)
    }

    @Test("P2 what earlier bodies brought and cannot be written fails all that shared the commit")
    func failedRows() throws {
        let place = try Place()
        try place.openWithQueue().close()
        let before = try place.dump()
        let faults = WriteFaults()
        faults.fail(from: nil)
        let result = try batch(
            place, faults,
            [
                // The first one queries the numbers, and later ones know them.
                { try $0.insertTasks()[0] },
                { try $0.insertTasks()[0] },
                { writer in
                    // Its question is what the rows of the second were waiting for.
                    faults.fail(from: 1)
                    _ = try? writer.nearestPosition()
                    faults.fail(from: nil)
                    return 0
                },
                { try $0.insertTasks()[0] },
            ])
        // Who came after the failure has another turn.
        #expect(result.done == 3 && result.commits == 0)
        for told in result.told { #expect(throws: QueueError.self) { try told.get() } }
        #expect(try place.dump() == before)
    }

    @Test("A writer forgets what it knew of the tables once another one has written")
    func foreign() throws {
        let place = try Place()
        let (one, other) = (try place.openWithQueue(), try place.open())
        defer {
            one.close()
            other.close()
        }
        for round in 1...3 {
            let ids = try one.writeBlocking { try $0.insertTasks(2) }
            #expect(ids.first == Int64(4 * round - 3))
            try other.writeBlocking { writer in
                try writer.insertTasks(2)
                var queue = try #require(try writer.queue(named: "q"))
                queue.settings.priority = round
                try writer.put(queue)
            }
            let seen = try one.writeBlocking { writer in
                (
                    try writer.queue(named: "q")?.settings.priority,
                    try writer.counts(queue: "q")[.waiting],
                    try writer.lastPosition(queue: "q") == writer.nearestPosition()
                )
            }
            #expect(seen.0 == round && seen.1 == 4 * round && seen.2)
        }
    }

    @Test("A task that goes and comes again in one body is there")
    func again() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        defer { store.close() }
        _ = try store.writeBlocking { try $0.insertTasks(3) }
        try store.writeBlocking { writer in
            var task = try #require(try writer.task(2))
            try writer.remove([1, 2])
            task.priority = 7
            try writer.insert([NewTask(task: task, payload: [1])])
        }
        let rows = try place.sql("SELECT id || ' ' || priority FROM sluice_task ORDER BY id")
        #expect(rows == ["2 7", "3 0"])
    }

    @Test("A body that swallows a failed change cannot commit the rest")
    func swallowed() throws {
        let place = try Place()
        let faults = WriteFaults()
        let store = try place.openWithQueue(faults: faults)
        let before = try place.dump()
        #expect(throws: QueueError.self) {
            try store.writeBlocking { writer in
                try writer.insertTasks()
                faults.fail(from: 2)
                // More than the buffer holds.
                _ = try? writer.insertTasks(1025)
                faults.fail(from: nil)
            }
        }
        #expect(try place.dump() == before)
        store.close()
    }

    @Test("A body may not ask its store for another transaction")
    func nested() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        #expect(throws: QueueError.self) {
            try store.writeBlocking { _ in _ = try store.readBlocking { try $0.queues() } }
        }
        #expect(throws: QueueError.self) {
            try store.readBlocking { _ in _ = try store.writeBlocking { try $0.reserveNumber() } }
        }
        #expect(try store.writeBlocking { try $0.reserveNumber() } == 1)
        store.close()
        #expect(throws: QueueError.self) { try store.readBlocking { try $0.queues() } }
        #expect(throws: QueueError.self) { try store.writeBlocking { try $0.reserveNumber() } }
    }
}

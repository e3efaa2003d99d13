import SluiceModel
import SluiceStore
import Testing

@testable import SluiceSQL

@Suite("What fails leaves nothing, and what is derived is right")
struct AnomalyTests {
    /// Writes that change many tables, by name.
    private static let writes: [(String, @Sendable (any StoreWriter) throws -> Void)] = [
        (
            "insert",
            { writer in
                try writer.insertTasks(2, payload: Array(repeating: 1, count: 600)) {
                    $0.groupMembers = ["g"]
                }
            }
        ),
        (
            "update",
            { writer in
                var generator = Generator(seed: 3)
                try writer.update((1...4).map { generator.task($0) })
            }
        ),
        (
            "order",
            { writer in
                var queue = try writer.requireQueue("q")
                queue.settings.order = .lifo
                queue.settings.startsExpire = false
                try writer.put(queue)
            }
        ),
        ("marks", { try $0.clearRunMarks(queue: "q") }),
        ("remove", { try $0.remove([1, 2, 3]) }),
        ("removeQueue", { try $0.removeQueue(named: "q") }),
        (
            "journal",
            { writer in
                var generator = Generator(seed: 4)
                try writer.put([generator.attempt(generator.task(1), 1)])
                try writer.append([
                    JournalEvent(at: at(1), kind: "k", queue: "q", task: 1, by: "a", text: "t")
                ])
                try writer.put(generator.process())
            }
        ),
    ]

    private func filled(_ place: Place, _ faults: WriteFaults) throws -> SQLiteStore {
        let store = try place.openWithQueue(faults: faults)
        try store.writeBlocking { writer in
            var generator = Generator(seed: 2)
            let first = try writer.reserveTaskIDs(12)
            try writer.insert(
                (first..<first + 12).map { id in
                    NewTask(task: generator.task(id), payload: Array(repeating: 2, count: 700))
                })
        }
        return store
    }

    @Test("P2 a write that fails at any statement leaves the store as it was", arguments: 0..<7)
    func everyStatement(write: Int) throws {
        let place = try Place()
        let faults = WriteFaults()
        let store = try filled(place, faults)
        let body = Self.writes[write].1
        let before = try place.dump()
        var failing = 0
        while true {
            failing += 1
            faults.fail(from: failing)
            do {
                try store.writeBlocking(body)
                break
            } catch {
                #expect((error as? QueueError)?.code == .diskFull)
                #expect(try place.dump() == before)
            }
        }
        #expect(failing > 2)
        #expect(try place.dump() != before)
        store.close()
    }

    @Test("T2 tallies and group rows equal what the tasks say", arguments: 0..<12)
    func derived(seed: Int) throws {
        let place = try Place()
        let store = try place.open()
        for step in 0..<12 {
            try store.writeBlocking { writer in
                var generator = Generator(seed: 100 * seed + step)
                let name = generator.pick(["q", "r"])
                if step < 2 || generator.flag() {
                    try writer.put(generator.queue(step < 2 ? ["q", "r"][step] : name))
                }
                let first = try writer.reserveTaskIDs(20)
                try writer.insert(
                    (first..<first + 20).map { id in
                        NewTask(task: generator.task(id, queue: step < 2 ? "q" : name), payload: [])
                    })
                let some = try writer.tasks((1..<first).filter { $0 % 3 == Int64(step % 3) })
                try writer.update(
                    some.map { task in
                        generator.task(
                            task.id, queue: generator.flag() || step < 2 ? task.queue : name)
                    })
                try writer.remove([first, first + 7])
                if generator.flag() { try writer.clearRunMarks(queue: step < 2 ? "q" : name) }
            }
            try audit(place)
        }
        store.close()
    }

    private func audit(_ place: Place) throws {
        let tasks = try place.sql(
            """
            SELECT queue || '|' || state || '|' || place || '|' || count(*) FROM (
                SELECT queue, state, CASE WHEN state = 0 THEN lane & 127 ELSE 0 END AS place
                FROM sluice_task)
            GROUP BY queue, state, place ORDER BY queue, state, place
            """)
        let tally = try place.sql(
            """
            SELECT queue || '|' || state || '|' || lane || '|' || n FROM sluice_tally
            WHERE queue > 0 AND n <> 0 ORDER BY queue, state, lane
            """)
        #expect(tasks == tally)
        let roles = try place.sql(
            """
            SELECT queue || name || '|' || sum(holds) || '|' || sum(is_member AND state = 0)
                || '|' || sum(is_member AND state = 1) AS line
            FROM sluice_role GROUP BY queue, name
            HAVING sum(holds) + sum(is_member AND state < 2) > 0 ORDER BY line
            """)
        let groups = try place.sql(
            """
            SELECT queue || name || '|' || starts || '|' || waiting || '|' || running AS line
            FROM sluice_group ORDER BY line
            """)
        #expect(roles == groups)
        let strays = try place.sql(
            """
            SELECT r.task FROM sluice_role r LEFT JOIN sluice_task t ON t.id = r.task
            WHERE t.id IS NULL OR t.queue <> r.queue OR t.state <> r.state
                OR t.rank <> r.rank OR t.position <> r.position
            """)
        #expect(strays.isEmpty)
    }

    @Test("T1 a number is never given twice, whatever is removed and undone")
    func numbers() throws {
        let place = try Place()
        var store = try place.openWithQueue()
        let first = try store.writeBlocking { try $0.insertTasks(5) }
        try store.writeBlocking { try $0.remove(first) }
        store.close()
        store = try place.open()
        let second = try store.writeBlocking { try $0.insertTasks(2) }
        try store.writeBlocking { try $0.removeQueue(named: "q") }
        let third = try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "q", createdAt: at(0)))
            return try writer.insertTasks(1)
        }
        #expect(first + second + third == Array(1...8))
        store.close()
    }
}

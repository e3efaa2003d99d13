import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Orders of a list")
struct OrderTests {
    private static let now = LivingScene.now

    private func bench(_ count: Int = 9) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            for name in ["mail", "push"] {
                try writer.put(QueueRecord(name: name, createdAt: Self.now))
            }
            _ = try writer.reserveTaskIDs(count)
            var attempts: [AttemptRecord] = []
            let tasks = (1...TaskID(count)).map { id in
                var task = LivingScene.task(id, id % 3 == 0 ? "push" : "mail", "send", 60)
                task.position = (100 - id) << 20
                task.createdAt = LivingScene.ago(id * 7 % 10 * 10)
                task.updatedAt = LivingScene.ago(id * 3 % 10)
                task.attempts = Int(id * 7 % 5)
                if id % 2 == 0 { task.lastError = "error \(9 - id)" }
                if id < 4 {
                    task.executions = 1
                    var attempt = AttemptRecord(
                        task: task, number: 1, runner: 1, startedAt: LivingScene.ago(50))
                    attempt.endedAt = LivingScene.ago(50) + id * 100
                    attempts.append(attempt)
                }
                return task
            }
            try writer.insert(tasks.map { NewTask(task: $0, payload: []) })
            try writer.put(attempts)
        }
        return Bench(store: store, size: Size(width: 118, height: 32), now: Self.now)
    }

    private func ids(_ bench: Bench) -> [TaskID] { bench.state.list.page.rows.map(\.task.id) }

    @Test("K16 o goes through the orders, and back to that in which the tasks run")
    func orders() throws {
        let bench = try bench()
        #expect(ids(bench) == [8, 7, 5, 4, 2, 1])
        let wanted: [(String, [TaskID])] = [
            ("by number", [1, 2, 4, 5, 7, 8]),
            ("by age", [7, 4, 1, 8, 5, 2]),
            ("by last change", [7, 4, 1, 8, 5, 2]),
            ("by tries", [2, 7, 4, 1, 8, 5]),
            ("by duration", [2, 1, 4, 5, 7, 8]),
            ("by error", [8, 4, 2, 1, 5, 7]),
        ]
        let tasks = try bench.store.readBlocking { try $0.tasks([1, 2, 4, 5, 7, 8]) }
        func check(_ key: (QueueTask) -> Int64) {
            let keys = bench.state.list.page.rows.map { key($0.task) }
            #expect(keys == tasks.map(key).sorted())
        }
        for (words, order) in wanted {
            bench.press("o")
            #expect(bench.screen.contains("row") && bench.screen.contains(words), "\(words)")
            switch words {
            case "by age": check { $0.createdAt.milliseconds }
            case "by last change": check { -$0.updatedAt.milliseconds }
            case "by tries": check { -Int64($0.attempts) }
            default: #expect(ids(bench) == order, "\(words)")
            }
        }
        bench.press("m")
        #expect(bench.message.contains("running order"), "\(bench.message)")
        bench.press("o")
        #expect(ids(bench) == [8, 7, 5, 4, 2, 1])
    }

    @Test("K1 K16 the cursor keeps its task when the order changes, and when the store does")
    func cursor() throws {
        let bench = try bench()
        bench.press("j j")
        let id = bench.state.list.line?.task.id
        for _ in 0..<7 {
            bench.press("o")
            #expect(bench.state.list.line?.task.id == id)
        }
        bench.press("o o o")
        try bench.change { store in
            guard var task = try store.task(5) else { return }
            (task.updatedAt, task.version) = (Self.now + 5, task.version + 1)
            try store.update([task])
        }
        #expect(ids(bench).first == 5 && bench.state.list.line?.task.id == id)
    }

    @Test("K16 K14 all queues are ordered together, filtered or not")
    func all() throws {
        let bench = try bench()
        bench.press("h k l o o o o o o")
        #expect(ids(bench).count == 9 && bench.screen.contains("by error"))
        bench.press("/")
        bench.type("error:error")
        bench.press("Enter")
        #expect(ids(bench) == [8, 6, 4, 2])
    }

    @Test("K6 K16 a list of more than 10,000 stays in its order, and says why")
    func long() throws {
        let bench = try bench()
        let store = MemoryStore(name: "long.db")
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "long", createdAt: Self.now))
            _ = try writer.reserveTaskIDs(10_001)
            try writer.insert(
                (1...10_001).map {
                    NewTask(task: LivingScene.task($0, "long", "t", 60), payload: [])
                })
        }
        let long = Bench(store: store, size: Size(width: 118, height: 32), now: Self.now)
        long.press("o")
        #expect(long.screen.contains("running order: over 10,000"), "\(long.screen)")
        #expect(ids(long).first == 1 && ids(bench).first == 8)
    }

    @Test("K16 the key of a person's own stays theirs, and the order then has none")
    func keys() throws {
        let keys = try Keymap("o = skip")
        #expect(keys.name(of: .order) == nil && keys.name(of: .skip) == "o")
    }
}

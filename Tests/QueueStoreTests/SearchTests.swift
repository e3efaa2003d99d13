import QueueModel
import QueueStore
import Testing

@Suite("Looking through payloads")
struct SearchTests {
    @Test("K6 a page tells what of it holds the letters, and where it ended", arguments: Engine.all)
    func pages(_ engine: Engine) throws {
        let bench = try Bench(engine)
        // Payloads are {"n":1} and so on.
        try bench.write { writer in
            try writer.makeQueue()
            try writer.add(25) { task, place in if place == 4 { task.type = "other" } }
        }
        func page(
            _ text: String, limit: Int = 100, _ change: (inout TaskQuery) -> Void = { _ in }
        ) throws -> SearchPage {
            var query = TaskQuery(queue: "q", state: .waiting, limit: limit)
            change(&query)
            let asked = query
            return try bench.read { try $0.page(asked, holding: Array(text.utf8)) }
        }
        let whole = try page(":2")
        #expect(whole.tasks.map(\.id) == [2, 20, 21, 22, 23, 24, 25] && whole.looked == 25)
        let first = try page(":2", limit: 10)
        #expect(first.tasks.map(\.id) == [2] && first.looked == 10)
        let second = try page(":2", limit: 10) { $0.after = first.last }
        #expect(second.tasks.map(\.id) == [20])
        let back = try page(":2", limit: 3) { $0.isBackwards = true }
        #expect(back.tasks.map(\.id) == [25, 24, 23])
        #expect(try page("n", limit: 100) { $0.types = ["other"] }.tasks.map(\.id) == [5])
        #expect(try page("none").tasks.isEmpty && page("none").looked == 25)
        let all = try bench.read { reader in
            try reader.page(TaskQuery(queue: "q", state: .waiting, limit: 7), holding: nil)
        }
        #expect(all.tasks.map(\.id) == Array(1...7) && all.looked == 7)
    }

    @Test("a large payload, which lies by itself, is looked through as well", arguments: Engine.all)
    func largePayloads(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { writer in
            try writer.makeQueue()
            let id = try writer.takeTaskIDs(1)
            let task = QueueTask(id: id, queue: "q", type: "t", position: id, createdAt: at(0))
            let payload = Array("\"\(String(repeating: "x", count: 200_000))needle\"".utf8)
            try writer.insert([NewTask(task: task, payload: payload)])
        }
        let query = TaskQuery(queue: "q", state: .waiting, limit: 5)
        let found = try bench.read { try $0.page(query, holding: Array("xneedle".utf8)) }
        #expect(found.tasks.count == 1)
    }
}

import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("What has ended")
struct EndedTests {
    private static let now = LivingScene.now

    /// A queue with four waiting tasks, and with these numbers of ended ones.
    private func bench(
        succeeded: Int, deleted: Int = 0, height: Int = 32
    ) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            for name in ["mail", "push"] {
                try writer.put(QueueRecord(name: name, createdAt: Self.now))
            }
            let count = 4 + succeeded + deleted
            _ = try writer.reserveTaskIDs(count)
            try writer.insert(
                (1...count).map { place in
                    var task = LivingScene.task(TaskID(place), "mail", "send", 60)
                    if place > 4 + succeeded {
                        task.state = .deleted(
                            Trash(
                                at: Self.now, by: "dana", former: .waiting(Waiting()),
                                startPolicy: nil))
                    } else if place > 4 {
                        task.state = .succeeded(Success(at: Self.now + Int64(place)))
                    }
                    return NewTask(task: task, payload: [])
                })
        }
        return Bench(store: store, size: Size(width: 118, height: height), now: Self.now)
    }

    @Test("K17 a fold closes the list, opens there with Enter, and closes again")
    func fold() throws {
        let bench = try bench(succeeded: 3, deleted: 2)
        #expect(bench.lines.contains { $0.contains("▸ ended and kept: 3 succeeded · 2 deleted") })
        bench.press("j j j")
        #expect(bench.state.list.line?.task.id == 4 && !bench.state.isOnFold)
        bench.press("j")
        #expect(bench.state.isOnFold && bench.screen.contains("shows them"))
        bench.press("d")
        #expect(bench.message.contains("no task is selected"), "\(bench.message)")
        bench.press("k")
        #expect(!bench.state.isOnFold && bench.state.list.line?.task.id == 4)
        bench.press("j Enter")
        let rows = bench.state.list.page.rows.map(\.task.id)
        #expect(rows == [1, 2, 3, 4, 7, 6, 5, 9, 8] && bench.state.list.line?.task.id == 7)
        #expect(bench.lines.contains { $0.contains("▾ ended and kept: 3 succeeded") })
        #expect(bench.screen.contains("row 5 of 9"), "\(bench.screen)")
        bench.press("G j Enter")
        #expect(bench.state.list.page.rows.map(\.task.id) == [1, 2, 3, 4])
    }

    @Test("K6 K17 what has ended is read a page at a time, and takes no row of a full list")
    func many() throws {
        let bench = try bench(succeeded: 1000, height: 24)
        bench.press("G j Enter")
        #expect(bench.state.list.page.rows.count < 120)
        #expect(bench.state.list.line?.task.id == 1004)
        bench.press("G")
        #expect(bench.state.list.line?.task.id == 5 && bench.screen.contains("row 1,004 of 1,004"))
        bench.press("j")
        #expect(
            bench.lines.contains { $0.contains("▾ ended and kept: 1,000 succeeded") },
            "\(bench.screen)")
    }

    @Test("K17 in a queue where all has ended G goes to the fold")
    func allEnded() throws {
        let bench = try bench(succeeded: 2)
        try bench.change { store in
            var tasks = try store.tasks([1, 2, 3, 4])
            for place in tasks.indices { tasks[place].state = .succeeded(Success(at: Self.now)) }
            try store.update(tasks)
        }
        #expect(bench.state.list.page.rows.isEmpty)
        bench.press("G Enter")
        #expect(bench.state.list.page.rows.count == 6, "\(bench.screen)")
    }

    @Test("K17 where nothing has ended, or a filter says what is listed, there is no fold")
    func none() throws {
        let bench = try bench(succeeded: 2)
        bench.press("/")
        bench.type("state:due")
        bench.press("Enter")
        #expect(!bench.screen.contains("ended and kept"))
        let other = try self.bench(succeeded: 0)
        #expect(!other.screen.contains("ended and kept"))
    }

    @Test("K17 a filter finds ended tasks where that is listed, else says what it leaves out")
    func filtered() throws {
        let bench = try bench(succeeded: 3, deleted: 1)
        bench.press("/")
        bench.type("id:6-9")
        #expect(bench.screen.contains("0 match"))
        bench.press("Enter")
        #expect(bench.screen.contains("Enter or state:succeeded,deleted finds ended"))
        bench.press("Enter")
        #expect(bench.state.list.page.rows.map(\.task.id) == [7, 6, 8], "\(bench.screen)")
        #expect(bench.state.list.filter != nil)
        bench.press("Esc /")
        bench.type("id:6-9")
        #expect(bench.screen.contains("3 match"), "\(bench.screen)")
        bench.press("Enter")
        #expect(bench.state.list.page.rows.map(\.task.id) == [7, 6, 8])
        bench.press("*")
        #expect(bench.state.marks.count == 3)
        bench.press("Esc Esc /")
        bench.type("state:waiting id:4-9")
        bench.press("Enter")
        #expect(bench.state.list.page.rows.map(\.task.id) == [4])
    }

    @Test("K17 Enter searches ended tasks where a search through payloads found nothing")
    func searched() throws {
        let bench = try bench(succeeded: 1)
        try bench.change { writer in
            _ = try writer.reserveTaskIDs(1)
            var task = LivingScene.task(6, "mail", "send", 60)
            task.state = .succeeded(Success(at: Self.now))
            try writer.insert([NewTask(task: task, payload: Array(#"{"to":"ann"}"#.utf8))])
        }
        bench.press("/")
        bench.type("text:ann")
        bench.press("Enter")
        #expect(bench.screen.contains("Enter or state:succeeded finds ended"), "\(bench.screen)")
        bench.press("Enter")
        #expect(bench.state.list.page.rows.map(\.task.id) == [6], "\(bench.screen)")
    }

    @Test(
        "K17 the states are named of which something has ended",
        arguments: [(1, 0, "succeeded"), (0, 1, "deleted"), (1, 1, "succeeded,deleted")])
    func named(_ succeeded: Int, _ deleted: Int, _ states: String) throws {
        let bench = try bench(succeeded: succeeded, deleted: deleted)
        bench.press("/")
        bench.type("id:99")
        bench.press("Enter")
        let hint = "; Enter or state:\(states) finds ended"
        #expect(bench.screen.contains(hint), "\(bench.screen)")
    }

    @Test("K14 K17 the list of all queues has one too, by number")
    func all() throws {
        let bench = try bench(succeeded: 2, deleted: 1)
        bench.press("h k l G j")
        #expect(bench.state.isOnFold)
        bench.press("Enter")
        #expect(bench.state.list.page.rows.map(\.task.id) == Array(1...7))
    }
}

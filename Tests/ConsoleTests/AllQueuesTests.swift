import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("All queues in one list")
struct AllQueuesTests {
    private static let now = LivingScene.now

    private func bench(_ size: Size = Size(width: 118, height: 32)) throws -> Bench {
        Bench(store: try LivingScene.store(), size: size, now: Self.now)
    }

    /// Ten queues with `rounds` tasks each, their numbers interleaved.
    private func dealt(_ rounds: Int, _ change: (inout QueueTask) -> Void = { _ in }) throws
        -> Bench
    {
        let store = MemoryStore(name: "app.db")
        var tasks: [NewTask] = []
        for round in 0..<rounds {
            for queue in 0..<10 {
                let id = TaskID(round * 10 + queue + 1)
                var task = LivingScene.task(id, "q\(queue)", "t", 60)
                change(&task)
                tasks.append(NewTask(task: task, payload: Array("{\"n\":\(id)}".utf8)))
            }
        }
        let made = tasks
        try store.writeBlocking { writer in
            for queue in 0..<10 {
                try writer.put(QueueRecord(name: "q\(queue)", createdAt: Self.now))
            }
            _ = try writer.reserveTaskIDs(made.count)
            try writer.insert(made)
        }
        return Bench(store: store, size: Size(width: 118, height: 32), now: Self.now)
    }

    private func ids(_ bench: Bench) -> [TaskID] { bench.state.list.page.rows.map(\.task.id) }

    @Test("K14 the row above the queues shows the tasks of all of them by number")
    func row() throws {
        let bench = try bench()
        #expect(bench.lines.contains { $0.contains("∗ all") && $0.contains("26") })
        bench.press("h k")
        #expect(bench.state.isAll)
        let rows = bench.state.list.page.rows.map(\.task)
        #expect(rows.map(\.id) == rows.map(\.id).sorted() && Set(rows.map(\.queue)).count == 4)
        #expect(rows.count == bench.state.scene?.taskCount)
        #expect(bench.screen.contains("all queues") && bench.screen.contains("by number"))
        try Pictures.check("all-118x32", bench.buffer)
        bench.press("j")
        #expect(!bench.state.isAll && bench.state.selectedQueue == "profiles")
        bench.press("k l G")
        #expect(bench.state.list.line?.task.id == 1052)
        #expect(bench.lines.contains { $0.contains("row 29 of 29") }, "\(bench.screen)")
    }

    @Test("K14 above a task's page stands its own queue, whichever was chosen before")
    func headline() throws {
        let bench = try dealt(1)
        bench.press("h k l g j")
        #expect(bench.state.isAll && bench.state.list.line?.task.queue == "q1")
        for key in ["Enter", "w"] {
            bench.press(key)
            #expect(bench.lines[1].contains("│ q1 "), "\(bench.screen)")
            bench.press("Esc")
        }
    }

    @Test("K the console opens on the first queue in which something is, else on the first")
    func opening() throws {
        let bench = Bench(store: MemoryStore(name: "app.db"), now: Self.now)
        try bench.change { store in
            for name in ["a", "b", "c"] {
                try store.put(QueueRecord(name: name, createdAt: Self.now))
            }
        }
        #expect(bench.state.selectedQueue == "a")
        try bench.store.writeBlocking { store in
            try store.transact(at: Self.now) { mutation in
                _ = try mutation.enqueue([EnqueueRequest(type: "t", payload: [])], to: "b")
            }
        }
        // The cursor stays on its row.
        bench.send(.storeChanged)
        #expect(bench.state.selectedQueue == "a")
        #expect(Bench(store: bench.store, now: Self.now).state.selectedQueue == "b")
    }

    @Test("K14 the row has a plain twin, and stands in a narrow terminal too")
    func plain() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 80, height: 24), now: Self.now,
            glyphs: .ascii)
        #expect(bench.lines.contains { $0.hasPrefix(" * all") })
        let narrow = try self.bench(Size(width: 60, height: 12))
        narrow.press("h k l")
        #expect(narrow.state.isAll && narrow.screen.contains("messages"), "\(narrow.screen)")
    }

    @Test("K6 K14 a page of the list is read, whatever it holds, and every key goes through it")
    func paging() throws {
        let bench = try dealt(100)
        bench.press("h k l")
        #expect(ids(bench).count < 150 && bench.state.list.page.total == 1000)
        bench.press("G")
        #expect(bench.state.list.line?.task.id == 1000 && ids(bench).count < 150)
        #expect(bench.screen.contains("row 1,000 of 1,000"))
        bench.press("k k k")
        #expect(bench.state.list.line?.task.id == 997)
        for _ in 0..<8 { bench.press("PageUp") }
        let there = try #require(bench.state.list.line?.task.id)
        #expect(ids(bench).contains(there) && ids(bench).count < 200)
        bench.press("g")
        #expect(bench.state.list.line?.task.id == 1)
        bench.press(Array(repeating: "j", count: 90).joined(separator: " "))
        #expect(bench.state.list.line?.task.id == 91)
    }

    @Test("K14 a filter finds what is dense by number, and what is rare through the queues")
    func filters() throws {
        let bench = try dealt(1100) { task in
            if task.id % 4999 == 0 { task.type = "rare" }
            if task.id % 2 == 0 { task.label = "even" }
            if task.id > 10_960 { task.lastError = "needle" }
        }
        bench.press("h k l /")
        bench.type("label:even")
        #expect(bench.screen.contains("5,500 match"), "\(bench.screen)")
        bench.press("Enter")
        #expect(ids(bench).prefix(3) == [2, 4, 6] && ids(bench).count < 150)
        bench.press("/ ^U")
        bench.type("type:rare")
        bench.press("Enter")
        #expect(ids(bench) == [4999, 9998])
        #expect(bench.screen.contains("row 1 of 2"), "\(bench.screen)")
        bench.press("/ ^U")
        bench.type("error:needle")
        bench.press("Enter G")
        #expect(bench.state.list.line?.task.id == 11_000)
        bench.press("/ ^U")
        bench.type("queue:q3 id:1..100")
        bench.press("Enter")
        #expect(ids(bench) == [4, 14, 24, 34, 44, 54, 64, 74, 84, 94])
        bench.press("*")
        #expect(bench.state.marks.count == 10)
    }

    @Test("D1 K14 a verb on a queue takes the queue of the task at the cursor")
    func verbs() throws {
        let bench = try bench()
        bench.press("h k l j")
        let line = try #require(bench.state.list.line?.task)
        #expect(line.queue == "messages" && bench.state.selectedQueue == "profiles")
        bench.press("p")
        #expect(bench.message.contains("pause messages"), "\(bench.message)")
        bench.press("m")
        #expect(bench.message.contains("moved in the list of its queue"))
        bench.press("x")
        #expect(bench.message.contains("skip \(line.id)"), "\(bench.message)")
    }

    @Test("D1 K9 on the row itself p and r ask, and mean all queues")
    func verbsOnRow() throws {
        let bench = try bench()
        bench.press("h k s")
        #expect(bench.message.contains("that is for one queue"))
        bench.press("r")
        #expect(bench.message.contains("the store is not paused"))
        bench.press("p")
        #expect(bench.screen.contains("pause all queues?"))
        #expect(try bench.store.readBlocking { try $0.storeRecord().pauses.isEmpty })
        bench.press("y")
        #expect(try bench.store.readBlocking { try $0.storeRecord().pauses.count } == 1)
        #expect(bench.message.contains("pause --all"))
        bench.press("r")
        #expect(bench.screen.contains("resume all queues?"))
        bench.press("y")
        #expect(try bench.store.readBlocking { try $0.storeRecord().pauses.isEmpty })
    }

    @Test("K14 failures of all queues, and their tasks, open from there")
    func failures() throws {
        let bench = try dealt(3) { task in
            guard task.id % 3 == 0 else { return }
            task.state = .failed(Failure(at: Self.now, reason: "no route 7", startPolicy: nil))
        }
        bench.press("h k l 5")
        #expect(bench.state.scene?.failures.map(\.count) == [10])
        bench.press("Enter")
        #expect(bench.state.isAll && ids(bench) == Array(stride(from: 3, through: 30, by: 3)))
        bench.press("5 R")
        let command = bench.takeEffects().compactMap { effect -> String? in
            if case .command(let line, _) = effect { line } else { nil }
        }
        #expect(command.first?.contains("queue:") == false)
    }

    @Test("K1 :22 goes to #22 wherever it is, and to the page of what has ended")
    func number() throws {
        let bench = try dealt(100) { task in
            if task.id == 515 {
                task.state = .succeeded(Success(at: Self.now, isAcknowledged: true))
            }
        }
        bench.press(":")
        bench.type("437")
        bench.press("Enter")
        #expect(bench.state.selectedQueue == "q6" && bench.state.list.line?.task.id == 437)
        #expect(bench.lines.contains { $0.hasPrefix("›") && $0.contains("q6") })
        bench.press("h g k l :")
        bench.type("#998")
        bench.press("Enter")
        #expect(bench.state.isAll && bench.state.list.line?.task.id == 998)
        bench.press(":")
        bench.type("515")
        bench.press("Enter")
        #expect(bench.screen.contains("#515 t") && bench.state.page != nil, "\(bench.screen)")
        bench.press("q :")
        bench.type("99999")
        bench.press("Enter")
        #expect(bench.message.contains("there is no task #99999"))
    }

    @Test("K14 :list shows its hits where they can be opened")
    func list() throws {
        let bench = try dealt(20)
        bench.press(":")
        bench.type("list --filter id:7,8,23")
        bench.press("Enter")
        #expect(bench.state.isAll && ids(bench) == [7, 8, 23])
        bench.press("Enter")
        #expect(bench.state.page?.subject == 7)
        bench.press("q :")
        bench.type("list q4")
        bench.press("Enter")
        #expect(!bench.state.isAll && bench.state.selectedQueue == "q4")
        #expect(bench.state.list.filter == nil)
    }

    @Test("K14 n goes on into the next queue with a match, and says where there is none")
    func next() throws {
        let bench = try dealt(20) { task in
            if [3, 13, 47, 48].contains(task.id) { task.label = "hit" }
        }
        bench.press("/")
        bench.type("label:hit")
        bench.press("Enter n")
        #expect(bench.state.selectedQueue == "q2" && bench.state.list.line?.task.id == 3)
        bench.press("n n")
        #expect(bench.state.selectedQueue == "q6" && bench.state.list.line?.task.id == 47)
        bench.press("n n")
        #expect(bench.state.selectedQueue == "q7" && bench.state.list.line?.task.id == 48)
        #expect(bench.message.contains("no queue after it has a match"))
        bench.press("N N")
        #expect(bench.state.selectedQueue == "q2" && bench.state.list.line?.task.id == 13)
    }

    @Test("K2 the list of all stays where it is when another process changes the store")
    func refresh() throws {
        let bench = try dealt(30)
        bench.press("h k l " + Array(repeating: "j", count: 80).joined(separator: " "))
        let (id, top) = (
            bench.state.list.line?.task.id, bench.state.list.cursor - bench.state.list.top
        )
        try bench.change { store in
            try store.update(try store.tasks(Array(1...50)).map { $0.ended(at: Self.now) })
        }
        #expect(bench.state.isAll && bench.state.list.line?.task.id == id)
        #expect(bench.state.list.cursor - bench.state.list.top == top)
    }
}

extension QueueTask {
    fileprivate func ended(at moment: Timestamp) -> QueueTask {
        var task = self
        task.version += 1
        task.state = .deleted(
            Trash(at: moment, by: "dana", former: .waiting(Waiting()), startPolicy: nil))
        return task
    }
}

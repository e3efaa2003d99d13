import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Cursor and scrolling")
struct CursorTests {
    private func bench(tasks: Int, size: Size = Size(width: 100, height: 24)) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.transactBlocking(at: LivingScene.now) { mutation in
            _ = try mutation.enqueue(
                (0..<tasks).map { EnqueueRequest(type: $0 % 10 == 3 ? "rare" : "track") },
                to: "big")
        }
        return Bench(store: store, size: size, now: LivingScene.now)
    }

    private func delete(_ id: TaskID, in bench: Bench) throws {
        try bench.change { store in
            try store.transact(at: LivingScene.now) { mutation in
                let task = try store.requireTask(id)
                _ = try mutation.apply(.delete(Deletion(by: "kim")), to: task)
            }
        }
    }

    private func add(to bench: Bench) throws {
        try bench.change { store in
            try store.transact(at: LivingScene.now) { mutation in
                _ = try mutation.enqueue([EnqueueRequest(type: "new")], to: "big")
            }
        }
    }

    @Test("K1 the cursor follows its task when tasks before it go", arguments: [3, 40, 190])
    func followsTask(_ steps: Int) throws {
        let bench = try bench(tasks: 200)
        bench.press(Array(repeating: "j", count: steps).joined(separator: " "))
        let id = try #require(bench.state.selectedLine?.task.id)
        let row = bench.state.list.cursor - bench.state.list.top
        try delete(id - 1, in: bench)
        try delete(1, in: bench)
        #expect(bench.state.selectedLine?.task.id == id)
        #expect(steps < 10 || bench.state.list.cursor - bench.state.list.top == row)
    }

    @Test("K6 the cursor's row is known far from both ends, also while others change the list")
    func knowsRow() throws {
        let bench = try bench(tasks: 300)
        bench.press(Array(repeating: "j", count: 100).joined(separator: " "))
        #expect(!bench.state.list.page.reachesStart)
        #expect(bench.screen.contains("row 101 of 300"))
        try delete(7, in: bench)
        #expect(bench.screen.contains("row 100 of 299"))
        bench.press("G " + Array(repeating: "k", count: 80).joined(separator: " "))
        #expect(!bench.state.list.page.reachesEnd)
        #expect(bench.screen.contains("row 219 of 299"))
    }

    @Test("K6 a row is counted from either end, to a limit", arguments: [(90, 89), (210, 209)])
    func countsToLimit(_ example: (task: TaskID, before: Int)) throws {
        let bench = try bench(tasks: 300)
        func before(_ limit: Int) throws -> Int? {
            try bench.store.readBlocking { store in
                var reader = try PageReader(
                    Reading(store, now: LivingScene.now), queue: try store.requireQueue("big"),
                    filter: nil)
                reader.countLimit = limit
                let task = try store.requireTask(example.task)
                var page = TaskPage(rows: try reader.matching([task]))
                page.reachesStart = false
                return try reader.countBefore(page, try store.counts(queue: "big"))
            }
        }
        #expect(try before(100) == example.before)
        #expect(try before(91) == example.before)
        #expect(try before(89) == nil)
    }

    @Test("K1 a task that moves out of sight leaves the list and the cursor where they are")
    func leavesSight() throws {
        let bench = try bench(tasks: 200)
        bench.press("j j m")
        #expect(bench.screen.contains("move #3"))
        bench.type("last")
        bench.press("Enter")
        #expect(bench.state.selectedLine?.task.id == 4)
        #expect(bench.screen.contains("row 3 of 200"))
        #expect(bench.message.contains("move 3 --last | done · z undoes it"))
    }

    private func fail(_ id: TaskID, in bench: Bench) throws {
        try bench.change { store in
            try store.transact(at: LivingScene.now) { mutation in
                let task = try store.requireTask(id)
                _ = try mutation.apply(.giveUp(reason: "boom"), to: task)
            }
        }
    }

    @Test("K1 K2 until somebody moves the cursor follows the head of the list")
    func follows() throws {
        let bench = try bench(tasks: 60)
        #expect(bench.screen.contains("row 1 of 60 · follows"))
        try fail(1, in: bench)
        #expect(bench.state.selectedLine?.task.id == 2)
        #expect((bench.state.list.cursor, bench.state.list.top) == (0, 0))
        #expect(bench.screen.contains("follows") && bench.message == "")
        bench.press("j")
        #expect(bench.screen.contains("row 2 of 60"))
        try fail(2, in: bench)
        #expect(bench.state.selectedLine?.task.id == 3 && bench.message == "")
        try fail(3, in: bench)
        #expect(bench.state.selectedLine?.task.id == 4 && bench.state.list.top == 0)
        #expect(bench.message.contains("#3 failed and went to the end · :#3 goes there"))
        bench.press(":")
        bench.type("#3")
        bench.press("Enter")
        #expect(bench.state.selectedLine?.task.id == 3)
        bench.press("g")
        #expect(bench.screen.contains("follows"))
        try fail(4, in: bench)
        #expect(bench.state.selectedLine?.task.id == 5)
    }

    @Test("K1 the message about a task that went away says the key that goes there")
    func leads() throws {
        let bench = try bench(tasks: 60)
        bench.press("j")
        try fail(2, in: bench)
        #expect(bench.state.selectedLine?.task.id == 3 && bench.state.list.cursor == 1)
        #expect(bench.message.contains("#2 failed and went to the end · G goes there"))
        bench.press("G")
        #expect(bench.state.selectedLine?.task.id == 2)
    }

    @Test(
        "K1 a list follows on after a move elsewhere, and after it is listed again",
        arguments: ["h k l", "5 j 1", ":"])
    func followsOn(_ keys: String) throws {
        let bench = try bench(tasks: 20)
        #expect(bench.screen.contains("follows"))
        bench.press(keys)
        if keys == ":" {
            bench.type("list big")
            bench.press("Enter")
        }
        #expect(bench.screen.contains("follows"))
    }

    @Test("K1 a mark and a filter pin the cursor to its task", arguments: ["Space", "/"])
    func pins(_ key: String) throws {
        let bench = try bench(tasks: 20)
        bench.press(key)
        if key == "/" {
            bench.type("type:track")
            bench.press("Enter")
        }
        #expect(!bench.screen.contains("follows"))
        let id = try #require(bench.state.selectedLine?.task.id)
        try bench.change { store in
            try store.transact(at: LivingScene.now) { mutation in
                var first = EnqueueRequest(type: "track")
                first.priority = 9
                _ = try mutation.enqueue([first], to: "big")
            }
        }
        #expect(bench.state.selectedLine?.task.id == id)
    }

    @Test("K1 when its task goes the next one takes the cursor, and the person is told")
    func taskGoes() throws {
        let bench = try bench(tasks: 50)
        bench.press("j j j")
        try delete(4, in: bench)
        #expect(bench.state.selectedLine?.task.id == 5)
        #expect(bench.message.contains("#4 left the list; the cursor is on #5"))
        try delete(5, in: bench)
        #expect(bench.message.contains("#5 left the list; the cursor is on #6"))
    }

    @Test("K1 actions carry the version that was shown; a changed task refuses them (D8)")
    func carriesVersion() throws {
        let bench = try bench(tasks: 5)
        bench.holdsLoads = true
        try bench.change { store in
            try store.transact(at: LivingScene.now) { mutation in
                _ = try mutation.apply(.edit([.label("other")]), to: store.requireTask(1))
            }
        }
        bench.press("d")
        #expect(bench.message.contains("task #1 has changed"))
        #expect(try bench.store.readBlocking { try $0.requireTask(1).waiting } != nil)
    }

    @Test("K1 while a question is open its target stays, whatever the store does")
    func targetStays() throws {
        let bench = Bench(store: try LivingScene.store(), now: LivingScene.now)
        bench.press("d")
        #expect(bench.screen.contains("delete #1040 identify?"))
        try bench.change { store in
            try store.transact(at: LivingScene.now) { mutation in
                _ = try mutation.enqueue([EnqueueRequest(type: "new")], to: "profiles")
            }
        }
        bench.press("j j y")
        #expect(bench.message.contains("delete 1040"))
        let name = try bench.store.readBlocking { try $0.requireTask(1040).state.name }
        #expect(name == .deleted)
    }

    @Test("K2 a refresh never moves scroll, selection or filter")
    func refreshMovesNothing() throws {
        let bench = try bench(tasks: 300)
        bench.press("PgDn PgDn j j")
        let (before, top) = (bench.state.selectedLine?.task.id, bench.lines[8])
        for _ in 0..<5 { try add(to: bench) }
        #expect(bench.state.selectedLine?.task.id == before)
        #expect(bench.lines[8] == top)
        bench.press("g /")
        bench.type("type:rare")
        bench.press("Enter j j j")
        let filtered = bench.state.selectedLine?.task.id
        try add(to: bench)
        #expect(bench.state.selectedLine?.task.id == filtered)
        #expect(bench.screen.contains("only type:rare"))
    }

    @Test("K6 only a few pages are loaded, to the end and back, and rows are known by their ends")
    func paging() throws {
        let bench = try bench(tasks: 600)
        #expect(bench.state.list.page.rows.count < 100)
        bench.press("G")
        #expect(bench.state.selectedLine?.task.id == 600)
        #expect(bench.screen.contains("row 600 of 600"))
        #expect(bench.state.list.page.rows.count < 100)
        bench.press("PgUp PgUp PgUp PgUp PgUp")
        let id = try #require(bench.state.selectedLine?.task.id)
        #expect((400..<600).contains(id))
        bench.press("g")
        #expect(bench.state.selectedLine?.task.id == 1)
        for _ in 0..<30 { bench.press("PgDn") }
        let height = bench.state.layout.rowsHeight
        #expect(bench.state.selectedLine?.task.id == TaskID(30 * (height - 1) + 1))
    }

    @Test("K2 freezing holds the picture and counts the changes behind it")
    func freeze() throws {
        let bench = try bench(tasks: 10)
        bench.press("F")
        let picture = bench.lines.dropFirst()
        for _ in 0..<3 { try add(to: bench) }
        bench.wait(milliseconds: 90_000)
        #expect(bench.lines[0].contains("frozen, 3 changes behind"))
        #expect(Array(bench.lines.dropFirst().dropLast(2)) == Array(picture.dropLast(2)))
        bench.press("F")
        #expect(bench.screen.contains("follows") && bench.screen.contains("13 tasks"))
    }

    @Test("K2 a picture that stands still is not read again for the preview")
    func frozenPreview() throws {
        let bench = try bench(tasks: 10, size: Size(width: 160, height: 48))
        bench.press("F")
        try add(to: bench)
        let moment = bench.state.scene?.at
        bench.wait(milliseconds: 9000)
        bench.press("j j")
        #expect(bench.lines[0].contains("frozen, 1 change behind"))
        #expect(bench.state.scene?.at == moment)
        #expect(bench.screen.contains("Enter reads it"))
    }

    @Test("K1 no key acts on a row that a new filter hides, before its rows are read")
    func filtered() throws {
        let bench = try bench(tasks: 30)
        bench.press("j j")
        let former = try #require(bench.state.selectedLine?.task.id)
        bench.holdsLoads = true
        bench.press("/")
        bench.type("type:rare")
        bench.press("Enter x w S")
        #expect(bench.state.selectedLine == nil && bench.state.page == nil)
        #expect(bench.message.contains("the list is being read"))
        bench.releaseLoads()
        #expect(bench.state.selectedLine?.task.type == "rare")
        let task = try bench.store.readBlocking { try $0.requireTask(former) }
        #expect(task.waiting?.skip == nil)
    }

    @Test("K1 the last queue goes with its rows, and no key acts on them")
    func lastQueue() throws {
        let bench = try bench(tasks: 3)
        bench.press("Space j")
        let queues = try bench.store.readBlocking { try $0.queues().map(\.name) }
        try bench.change { for queue in queues { try $0.removeQueue(named: queue) } }
        #expect(bench.screen.contains("no queue yet"))
        #expect(bench.state.list.page.rows.isEmpty && bench.state.marks.isEmpty)
        bench.press("x")
        #expect(bench.message.contains("no task"), "\(bench.message)")
    }

    @Test("K1 the links lead to the start that holds a task, and back")
    func links() throws {
        let bench = Bench(store: try LivingScene.store(), now: LivingScene.now)
        bench.press("j j [")
        #expect(bench.state.selectedLine?.task.id == 1040)
        bench.press("]")
        #expect(bench.state.selectedLine?.task.id == 1041)
        bench.press("j j [")
        #expect(bench.message.contains("nothing holds #1043"))
    }

    @Test(
        "D10 marks: a verb is for all of them, asked about in proportion", arguments: [5, 50, 1500])
    func marks(_ count: Int) throws {
        let bench = try bench(tasks: count)
        bench.press("* d")
        switch count {
        case 5: break
        case 50:
            #expect(bench.screen.contains("delete 50 tasks?"))
            bench.press("y")
        default:
            #expect(bench.screen.contains("type 1500 to do it"))
            bench.press("y Enter")
            #expect(bench.state.modal != nil)
            bench.press("BkSp")
            bench.type("1500")
            bench.press("Enter")
        }
        #expect(bench.message.contains("\(NumberText.tasks(count)) · done · z undoes it"))
        bench.press(count > 10 ? "z y" : "z")
        #expect(bench.screen.contains("of \(NumberText.grouped(count))"))
    }
}

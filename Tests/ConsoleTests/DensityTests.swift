import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Small screens")
struct DensityTests {
    private static let now = LivingScene.now

    private func bench(
        _ width: Int, _ height: Int, types: [String] = ["send"], count: Int = 40
    ) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: Self.now))
            _ = try writer.reserveTaskIDs(count)
            try writer.insert(
                (0..<count).map { place in
                    let type = types[place % types.count]
                    let task = LivingScene.task(TaskID(place + 1), "mail", type, 0)
                    return NewTask(task: task, payload: [])
                })
        }
        return Bench(store: store, size: Size(width: width, height: height), now: Self.now)
    }

    private func rows(_ bench: Bench) -> Int {
        bench.lines.count { $0.contains("0/") && $0.contains("send") && !$0.contains("timers") }
    }

    @Test("80x24 shows at least 13 tasks, a larger screen never fewer, a smaller one not more")
    func tasks() throws {
        let usual = try bench(80, 24)
        #expect(rows(usual) >= 13, "\(usual.screen)")
        let small = try bench(60, 16)
        #expect(rows(small) <= rows(usual))
        for height in 24...60 {
            let taller = try bench(80, height)
            #expect(rows(taller) >= 13, "\(height) lines: \(taller.screen)")
        }
    }

    @Test("80x24 has tabs and health on one line, and one line of activity")
    func oneLine() throws {
        let bench = try bench(80, 24)
        let tabs = try #require(bench.lines.first { $0.contains("1 inventory") })
        #expect(tabs.contains("10m: nothing ended"), "\(tabs)")
        let rule = try #require(bench.lines.firstIndex { $0.hasPrefix("──") })
        #expect(rule == 24 - 4, "\(bench.screen)")
        // A click on a tab still shows its view.
        let y = try #require(bench.lines.firstIndex { $0.contains("1 inventory") })
        let digit = try #require(tabs.firstIndex(of: "3"))
        let x = tabs.distance(from: tabs.startIndex, to: digit)
        bench.send(.input(.mouse(Mouse(.press(.left), at: Point(x: x, y: y)))))
        #expect(bench.state.view == .timers)
    }

    @Test(
        "| hides the panes at the left and below, shows them again, and keeps the choice",
        arguments: [Size(width: 80, height: 24), Size(width: 120, height: 36)])
    func panes(size: Size) throws {
        let bench = try bench(size.width, size.height)
        #expect(bench.screen.contains("∗ all") && bench.screen.contains("nothing has happened"))
        let former = rows(bench)
        bench.press("|")
        #expect(!bench.screen.contains("∗ all") && !bench.screen.contains("nothing has happened"))
        #expect(bench.message.contains("the panes are hidden; | shows them"))
        #expect(rows(bench) > former, "\(bench.screen)")
        #expect(bench.takeEffects().contains(.keepPanes(false)))
        // The queues are a key away.
        bench.press("h")
        #expect(bench.screen.contains("∗ all"), "\(bench.screen)")
        bench.press("Esc |")
        #expect(bench.screen.contains("∗ all") && bench.screen.contains("nothing has happened"))
        #expect(bench.takeEffects().contains(.keepPanes(true)))
        #expect(rows(bench) == former)
        var settings = ConsoleSettings(storeName: "app.db", storeKind: "sqlite")
        settings.showsPanes = false
        #expect(!ConsoleState(settings: settings, size: size, now: Self.now).showsPanes)
    }

    @Test("the number of marked tasks is on screen in every view and page", arguments: 1...9)
    func markedAnywhere(view: Int) throws {
        let bench = try bench(80, 24)
        bench.press("Space Space Space")
        bench.press("\(view)")
        #expect(bench.screen.contains("3 marked"), "\(bench.screen)")
        bench.press("?")
        #expect(bench.screen.contains("3 marked"), "\(bench.screen)")
        bench.press("Esc 1 Esc")
        #expect(!bench.screen.contains("3 marked"), "\(bench.screen)")
    }

    @Test("how many are marked stays on the screen after another message")
    func marked() throws {
        let bench = try bench(80, 24)
        bench.press("Space Space Space")
        #expect(bench.screen.contains("3 tasks are marked"), "\(bench.screen)")
        bench.press("T")
        #expect(bench.screen.contains("3 tasks are marked"), "\(bench.screen)")
    }

    @Test("types drop the beginning that all share, and are cut at the left")
    func types() throws {
        #expect(TypeText.prefix(of: ["app.tasks.send", "app.tasks.sort"]) == "app.tasks.")
        #expect(TypeText.prefix(of: ["app.tasks.send"]) == "app.tasks.")
        #expect(TypeText.prefix(of: ["send", "app.send"]) == "")
        #expect(TypeText.prefix(of: []) == "")
        let prefix = "app.tasks."
        func fitting(_ type: String, _ width: Int) -> String {
            TypeText.fitting(type, width: width, prefix, glyphs: .unicode)
        }
        #expect(fitting("app.tasks.send", 14) == "app.tasks.send")
        #expect(fitting("app.tasks.send", 13) == "…send")
        #expect(fitting("app.tasks.send_invoice", 8) == "…invoice")
        #expect(fitting("other", 3) == "…er")
        let long = try bench(
            80, 24, types: ["company.app.tasks.send_invoice", "company.app.tasks.send_mail"])
        #expect(long.screen.contains("…send_invoice"), "\(long.screen)")
        let rows = long.lines.filter { $0.contains("…send_") }
        #expect(rows.count > 1 && !rows.contains { $0.contains("company") }, "\(long.screen)")
    }

    @Test("timers of one queue and kind that do not fit take one row with their number")
    func timers() throws {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            for name in ["hooks", "mail"] {
                try writer.put(QueueRecord(name: name, createdAt: Self.now))
            }
            _ = try writer.reserveTaskIDs(413)
            var tasks = (1...412).map { place in
                LivingScene.retrying(
                    TaskID(place), "hooks", "hook", 1, age: 60, in: 8 + Int64(place), of: 600)
            }
            tasks.append(LivingScene.retrying(413, "mail", "send", 1, age: 60, in: 20, of: 60))
            try writer.insert(tasks.map { NewTask(task: $0, payload: []) })
        }
        let bench = Bench(store: store, size: Size(width: 100, height: 30), now: Self.now)
        let row = try #require(bench.lines.first { $0.contains("412 retries") }, "\(bench.screen)")
        #expect(row.hasPrefix(" hooks") && row.contains("0:09"), "\(row)")
        // A single one of another queue has a row of its own.
        #expect(bench.lines.contains { $0.hasPrefix(" mail") && $0.contains("#413") })
        let y = try #require(bench.lines.firstIndex { $0.contains("412 retries") })
        bench.send(.input(.mouse(Mouse(.press(.left), at: Point(x: 2, y: y)))))
        #expect(bench.state.view == .timers)
        #expect(bench.state.cursors[.timers]?.key?.task == 1)
    }

    @Test("below the last queue the cursor goes through the timers, and Enter opens view 3 there")
    func timerCursor() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 120, height: 40), now: Self.now)
        let last = try #require(bench.state.scene?.queues.last?.name)
        bench.press("h")
        for _ in 0..<9 where bench.state.selectedQueue != last { bench.press("j") }
        #expect(bench.state.focus == .queues)
        bench.press("j")
        #expect(bench.state.focus == .timers && bench.state.selectedQueue == last)
        bench.press("k")
        #expect(bench.state.focus == .queues && bench.state.selectedQueue == last)
        bench.press("j j")
        let legend = try #require(bench.lines.last)
        #expect(legend.contains("view 3 there"), "\(legend)")
        let chosen = try #require(bench.state.timerCursor)
        #expect(chosen.place == 1)
        // The first timer ends, and the cursor stays on its own.
        bench.press("Enter")
        #expect(bench.state.view == .timers && bench.state.focus == .view)
        #expect(bench.state.cursors[.timers]?.key == chosen.key)
        bench.press("1 h j Esc")
        #expect(bench.state.focus == .view)
    }

    @Test("at 120 columns each view of a queue has its name or a short one")
    func tabs() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 120, height: 36), now: Self.now)
        for view in ConsoleView.allCases {
            bench.press("1")
            let tabs = try #require(bench.lines.first { $0.contains("1 inventory") })
            #expect(
                tabs.contains("\(view.rawValue) \(view.name)")
                    || tabs.contains("\(view.rawValue) \(view.shortName)"), "\(tabs)")
            // The short name of a view gives way to its name on the screen.
            guard !view.isWhole else { continue }
            bench.press("\(view.rawValue)")
            #expect(bench.screen.contains("\(view.rawValue) \(view.name)"), "\(bench.screen)")
        }
    }

    @Test("timers that fit have a row each")
    func fewTimers() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 120, height: 40), now: Self.now)
        #expect(bench.lines.contains { $0.hasPrefix(" profiles #1043") }, "\(bench.screen)")
        #expect(!bench.screen.contains("retries"))
    }
}

@Suite("Wide screens")
struct WideScreenTests {
    private static let now = LivingScene.now

    private func preview(_ bench: Bench) -> String {
        guard bench.state.showsPreview else { return "" }
        let area = bench.state.layout.preview
        return bench.lines.map { String($0.dropFirst(area.x)) }.joined(separator: "\n")
    }

    @Test("view 3 has the preview of its task from 150 columns on, and follows the cursor")
    func timers() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 150, height: 40), now: Self.now)
        bench.press("3")
        #expect(preview(bench).contains("#1043 metric"), "\(bench.screen)")
        #expect(preview(bench).contains(#""user": "dana""#), "\(bench.screen)")
        bench.press("j")
        #expect(preview(bench).contains("#911 resize"), "\(bench.screen)")
        bench.press("v")
        #expect(!bench.state.showsPreview)
        let narrow = Bench(
            store: try LivingScene.store(), size: Size(width: 149, height: 48), now: Self.now)
        narrow.press("3 v")
        #expect(!narrow.state.showsPreview)
        #expect(narrow.message.contains("the preview needs 150 columns"), "\(narrow.message)")
    }

    @Test("view 5 has the preview of one of the row's tasks, view 6 of what a worker runs")
    func samples() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 160, height: 40), now: Self.now)
        bench.press("5")
        #expect(preview(bench).contains("#1043 metric"), "\(bench.screen)")
        // Keys act on the row, not on the task that is an example.
        #expect(bench.state.selectedLine == nil)
        bench.press("6")
        #expect(preview(bench).contains("#930 push"), "\(bench.screen)")
        bench.press("j")
        #expect(preview(bench).contains("#877 upload"), "\(bench.screen)")
        try bench.change { writer in
            guard var task = try writer.task(877) else { return }
            task.state = .succeeded(Success(at: Self.now))
            try writer.update([task])
        }
        #expect(preview(bench).contains("it runs no task"), "\(bench.screen)")
    }

    @Test("view 6 has all tasks of the chosen worker where its row cuts them")
    func runningTasks() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 118, height: 32), now: Self.now)
        let ids: ClosedRange<TaskID> = 7001...7012
        try bench.change { writer in
            _ = try writer.reserveTaskIDs(9000)
            try writer.insert(
                ids.map { id in
                    let task = LivingScene.running(id, "jobs", "resize", since: 4000, owner: 1)
                    return NewTask(task: task, payload: [])
                })
        }
        bench.press("6")
        #expect(ids.allSatisfy { bench.screen.contains("#\($0)") }, "\(bench.screen)")
    }

    @Test("loads end: a preview asks for nothing that its own answer changes", arguments: 1...6)
    func loads(view: Int) throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 160, height: 40), now: Self.now)
        bench.press("\(view)")
        _ = bench.takeEffects()
        bench.send(.storeChanged)
        let loads = bench.takeEffects().filter { if case .load = $0 { true } else { false } }
        #expect(loads.count == 1)
    }
}

@Suite("Sentences are whole")
struct WholeSentenceTests {
    private static let now = LivingScene.now

    @Test("w and the page of a task cut no sentence", arguments: [40, 60, 80])
    func pages(width: Int) throws {
        let store = MemoryStore(name: "app.db")
        let reason = "the relay of the other provider refuses what this account sends to customers"
        try store.writeBlocking { writer in
            var queue = QueueRecord(name: "mail", createdAt: Self.now)
            queue.pauses = [
                Pause(cause: .person, by: "dana", reason: reason, since: LivingScene.ago(120))
            ]
            try writer.put(queue)
            _ = try writer.reserveTaskIDs(2)
            var start = LivingScene.retrying(
                1, "mail", "a-type-with-a-long-name", 3, age: 600, in: 24, of: 30)
            start.groupStart = "customer-of-the-north"
            start.lastError = "HTTP 502 Bad Gateway from the relay of the north, line last"
            var member = LivingScene.task(2, "mail", "send", 60)
            member.groupMembers = ["customer-of-the-north"]
            member.label = "the newsletter of the month of December to the north"
            try writer.insert([start, member].map { NewTask(task: $0, payload: []) })
        }
        for keys in ["j w", "j Enter"] {
            let bench = Bench(
                store: store, size: Size(width: width, height: 60), now: Self.now)
            bench.press(keys)
            let area = bench.state.layout.pageRect
            let page = bench.lines[area.y..<area.maxY].map { line in
                String(line.dropFirst(area.x).prefix(area.width))
            }
            #expect(!page.contains { $0.contains("…") }, "\(bench.screen)")
            let words = page.joined(separator: " ").split(separator: " ").joined(separator: " ")
            #expect(words.contains("sends to customers"), "\(bench.screen)")
            if keys == "j w" { #expect(words.contains("line last"), "\(bench.screen)") }
        }
    }

    @Test("a line is broken at blanks and keeps its roles")
    func wrapping() {
        let line: StyledLine = [Span("one two", .failed), Span(" three", .time), Span("four")]
        let rows = line.wrapped(to: 10, indent: 2, glyphs: .unicode)
        #expect(rows.allSatisfy { $0.width <= 10 })
        #expect(line.wrapped(to: 40, glyphs: .unicode) == [line])
        let rest = line.wrapped(to: 12, indent: 2, glyphs: .unicode)
        #expect(rest.map(\.text) == ["one two ", "  threefour"])
        #expect(rest[1].spans.contains(Span("three", .time)))
        #expect(rest[1].spans.contains(Span("four")))
        let long = StyledLine(String(repeating: "x", count: 25))
        #expect(long.wrapped(to: 10, indent: 2, glyphs: .unicode).allSatisfy { $0.width <= 10 })
        let joined = long.wrapped(to: 10, indent: 2, glyphs: .unicode).map(\.text).joined()
        #expect(joined.filter { $0 == "x" }.count == 25)
    }
}

import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Little room")
struct NarrowTests {
    private func bench(
        _ size: Size, glyphs: GlyphSet = .unicode,
        fill: @escaping @Sendable (any StoreWriter) throws -> Void
    ) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { try fill($0) }
        return Bench(store: store, size: size, now: LivingScene.now, glyphs: glyphs)
    }

    static let figures: [(number: Int, width: Int, text: String)] = [
        (0, 1, "0"), (999, 3, "999"), (1204, 5, "1,204"), (1204, 4, "1.2k"), (1204, 3, "1k"),
        (9999, 4, "9.9k"), (12_345, 5, "12k"), (300_000, 5, "300k"), (1_738_000, 9, "1,738,000"),
        (1_738_000, 5, "1.7M"), (1_000_000, 4, "1.0M"), (2_100_000_000, 5, "2.1G"),
    ]

    @Test(
        "K5 a figure is never cut to another one: it is shortened by its unit", arguments: figures)
    func figure(_ example: (number: Int, width: Int, text: String)) {
        #expect(Figure.text(example.number, width: example.width) == example.text)
    }

    @Test("K5 the row of a queue keeps its state beside large numbers, which are shortened")
    func queuePane() throws {
        let bench = try bench(Size(width: 80, height: 24)) { writer in
            var lonely = QueueRecord(name: "notifications", createdAt: LivingScene.now)
            lonely.settings.priority = 3
            try writer.put(lonely)
            try writer.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
            var runner = LivingScene.runner(1, pid: 4710, types: nil)
            runner.queues = ["mail"]
            try writer.put(runner)
            _ = try writer.reserveTaskIDs(10_001)
            try writer.insert(
                (1...10_001).map {
                    NewTask(task: LivingScene.task($0, "notifications", "t", 9), payload: [])
                })
        }
        let row = try #require(bench.lines.first { $0.contains("›") })
        #expect(row.contains("no worker") && row.contains("10k"), "\(bench.screen)")
        bench.send(.resized(Size(width: 118, height: 32)))
        #expect(bench.lines.contains { $0.contains("no worker") && $0.contains("10,001") })
    }

    @Test(
        "K2 neither states nor numbers move the pane of queues, and a shorter name does not either",
        arguments: [80, 95, 109])
    func still(width: Int) throws {
        let bench = try bench(Size(width: width, height: 24)) { writer in
            try writer.put(QueueRecord(name: "profiles", createdAt: LivingScene.now))
            try writer.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
            try writer.put(LivingScene.runner(1, pid: 4710, types: nil))
            _ = try writer.reserveTaskIDs(10_001)
            try writer.insert([
                NewTask(task: LivingScene.task(1, "profiles", "t", 9), payload: [])
            ])
        }
        let divider = try #require(bench.state.layout.dividerX)
        #expect(bench.screen.contains("running"), "\(bench.screen)")
        try bench.change { writer in
            try writer.apply(.removedProcess(1))
            try writer.insert(
                (2...10_001).map {
                    NewTask(task: LivingScene.task($0, "profiles", "t", 9), payload: [])
                })
        }
        #expect(bench.screen.contains("no worker"), "\(bench.screen)")
        #expect(bench.state.layout.dividerX == divider)
        try bench.change { writer in
            try writer.remove((1...10_001).map { TaskID($0) })
            try writer.apply(.removedQueue("profiles"))
        }
        #expect(!bench.screen.contains("profiles"), "\(bench.screen)")
        #expect(bench.state.layout.dividerX == divider)
    }

    @Test("K13 what an empty view would hold is read whole at 80 columns", arguments: [80, 60])
    func empty(width: Int) throws {
        let bench = try bench(Size(width: width, height: 24)) { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
        }
        for (key, last) in [
            ("5", "errors."), ("4", "--handlers FILE"), ("2", "--group-start NAME"),
        ] {
            bench.press(key)
            let words = bench.lines.map { $0.split(separator: "│").last ?? "" }
            #expect(words[5..<16].contains { $0.contains(last) }, "\(bench.screen)")
            #expect(!words[5..<16].contains { $0.contains("…") }, "\(bench.screen)")
        }
    }

    @Test("K4 a moment of another year has its day whole where there is no room for more")
    func moment() throws {
        let bench = try bench(Size(width: 80, height: 24)) { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
            var task = LivingScene.task(1, "mail", "send", 9)
            let until = Timestamp(milliseconds: 1_893_456_000_000)
            task.state = .waiting(
                Waiting(
                    timer: WaitTimer(until: until, cause: .notBefore, since: LivingScene.now)))
            _ = try writer.reserveTaskIDs(1)
            try writer.insert([NewTask(task: task, payload: [])])
        }
        let line = try LivingScene.store().readBlocking {
            try Reading($0, now: LivingScene.now).line(1049)
        }
        let clock = ScreenClock(
            now: LivingScene.now + -400 * 86_400_000, format: .utc, ticks: true)
        let words = TaskWords(line: line, names: TaskNames(), clock: clock, glyphs: .unicode)
        let texts = [40, 21, 19, 15, 12].map { words.state(width: $0).text }
        #expect(
            texts == [
                "at 2026-01-31 14:30:00", "at 2026-01-31 14:30", "at 2026-01-31 14:30",
                "at 2026-01-31", "2026-01-31",
            ])
        #expect(!bench.screen.contains("2030-01-01 00:0…"), "\(bench.screen)")
        #expect(bench.screen.contains("2030-01-01"), "\(bench.screen)")
    }

    @Test("K9 what follows from a verb is read whole in a question at 80 by 24")
    func question() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 80, height: 24), now: LivingScene.now)
        let words = String(repeating: "members of the group wait ", count: 5) + "at last"
        var answer = Answer()
        answer.consequences = [words]
        bench.holdsVerbs = true
        bench.state.modal = .confirm(
            Confirmation(
                verb: .delete([TaskTarget(1040)], cancelsRunning: false, members: nil),
                title: "delete?", lines: [StyledLine(words, .held)], answer: .key))
        #expect(bench.screen.contains("at last"), "\(bench.screen)")
    }

    @Test("the views have their names beside a preview, and the list ends before its rule")
    func tabs() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 160, height: 48),
            now: LivingScene.now)
        #expect(bench.screen.contains("1 inventory 2 groups 3 "), "\(bench.screen)")
        #expect(bench.screen.contains(" 8 dbg 9 flow"), "\(bench.screen)")
        let rule = try #require(
            bench.lines[9].enumerated().filter { $0.element == "│" }.map(\.offset).last)
        for line in bench.lines[2..<30] {
            let signs = Array(line)
            #expect(signs[rule - 1] == " ", "\(line)")
        }
    }

    @Test("K5 in ASCII each sign of a row means one thing")
    func ascii() {
        let signs: [Glyph] = [
            .next, .running, .paused, .failed, .idle, .skipped, .marked, .breakpoint, .fault,
            .cursor, .collapsed, .expanded, .progress, .arrow, .enterKey,
        ]
        let ascii = signs.map { GlyphSet.ascii[$0] }
        #expect(Set(ascii).count == signs.count, "\(ascii)")
        #expect(!ascii.contains("<"))
    }

    @Test("one task stays held, several stay")
    func plural() throws {
        let bench = try bench(Size(width: 120, height: 36)) { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
            try writer.put(LivingScene.runner(1, pid: 4710, types: nil))
            var start = LivingScene.task(1, "mail", "open", 9)
            start.groupStart = "g"
            var member = LivingScene.task(2, "mail", "send", 9)
            (member.groupMembers, member.isHeld) = (["g"], true)
            let tasks = [start, member]
            _ = try writer.reserveTaskIDs(2)
            try writer.insert(tasks.map { NewTask(task: $0, payload: []) })
        }
        #expect(bench.screen.contains("1 task of g stays held"), "\(bench.screen)")
    }

    @Test("g in the pane of queues goes to the row of all")
    func top() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 118, height: 32),
            now: LivingScene.now)
        bench.press("h j j g")
        #expect(bench.state.isAll, "\(bench.screen)")
        bench.press("g")
        #expect(bench.state.isAll)
        bench.press("G")
        #expect(!bench.state.isAll && bench.state.selectedQueue == "startup")
    }
}

import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("A queue that no worker serves, on the screen")
struct ServiceTests {
    static let sizes = [Size(width: 80, height: 24), Size(width: 120, height: 36)]

    @Test(
        "N1 it never reads running: headline, row, why and foot say who is missing",
        arguments: sizes)
    func unserved(_ size: Size) throws {
        let bench = Bench(store: MemoryStore(), size: size, now: LivingScene.now)
        try bench.change { store in
            var resize = QueueRecord(name: "resize", createdAt: LivingScene.now)
            resize.settings.priority = 3
            try store.put(resize)
            try store.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
            var runner = LivingScene.runner(1, pid: 4710, types: nil)
            runner.queues = ["mail", "push"]
            try store.put(runner)
            _ = try store.reserveTaskIDs(2)
            try store.insert(
                [("resize", "img"), ("mail", "send")].enumerated().map { place, words in
                    NewTask(
                        task: LivingScene.task(Int64(place) + 1, words.0, words.1, 60), payload: [])
                })
        }
        let words = "no worker for resize: the only worker serves mail and push"
        let headline = try #require(
            bench.lines.first { $0.contains("resize  ○ no worker for resize") })
        #expect(!headline.contains("running"))
        let row = try #require(bench.lines.first { $0.contains("○ resize") })
        #expect(row.contains("no worker") && !row.contains("no run…"))
        let isWide = size.width > 80
        func says(_ words: String) -> Bool {
            bench.screen.contains(isWide ? words : String(words.prefix { $0 != ":" }))
        }
        #expect(says(words) && bench.lines.count { $0.contains("no worker for resize") } == 2)
        #expect(!bench.screen.contains("nothing is due"))
        let served = try #require(bench.lines.first { $0.contains("● mail") })
        #expect(served.contains("running"))
        bench.press("w")
        #expect(says("1 \(words)"))
        bench.press("Esc 6")
        #expect(bench.screen.contains("mail, push") || !isWide)
    }

    @Test(
        "N1 F5 of a paused queue that nobody serves the foot says what blocks it",
        arguments: sizes)
    func pausedAndUnserved(_ size: Size) throws {
        let bench = Bench(store: MemoryStore(), size: size, now: LivingScene.now)
        try bench.change { store in
            var resize = QueueRecord(name: "resize", createdAt: LivingScene.now)
            resize.pauses = [
                Pause(cause: .person, by: "dana", reason: nil, since: LivingScene.ago(60))
            ]
            try store.put(resize)
            var runner = LivingScene.runner(1, pid: 4710, types: nil)
            runner.queues = ["mail"]
            try store.put(runner)
            _ = try store.reserveTaskIDs(1)
            try store.insert([NewTask(task: LivingScene.task(1, "resize", "img", 60), payload: [])])
        }
        #expect(!bench.screen.contains("nothing is due"), "\(bench.screen)")
        #expect(
            bench.lines.contains { $0.contains("blocked: paused · no worker for resize") },
            "\(bench.screen)")
        let headline = try #require(bench.lines.first { $0.contains("paused by dana") })
        #expect(headline.contains("no worker for resize") || size.width == 80, "\(bench.screen)")
        bench.press("7")
        #expect(bench.lines.contains { $0.contains(" blocked ") && $0.contains(" due ") })
        bench.press("1 r")
        #expect(
            bench.lines.contains { $0.contains("blocked: no worker for resize") },
            "\(bench.screen)")
    }

    @Test("a queue with work and no run waits for a run, and one without work is empty")
    func words() throws {
        let bench = Bench(store: MemoryStore(), now: LivingScene.now)
        try bench.change { store in
            var batch = QueueRecord(name: "batch", createdAt: LivingScene.now)
            batch.settings.start = .manual
            batch.settings.priority = 3
            try store.put(batch)
            try store.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
            _ = try store.reserveTaskIDs(1)
            try store.insert([
                NewTask(task: LivingScene.task(1, "batch", "t", 60), payload: [])
            ])
        }
        #expect(bench.screen.contains("batch  ○ waits for a run"))
        #expect(bench.lines.contains { $0.contains("○ batch") && $0.contains("no run") })
        #expect(bench.lines.contains { $0.contains("○ mail") && $0.contains("empty") })
    }
}

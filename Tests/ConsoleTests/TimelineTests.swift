import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// K19: the line of time above the list of view 3.
@Suite("Line of time")
struct TimelineTests {
    /// The scene of the drawings with retries close together, and more of them than the list has.
    private static func store(far: Int = 0) throws -> MemoryStore {
        let store = try LivingScene.store()
        try store.writeBlocking { writer in
            var tasks: [QueueTask] = []
            for index in 0..<12 {
                let wait = 30 + Int64(index)
                tasks.append(
                    LivingScene.retrying(
                        2000 + Int64(index), "jobs", "resize", 1, age: 60, in: wait, of: 60))
            }
            tasks.append(
                LivingScene.retrying(
                    2100, "messages", "push", 1, age: 60, in: 200_000, of: 300_000))
            for index in 0..<far {
                tasks.append(
                    LivingScene.retrying(
                        3000 + Int64(index), index % 2 == 0 ? "jobs" : "uploads", "resize", 1,
                        age: 60, in: 3000 + Int64(index), of: 90_000))
            }
            try writer.insert(tasks.map { NewTask(task: $0, payload: []) })
        }
        return store
    }

    private static func bench(
        far: Int = 0, _ width: Int, _ height: Int, glyphs: GlyphSet = .unicode
    ) throws -> Bench {
        let bench = Bench(
            store: try store(far: far), size: Size(width: width, height: height),
            now: LivingScene.now, glyphs: glyphs)
        bench.press("3")
        return bench
    }

    @Test(
        "K19 the line at three sizes, and in signs of ASCII",
        arguments: [
            ("timeline-80x24", 80, 24, GlyphSet.unicode, 0),
            ("timeline-120x36", 120, 36, .unicode, 0),
            ("timeline-160x48", 160, 48, .unicode, 400),
            ("timeline-ascii-80x24", 80, 24, .ascii, 400),
            ("timeline-ascii-120x36", 120, 36, .ascii, 0),
        ])
    func pictures(_ name: String, _ width: Int, _ height: Int, _ glyphs: GlyphSet, _ far: Int)
        throws
    {
        let bench = try Self.bench(far: far, width, height, glyphs: glyphs)
        try Pictures.check(name, bench.buffer)
    }

    /// The lit cells of the line of time: their signs and places.
    private func lit(_ bench: Bench) -> [(text: String, x: Int, y: Int)] {
        let layout = bench.state.layout
        let buffer = bench.buffer
        return (layout.timeline.y..<layout.headingsY).flatMap { y in
            buffer[row: y].enumerated().compactMap { x, cell in
                cell.background == .selection ? (cell.text, x, y) : nil
            }
        }
    }

    @Test("K19 the chosen moment alone is lit, in the row of its queue, and follows the cursor")
    func chosen() throws {
        let bench = try Self.bench(120, 36)
        bench.press("l")
        let first = lit(bench)
        #expect(first.count == 1)
        #expect(bench.lines[first[0].y].contains("profiles"))
        #expect(first[0].text == "▁")
        bench.press("j j j j")
        let fifth = lit(bench)
        #expect(fifth.count == 1)
        #expect(bench.lines[fifth[0].y].contains("jobs"))
        #expect(fifth[0].x > first[0].x)
        // It shares its column with five others.
        #expect(fifth[0].text == "▄")
    }

    @Test("K19 where the list has more moments than room, the row and their number are said")
    func more() throws {
        let bench = try Self.bench(far: 1000, 80, 24)
        #expect(bench.screen.contains("row 1 of 1,017"), "\(bench.screen)")
        bench.press("l j j")
        #expect(bench.screen.contains("row 3 of 1,017"), "\(bench.screen)")
        #expect(bench.screen.contains("513 retries"), "\(bench.screen)")
        #expect(!(try Self.bench(120, 60)).screen.contains("row 1 of"))
    }

    @Test("K6 K19 what lies behind the list is counted by part of each queue, and only to a limit")
    func bounds() throws {
        let store = try Self.store(far: 1000)
        let (timers, line) = try store.readBlocking { reader in
            let reading = try Reading(reader, now: LivingScene.now)
            let timers = try reading.timers(beside: [], limit: 200)
            let queues = try reading.queues()
            return (
                timers,
                try reading.timeline(behind: timers, limit: 200, beside: [], of: queues)
            )
        }
        #expect(timers.count == 200)
        #expect(line.total == 1017)
        #expect(line.queues == ["profiles", "messages", "jobs", "uploads"])
        #expect(line.beyond["messages"] == [Timeline.parts: 1])
        for name in ["jobs", "uploads"] {
            let counts = try #require(line.beyond[name])
            #expect(counts.values.allSatisfy { $0 <= Timeline.countLimit })
            #expect(counts.values.contains(Timeline.countLimit))
            #expect(counts.count < Timeline.parts)
        }
        let bench = Bench(store: store, size: Size(width: 120, height: 36), now: LivingScene.now)
        bench.press("3")
        #expect(bench.screen.contains("1,017 timers, 200 in the list"))
        #expect(bench.screen.contains("█ is 65 or more"))
        let small = Bench(store: store, size: Size(width: 80, height: 24), now: LivingScene.now)
        small.press("3")
        #expect(small.screen.contains("1,017 timers, 200 in the list"))
    }

    @Test("K19 more queues than the line has rows for share its last one")
    func others() throws {
        let store = try Self.store()
        try store.writeBlocking { writer in
            for index in 0..<9 {
                let name = "queue\(index)"
                try writer.put(QueueRecord(name: name, createdAt: LivingScene.now))
                let task = LivingScene.retrying(
                    4000 + Int64(index), name, "a", 1, age: 9, in: 50 * Int64(index + 1), of: 900)
                try writer.insert([NewTask(task: task, payload: [])])
            }
        }
        let bench = Bench(store: store, size: Size(width: 120, height: 36), now: LivingScene.now)
        bench.press("3")
        #expect(bench.state.layout.timeline.queues < 12)
        #expect(bench.screen.contains(" others "))
        #expect(lit(bench).count == 1)
        bench.press("l G")
        #expect(lit(bench).count == 1)
    }

    @Test("each part ends later than the one before, and its end belongs to it")
    func parts() {
        #expect(Timeline.part(of: -5) == 0)
        #expect(Timeline.part(of: 1000) == 0)
        #expect(Timeline.part(of: 1001) == 1)
        #expect(Timeline.part(of: 86_400_000) == Timeline.parts - 1)
        #expect(Timeline.part(of: 86_400_001) == Timeline.parts)
        let parts = (0..<1000).map { Timeline.part(of: Int64($0) * 90_000) }
        #expect(parts == parts.sorted())
    }
}

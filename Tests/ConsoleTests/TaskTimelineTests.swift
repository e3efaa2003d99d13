import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@testable import SluiceConsole

@Suite("Timeline: what is read")
struct TaskTimelineTests {
    private static let began = TimelineScene.began

    private func read(
        _ store: MemoryStore, _ scope: TaskTimeline.Scope
    ) throws -> TaskTimeline {
        try store.readBlocking { try Reading($0, now: TimelineScene.now).taskTimeline(scope) }
    }

    private func words(_ row: TimelineRow) -> [String] {
        row.bars.map { bar in
            let end = bar.to.map { "\($0 - Self.began)" } ?? ""
            return "\(bar.kind.rawValue) \(bar.from - Self.began)-\(end)"
        }
    }

    @Test("a run has its attempts, with the waits for a turn, a retry and a start")
    func run() throws {
        let timeline = try read(TimelineScene.store(), .run("startup", back: 0))
        #expect(timeline.rows.map(\.task) == [1, 2, 3, 4, 10, 5, 7])
        let bars = Dictionary(uniqueKeysWithValues: timeline.rows.map { ($0.task, words($0)) })
        #expect(bars[1] == ["ran 0-420"], "no time before the run")
        #expect(
            bars[3] == ["waits 0-750", "failed 750-1020", "timed 1020-1500", "ran 1500-1830"])
        #expect(bars[10] == ["held 0-3150", "ran 3150-3370"])
        #expect(bars[7] == ["waits 0-3700", "failed 3700-3870"], "nothing after the last attempt")
        #expect(timeline.from == Self.began && timeline.to == Self.began + 3870)
        #expect(timeline.runEnded == Self.began + 4000 && !timeline.isCut)
    }

    @Test("the run before has the task that is gone; there is no run before that")
    func runBefore() throws {
        let store = try TimelineScene.store()
        let timeline = try read(store, .run("startup", back: 1))
        #expect(timeline.rows.map(\.task) == [90] && timeline.rows[0].state == nil)
        #expect(words(timeline.rows[0]) == ["ran -60000--59700"])
        let error = #expect(throws: QueueError.self) {
            try read(store, .run("startup", back: 2))
        }
        #expect(error?.description.contains("no run 2 before the newest") ?? false)
        let other = #expect(throws: QueueError.self) { try read(store, .run("jobs", back: 0)) }
        #expect(other?.description.contains("jobs works continuously and has no runs") ?? false)
    }

    @Test("an open run has what runs and what waits; a bar in progress has no end")
    func openRun() throws {
        let store = try TimelineScene.store()
        try store.writeBlocking { writer in
            var queue = try writer.requireQueue("startup")
            queue.run = Run(number: 9, since: Self.began + 5000, limit: nil)
            try writer.put(queue)
            try writer.put([TimelineScene.attempt(20, "early", 1, 5000, 500)])
            var runs = TimelineScene.task(21, "long")
            runs.state = .running(
                Running(owner: 1, token: 1, attempt: 1, since: Self.began + 5500))
            runs.executions = 1
            try writer.insert(
                [runs, TimelineScene.task(22, "next")].map { NewTask(task: $0, payload: []) })
        }
        let timeline = try read(store, .run("startup", back: 0))
        #expect(timeline.rows.map(\.task) == [20, 21, 22])
        #expect(words(timeline.rows[1]) == ["waits 5000-5500", "running 5500-"])
        #expect(words(timeline.rows[2]) == ["waits 5000-"])
        #expect(timeline.to == TimelineScene.now && timeline.runEnded == nil)
        #expect(try read(store, .run("startup", back: 1)).rows.count == 7)
    }

    @Test("a task waited for those of its queue that ran then; the path is what decided the time")
    func waits() throws {
        let timeline = try read(TimelineScene.store(), .run("startup", back: 0))
        let row = try #require(timeline.rows.first { $0.task == 3 })
        let wait = timeline.wait(of: row)
        #expect(wait.turn == 750 && wait.timed == 480 && wait.held == 0)
        #expect(wait.earlier.map(\.task) == [1, 2])
        #expect(wait.earlier.map(\.milliseconds) == [420, 330])
        let held = try #require(timeline.rows.first { $0.task == 10 })
        #expect(timeline.wait(of: held).held == 3150)
        #expect(timeline.criticalPath.map(\.task) == [1, 2, 3, 4, 10, 5, 7])
        #expect(timeline.criticalPath[2].milliseconds == 600, "both attempts")
    }

    @Test("a group has its start and members, a task a row for each attempt")
    func groupAndTask() throws {
        let store = try TimelineScene.store()
        #expect(
            try read(store, .group("login", queue: "startup")).rows.map(\.task) == [4, 10])
        let error = #expect(throws: QueueError.self) {
            try read(store, .group("nope", queue: "startup"))
        }
        #expect(error?.description.contains("startup has no group \"nope\"") ?? false)
        let attempts = try read(store, .attempts(3))
        #expect(attempts.rows.map(\.key.attempt) == [1, 2])
        #expect(words(attempts.rows[1]) == ["timed 1020-1500", "ran 1500-1830"])
        #expect(throws: QueueError.self) { try read(store, .attempts(4711)) }
        #expect(throws: QueueError.self) { try read(store, .queue("nope")) }
    }

    @Test("a queue has its newest 200 tasks, or those of a time, and says when there are more")
    func bounded() throws {
        let store = try TimelineScene.store()
        try store.writeBlocking { writer in
            try writer.put(
                (0..<250).map {
                    TimelineScene.attempt(
                        1000 + $0, "resize", 1, -500_000 + $0 * 1000, 500, queue: "jobs")
                })
        }
        let all = try read(store, .queue("jobs"))
        #expect(all.rows.count == 200 && all.isCut)
        #expect(all.rows.last?.task == 1249)
        let since = Self.began + -500_000 + 240_400
        let some = try read(store, .queue("jobs", since: since))
        #expect(some.rows.count == 10 && !some.isCut)
        #expect(try read(store, .queue("startup")).rows.count == 8)
    }

    @Test("a picture of what looks saw begins with the first of them, a minute ago at the latest")
    func seenWindow() {
        var timeline = TaskTimeline(.workers(last: 600_000), [], at: TimelineScene.now)
        func length() -> Int64 { TimelineWindow(timeline, at: TimelineScene.now).length }
        #expect(length() == 600_000)
        for (age, expected): (Int64, Int64) in [
            (5000, 60_000), (90_000, 90_000), (900_000, 600_000),
        ] {
            timeline.seenSince = TimelineScene.now + -age
            #expect(length() == expected)
        }
    }

    @Test("a clock that went back, an attempt of no time, and nothing at all")
    func odd() throws {
        let store = try TimelineScene.store()
        #expect(try read(store, .queue("jobs")).rows.isEmpty)
        let empty = TaskTimeline(.queue("jobs"), [], at: TimelineScene.now)
        #expect(empty.from == TimelineScene.now && empty.to == TimelineScene.now)
        #expect(empty.criticalPath.isEmpty)
        try store.writeBlocking { writer in
            try writer.put([
                TimelineScene.attempt(50, "back", 1, 100, -5000, queue: "jobs"),
                TimelineScene.attempt(51, "none", 1, 100, 0, queue: "jobs"),
            ])
        }
        let timeline = try read(store, .queue("jobs"))
        #expect(timeline.rows.map { words($0) } == [["ran 100-100"], ["ran 100-100"]])
        #expect(Set(timeline.criticalPath.map(\.task)) == [50, 51])
        let window = TimelineWindow(timeline, at: TimelineScene.now)
        #expect(window.length == 1)
        #expect(window.columns(window.from, window.from, of: 40) == 0..<1)
    }

    @Test("marks of the axis are round, whatever the length")
    func ticks() {
        let zero = TimelineScene.began
        func words(_ from: Int64, _ length: Int64, _ width: Int) -> [String] {
            TimelineWindow(from: zero + from, length: length)
                .ticks(from: zero, width: width).map(\.words)
        }
        #expect(words(0, 4210, 50) == ["0", "1s", "2s", "3s", "4s"])
        #expect(words(-1500, 3000, 30) == ["-1s", "0", "1s"])
        #expect(words(0, 1, 40) == ["0", "1ms"])
        let late = words(3_600_000, 300_000, 100)
        #expect(late.prefix(4) == ["1h", "1h 30s", "1h 1m", "1h 1m 30s"], "\(late)")
        let fine = words(386_500, 1500, 30)
        #expect(fine == ["6m 26.5s", "6m 27s", "6m 27.5s", "6m 28s"], "\(fine)")
        #expect(words(0, 90_000_000, 60) == ["0", "6h", "12h", "18h", "1d"])
    }
}

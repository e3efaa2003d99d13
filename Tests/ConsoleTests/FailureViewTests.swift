import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("View 5: failures")
struct FailureViewTests {
    /// A queue with 3 + 1 failed tasks of two kinds of error, and a queue without failures.
    private func bench(height: Int = 32) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        let now = LivingScene.now
        try store.writeBlocking { writer in
            for name in ["mail", "quiet"] {
                try writer.put(QueueRecord(name: name, createdAt: now))
            }
            let errors = [
                ("send", "HTTP 503 from relay-1", 120), ("send", "HTTP 502 from relay-7", 60),
                ("digest", "HTTP 503 from relay-2", 4), ("send", "no such file \"a b\"", 3000),
            ]
            _ = try writer.reserveTaskIDs(errors.count)
            let tasks = errors.enumerated().map { place, error in
                var task = LivingScene.task(Int64(place) + 1, "mail", error.0, 4000)
                task.attempts = 3
                task.state = .failed(
                    Failure(
                        at: LivingScene.ago(Int64(error.2)), reason: error.1, startPolicy: nil))
                return task
            }
            try writer.insert(tasks.map { NewTask(task: $0, payload: []) })
        }
        return Bench(store: store, size: Size(width: 118, height: height), now: now)
    }

    @Test("5 shows errors that are alike in one row, the most frequent first")
    func rows() throws {
        let bench = try bench()
        bench.press("5")
        let rows = bench.lines.filter { $0.contains("HTTP #") || $0.contains("no such file") }
        #expect(rows.count == 2, "\(bench.screen)")
        #expect(rows[0].contains("  3 ") && rows[0].contains("HTTP # from relay-#"))
        #expect(rows[0].contains(" send,"), "\(bench.screen)")
        #expect(bench.screen.contains("send 2, digest 1"), "\(bench.screen)")
        // A single error appears in full.
        #expect(rows[1].contains("no such file \"a b\""))
        #expect(bench.screen.contains("Enter its tasks · R retries 3"))
        try Pictures.check("failures-118x32", bench.buffer)
    }

    /// A console at a store with failed tasks of one error.
    private static func bench(failed count: Int64, _ size: Size) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
            _ = try writer.reserveTaskIDs(Int(count))
            let failure = Failure(at: LivingScene.ago(9), reason: "refused", startPolicy: nil)
            let tasks = (1...count).map { id in
                var task = LivingScene.task(TaskID(id), "mail", "send", 4000)
                task.state = .failed(failure)
                return NewTask(task: task, payload: [])
            }
            try writer.insert(tasks)
        }
        return Bench(store: store, size: size, now: LivingScene.now)
    }

    @Test("K4 a count of many failures is not cut", arguments: [118, 80])
    func manyFailures(width: Int) throws {
        let bench = try Self.bench(failed: 12_345, Size(width: width, height: 32))
        bench.press("5")
        let row = try #require(bench.lines.first { $0.contains("12,3") || $0.contains("refused") })
        #expect(row.contains("12,345"), "\(bench.screen)")
    }

    @Test("Enter lists the tasks of the row, and no others")
    func enter() throws {
        let bench = try bench()
        bench.press("5 j Enter")
        #expect(bench.state.view == .inventory)
        #expect(bench.state.list.page.rows.map(\.task.id) == [4])
        bench.press("Esc")
        #expect(bench.state.view == .failures && bench.state.list.filter == nil)
        bench.press("k Enter")
        #expect(bench.state.list.page.rows.map(\.task.id).sorted() == [1, 2, 3])
        bench.press("2 1 Esc")
        #expect(bench.state.view == .inventory && bench.state.list.filter == nil)
    }

    @Test("R retries all of the row, by the command that says so")
    func retry() throws {
        let bench = try bench()
        bench.press("5 R")
        let commands = bench.takeEffects().compactMap { effect in
            if case .command(let line, _) = effect { line } else { nil }
        }
        let key = FailureKind(of: "HTTP 1 from relay-1").name
        #expect(commands == ["retry --filter 'failure:\(key) queue:mail'"])
    }

    @Test("K13 a queue in which nothing failed says so, and a verb on a task why it is none")
    func empty() throws {
        let bench = try bench()
        bench.press("5 d")
        #expect(bench.message.contains("no task is selected"))
        bench.press("h j")
        #expect(bench.screen.contains("No task has failed permanently in this queue."))
        bench.press("R")
        #expect(bench.message.contains("no task is selected"))
    }

    @Test("a queue in which nothing failed names the failures elsewhere, and Enter lists them")
    func elsewhere() throws {
        let bench = try bench()
        bench.press("5 h j l")
        #expect(
            bench.screen.contains("In other queues 4 tasks failed: Enter lists them."),
            "\(bench.screen)")
        bench.press("Enter")
        #expect(bench.state.isAll && bench.state.view == .failures)
        #expect(bench.lines.contains { $0.contains("HTTP # from relay-#") }, "\(bench.screen)")
    }

    @Test("the line below view 5 keeps the moment of the first failure at 80 columns")
    func sinceOfMany() throws {
        let bench = try Self.bench(failed: 1234, Size(width: 80, height: 24))
        bench.press("5")
        let line = try #require(bench.lines.first { $0.contains("its tasks") })
        #expect(line.contains("since ~"), "\(bench.screen)")
    }

    @Test("view 5 says how many wait for a retry, which have not failed yet, and lists them")
    func retrying() throws {
        let bench = try bench()
        try bench.change { writer in
            _ = try writer.reserveTaskIDs(2)
            try writer.insert(
                (5...6).map { (id: TaskID) in
                    let queue = id == 5 ? "quiet" : "mail"
                    let task = LivingScene.retrying(
                        id, queue, "send", 1, age: 90, in: 20, of: 30)
                    return NewTask(task: task, payload: [])
                })
        }
        bench.press("5")
        #expect(
            bench.screen.contains(
                "1 task waits for a retry  $ sluice failures mail --retrying"))
        bench.press("h k l")
        #expect(bench.state.isAll)
        #expect(bench.screen.contains("2 tasks wait for a retry  $ sluice failures --retrying"))
        bench.press("h j j l")
        let row = try #require(bench.lines.first { $0.contains("HTTP 500 Internal") })
        #expect(row.contains("      —         1  "), "\(row)")
        #expect(bench.screen.contains("$ sluice failures quiet --retrying"))
        bench.press("Enter")
        #expect(bench.state.view == .inventory)
        #expect(bench.state.list.page.rows.map(\.task.id) == [5], "\(bench.screen)")
    }

    /// Adds failed attempts of removed tasks, these numbers of seconds before now.
    private func fail(_ queue: String, _ agos: [Int64], _ bench: Bench) throws {
        let gone = LivingScene.task(1000, queue, "send", 9000)
        try bench.change { writer in
            try writer.put(
                agos.enumerated().map { place, ago in
                    var attempt = AttemptRecord(
                        task: gone, number: place + 1, runner: 1,
                        startedAt: LivingScene.ago(ago + 1))
                    attempt.endedAt = LivingScene.ago(ago)
                    attempt.outcome = .retry
                    attempt.isCounted = true
                    return attempt
                })
        }
    }

    @Test("where nothing was given up, view 5 tells the attempts that failed, and leads there")
    func passing() throws {
        let bench = try bench()
        try fail("quiet", [10, 20, 3000, 3700], bench)
        bench.press("5 h j l")
        #expect(bench.screen.contains("3 attempts failed in the last hour"), "\(bench.screen)")
        #expect(bench.screen.contains("$ sluice log --queue quiet"))
        try bench.change { writer in
            _ = try writer.reserveTaskIDs(1)
            let task = LivingScene.retrying(5, "quiet", "send", 1, age: 90, in: 20, of: 30)
            try writer.insert([NewTask(task: task, payload: [])])
        }
        #expect(bench.lines.contains { $0.contains("HTTP 500 Internal") }, "\(bench.screen)")
        #expect(bench.screen.contains("$ sluice failures quiet --retrying"), "\(bench.screen)")
        bench.press("Enter")
        #expect(bench.state.list.page.rows.map(\.task.id) == [5])
        try bench.change { try $0.remove([5]) }
        bench.press("5 Enter")
        #expect(bench.state.view == .activity)
        #expect(bench.screen.contains("#1000"), "\(bench.screen)")
    }

    @Test("K13 a sentence of an empty view 5 is whole at 80 columns")
    func narrow() throws {
        let bench = try Self.quietBench(Size(width: 80, height: 24))
        try fail("quiet", [10, 20, 3000], bench)
        bench.press("5")
        let words = bench.screen.split { $0 == " " || $0.isNewline || $0 == "│" }
        #expect(
            words.joined(separator: " ").contains("no task waits for a retry."),
            "\(bench.screen)")
    }

    /// A queue without tasks.
    private static func quietBench(_ size: Size) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "quiet", createdAt: LivingScene.now))
        }
        return Bench(store: store, size: size, now: LivingScene.now)
    }

    @Test("what Enter opens then is the log of that hour, and it says so")
    func passingLog() throws {
        let bench = try bench()
        try fail("quiet", [10, 20, 3000, 3700], bench)
        bench.press("5 h j l")
        #expect(bench.screen.contains("shows the log of the last hour"), "\(bench.screen)")
        #expect(bench.screen.contains("$ sluice log --queue quiet --since 1h"))
        bench.press("Enter")
        #expect(bench.screen.contains("only since:1h"), "\(bench.screen)")
        #expect(bench.lines.count { $0.contains("#1000") && $0.contains("failed") } >= 3)
        #expect(bench.state.scene?.activity.count == 3, "\(bench.screen)")
        bench.press("Esc")
        #expect(bench.state.logFilter == nil)
    }

    @Test("errors that are all the same stand there as they are, and the list names them")
    func same() throws {
        let bench = try bench()
        try bench.change { writer in
            _ = try writer.reserveTaskIDs(3)
            try writer.insert(
                (5...7).map { (id: TaskID) in
                    var task = LivingScene.task(id, "mail", "pay", 4000)
                    task.state = .failed(
                        Failure(
                            at: LivingScene.ago(9), reason: "timed out after\n 30s",
                            startPolicy: nil))
                    return NewTask(task: task, payload: [])
                })
        }
        bench.press("j j j j j 5")
        #expect(bench.screen.contains("timed out after 30s"), "\(bench.screen)")
        let row = try #require(bench.lines.first { $0.contains("HTTP #") })
        #expect(row.contains("HTTP # from relay-#"))
        bench.press("g j Enter")
        #expect(bench.screen.contains("3 tasks failed by: timed out after 30s"), "\(bench.screen)")
        #expect(bench.state.list.page.rows.map(\.task.id).sorted() == [5, 6, 7])
        #expect(bench.state.list.cursor == 0)
    }

    @Test("a row keeps the cursor while others pass it")
    func follows() throws {
        let bench = try bench()
        bench.press("5 j")
        try bench.change { writer in
            var tasks = try writer.tasks([1, 2, 3])
            for place in tasks.indices { tasks[place].state = .waiting(Waiting()) }
            try writer.update(Array(tasks.prefix(3)))
        }
        #expect(bench.state.selectedFailure?.kind.text == "no such file \"…\"")
        #expect(bench.state.cursors[.failures]?.window.cursor == 0)
    }
}

@Suite("Whether a queue goes well")
struct HealthTests {
    private static let now = LivingScene.now

    /// Attempts of `mail`: seconds before now, milliseconds, and whether it succeeded.
    private func bench(
        _ ends: [(ago: Int64, took: Int64, isGood: Bool)], waiting: Int = 0
    ) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: Self.now))
            let tasks = (0..<waiting).map { LivingScene.task(Int64($0) + 1, "mail", "send", 90) }
            try writer.insert(tasks.map { NewTask(task: $0, payload: []) })
            let gone = LivingScene.task(1000, "mail", "send", 900)
            try writer.put(
                ends.enumerated().map { place, end in
                    let ended = LivingScene.ago(end.ago)
                    var attempt = AttemptRecord(
                        task: gone, number: place + 1, runner: 1, startedAt: ended + -end.took)
                    attempt.endedAt = ended
                    attempt.outcome = end.isGood ? .success : .retry
                    attempt.isCounted = !end.isGood
                    return attempt
                })
        }
        return Bench(store: store, size: Size(width: 118, height: 32), now: Self.now)
    }

    private func health(_ bench: Bench) -> String {
        bench.lines[2].split(separator: "│").last.map(String.init) ?? ""
    }

    @Test("one line tells rate, outcomes, time and when it is empty")
    func line() throws {
        let bench = try bench(
            (0..<30).map { (ago: Int64($0), took: 100, isGood: $0 % 3 != 0) }, waiting: 20)
        try bench.change { writer in
            try writer.put(LivingScene.runner(1, pid: 4710, types: nil))
        }
        // 30 in the 32 seconds since the first ten seconds that had one began.
        #expect(health(bench).contains("56/min"), "\(bench.screen)")
        // 20 of them ended a task.
        #expect(health(bench).contains("empty in ~32s"))
        #expect(health(bench).contains("in 10m: ok 20 · failed 10 (33 %) · p95 ~100 ms"))
    }

    @Test("a paused queue does not empty")
    func paused() throws {
        let bench = try bench([(ago: 1, took: 5, isGood: true)], waiting: 20)
        #expect(health(bench).contains("empty in") == false)
        try bench.change { writer in
            try writer.put(LivingScene.runner(1, pid: 4710, types: nil))
        }
        #expect(health(bench).contains("empty in"), "\(bench.screen)")
        bench.press("p")
        #expect(!health(bench).contains("empty in"), "\(bench.screen)")
    }

    @Test("the rate is 0 after ten seconds without an end, and the screen says so by itself")
    func zero() throws {
        let bench = try bench([(ago: 1, took: 5, isGood: true)])
        #expect(!health(bench).contains(" 0/min"), "\(bench.screen)")
        let wakes = bench.takeEffects().compactMap { effect in
            if case .wakeAt(let moment) = effect { moment } else { nil }
        }
        #expect(wakes.contains { $0 <= Self.now + 10_000 })
        bench.wait(milliseconds: 20_000)
        #expect(health(bench).contains("0/min") && health(bench).contains("ok 1"))
    }

    @Test("a queue in which nothing ended for ten minutes says so")
    func quiet() throws {
        let bench = try bench([(ago: 700, took: 5, isGood: true)])
        #expect(health(bench).contains("nothing ended in the last 10 minutes"))
    }

    @Test("view 7 has the rate of each queue, and of all in its title")
    func totals() throws {
        let bench = try bench((0..<12).map { (ago: Int64($0), took: 1000, isGood: true) })
        bench.press("7")
        #expect(bench.lines[1].contains("1 queue") && bench.lines[1].contains("/min"))
        #expect(bench.lines[1].contains("ok 12"), "\(bench.screen)")
    }
}

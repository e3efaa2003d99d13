import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("When a queue says that it will be empty")
struct EmptyInTests {
    /// A queue whose attempts ended a moment ago, with a runner and tasks that are due.
    private func bench(_ change: (inout QueueRecord, inout [QueueTask]) -> Void) throws -> Bench {
        var queue = QueueRecord(name: "mail", createdAt: LivingScene.now)
        var tasks = (2...21).map { LivingScene.task($0, "mail", "send", 60) }
        change(&queue, &tasks)
        let (record, rows) = (queue, tasks)
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            try writer.put(record)
            try writer.put(LivingScene.runner(1, pid: 4710, types: nil))
            _ = try writer.reserveTaskIDs(30)
            try writer.insert(rows.map { NewTask(task: $0, payload: []) })
            let gone = LivingScene.task(1000, "mail", "send", 900)
            try writer.put(
                (0..<30).map { place in
                    let ended = LivingScene.ago(Int64(place))
                    var attempt = AttemptRecord(
                        task: gone, number: place + 1, runner: 1, startedAt: ended + -100)
                    attempt.endedAt = ended
                    attempt.outcome = .success
                    return attempt
                })
        }
        return Bench(store: store, size: Size(width: 118, height: 32), now: LivingScene.now)
    }

    @Test("K4 what goes on empties at some time")
    func goesOn() throws {
        let bench = try bench { _, _ in }
        #expect(bench.lines[2].contains("empty in ~"), "\(bench.screen)")
    }

    @Test("K4 in a strict queue what waits behind its head counts too")
    func strict() throws {
        func words(_ afterFailure: AfterFailure) throws -> String {
            let bench = try bench { queue, _ in queue.settings.afterFailure = afterFailure }
            let words = bench.lines[2].split(separator: " ").map(String.init)
            let place = try #require(words.firstIndex(of: "empty"), "\(bench.screen)")
            return words[place...].joined(separator: " ")
        }
        #expect(try words(.block) == words(.advance))
    }

    @Test("K4 no time until empty is told where a task runs too long")
    func stuck() throws {
        let bench = try bench { _, tasks in
            tasks.append(
                LivingScene.running(1, "mail", "send", since: 4_000_000, owner: 1))
        }
        #expect(bench.screen.contains("stuck"), "\(bench.screen)")
        #expect(!bench.lines[2].contains("empty in"), "\(bench.screen)")
    }

    @Test("K4 no time until empty is told where nothing that waits can start")
    func blocked() throws {
        let bench = try bench { queue, tasks in
            queue.settings.afterFailure = .block
            tasks.insert(
                LivingScene.retrying(1, "mail", "send", 1, age: 90, in: 50, of: 60), at: 0)
        }
        #expect(bench.lines[2].contains("/min"), "\(bench.screen)")
        #expect(!bench.lines[2].contains("empty in"), "\(bench.screen)")
        // The whole queue is blocked, and its first lines report that.
        #expect(bench.lines[1].contains("mail  ○ blocked"), "\(bench.screen)")
        let row = try #require(bench.lines.first { $0.contains("›") })
        #expect(row.contains("○ mail") && row.contains("blocked"), "\(bench.screen)")
    }

    @Test("K5 a queue that is paused while a task runs too long shows both")
    func pausedAndStuck() throws {
        let bench = try bench { queue, tasks in
            queue.pauses = [
                Pause(cause: .person, by: "dana", reason: nil, since: LivingScene.ago(60))
            ]
            tasks.append(
                LivingScene.running(1, "mail", "send", since: 4_000_000, owner: 1))
        }
        for (width, height) in [(80, 24), (118, 32)] {
            bench.send(.resized(Size(width: width, height: height)))
            let row = try #require(bench.lines.first { $0.contains("›") })
            #expect(row.contains("‖ mail") && row.contains("stuck"), "\(bench.screen)")
        }
    }
}

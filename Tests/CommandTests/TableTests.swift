import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTerminalUI
import Testing

@testable import SluiceCommand

@Suite("Tables of commands fit the terminal")
struct TableTests {
    private func bench(_ columns: Int?) throws -> Bench {
        var bench = Bench()
        bench.columns = columns
        let long = String(repeating: "letters", count: 5)
        for queue in ["orders-\(long)", "mail"] {
            _ = bench.run([
                "enqueue", queue, "type-\(long)", "--group-start", "group-\(long)", "--label", long,
            ])
        }
        _ = bench.run(["pause", "mail", "--reason", String(repeating: "a long reason ", count: 9)])
        try bench.store.transactBlocking(at: Bench.start) { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: long, bootID: "b", pid: 4711, lockName: "l",
                attachedAt: mutation.now)
            (process.slots, process.types) = (4, [long, "\(long)-2", "\(long)-3"])
            _ = try mutation.attach(process)
        }
        return bench
    }

    static let commands = [
        "queues", "list", "list mail", "runners", "groups mail", "forecast mail", "stats", "timers",
        "network",
    ]

    @Test("no row is longer than the terminal is wide", arguments: commands, [80, 120, 200])
    func fits(_ command: String, _ columns: Int) throws {
        let bench = try bench(columns)
        let rows = bench(command).output.split(separator: "\n")
        #expect(!rows.isEmpty)
        for row in rows.dropFirst(command == "network" ? 1 : 0) {
            #expect(DisplayText.width(String(row)) <= columns, "\(row)")
        }
    }

    @Test("a wide terminal shows what fits, and a pipe cuts by the limits alone")
    func room() throws {
        let reason = String(repeating: "a long reason ", count: 9)
        #expect(try bench(400)("queues").output.contains(reason.dropLast()))
        let narrow = try bench(80)("queues").output
        #expect(narrow.contains("paused") && narrow.contains("…"))
        // The reason for a blocked queue matters more than its settings.
        #expect(narrow.contains("NOTE") && !narrow.contains("SETTINGS"))
        let piped = try bench(nil)("queues").output
        #expect(piped.split(separator: "\n").contains { $0.count > 120 })
    }

    @Test("a list of what runs, waits and failed fits 80 columns, its states whole")
    func states() throws {
        let bench = try bench(80)
        let now = Bench.start
        try bench.store.writeBlocking { writer in
            let first = try writer.reserveTaskIDs(3)
            var running = QueueTask(
                id: first, queue: "mail", type: "welcome-letters", position: 91, createdAt: now)
            running.state = .running(
                Running(owner: 1, token: 9, attempt: 1, since: now + -3_700_000))
            running.executions = 1
            var failed = QueueTask(
                id: first + 1, queue: "mail", type: "welcome-letters", position: 92, createdAt: now)
            failed.state = .failed(
                Failure(at: now + -7_000_000, reason: "the relay is gone", startPolicy: nil))
            var waiting = QueueTask(
                id: first + 2, queue: "mail", type: "welcome-letters", position: 93, createdAt: now)
            waiting.state = .waiting(
                Waiting(timer: WaitTimer(until: now + 3_599_000, cause: .retry, since: now)))
            waiting.lastError = "the relay is gone"
            try writer.insert(
                [running, failed, waiting].map { NewTask(task: $0, payload: []) })
        }
        let output = bench("list").output
        for row in output.split(separator: "\n") {
            #expect(DisplayText.width(String(row)) <= 80, "\(row)")
        }
        for words in ["stuck, worker 1 for 1h 1m", "failed 1h 56m ago", "retrying", "in 59m 59s"] {
            #expect(output.contains(words), "\(words)\n\(output)")
        }
    }

    @Test("times and states are never cut")
    func whole() throws {
        let bench = try bench(80)
        _ = bench.run(["postpone", "1", "+5m"])
        #expect(bench("timers").output.contains("notBefore"))
        _ = bench.run(["queue", "set", "batch", "--start", "manual"])
        _ = bench.run(["enqueue", "batch", "t"])
        #expect(bench("queues").output.contains("waits for a run"))
    }
}

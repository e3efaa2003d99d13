import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore
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
        // What keeps a queue from going on says more than its settings.
        #expect(narrow.contains("NOTE") && !narrow.contains("SETTINGS"))
        let piped = try bench(nil)("queues").output
        #expect(piped.split(separator: "\n").contains { $0.count > 120 })
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

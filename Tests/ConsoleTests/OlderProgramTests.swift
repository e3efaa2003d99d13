import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// Keys that are the first use of a part of the debugger, where a program of an older version is
/// attached (P4).
@Suite("older programs on the screen")
struct OlderProgramTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    private func bench(isOlder: Bool = true) throws -> Bench {
        let store = MemoryStore(name: "/var/app.db", identity: "s")
        try store.writeBlocking { store in
            try store.put(QueueRecord(name: "mail", createdAt: Self.start))
            try store.transact(at: Self.start) { mutation in
                let request = EnqueueRequest(type: "send", payload: [])
                _ = try mutation.enqueue([request], to: "mail")
                var process = ProcessRecord(
                    id: 0, role: .runner, host: "h", bootID: "b", pid: 7, lockName: "l",
                    attachedAt: Self.start)
                process.stopsAtBreakpoints = !isOlder
                (process.takesFaults, process.readsClock) = (!isOlder, !isOlder)
                (process.keepsImages, process.isRecorded) = (!isOlder, !isOlder)
                _ = try mutation.attach(process)
            }
        }
        return Bench(store: store, size: Size(width: 118, height: 30), now: Self.start)
    }

    private func uses(_ bench: Bench) throws -> Int {
        let record = try bench.store.readBlocking { try $0.storeRecord() }
        return record.breakpoints.all.count + record.faults.all.count
            + (record.clock == nil ? 0 : 1) + record.checkpoints.all.count
    }

    @Test("P4 b, f and C name whom the first one ends, and ask", arguments: ["b", "f", "C"])
    func asks(key: String) throws {
        let bench = try bench()
        bench.press("\(key) Enter")
        let name = ["b": "break", "f": "fault"][key] ?? "clock"
        #expect(bench.screen.contains("\(name)?"), "\(bench.screen)")
        #expect(bench.screen.contains("worker 1 (pid 7) of an older version would go past"))
        #expect(try uses(bench) == 0)
        bench.press("Esc")
        #expect(bench.message.contains("nothing was changed"))
        #expect(try uses(bench) == 0)
        bench.press("\(key) Enter y")
        #expect(try uses(bench) == 1)
        #expect(bench.message.contains("--yes"), "\(bench.message)")
    }

    @Test("P4 where every program knows the debugger nothing is asked", arguments: ["b", "f", "C"])
    func isSilent(key: String) throws {
        let bench = try bench(isOlder: false)
        bench.press("\(key) Enter")
        #expect(try uses(bench) == 1)
        #expect(!bench.message.contains("--yes"), "\(bench.message)")
    }

    @Test("P4 a checkpoint of K is asked about when its command came back")
    func checkpoint() throws {
        let bench = try bench()
        bench.press("K Enter")
        var report = CommandReport(lines: [], isFailure: false)
        report.verb = .takeCheckpoint(CheckpointRequest("a"))
        bench.send(.commanded(token: bench.state.underWay.lastToken, report))
        #expect(bench.screen.contains("would go past checkpoints"), "\(bench.screen)")
        bench.press("y")
        #expect(try uses(bench) == 1)
    }

    @Test("P4 V asks before it records, and the line says --yes then")
    func record() throws {
        func begun(_ bench: Bench) -> String? {
            for case .record(let line) in bench.takeEffects() { return line }
            return nil
        }
        let bench = try bench()
        bench.press("V Enter")
        #expect(bench.screen.contains("would go past a recording"), "\(bench.screen)")
        #expect(begun(bench) == nil)
        bench.press("n")
        #expect(bench.message.contains("nothing was changed") && begun(bench) == nil)
        bench.press("V Enter y")
        let line = try #require(begun(bench))
        #expect(line.hasPrefix("app-") && line.hasSuffix(".tape --yes"))
        let young = try self.bench(isOlder: false)
        young.press("V Enter")
        #expect(begun(young)?.hasSuffix(".tape") == true)
    }
}

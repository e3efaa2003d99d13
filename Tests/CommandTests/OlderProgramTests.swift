import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

/// The first use of a part of the debugger, where programs of older versions are attached (P4).
@Suite("Older programs at the command line")
struct OlderProgramTests {
    /// A store with an attached runner from before the debugger.
    private func bench() throws -> Bench {
        let bench = Bench()
        _ = bench("enqueue q t")
        try bench.store.transactBlocking(at: Bench.start) { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 7, lockName: "l",
                attachedAt: Bench.start)
            (process.stopsAtBreakpoints, process.takesFaults) = (false, false)
            (process.readsClock, process.keepsImages, process.isRecorded) = (false, false, false)
            _ = try mutation.attach(process)
        }
        return bench
    }

    @Test(
        "P4 a person at a terminal is told whom the first one ends, and asked; a script says --yes",
        arguments: ["break type:x", "fault type:x fail", "clock freeze", "checkpoint a"])
    func asks(line: String) throws {
        var bench = try bench()
        let before = try bench.contents()
        let refused = bench("\(line) --json")
        #expect(refused.exit == .refused && refused.errorCode == "notLegal")
        #expect(bench(line).errors.contains("or say --yes"))
        bench.answers = ["n"]
        let declined = bench(line)
        #expect(declined.errors.hasPrefix("worker 1 (pid 7) of an older version would go past"))
        #expect(declined.errors.hasSuffix("would end with the first one\ncontinue? [y/N] "))
        #expect(declined.exit == .done && declined.output == "nothing was changed\n")
        #expect(try bench.contents() == before)
        bench.answers = ["y"]
        let done = bench(line)
        #expect(done.exit == .done && done.errors.contains("continue?"), "\(done.errors)")
        #expect(try bench.contents() != before)
        bench.answers = []
        _ = bench("undo")
        #expect(!bench("\(line)2 --yes").errors.contains("continue?"))
    }

    @Test("P4 what is refused anyway is refused before anybody is asked")
    func protected() throws {
        var bench = try bench()
        _ = bench("protect")
        bench.answers = ["y"]
        let refused = bench("fault type:x fail")
        #expect(refused.exit == .refused && refused.errors.contains("faults are refused there"))
        #expect(!refused.errors.contains("continue?"))
    }

    @Test("P4 a look that must change the tables of an older version says so, unless it is quiet")
    func broughtUp() throws {
        let bench = try bench()
        let older = QueueError(.readOnly, "memory was made by an older Sluice")
        for (line, says) in [("queues", true), ("queues --json", false), ("list --quiet", false)] {
            bench.refusals.withLock { $0 = [older] }
            bench.upgraded.withLock { $0 = 3 }
            let told = bench(line)
            #expect(told.exit == .done && told.errors.contains("tables were changed") == says)
            #expect(!bench(line).errors.contains("tables"))
        }
        for line in ["doctor --quick", "enqueue q t", "pause q"] {
            bench.upgraded.withLock { $0 = 3 }
            #expect(bench(line).errors.contains("tables were changed"), "\(line)")
            #expect(!bench(line).errors.contains("tables"))
        }
        bench.refusals.withLock { $0 = [older] }
        let refused = bench("queues --read-only")
        #expect(refused.exit == .refused && refused.errors.contains("made by an older Sluice"))
    }

    @Test("P4 a console asks by itself", arguments: ["checkpoint a", "break type:x"])
    func console(line: String) throws {
        let bench = try bench()
        let before = try bench.contents()
        let reply = bench.reply(inConsole: line)
        #expect(reply.exit == .done && reply.lines.isEmpty)
        #expect(reply.unconfirmedVerb?.name == String(line.prefix { $0 != " " }))
        #expect(try bench.contents() == before)
    }

    @Test("P4 record asks before its file is made")
    func record() throws {
        var bench = try bench()
        let folder = try Files.makeTemporaryDirectory(prefix: "older-")
        defer { try? Files.removeTree(folder) }
        let path = "\(folder)/a.tape"
        bench.tick = 1000
        #expect(bench("record \(path) --for 1s --json").errorCode == "notLegal")
        bench.answers = ["n"]
        let declined = bench("record \(path) --for 1s")
        #expect(declined.errors.contains("would go past a recording"))
        #expect(declined.output == "nothing was changed\n" && !Files.exists(path))
        bench.answers = ["y"]
        #expect(bench("record \(path) --for 1s").exit == .done)
        #expect(Files.exists(path))
    }
}

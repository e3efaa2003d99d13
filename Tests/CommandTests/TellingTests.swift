import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("What commands say of tasks")
struct TellingTests {
    /// A queue with a task and a runner that has it in hand, since the beginning.
    private func running() throws -> Bench {
        let bench = Bench()
        _ = bench("enqueue q t --attempts 3")
        _ = try bench.store.transactBlocking(at: Bench.start) { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                attachedAt: mutation.now)
            process.slots = 1
            let runner = try mutation.attach(process).id
            _ = try mutation.claim(ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
        }
        return bench
    }

    private func settle(
        _ bench: Bench, _ outcome: HandlerOutcome, after milliseconds: Int64 = 400
    ) throws {
        _ = try bench.store.transactBlocking(at: Bench.start + milliseconds) { mutation in
            let lease = try #require(try mutation.store.requireTask(1).running)
            _ = try mutation.settle([
                Completion(task: 1, token: lease.token, ending: .handler(outcome))
            ])
        }
    }

    @Test("D5 unskip of a task that is not skipped says that, whatever the task does")
    func unskip() throws {
        let bench = try running()
        let outcome = bench("unskip 1")
        #expect(outcome.exit == .refused)
        #expect(outcome.errors.contains("#1 is not skipped"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("cancel"), "\(outcome.errors)")
    }

    @Test("Q8 why names the command that ends a task that runs too long")
    func stuck() throws {
        let bench = try running()
        #expect(!bench("why 1").output.contains("cancel"))
        bench.clock.withLock { $0 = Bench.start + 3_600_000 }
        #expect(bench("why 1").output.contains("sluice cancel 1"), "\(bench("why 1").output)")
    }

    @Test("A3 the error of a task that goes on is its last one, with its attempt")
    func lastError() throws {
        let bench = try running()
        try settle(bench, .retry(afterMilliseconds: 60_000, error: "busy"))
        let output = bench("show 1").output
        #expect(output.contains("last error (attempt 1): busy"), "\(output)")
        #expect(!output.contains("  error: "))
    }

    @Test("D3 show says who stepped an attempt")
    func stepper() throws {
        let bench = try running()
        _ = try bench.store.writeBlocking { store in
            try store.append([
                JournalEvent(
                    at: Bench.start, kind: JournalEvent.step, queue: "q", task: 1, by: "bob",
                    text: "#1 stepped by bob")
            ])
        }
        try settle(bench, .retry(afterMilliseconds: nil, error: "busy"))
        #expect(
            bench("show 1").output.contains("      stepped by bob"), "\(bench("show 1").output)")
    }

    @Test("list says how long the last attempt of a task took that has ended")
    func took() throws {
        let bench = try running()
        #expect(!bench("list q").output.contains("TOOK"))
        try settle(bench, .giveUp(error: "no such card"))
        let lines = bench("list q").output.split(separator: "\n")
        #expect(lines[0].contains("TOOK  ERROR"), "\(lines)")
        #expect(lines[1].contains("400 ms  no such card"), "\(lines)")
    }

    @Test("an attempt under ten seconds is told with its tenths, in list and in show")
    func tenths() throws {
        let bench = try running()
        try settle(bench, .giveUp(error: "no such card"), after: 2900)
        #expect(bench("list q").output.contains(" 2.9s  no such card"))
        #expect(bench("show 1").output.contains(" 2.9s  gave up"), "\(bench("show 1").output)")
    }

    @Test("what only looks further is offered as that")
    func look() throws {
        let bench = Bench()
        _ = bench("enqueue q open --group-start g")
        _ = bench("enqueue q send --group g")
        let output = bench("why 2").output
        #expect(output.contains("(see sluice why 1)"), "\(output)")
    }

    @Test("a queue in which nothing is left but failures says how many, as the screen does")
    func failures() throws {
        let bench = try running()
        try settle(bench, .giveUp(error: "no such card"))
        let row = bench("queues").output.split(separator: "\n").last ?? ""
        #expect(row.contains("1 failed") && !row.contains("empty"), "\(row)")
    }

    @Test("F1 a filter of several words is one argument: the command that was meant is shown")
    func severalWords() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "filters-")
        defer { try? Files.removeTree(folder) }
        var bench = Bench()
        bench.environment["XDG_CONFIG_HOME"] = folder
        let outcome = bench("filter save vips a b")
        #expect(outcome.exit == .usage)
        #expect(outcome.errors.contains("sluice filter save vips 'a b'"), "\(outcome.errors)")
    }

    @Test("a store where a verb takes none is told to stand behind --store")
    func storeAsArgument() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "stores-")
        defer { try? Files.removeTree(folder) }
        let path = "\(folder)/shop.db"
        try Files.writeAtomically([], to: path)
        let bench = Bench()
        let outcome = bench.run(["queues", path])
        #expect(outcome.exit == .usage)
        #expect(outcome.errors.contains("sluice queues --store \(path)"), "\(outcome.errors)")
        let list = bench.run(["list", "q", "--limit", "3", path])
        #expect(list.errors.contains("sluice list q --limit 3 --store \(path)"), "\(list.errors)")
        for words in [["queues", "\(folder)/none.db"], ["enqueue", "q", "t", "{}", "1.5"]] {
            #expect(bench.run(words).errors.contains("one argument too many"))
        }
    }

    @Test("a --store behind the end of the options is told to stand before it")
    func storeBehindTheEnd() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "stores-")
        defer { try? Files.removeTree(folder) }
        let path = "\(folder)/shop.db"
        try Files.writeAtomically([], to: path)
        let number = Bench().run(["priority", "1", "--", "-5", "--store", path]).errors
        #expect(number.contains("sluice priority 1 -5 --store \(path)\n"), "\(number)")
        let word = Bench().run(
            ["enqueue", "--label", "x", "--", "-q", "t", "{}", "--store", path]
        ).errors
        #expect(
            word.contains("sluice enqueue --label x --store \(path) -- -q t '{}'\n"), "\(word)")
    }

    @Test("K8 the error of a refused watch names the limit that is reached")
    func watchLimits() {
        let watch = QueueError.cannotWatch(
            SystemError(.watch, path: "app.db", reason: .code(28)))
        #expect(watch.fix.contains("fs.inotify") && watch.message.contains("watch app.db"))
        for operation in [SystemError.Operation.thread, .open, .event] {
            let other = QueueError.cannotWatch(SystemError(operation, reason: .code(11)))
            #expect(other.fix.contains("ulimit -a") && !other.fix.contains("inotify"))
        }
    }

    @Test("the help of --store names every kind of store")
    func stores() {
        let output = Bench()("help list").output
        for word in ["SQLite", "postgres://", "Customer.io", "redis://"] {
            #expect(output.contains(word), "\(output)")
        }
    }
}

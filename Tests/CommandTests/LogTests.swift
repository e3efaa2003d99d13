import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("The log of what came without a verb")
struct LogTests {
    private func arrive(
        _ bench: Bench, at seconds: Int64, count: Int = 1, parent: TaskID? = nil
    ) throws {
        let moment = Bench.start + seconds * 1000
        try bench.store.transactBlocking(at: moment) { mutation in
            let requests = (0..<count).map { _ in
                var request = EnqueueRequest(type: "t")
                request.parent = parent
                return request
            }
            _ = try mutation.enqueue(requests, to: "q")
        }
    }

    private func texts(_ bench: Bench, _ line: String = "log --json") -> [String] {
        (bench(line).json["events"]?.array ?? []).compactMap { $0["text"]?.string }
    }

    @Test("D9 what an app or a handler enqueues has a line, told from its row alone")
    func arrivals() throws {
        let bench = Bench()
        #expect(bench("enqueue q t").exit == .done)
        let journal = try bench.store.readBlocking { try $0.journal(JournalQuery(limit: 99)).count }
        try arrive(bench, at: 1)
        bench.clock.withLock { $0 = Bench.start + 2000 }
        #expect(bench("pause q").exit == .done)
        try arrive(bench, at: 3, count: 2, parent: 1)
        bench.clock.withLock { $0 = Bench.start + 4000 }
        #expect(bench("duplicate 1").exit == .done)
        #expect(
            texts(bench)
                == [
                    "#1 t enqueued by dana", "#2 t enqueued by an app", "q paused by dana",
                    "#3 t enqueued by the handler of #1", "#4 t enqueued by the handler of #1",
                    "#5 made as a duplicate by dana",
                ], "\(texts(bench))")
        let after = try bench.store.readBlocking { try $0.journal(JournalQuery(limit: 99)).count }
        #expect(after == journal + 2, "no row was added for what came")
        let line = bench("log --json").json["events"]?[1]
        #expect(line?["task"] == 2 && line?["queue"] == "q" && line?["kind"] == "enqueue")
        #expect(line?["by"] == "app" && line?["sequence"] == .null)
        #expect(texts(bench, "log -n 2 --json").count == 2)
    }

    @Test("D9 of many tasks by one verb only that verb has a line")
    func byVerb() throws {
        var bench = Bench()
        bench.input = String(repeating: "{\"type\":\"t\"}\n", count: 5)
        #expect(bench("enqueue q --jsonl -").exit == .done)
        #expect(texts(bench) == ["5 tasks enqueued by dana"])
        // A verb older than the lines read still counts.
        for _ in 0..<6 { _ = bench("pause q --reason again") }
        #expect(texts(bench, "log -n 3 --json").allSatisfy { !$0.contains("enqueued") })
    }

    @Test("a filter of the log that nothing matches is told on standard error")
    func nothing() {
        let bench = Bench()
        #expect(bench("enqueue q t").exit == .done)
        for line in ["log 999", "log --by nobody", "log --by nobody --json"] {
            let outcome = bench(line)
            #expect(outcome.exit == .done)
            #expect(outcome.errors == "sluice: no line of the log matches\n", "\(line)")
        }
        #expect(bench("log 1").errors == "" && bench("log --by nobody --quiet").errors == "")
    }

    @Test("D9 G3 the log goes by real time, also of what came while the store's clock was another")
    func otherClock() throws {
        let bench = Bench()
        _ = try bench.store.transactBlocking(at: Bench.start) { mutation in
            try mutation.attach(
                ProcessRecord(
                    id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                    attachedAt: Bench.start)
            ).id
        }
        #expect(bench("queue set q").exit == .done)
        for words in ["clock +2h", "clock freeze", "clock -1h", "clock real", "clock rate 10"] {
            bench.clock.withLock { $0 = $0 + 1000 }
            #expect(bench(words).exit == .done)
            bench.clock.withLock { $0 = $0 + 1000 }
            #expect(bench("enqueue q t").exit == .done)
            // A task changed since then has no separate line either.
            #expect(bench("enqueue q t").exit == .done)
            let now = bench.clock.withLock { $0 }
            try bench.store.transactBlocking(at: now + 500) { mutation in
                let newest = try mutation.store.tasks(.newest(), limit: 1)[0]
                _ = try mutation.start(
                    newest, runner: try mutation.store.processes()[0], isStep: false)
            }
            bench.clock.withLock { $0 = $0 + 1000 }
            #expect(bench("pause q --reason \(words.count)").exit == .done)
            for count in 1...4 {
                let texts = texts(bench, "log -n \(count) --json")
                #expect(texts.count == count, "\(words)")
                #expect(!texts.contains { $0.contains("by an app") }, "\(words): \(texts)")
            }
        }
        // A task of an app appears at its arrival time.
        #expect(bench("clock +2h").exit == .done)
        let second = (bench.clock.withLock { $0 } - Bench.start) / 1000
        try arrive(bench, at: second + 1)
        bench.clock.withLock { $0 = $0 + 2000 }
        #expect(bench("pause q --reason last").exit == .done)
        let lines = bench("log -n 2 --json").json["events"]?.array ?? []
        #expect(lines.first?["by"] == "app" && lines.last?["kind"] == "pause")
        let came = TimeText.rfc3339(Bench.start + (second + 1) * 1000)
        #expect(lines.first?["at"]?.string == came, "\(lines)")
    }
}

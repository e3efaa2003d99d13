import SluiceModel
import SluicePlatform
import SluiceStore
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
        // A verb that is older than what is read still counts.
        for _ in 0..<6 { _ = bench("pause q --reason again") }
        #expect(texts(bench, "log -n 3 --json").allSatisfy { !$0.contains("enqueued") })
    }
}

import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("Filters of the log, and its script")
struct LogFilterTests {
    private let bench = Bench()

    private func texts(_ line: String) -> [String] {
        (bench("\(line) --json").json["events"]?.array ?? []).compactMap { $0["text"]?.string }
    }

    /// Two queues, two persons, and an app, a minute apart.
    private func session() throws {
        _ = bench("enqueue a t --by ann")
        _ = bench("enqueue b t --by bo")
        bench.clock.withLock { $0 = $0 + 60_000 }
        _ = bench("skip 1 --by ann")
        _ = bench("skip 2 --by ann")
        _ = bench("pause b --by bo")
        bench.clock.withLock { $0 = $0 + 1000 }
        let now = bench.clock.withLock { $0 }
        _ = try bench.store.transactBlocking(at: now) { mutation in
            try mutation.enqueue([EnqueueRequest(type: "late")], to: "b")
        }
    }

    @Test("G7 log takes tasks, a queue, a person and a time, and each line has its number")
    func filters() throws {
        try session()
        #expect(texts("log 1") == ["#1 t enqueued by ann", "#1 skipped by ann"])
        #expect(
            texts("log --queue b")
                == [
                    "#2 t enqueued by bo", "#2 skipped by ann", "b paused by bo",
                    "#3 late enqueued by an app",
                ])
        #expect(texts("log --by bo") == ["#2 t enqueued by bo", "b paused by bo"])
        #expect(texts("log --by app") == ["#3 late enqueued by an app"])
        #expect(texts("log --since 30s --by ann") == ["#1 skipped by ann", "#2 skipped by ann"])
        #expect(texts("log --since 30s --by ann -n 1") == ["#2 skipped by ann"])
        #expect(texts("log 1 2 --queue b --by ann") == ["#2 skipped by ann"])
        #expect(texts("log --by nobody") == [])
        // A word that is no task is a queue.
        #expect(texts("log b") == texts("log --queue b") && texts("log b").count == 4)
        #expect(texts("log 2 b --by ann") == ["#2 skipped by ann"])
        #expect(texts("log b -n 1") == ["#3 late enqueued by an app"])
        #expect(bench("log none --json").errorCode == "unknownQueue")
        #expect(bench("log 12x").errors.contains("#1042"))
        #expect(bench("log a b").exit == .usage && bench("log a --queue b").exit == .usage)
        #expect(bench("log --queue none --json").errorCode == "unknownQueue")
        #expect(bench("log --since soon").exit == .usage)
        #expect(bench("log --script --follow").exit == .usage)
        let lines = bench("log 1").output.split(separator: "\n")
        #expect(lines.map { $0.split(separator: " ").first } == ["1", "3"])
    }

    @Test("G7 the undo of what a script only mentions takes back nothing else there")
    func undoOfComment() throws {
        _ = bench("enqueue q one --by ann")
        _ = bench("skip 1 --by ann")
        let big = [UInt8](repeating: UInt8(ascii: "x"), count: 70_000)
        let control = Control(
            store: bench.store, person: "ann", now: { self.bench.clock.withLock { $0 } },
            chance: { 0.5 })
        try control.performBlocking(
            .enqueue(queue: "q", [EnqueueRequest(type: "big", payload: big)]))
        _ = bench("undo --by ann")
        _ = bench("undo --by ann")
        let lines = bench("log --script").output.split(separator: "\n").map(String.init)
        #expect(
            lines.suffix(4).filter { !$0.hasPrefix("# event") } == [
                "# undo of event 3, which these lines do not do again", "sluice undo",
            ])
        #expect(!lines.dropLast(2).contains("sluice undo"))
    }

    @Test("G7 a line about several tasks is one of each of them")
    func several() throws {
        for _ in 0..<3 { _ = bench("enqueue a t --by ann") }
        _ = bench("skip 1 2 --by bo")
        _ = bench("delete 2 3 --by bo")
        #expect(texts("log 1") == ["#1 t enqueued by ann", "2 tasks skipped by bo"])
        #expect(
            texts("log 2")
                == ["#2 t enqueued by ann", "2 tasks skipped by bo", "2 tasks deleted by bo"])
        #expect(texts("log 3") == ["#3 t enqueued by ann", "2 tasks deleted by bo"])
        let script = bench("log 1 --script --by bo").output
        #expect(script.contains("sluice skip 1 2\n") && !script.contains("delete"))
    }

    @Test("G7 tasks that moved together do so one by one, as the command takes them")
    func moved() {
        for _ in 0..<3 { _ = bench("enqueue a t --by ann") }
        _ = bench("enqueue b t --by ann")
        #expect(bench("move --filter queue:a --queue b --yes --by bo").exit == .done)
        let script = bench("log --script --by bo").output
        #expect(script.contains((1...3).map { "sluice move \($0) --queue b\n" }.joined()))
    }

    @Test("G7 what is sought is found however far back it is")
    func farBack() throws {
        _ = bench("enqueue a t --by ann")
        for _ in 0..<600 { _ = bench("network off --by bo") }
        #expect(texts("log --by ann") == ["#1 t enqueued by ann"])
        #expect(texts("log 1") == ["#1 t enqueued by ann"])
    }

    @Test("G7 the script says what persons did, who, and what has no command")
    func script() throws {
        try session()
        var bench = bench
        bench.input = String(repeating: "{\"type\":\"t\"}\n", count: 101)
        _ = bench("enqueue a --jsonl - --by ann")
        _ = bench.run(["pause", "a", "--reason", "a\nsluice step b", "--by", "ann"])
        let script = bench("log --script --by ann").output
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "#!/bin/sh" && lines.contains("set -e"))
        #expect(lines.contains("export SLUICE_USER=ann"))
        #expect(!script.contains("sluice pause b") && !script.contains("late"))
        let commands = lines.filter { $0.hasPrefix("sluice ") }
        #expect(
            commands == [
                "sluice enqueue a t", "sluice skip 1", "sluice skip 2",
                "sluice pause a --reason 'a", "sluice step b'",
            ])
        #expect(lines.contains("# enqueue of more than 100 tasks: see export"))
        #expect(bench("log --script --by ann --json").json["script"]?.string == script)
        #expect(bench("log --script -n 1").output.contains("--reason"))
        #expect(!bench("log --script -n 1").output.contains("skip"))
    }

    @Test("G7 a line of a verb on many tasks names all of them, and an undo of nothing is none")
    func many() throws {
        for _ in 0..<20 { _ = bench("enqueue a t") }
        let ids = (1...20).map(String.init)
        _ = bench.run(["skip"] + ids)
        #expect(
            bench("log --script").output.contains("\nsluice skip \(ids.joined(separator: " "))\n"))
        _ = bench("enqueue a t --by bo")
        _ = bench("cancel 21 --by bo")
        let script = bench("log --script --by bo").output
        #expect(script.contains("sluice enqueue a t") && !script.contains("cancel"))
    }
}

import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand
@testable import SluiceTapes

@Suite("commands that read a tape")
struct TapeTests {
    private let bench = Bench()
    private let folder: String
    private var tape: String { "\(folder)/incident.tape" }

    init() throws { folder = try Files.makeTemporaryDirectory(prefix: "tape-") }

    /// Read-only commands, for two queues and four tasks.
    private static let looks = [
        "queues", "list", "list q --filter type:b", "list --state all", "show 1", "why 1", "why 2",
        "forecast q", "groups q", "timers", "log", "log --since 30s", "log 1 --detail", "failures",
        "runners", "stats", "metrics", "break list", "fault list", "results s", "report 1",
        "export - --format lines",
    ]
    private static let changes = [
        "enqueue q a {\"n\":1} --group-start g", "enqueue q b --group g", "pause q --for 10m",
        "break type:b", "skip 1", "postpone 2 +1h", "fault type:a fail=no --times 2", "delete 2",
    ]

    private func answers(_ options: String = "") -> [String] {
        Self.looks.flatMap { look in
            ["", " --json"].map { form in
                let outcome = bench(look + options + form)
                return "\(look)\(form): \(outcome.exit) \(outcome.output)\(outcome.errors)"
            }
        }
    }

    /// Records a few changes, half a minute apart. Returns the store's answers after each.
    private func record() throws -> [[String]] {
        _ = bench("queue set q --attempts 3")
        _ = bench("enqueue other t --session s")
        let clock = bench.clock
        let recorder = try TapeRecorder(
            bench.store, TapeRecorder.Request(path: tape), person: "dana",
            now: { clock.withLock { $0 } })
        try recorder.writeBeginning()
        var answers = [self.answers()]
        for change in Self.changes {
            clock.withLock { $0 = $0 + 30_000 }
            #expect(bench(change).exit == .done, "\(change)")
            #expect(try recorder.move() == nil)
            answers.append(self.answers())
        }
        let report = try recorder.end(nil)
        #expect(report.events == Self.changes.count)
        let told = report.lines(TapeRecorder.Request(path: tape))
        #expect(told == ["\(tape): 8 events", "open it with: sluice \(tape)"])
        clock.withLock { $0 = $0 + 86_400_000 }
        return answers
    }

    @Test("G6 what only reads says of each event what the store said then, and of the end")
    func reads() throws {
        defer { try? Files.removeTree(folder) }
        let told = try record()
        for (event, expected) in told.enumerated() {
            let found = answers(" --store \(tape) --at \(event)")
            for (one, other) in zip(expected, found) {
                #expect(Self.bare(one) == Self.bare(other), "event \(event)")
            }
        }
        #expect(answers(" --store \(tape)") == answers(" --store \(tape) --at \(told.count - 1)"))
    }

    /// An answer without the name of its store, and without the commands of fixes.
    private static func bare(_ answer: String) -> String {
        answer.split(separator: "\n", omittingEmptySubsequences: false).filter {
            !$0.contains("store: `") && !$0.contains("\"report\":")
        }.map { line in
            String(line).replacing(#/  \(sluice [^)]*\)/#, with: "")
                .replacing(#/: sluice work .*/#, with: "")
                .replacing(#/"fix":"sluice [^"]*"/#, with: "\"fix\":null")
        }.joined(separator: "\n")
    }

    @Test("G6 a tape names no command that would start or change something there")
    func advice() throws {
        defer { try? Files.removeTree(folder) }
        _ = try record()
        #expect(bench("why 1").output.contains("sluice "))
        let why = bench("why 1 --store \(tape)").output
        #expect(why.contains("skipped by dana") && !why.contains("sluice "), "\(why)")
        let held = bench("why 3 --store \(tape) --at 4").output
        #expect(held.contains("no worker is attached") && !held.contains("sluice work"), "\(held)")
        #expect(held.contains("paused by dana") && !held.contains("sluice resume"), "\(held)")
        // A look at another task is possible.
        #expect(held.contains("see sluice why 2"), "\(held)")
        let blockers = bench("why 3 --store \(tape) --at 4 --json").json["blockers"]?.array
        #expect(blockers?.contains { $0["fix"] == .null } == true)
        #expect(bench("workers --store \(tape)").output == "no worker is attached\n")
        #expect(bench("workers").output.contains("sluice work --handlers FILE starts one"))
    }

    @Test("G6 an expectation is asked of a moment, and is not waited for")
    func expects() throws {
        defer { try? Files.removeTree(folder) }
        _ = try record()
        func ask(_ expectation: String, _ options: [String] = []) -> Bench.Outcome {
            bench.run(["expect", expectation, "--store", tape] + options)
        }
        #expect(ask("state(#1) == skipped").exit == .done)
        #expect(ask("state(#1) == skipped", ["--at", "2"]).exit == .notHeld)
        #expect(ask("ran(queue:q) == 0", ["--since", "10m"]).exit == .done)
        let waiting = ask("empty(q)", ["--within", "1h"])
        #expect(waiting.exit == .refused && waiting.errors.contains("leave --within away"))
        for line in ["watch", "log --follow", "log --script"] {
            let outcome = bench("\(line) --store \(tape) --json")
            #expect(outcome.exit == .refused && outcome.errorCode == "notLegal", "\(line)")
        }
    }

    @Test("G6 what changes something is refused with the command that makes a store of a moment")
    func changes() throws {
        defer { try? Files.removeTree(folder) }
        _ = try record()
        let before = try Files.read(tape, limitBytes: 1 << 20)
        for line in [
            "skip 1", "pause q", "enqueue q a", "undo", "step q", "run q", "clock +5m",
            "break type:a", "restore c", "doctor", "compact", "queue set q", "network on",
            "record \(folder)/other.tape", "filter save f type:a --shared",
            "copy \(tape) \(folder)/copied.db",
        ] {
            let outcome = bench("\(line) --store \(tape)")
            #expect(outcome.exit == .refused, "\(line): \(outcome.errors)")
            let fix = "sluice replay \(tape) --at EVENT --into NEW.db makes a store"
            #expect(outcome.errors.contains(fix), "\(line): \(outcome.errors)")
        }
        // The error names no field of a task line, and has the fix.
        let taken = bench("import \(tape)")
        #expect(taken.exit == .usage, "\(taken.errors)")
        #expect(taken.errors.contains("is a tape, the recording of a store"), "\(taken.errors)")
        #expect(taken.errors.contains("sluice replay \(tape) --at EVENT --into NEW.db"))
        #expect(try Files.read(tape, limitBytes: 1 << 20) == before)
        let made = bench("replay \(tape) --at 2 --into \(folder)/then.db")
        #expect(made.exit == .done, "\(made.errors)")
        #expect(bench("skip 1 --store \(folder)/then.db").exit == .done)
    }

    /// A tape of one runner with three sequential tasks of `q`. The second retries.
    private func recordRuns(queues: [String]? = nil) throws {
        _ = bench("queue set q --concurrency 1")
        _ = bench("queue set p")
        let clock = bench.clock
        func act<Value: Sendable>(
            _ body: @escaping @Sendable (Mutation) throws -> Value
        ) throws -> Value { try bench.store.transactBlocking(at: clock.withLock { $0 }, body) }
        let runner = try act { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 7, lockName: "l",
                attachedAt: Bench.start)
            process.slots = 4
            return try mutation.attach(process).id
        }
        var request = TapeRecorder.Request(path: tape)
        request.queues = queues
        let recorder = try TapeRecorder(
            bench.store, request, person: "dana", now: { clock.withLock { $0 } })
        try recorder.writeBeginning()
        for _ in 1...3 { _ = bench("enqueue q a") }
        for turn in 1...3 {
            try act { mutation in
                let claimed = try mutation.claim(
                    ClaimRequest(runner: runner, freeSlots: 4, inFlight: 0))
                guard let one = claimed.first, let token = one.task.running?.token else { return }
                let outcome: HandlerOutcome =
                    turn == 2
                    ? .retry(afterMilliseconds: nil, error: "no") : .success(result: nil)
                let end = Completion(
                    task: one.task.id, token: token, ending: .handler(outcome, restarts: false))
                _ = try mutation.settle([end])
            }
        }
        _ = try recorder.end(nil)
    }

    @Test("G6 replay with other settings tells each difference in words, and JSON all of them")
    func told() throws {
        defer { try? Files.removeTree(folder) }
        try recordRuns()
        #expect(bench("replay \(tape)").output.hasSuffix("6 decisions: the rules say the same\n"))
        var told = bench("replay \(tape) --set q.concurrency=2")
        #expect(told.exit == .done && told.output.contains("differences\n"), "\(told.output)")
        #expect(
            told.output.contains(
                "event 4: worker 1 would be given #1 #2, the tape gave it #1\n"),
            "\(told.output)")
        told = bench("replay \(tape) --set q.attempts=1")
        #expect(
            told.output.contains(
                "event 5: #2 after its end: state failed, on the tape waiting; "),
            "\(told.output)")
        #expect(!told.output.contains("freshAt"))
        let json = bench("replay \(tape) --set q.concurrency=2 --json").json
        #expect(json["difference"]?["what"]?.string == "claim by runner 1")
        #expect(json["all"]?.array?.count == json["differences"]?.integer.map(Int.init))
        #expect(json["all"]?.array?.first?["tape"] == json["difference"]?["tape"])
    }

    @Test("G6 a tape of one queue is replayed as far as it can be, and says where nothing was")
    func oneQueue() throws {
        defer { try? Files.removeTree(folder) }
        try recordRuns(queues: ["q"])
        let told = bench("replay \(tape)")
        #expect(told.exit == .done)
        #expect(told.output.contains("6 decisions: the rules say the same\nonly queue q was"))
        // The tape without the decisions, as earlier versions wrote it.
        let text = String(decoding: try Files.read(tape, limitBytes: 1 << 20), as: UTF8.self)
        let lines = text.split(separator: "\n").map { line -> String in
            guard case .object(var object)? = try? JSONValue.parse(Array(line.utf8)) else {
                return ""
            }
            (object["sum"], object["decisions"]) = (nil, nil)
            return JSONValue.object(object).text
        }
        let older = "\(folder)/older.tape"
        try Files.writeAtomically(Array((lines.joined(separator: "\n") + "\n").utf8), to: older)
        for line in ["replay \(older)", "replay \(older) --set q.concurrency=2"] {
            let refused = bench(line)
            #expect(refused.exit == .refused && refused.output == "")
            #expect(
                refused.errors.contains("nothing was compared: only queue q was recorded"),
                "\(refused.errors)")
        }
    }

    @Test("G6 a tape that was edited or that ended early says so, and it has no checkpoints")
    func remarks() throws {
        defer { try? Files.removeTree(folder) }
        _ = try record()
        let text = String(decoding: try Files.read(tape, limitBytes: 1 << 20), as: UTF8.self)
        let other = "\(folder)/other.tape"
        try Files.writeAtomically(
            Array(text.replacing("\\\"n\\\":1", with: "\\\"n\\\":2").utf8), to: other)
        for line in ["list --store \(other)", "replay \(other)"] {
            let refused = bench(line)
            #expect(refused.exit == .usage && refused.errors.contains("does not fit its sum"))
        }
        var lines = text.split(separator: "\n").map { line -> JSONValue in
            guard case .object(var object)? = try? JSONValue.parse(Array(line.utf8)) else {
                return .null
            }
            object["sum"] = nil
            return .object(object)
        }
        let at = Bench.start.milliseconds
        lines[lines.count - 1] = ["end": "the disk is full", "at": .integer(at)]
        let all = lines.map(\.text).joined(separator: "\n") + "\n"
        try Files.writeAtomically(Array(all.utf8), to: other)
        let moment = TimeText.rfc3339(Bench.start)
        let early = "the recording ended early at \(moment): the disk is full"
        #expect(bench("list --store \(other)").errors == "sluice: \(early)\n")
        #expect(bench("replay \(other)").output.contains("\n\(early)\n"))
        #expect(bench("replay \(other) --json").json["remark"] == .string(early))
        for line in ["diff", "restore c --dry-run"] {
            let refused = bench("\(line) --store \(tape)")
            #expect(
                refused.errors.contains("a tape has no checkpoints")
                    || refused.errors.contains("is a tape"), "\(line): \(refused.errors)")
            #expect(!refused.errors.contains("takes one"))
        }
        let none = bench("checkpoint list --store \(tape)")
        #expect(none.output == "a tape has no checkpoints\n")
    }

    @Test("G4 a store that is made of a moment of a tape has its tasks' numbers, and counts on")
    func numbers() throws {
        defer { try? Files.removeTree(folder) }
        _ = bench("enqueue q gone")
        _ = bench("enqueue q gone")
        _ = bench("delete 1 2")
        _ = bench("purge 1 2")
        _ = bench("enqueue z late")
        try recordRuns()
        let made = bench("replay \(tape) --at 2 --into \(folder)/then.db")
        #expect(made.exit == .done, "\(made.errors)")
        let listed = bench("list --state all --store \(folder)/then.db --json").json
        let ids = listed["tasks"]?.array?.compactMap { $0["id"]?.integer }.sorted()
        #expect(ids == [3, 4, 5], "\(listed.text)")
        let next = bench("enqueue q a --store \(folder)/then.db --json").json
        #expect(next["ids"] == [6])
    }

    @Test("G6 an event that is not there, a store instead of a tape, and a tape that was edited")
    func wrong() throws {
        defer { try? Files.removeTree(folder) }
        _ = try record()
        let beyond = bench("list --store \(tape) --at 99 --json")
        #expect(beyond.exit == .usage && beyond.errorCode == "badValue")
        #expect(beyond.errors.contains("allowed: 0 to \(Self.changes.count)"))
        #expect(bench("list --at -1 --store \(tape)").exit == .usage)
        let store = bench("list --at 3 --json")
        #expect(store.exit == .usage && store.errors.contains("is a store, not a tape"))
        var text = String(
            decoding: try Files.read(tape, limitBytes: 1 << 20), as: UTF8.self)
        let cut = "\(folder)/cut.tape"
        let lines = text.split(separator: "\n")
        try Files.writeAtomically(
            Array((lines.dropLast(3).joined(separator: "\n") + "\n").utf8), to: cut)
        let short = bench("list --store \(cut)")
        #expect(short.exit == .done && short.errors.contains("is cut off after event"))
        #expect(bench("list --store \(cut) --json").errors == "")
        text = text.replacing("{\"event\":2,", with: "{\"event\":7,")
        let edited = "\(folder)/edited.tape"
        try Files.writeAtomically(Array(text.utf8), to: edited)
        let refused = bench("list --store \(edited) --json")
        #expect(refused.exit == .usage && refused.errorCode == "damagedStore")
    }

    @Test("what already was is told by the real time, also where the clock of the store was set")
    func since() {
        defer { try? Files.removeTree(folder) }
        _ = bench("enqueue q a")
        #expect(bench("clock +5h").exit == .done)
        #expect(bench("log --since 30s").output.contains("#1 a enqueued by dana"))
    }
}

import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTapes
import Testing

/// Today's rules applied to the decisions on a tape (G6).
@Suite("replays of tapes")
struct ReplayTests {
    private func tape(
        _ bench: Bench, _ body: () throws -> Void
    ) throws -> TapeFile {
        let path = "\(bench.folder)/t.tape"
        let recorder = try TapeRecorder(
            bench.store, TapeRecorder.Request(path: path), person: "dana", now: { bench.now })
        try recorder.writeBeginning()
        try body()
        _ = try recorder.end(nil)
        return try TapeFile(path)
    }

    private static let isLong = ProcessIdentity.environment("SLUICE_SOAK") != nil
    /// 1,000 tapes in memory with `SLUICE_SOAK=1`.
    private static let worlds: [Case<Range<Int>>] =
        (0..<(isLong ? 10 : 1)).map {
            Case(engine: .memory, value: isLong ? $0 * 100..<($0 + 1) * 100 : 0..<20)
        }
        + [Case(engine: .sqlite, value: 2000..<(isLong ? 2100 : 2012))]
        + Engine.all.dropFirst(2).map { Case(engine: $0, value: 2200..<2202) }

    @Test("G6 a random world is replayed without a difference", arguments: worlds)
    func same(_ test: Case<Range<Int>>) throws {
        var decisions = 0
        for seed in test.value {
            let bench = try Bench(test.engine)
            var operation = try RandomOperation(bench, seed: seed)
            for _ in 0..<15 { try operation.next() }
            let tape = try tape(bench) { for _ in 0..<70 { try operation.next() } }
            var replay = TapeReplay(tape)
            let report = try replay.run(stopsAtFirst: true)
            decisions += report.decisions
            #expect(report.first == nil, "seed \(seed)")
            guard report.first == nil else { return }
        }
        #expect(decisions > 10 * test.value.count)
    }

    /// Three tasks that run one at a time, one per claim. The second fails.
    private func day(_ bench: Bench) throws -> TapeFile {
        try bench.makeQueue { $0.concurrency = 1 }
        let runner = try bench.attach()
        return try tape(bench) {
            try bench.enqueue(3)
            for turn in 0..<3 {
                let claimed = try bench.claimOne(runner, slots: 4)
                try bench.settle(claimed, turn == 1 ? .fail : .done)
            }
        }
    }

    @Test(
        "G6 what a worker claims in the commit of a stop is decided by the stop on the tape too",
        arguments: [Breakpoint.Moment.after, .onFailure])
    func stopped(_ moment: Breakpoint.Moment) throws {
        let bench = try Bench(.sqlite)
        try bench.makeQueue()
        let runner = try bench.attach()
        try bench.enqueue(3)
        var request = BreakRequest(try TaskFilter("queue:q"))
        request.moment = moment
        try bench.perform(.setBreakpoint(request))
        let tape = try tape(bench) {
            let claimed = try bench.claimOne(runner)
            let sent = claimed.completion(.handler(moment == .after ? .done : .fail))
            let next = try bench.act { mutation in
                _ = try mutation.settle([sent])
                return try mutation.claim(
                    ClaimRequest(runner: runner, freeSlots: 2, inFlight: 0))
            }
            #expect(next == [])
        }
        var replay = TapeReplay(tape)
        let report = try replay.run(stopsAtFirst: true)
        #expect(report.decisions == 3)
        #expect(report.first == nil)
        // Each change of a queue in one commit is one version.
        let queue = try bench.read { try $0.requireQueue("q") }
        #expect(queue.version == 2 && queue.pauses.count == 1)
    }

    /// The same tape as an earlier version wrote it, with other letters in its lines.
    private func changed(_ tape: TapeFile, _ one: String, _ other: String) throws -> TapeFile {
        let text = try TapeLines.withoutSums(tape.path).joined(separator: "\n") + "\n"
        #expect(text.contains(one))
        let path = "\(tape.path).changed"
        try Files.writeAtomically(Array(text.replacing(one, with: other).utf8), to: path)
        return try TapeFile(path)
    }

    @Test("G6 another task than the rules give, and another end than they make, is found")
    func differs() throws {
        let bench = try Bench(.sqlite)
        let tape = try day(bench)
        var replay = TapeReplay(tape)
        var report = try replay.run(stopsAtFirst: true)
        #expect(report.first == nil && report.decisions == 6)
        // Another rule of order would have given the third first.
        replay = TapeReplay(try changed(tape, "\"gave\":[1]", "\"gave\":[3]"))
        report = try replay.run(stopsAtFirst: true)
        let claim = try #require(report.first)
        #expect(claim.event == 2 && claim.what.hasPrefix("claim by runner"))
        #expect(claim.tape == [3] && claim.rules == [1])
        // Another rule of retries would have let it wait longer.
        let waits = try #require(
            try tape.event(5).changes.compactMap { change -> Timestamp? in
                guard case .updated(let task) = change else { return nil }
                return task.waiting?.timer?.until
            }.first)
        replay = TapeReplay(
            try changed(
                tape, "\"until\":\(waits.milliseconds)", "\"until\":\(waits.milliseconds + 1)"))
        report = try replay.run(stopsAtFirst: true)
        let end = try #require(report.first)
        #expect(end.event == 5 && end.what == "state of #2 after its end")
        #expect(end.tape != end.rules)
    }

    @Test("G6 a claim that gives the same tasks in another order is found")
    func order() throws {
        let bench = try Bench(.sqlite)
        try bench.makeQueue { $0.concurrency = 2 }
        let runner = try bench.attach()
        try bench.enqueue(2)
        let tape = try tape(bench) { try bench.claim(runner, slots: 2) }
        var replay = TapeReplay(try changed(tape, "\"gave\":[1,2]", "\"gave\":[2,1]"))
        let claim = try #require(try replay.run(stopsAtFirst: true).first)
        #expect(claim.tape == [2, 1] && claim.rules == [1, 2])
    }

    @Test("G6 the event of a moment is the last one that was not later")
    func moments() throws {
        let bench = try Bench(.sqlite)
        try bench.makeQueue()
        let tape = try tape(bench) {
            for _ in 0..<3 {
                bench.pass(10)
                try bench.enqueue(1)
            }
        }
        #expect(tape.count == 3)
        #expect(
            try [9, 10, 19, 20, 29, 30, 31].map { try tape.event(at: at($0)) }
                == [0, 1, 1, 2, 2, 3, 3])
    }

    @Test("G6 a tape that was changed so that an event follows from nothing is told as that")
    func edited() throws {
        let bench = try Bench(.sqlite)
        let tape = try day(bench)
        var replay = TapeReplay(try changed(tape, "{\"task\":{\"id\":2,", "{\"task\":{\"id\":77,"))
        let error = #expect(throws: QueueError.self) { try replay.run(stopsAtFirst: true) }
        #expect(error?.code == .damagedStore)
        #expect(error?.message.contains("does not follow from the state before") == true)
    }

    @Test("G6 with other settings it says what would have been decided")
    func settings() throws {
        let bench = try Bench(.sqlite)
        let tape = try day(bench)
        var replay = TapeReplay(tape, changes: ["q": { $0.settings.concurrency = 2 }])
        let report = try replay.run(stopsAtFirst: false)
        #expect(report.differences >= 1 && report.events == tape.count)
        #expect(report.first?.tape == [1] && report.first?.rules == [1, 2])
        #expect(report.first?.parts == [.claim(by: 1, tape: [1], rules: [1, 2])])
        #expect(report.all.count == report.differences)
        // The report names the state before the index columns.
        replay = TapeReplay(tape, changes: ["q": { $0.settings.attemptLimit = 1 }])
        let end = try #require(try replay.run(stopsAtFirst: false).first)
        #expect(end.what == "state of #2 after its end")
        guard case .end(of: 2, let fields)? = end.parts.first else {
            Issue.record("\(end.parts)")
            return
        }
        #expect(fields.first == FieldDifference(name: "state", from: "waiting", to: "failed"))
        replay = TapeReplay(tape, upTo: 1, changes: ["q": { $0.settings.concurrency = 2 }])
        #expect(try replay.run(stopsAtFirst: false).decisions == 0)
        replay = TapeReplay(tape, changes: ["p": { $0.settings.concurrency = 2 }])
        let error = #expect(throws: QueueError.self) { try replay.run(stopsAtFirst: false) }
        #expect(error?.code == .unknownQueue)
    }
}

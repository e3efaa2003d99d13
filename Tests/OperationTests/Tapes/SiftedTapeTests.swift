import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTapes
import Testing

/// Recordings of some queues, and without values (G6).
@Suite("tapes that have not all")
struct SiftedTapeTests {
    private func record(
        _ bench: Bench, _ change: (inout TapeRecorder.Request) -> Void
    ) throws -> TapeRecorder {
        var request = TapeRecorder.Request(path: "\(bench.folder)/t.tape")
        change(&request)
        return try TapeRecorder(bench.store, request, person: "dana", now: { bench.now })
    }

    private static let seeds = ProcessIdentity.environment("SLUICE_SOAK") != nil ? 400 : 30

    @Test(
        "G6 what was decided about some queues alone is replayed without a difference",
        arguments: [["q"], ["q", "r"]])
    func same(_ queues: [String]) throws {
        var decisions = 0
        for seed in 0..<Self.seeds {
            let bench = try Bench(.memory)
            try bench.makeQueue("other")
            var operation = try RandomOperation(bench, seed: seed)
            for _ in 0..<15 { try operation.next() }
            let recorder = try record(bench) { $0.queues = queues }
            try recorder.writeBeginning()
            for _ in 0..<70 { try operation.next() }
            _ = try recorder.end(nil)
            let tape = try TapeFile("\(bench.folder)/t.tape")
            var replay = TapeReplay(tape)
            let report = try replay.run(stopsAtFirst: true)
            decisions += report.decisions
            #expect(report.first == nil, "seed \(seed)")
            guard report.first == nil else { return }
        }
        #expect(decisions > 3 * Self.seeds, "\(decisions)")
    }

    @Test("G6 a claim that gave tasks of other queues too is asked about with what they left")
    func shared() throws {
        let bench = try Bench(.sqlite)
        for name in ["a", "q", "z"] { try bench.makeQueue(name) { $0.concurrency = 4 } }
        let runner = try bench.attach()
        let recorder = try record(bench) { $0.queues = ["q"] }
        try recorder.writeBeginning()
        for name in ["a", "q", "z"] { try bench.enqueue(2, to: name) }
        let claimed = try bench.claim(runner, slots: 3)
        #expect(claimed.map(\.task.queue) == ["a", "a", "q"])
        for one in claimed { try bench.settle(one) }
        // All of it by others.
        #expect(try bench.claim(runner, slots: 0).isEmpty)
        _ = try recorder.end(nil)
        let tape = try TapeFile("\(bench.folder)/t.tape")
        var replay = TapeReplay(tape)
        var report = try replay.run(stopsAtFirst: true)
        #expect(report.decisions == 2 && report.first == nil)
        replay = TapeReplay(tape, changes: ["q": { $0.settings.concurrency = 0 }])
        report = try replay.run(stopsAtFirst: false)
        #expect(report.first?.rules == [])
    }

    @Test("G6 G1 of a task that came from another queue no breakpoint is asked again")
    func breakpoints() throws {
        let bench = try Bench(.sqlite)
        for name in ["q", "a"] { try bench.makeQueue(name) }
        let runner = try bench.attach()
        try bench.perform(stop("-payload.a=1 queue:q"))
        let id = try bench.enqueue([request { $0.payload = Array(#"{"a":1}"#.utf8) }], to: "a")[0]
        let recorder = try record(bench) { $0.queues = ["q"] }
        try recorder.writeBeginning()
        try bench.perform(.moveToQueue([TaskTarget(id)], "q"))
        let claimed = try bench.claimOne(runner)
        #expect(claimed.task.id == id)
        try bench.settle(claimed)
        _ = try recorder.end(nil)
        var replay = TapeReplay(try TapeFile("\(bench.folder)/t.tape"))
        #expect(try replay.run(stopsAtFirst: true).first == nil)
    }

    private static let secret = "kim@example.com"

    /// A request with an earlier value of the payload, and an answer that says it.
    private static var exchange: WebExchange {
        var exchange = WebExchange(
            at: 0, "POST", "http://h/\(secret)", headers: [.init("X-To", secret)],
            phases: WebExchange.Phases(ends: []))
        exchange.body = WebExchange.Body(Array(#"{"user":{"mail":"earlier"}}"#.utf8))
        exchange.status = 404
        exchange.answer = WebExchange.Body(Array("earlier and \(secret) unknown".utf8))
        return exchange
    }

    @Test("G6 CIO-111 a redacted value is nowhere on the tape where its task says it")
    func redacted() throws {
        let bench = try Bench(.sqlite)
        try bench.makeQueue { $0.keepFinished = .last(9) }
        let runner = try bench.attach()
        let task = request { [secret = Self.secret] in
            $0.payload = Array(#"{"user":{"mail":"\#(secret)"},"n":1}"#.utf8)
            $0.label = "for \(secret)"
            $0.headers = ["traceparent": "of \(secret)"]
            ($0.session, $0.clientString) = ("s", ClientString("ticket of \(secret)"))
        }
        try bench.enqueue([task])
        let early = try bench.claimOne(runner)
        try bench.settle(early, .retry(afterMilliseconds: 0, error: "no \(Self.secret) known"))
        let recorder = try record(bench) { change in
            change.redactedNames = ["payload.user.mail"]
            change.redactions = SummaryPaths(text: "user.mail")?.paths ?? []
        }
        try recorder.writeBeginning()
        try bench.enqueue([task])
        for turn in 0..<4 {
            let claimed = try bench.claimOne(runner)
            let error = "550 \(Self.secret)\nis no mailbox"
            let ends: [HandlerOutcome] = [
                .retry(afterMilliseconds: 0, error: error),
                .pauseQueue(milliseconds: 5, isCounted: true, error: error),
                .park(error: error), .success(result: Array("sent to \(Self.secret)".utf8)),
            ]
            var completion = claimed.completion(.handler(ends[turn]))
            completion.result = turn == 3 ? Array("sent to \(Self.secret)".utf8) : nil
            var progress = AttemptProgress()
            (progress.text, progress.log) = (
                "at \(Self.secret)", ["dialled \(Self.secret)", Self.exchange.line]
            )
            completion.progress = progress
            let sent = completion
            try bench.act { mutation in
                _ = try mutation.settle([sent])
                try mutation.store.append([
                    JournalEvent(
                        at: mutation.real, kind: "note", queue: "q", task: sent.task, by: "ann",
                        text: "#\(sent.task) of \(Self.secret) looked at")
                ])
            }
            #expect(try recorder.move() == nil)
            bench.pass(60_000)
        }
        try bench.perform(.delete([TaskTarget(1)], cancelsRunning: false, members: nil))
        try bench.perform(.acknowledge([TaskTarget(1)]))
        try bench.perform(.purge([TaskTarget(1)], members: nil))
        #expect(try recorder.end(nil).redactions == [2])
        let path = "\(bench.folder)/t.tape"
        let text = try TapeLines.text(path)
        let found = text.split(separator: "\n").filter { $0.contains(Self.secret) }
        #expect(found.isEmpty, "\(found.first?.prefix(2000) ?? "")")
        #expect(text.contains("http://h/") && !text.contains("earlier"))
        for words in [
            "550 [redacted]", "at [redacted]", "dialled [redacted]", "for [redacted]",
            "ticket of [redacted]", "sent to [redacted]", "of [redacted] looked at",
            "no [redacted] known", #"{"traceparent":"[redacted]"}"#,
        ] { #expect(text.contains(words), "\(words)") }
        // The rules say the same without it.
        var replay = TapeReplay(try TapeFile(path))
        let report = try replay.run(stopsAtFirst: true)
        #expect(report.first == nil && report.decisions >= 8)
    }

    @Test(
        "G6 the journal has a line when a recording begins and one when it ends, however it ends",
        arguments: Engine.all)
    func journal(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        func lines() throws -> [String] {
            try bench.read { try $0.journal(JournalQuery(limit: 100)) }.compactMap { entry in
                guard case .event(let event) = entry, event.kind == "record" else { return nil }
                return event.text
            }.sorted()
        }
        let recorder = try record(bench) { _ in }
        try recorder.writeBeginning()
        _ = try recorder.end(nil)
        #expect(try lines() == ["recording begun by dana", "recording ended by dana"])
        let away = try record(bench) { $0.path = "\(bench.folder)/u.tape" }
        try away.writeBeginning()
        try bench.enqueue(1)
        bench.pass(10_001)
        try bench.enqueue(1)
        #expect(
            try lines().last
                == "recording ended: its recorder was away for more than 10 s, or more than "
                + "256 MiB behind")
        _ = try away.end(try away.move())
        #expect(
            try TapeFile("\(bench.folder)/u.tape").remark
                == "the recording ended early at \(TimeText.rfc3339(bench.now)): the recorder was "
                + "away for more than 10 s, or more than 256 MiB behind")
        let dead = try record(bench) { $0.path = "\(bench.folder)/v.tape" }
        try dead.writeBeginning()
        try bench.act { mutation in
            let process = try mutation.store.processes().first { $0.role == .command }
            _ = try mutation.reap(try #require(process).id)
        }
        #expect(try lines().contains("recording ended: its recorder was gone"))
        #expect(try lines().count == 6)
    }
}

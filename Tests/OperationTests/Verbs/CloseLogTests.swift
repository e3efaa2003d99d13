import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// A detailed log of a batched queue, on every engine.
@Suite("The log for who looks closely")
struct CloseLogTests {
    private static let preset = QueueSettings.preset(named: "customer-io") ?? QueueSettings()

    /// A batched queue that runs at `count` fresh tasks.
    private func open(_ engine: Engine, count: Int) throws -> (Bench, ProcessID) {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0 = Self.preset
            $0.start = .batched(count: count, delayMilliseconds: 30_000)
        }
        return (bench, try bench.attach())
    }

    private func words(_ line: LogLine) -> String {
        let text =
            switch line.entry {
            case .journal(.event(let event)): event.text
            case .journal(.attempt(let end)): "#\(end.task) \(end.outcome?.rawValue ?? "")"
            case .arrival(let task): "#\(task.id) came"
            case .begin(let attempt): "#\(attempt.task) \(attempt.beginWords)"
            }
        return text + line.countWords
    }

    private func log(_ bench: Bench, limit: Int = 1000, isClose: Bool = true) throws -> [String] {
        let now = bench.now
        return try bench.read { try Reading($0, now: now).log(limit: limit, isClose: isClose) }
            .lines.map(words)
    }

    /// The log entries after a place, read in parts of `limit`.
    private func news(
        _ bench: Bench, _ place: inout LogPlace, limit: Int = 1000
    ) throws -> [String] {
        let (now, from) = (bench.now, place)
        let (lines, end) = try bench.read {
            try Reading($0, now: now).log(behind: from, limit: limit, isClose: true)
        }
        place = end
        return lines.map(words)
    }

    private static let story = [
        "#1 t enqueued by ann, 1 in the queue", "the next run is due in 30s",
        "#2 t enqueued by ann, 2 in the queue",
        "#3 t enqueued by ann, 3 in the queue", "#4 t enqueued by ann, 4 in the queue",
        "the next run is due: 4 fresh tasks wait", "a run began: 4 fresh tasks wait",
        "#1 starts, 4 in the queue", "#1 retry", "#3 starts, 4 in the queue", "#3 giveUp",
        "#4 starts, 3 in the queue", "#4 success",
        "skipped: #2 for the group g, whose start #1 t has not succeeded",
        "the run ended after 3 attempts", "2 are left, the next run is due in 30s",
    ]

    private func live(_ bench: Bench, _ runner: ProcessID, _ look: () throws -> Void) throws {
        for task in [member(start: "g"), member("g"), request(), request()] {
            try bench.perform(.enqueue(queue: "q", [task]))
            try look()
            bench.pass(1000)
        }
        let outcomes: [HandlerOutcome] = [.fail, .giveUp(error: "no"), .done]
        for outcome in outcomes {
            let claimed = try #require(try bench.claim(runner).first)
            try look()
            bench.pass(1000)
            try bench.settle(claimed, outcome)
            try look()
        }
    }

    @Test(
        "CIO-109 a tester is told each step of a batched queue as it comes, in its order",
        arguments: Engine.all)
    func followed(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, count: 4)
        var place = LogPlace()
        _ = try news(bench, &place)
        var told: [String] = []
        try live(bench, runner) { told += try news(bench, &place) }
        #expect(told == Self.story)
        #expect(try news(bench, &place) == [])
    }

    @Test("CIO-109 what was not looked at while it went on is told the same", arguments: Engine.all)
    func looked(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, count: 4)
        try live(bench, runner) {}
        let told = try log(bench)
        #expect(told == Self.story)
        #expect(try log(bench, limit: 3) == Array(told.suffix(3)))
        var place = LogPlace()
        let parts = try (0..<20).flatMap { _ in try news(bench, &place, limit: 3) }
        // A page that does not reach the present knows no lengths.
        let withoutLength = { (line: String) in
            guard line.hasSuffix(" in the queue") else { return line }
            return line.split(separator: ", ").dropLast().joined(separator: ", ")
        }
        #expect(parts.map(withoutLength) == told.map(withoutLength))
    }

    @Test("CIO-109 the log without detail is as it was", arguments: Engine.all)
    func plain(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, count: 4)
        try live(bench, runner) {}
        let plain = [
            "#1 t enqueued by ann", "#2 t enqueued by ann", "#3 t enqueued by ann",
            "#4 t enqueued by ann",
            "#1 retry", "#3 giveUp", "#4 success", "the run ended after 3 attempts",
        ]
        #expect(try log(bench, isClose: false) == plain)
        #expect(try log(bench, limit: 2, isClose: false) == Array(plain.suffix(2)))
        let kinds = try bench.events().map(\.kind)
        #expect(kinds == ["enqueue", "enqueue", "enqueue", "enqueue", "runEnded"])
    }

    @Test("CIO-109 a run says why it began: its time, or what was left", arguments: Engine.all)
    func reasons(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, count: 4)
        try bench.enqueue(1)
        bench.pass(30_000)
        try bench.drain(runner) { _ in .fail }
        #expect(
            try log(bench).suffix(5) == [
                "a run began: the first fresh task came 30s ago", "#1 starts, 1 in the queue",
                "#1 retry",
                "the run ended after 1 attempt", "1 is left, the next run is due in 1m",
            ])
        bench.pass(60_000)
        try bench.drain(runner)
        #expect(
            try log(bench).suffix(5) == [
                "a run began: what an earlier run left is due",
                "#1 starts, attempt 2, 1 in the queue",
                "#1 success", "the run ended after 1 attempt", "nothing is left",
            ])
    }

    @Test("CIO-109 a run that a step opened says so")
    func stepped() throws {
        let stepper = try Stepper(.memory) { $0 = Self.preset }
        try stepper.bench.enqueue(1)
        _ = try stepper.step()
        #expect(
            try log(stepper.bench).suffix(6) == [
                "a run began: a step opened it", "#1 stepped by ann",
                "#1 starts, 1 in the queue", "#1 success",
                "the run ended after 1 attempt", "nothing is left",
            ])
    }

    @Test("CIO-109 many that a start holds are one line, and no line is written for a task")
    func manySkipped() throws {
        let (bench, runner) = try open(.memory, count: 4)
        try bench.enqueue([member(start: "g")] + Array(repeating: member("g"), count: 30))
        bench.pass(1)
        try bench.drain(runner) { _ in .fail }
        let lines = try log(bench).filter { $0.hasPrefix("skipped") }
        #expect(lines.count == 1)
        #expect(lines[0].hasPrefix("skipped: #2, #3, #4, "))
        #expect(lines[0].hasSuffix("; 10 more for their groups"))
        let written = try bench.read {
            try $0.journal(JournalQuery(limit: 1000, withDetail: true)).count
        }
        #expect(written == 6, "one due, one begin, one skipped, one end, one left, one execution")
    }

    @Test("CIO-109 the number in the queue is left out where something may have gone unseen")
    func unknownCounts() throws {
        let (bench, _) = try open(.memory, count: 4)
        try bench.enqueue(2)
        bench.pass(1)
        try bench.perform(.delete([TaskTarget(1)], cancelsRunning: false, members: nil))
        bench.pass(1)
        try bench.enqueue(1)
        let told = try log(bench).filter { $0.contains("came") }
        #expect(told == ["#1 came", "#2 came", "#3 came, 2 in the queue"])
    }
}

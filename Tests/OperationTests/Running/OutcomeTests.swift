import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("outcomes")
struct OutcomeTests {
    /// The effect of an outcome on a task with 2 attempts and retries after 1 s.
    struct Row: Sendable, CustomStringConvertible {
        var outcome: HandlerOutcome
        var attempts: Int
        var waits: Int64?
        var state = TaskState.Name?.some(.waiting)
        var isParked = false
        var pauses: Pause.Cause?

        var description: String { "\(outcome)" }
    }

    static let rows = [
        Row(outcome: .done, attempts: 0, state: nil),
        Row(outcome: .fail, attempts: 1, waits: 1000),
        Row(outcome: .retry(afterMilliseconds: 7, error: nil), attempts: 1, waits: 7),
        Row(outcome: .retry(afterMilliseconds: 0, error: nil), attempts: 1),
        Row(outcome: .park(error: "wait"), attempts: 0, isParked: true),
        Row(outcome: .giveUp(error: "400"), attempts: 1, state: .failed),
        Row(
            outcome: .pauseQueue(milliseconds: 500, isCounted: false, error: "401"), attempts: 0,
            waits: 1500, pauses: .handler),
        Row(
            outcome: .pauseQueue(milliseconds: 500, isCounted: true, error: "500"), attempts: 1,
            waits: 1500, pauses: .handler),
        Row(outcome: .offline(error: nil), attempts: 0, waits: 1000),
    ]

    @Test("A3 every outcome has its effect, and stands in the log", arguments: Case.all(rows))
    func effects(_ test: Case<Row>) throws {
        let bench = try Bench(test.engine)
        let row = test.value
        try bench.makeQueue { $0.attemptLimit = 2 }
        let id = try bench.enqueue(1)[0]
        let claimed = try bench.claim(try bench.attach())[0]
        let settled = try bench.settle(claimed, row.outcome)
        #expect(settled.state == row.state)
        let log = try bench.read { try $0.attempts(of: id) }
        #expect(log.count == 1 && log[0].endedAt == bench.now)
        #expect(log[0].outcome == settled.attempt?.outcome)
        #expect(log[0].isCounted == (row.attempts > 0 || row.state == nil))
        #expect(try bench.record().pauses.map(\.cause) == [row.pauses].compactMap { $0 })
        guard row.state != nil else { return }
        let task = try bench.task(id)
        #expect([task.attempts, task.executions] == [row.attempts, 1])
        #expect(task.waiting?.timer.map { $0.until - bench.now } == row.waits)
        #expect((task.waiting?.parking != nil) == row.isParked)
    }

    @Test(
        "Q7 n attempts are exactly n counted executions, the task's own before the queue's",
        arguments: Case.all([1, 2, 3]))
    func limit(_ test: Case<Int>) throws {
        let bench = try Bench(test.engine)
        let limit = test.value
        try bench.makeQueue {
            $0.attemptLimit = 5
            $0.retry = .fixed(milliseconds: 0)
        }
        let ids = try bench.enqueue([request { $0.attemptLimit = limit }, request()])
        let runner = try bench.attach()
        let ran = try bench.drain(runner) { _ in .fail }
        #expect(ran.filter { $0 == ids[0] }.count == limit)
        #expect(ran.filter { $0 == ids[1] }.count == 5)
        #expect(try bench.states(ids) == [.failed, .failed])
        try bench.perform(.retry([TaskTarget(ids[0])]))
        #expect(try bench.drain(runner) { _ in .fail }.count == limit)
        #expect(try bench.task(ids[0]).executions == 2 * limit)
    }

    @Test(
        "IDJ-10 the preset's waits are 20, 24, 28 s, and the tenth failure is the last",
        arguments: Engine.all)
    func delayedJob(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makePreset("delayed-job")
        let id = try bench.enqueue(1)[0]
        let runner = try bench.attach()
        var waits: [Int64] = []
        while let claimed = try bench.claim(runner).first {
            try bench.settle(claimed, .fail)
            guard let timer = try bench.task(id).waiting?.timer else { break }
            waits.append((timer.until - bench.now) / 1000)
            bench.pass(timer.until - bench.now)
        }
        #expect(waits == [20, 24, 28, 32, 36, 40, 44, 48, 52])
        let log = try bench.read { try $0.attempts(of: id) }
        #expect(log.map(\.number) == Array(1...10))
        #expect(Set(log.map(\.endedAt)).count == 10)
        #expect(try bench.states([id]) == [.failed])
    }

    @Test("A5 a task that restarts begins again at 0", arguments: Engine.all)
    func restarts(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.attemptLimit = 1 }
        let id = try bench.enqueue(1)[0]
        let claimed = try bench.claim(try bench.attach())[0]
        try bench.settle(claimed, .handler(.fail, restarts: true))
        #expect(try bench.task(id).attempts == 0)
        #expect(try bench.states([id]) == [.waiting])
    }

    @Test(
        "Q6 a required task that is given up pauses its queue, an expired one never",
        arguments: Engine.all)
    func required(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.attemptLimit = 1 }
        let ids = try bench.enqueue([
            request { ($0.isRequired, $0.expiresAt) = (true, at(5)) },
            request { $0.isRequired = true }, request(),
        ])
        bench.pass(5)
        let runner = try bench.attach()
        #expect(try bench.drain(runner) { _ in .fail } == [ids[1]])
        #expect(try bench.record().pauses.map(\.cause) == [.required])
        #expect(try bench.blockers(ids[2]) == [.queuePaused])
        let answer = try bench.perform(.resume(.queue("q")))
        #expect(answer.endedPauses.map(\.cause) == [.required])
        #expect(try bench.drain(runner) == [ids[2]])
    }

    @Test("Q9 finished tasks are kept as the queue says", arguments: Engine.all)
    func keeps(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let kept: [(KeepFinished, Int)] = [
            (.none, 0), (.last(2), 2), (.milliseconds(5), 4), (.acknowledged, 4),
        ]
        for (index, (keep, count)) in kept.enumerated() {
            try bench.makeQueue("q\(index)") { $0.keepFinished = keep }
            try bench.enqueue(4, to: "q\(index)")
            let runner = try bench.attach(queues: ["q\(index)"])
            #expect(try bench.drain(runner).count == 4)
            #expect(try bench.read { try $0.counts(queue: "q\(index)")[.succeeded] } == count)
        }
        try bench.makeQueue()
        let ids = try bench.enqueue([request { $0.session = "s" }, request()])
        try bench.drain(try bench.attach(queues: ["q"]))
        #expect(try bench.states(ids) == [.succeeded, nil])
        try bench.perform(.acknowledge([TaskTarget(ids[0])]))
        #expect(try bench.states(ids) == [nil, nil])
    }

    @Test("A7 progress and log stay with the attempt", arguments: Engine.all)
    func progress(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.keepFinished = .last(1) }
        let id = try bench.enqueue(1)[0]
        var completion = try bench.claim(try bench.attach())[0].completion(
            .handler(.success(result: [1])))
        completion.result = [1]
        completion.progress = AttemptProgress()
        completion.progress?.fraction = 0.5
        completion.progress?.log = ["line"]
        let sent = completion
        try bench.act { _ = try $0.settle([sent]) }
        let attempt = try #require(try bench.read { try $0.attempts(of: id) }.first)
        #expect(attempt.fraction == 0.5 && attempt.log == ["line"])
        #expect(try bench.read { try $0.result(of: id) } == [1])
    }
}

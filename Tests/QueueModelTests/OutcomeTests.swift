import SluiceModel
import Testing

@Suite("Ends of executions")
struct OutcomeTests {
    private static var settings: QueueSettings {
        var settings = QueueSettings()
        settings.attemptLimit = 3
        settings.retry = .linear(baseMilliseconds: 20_000, stepMilliseconds: 4000)
        return settings
    }

    private static func waiting(_ change: (inout QueueTask) -> Void = { _ in }) -> QueueTask {
        var task = QueueTask(id: 9, queue: "q", type: "t", position: 1, createdAt: at(0))
        change(&task)
        return task
    }

    /// One execution from claim to its end.
    private static func execute(
        _ task: QueueTask, _ ending: Ending, _ settings: QueueSettings = settings
    ) throws -> Transition {
        var lease = Running(
            owner: 5, token: 7, attempt: task.executions + 1, since: at(100))
        if case .stopped(let cause) = ending {
            lease.stop = cause
            lease.deletion = cause == .deleted ? Deletion(by: "bob") : nil
        }
        var running = try task.applying(.claim(lease), settings: settings, now: at(100)).task
        running.state = .running(lease)
        return try running.applying(.end(token: 7, ending), settings: settings, now: at(110))
    }

    /// The effect of an ending on a fresh task with three attempts.
    struct Row: Sendable, CustomTestStringConvertible {
        var ending: Ending
        var outcome: AttemptRecord.Outcome
        var isCounted: Bool
        var state: TaskState.Name
        /// Seconds until it is due; 0 if due now, `nil` if it has no due time.
        var wait: Int64?
        var parking: Parking.Cause?
        var pause: Int64?

        var testDescription: String { "\(ending)" }
    }

    static let rows: [Row] = [
        Row(
            ending: .handler(.success(result: nil)), outcome: .success, isCounted: true,
            state: .succeeded),
        Row(
            ending: .handler(.retry(afterMilliseconds: nil, error: "e")), outcome: .retry,
            isCounted: true,
            state: .waiting, wait: 20),
        Row(
            ending: .handler(.retry(afterMilliseconds: 0, error: nil)), outcome: .retry,
            isCounted: true,
            state: .waiting, wait: 0),
        Row(
            ending: .handler(.retry(afterMilliseconds: 5000, error: "e")), outcome: .retry,
            isCounted: true,
            state: .waiting, wait: 5),
        Row(
            ending: .handler(.park(error: "e")), outcome: .park, isCounted: false, state: .waiting,
            parking: .handler),
        Row(
            ending: .handler(.giveUp(error: "e")), outcome: .giveUp, isCounted: true, state: .failed
        ),
        Row(
            ending: .handler(.pauseQueue(milliseconds: 300_000, isCounted: false, error: "e")),
            outcome: .pauseQueue, isCounted: false, state: .waiting, wait: 320, pause: 300_000),
        Row(
            ending: .handler(.pauseQueue(milliseconds: 300_000, isCounted: true, error: "e")),
            outcome: .pauseQueue, isCounted: true, state: .waiting, wait: 320, pause: 300_000),
        Row(
            ending: .handler(.offline(error: "e")), outcome: .offline, isCounted: false,
            state: .waiting, wait: 20),
        Row(
            ending: .stopped(.timedOut), outcome: .timedOut, isCounted: true, state: .waiting,
            wait: 20),
        Row(
            ending: .stopped(.cancelled), outcome: .cancelled, isCounted: false, state: .waiting,
            parking: .cancelled),
        Row(ending: .stopped(.deleted), outcome: .cancelled, isCounted: false, state: .deleted),
        Row(
            ending: .stopped(.stopped), outcome: .stopped, isCounted: false, state: .waiting,
            wait: 0),
        Row(
            ending: .abandoned(.timedOut), outcome: .abandoned, isCounted: true, state: .waiting,
            wait: 20),
        Row(
            ending: .abandoned(.cancelled), outcome: .abandoned, isCounted: false, state: .waiting,
            parking: .cancelled),
        Row(ending: .lost, outcome: .lost, isCounted: false, state: .waiting, wait: 20),
    ]

    @Test("A3 A6 what each end of an execution makes of its task", arguments: rows)
    func ends(_ row: Row) throws {
        let change = try Self.execute(Self.waiting(), row.ending)
        let task = change.task
        #expect(change.attemptEnd?.outcome == row.outcome)
        #expect(
            change.attemptEnd?.isCounted == row.isCounted
                && task.attempts == (row.isCounted ? 1 : 0))
        #expect(task.executions == 1 && task.state.name == row.state)
        #expect(task.waiting?.parking?.cause == row.parking)
        let expected = row.wait.flatMap { $0 > 0 ? at(110 + $0) : nil }
        #expect(task.waiting?.timer?.until == expected)
        #expect(change.pause?.milliseconds == row.pause)
        #expect(change.isRunnerOffline == (row.outcome == .offline))
        #expect((task.waiting?.lingering != nil) == (row.outcome == .abandoned))
        #expect(!change.isRemoved, "the last 100 stay (Q11)")
        if row.wait != nil || row.parking != nil {
            #expect(task.freshAt == expected ?? Timestamp(milliseconds: 0))
        }
    }

    @Test(
        "Q7 a limit of n means exactly n counted executions",
        arguments: 1...5, rows.filter { $0.isCounted && $0.state == .waiting })
    func limit(_ limit: Int, _ row: Row) throws {
        var settings = Self.settings
        settings.attemptLimit = limit
        var task = Self.waiting()
        while case .waiting = task.state, task.executions < 20 {
            var due = task
            due.state = .waiting(Waiting())
            task = try Self.execute(due, row.ending, settings).task
        }
        #expect(task.state.name == .failed && task.executions == limit && task.attempts == limit)
        task.attemptLimit = limit + 1
        var other = Self.waiting { $0.attemptLimit = limit + 1 }
        other.attempts = limit - 1
        #expect(try Self.execute(other, row.ending, settings).task.state.name == .waiting)
    }

    @Test(
        "Q7 what is not counted never uses the attempts up",
        arguments: rows.filter { !$0.isCounted && $0.state == .waiting })
    func uncounted(_ row: Row) throws {
        var task = Self.waiting()
        for _ in 0..<20 {
            task.state = .waiting(Waiting())
            task = try Self.execute(task, row.ending).task
        }
        #expect(task.attempts == 0 && task.executions == 20 && task.state.name == .waiting)
    }

    @Test("A5 shouldRestart brings the attempts back to 0 at the limit")
    func restarts() throws {
        let ending = Ending.handler(.retry(afterMilliseconds: nil, error: "e"), restarts: true)
        let last = Self.waiting { $0.attempts = 2 }
        let restarted = try Self.execute(last, ending).task
        #expect(restarted.attempts == 0 && restarted.waiting?.timer?.until == at(138))
        let earlier = Self.waiting { $0.attempts = 1 }
        #expect(try Self.execute(earlier, ending).task.attempts == 2)
        let given = Ending.handler(.giveUp(error: "e"), restarts: true)
        #expect(try Self.execute(last, given).task.state.name == .failed)
    }

    @Test("A2 losses wait by the rule, are counted apart, and park at the fifth in succession")
    func losses() throws {
        var task = Self.waiting()
        for number in 1...5 {
            let change = try Self.execute(task, .lost)
            task = change.task
            #expect(
                task.losses == number && task.lossesInSuccession == number && task.attempts == 0)
            #expect((task.waiting?.parking?.cause == .lost) == (number == 5))
            let wait = number == 5 ? nil : at(110 + 16 + 4 * Int64(number))
            #expect(task.waiting?.timer?.until == wait)
            if number < 5 { task.state = .waiting(Waiting()) }
        }
        task = try task.applying(.retry, settings: Self.settings, now: at(200)).task
        #expect(task.losses == 5 && task.lossesInSuccession == 0)
        task.lossesInSuccession = 4
        let ended = try Self.execute(task, .handler(.retry(afterMilliseconds: 0, error: nil))).task
        #expect(ended.lossesInSuccession == 0 && ended.losses == 5)
    }

    @Test("A3 offline waits grow with each offline in succession, at least a second")
    func offline() throws {
        var settings = Self.settings
        settings.retry = .exponential(
            baseMilliseconds: 100, factor: 10, capMilliseconds: 5000, jitter: 0)
        var task = Self.waiting { $0.attempts = 2 }
        var waits: [Int64] = []
        for _ in 0..<4 {
            task.state = .waiting(Waiting())
            task = try Self.execute(task, .handler(.offline(error: nil)), settings).task
            waits.append((task.waiting?.timer?.until ?? at(110)) - at(110))
        }
        #expect(waits == [1000, 1000, 5000, 5000] && task.attempts == 2)
        task.state = .waiting(Waiting())
        let ended = try Self.execute(task, .handler(.park(error: nil)), settings).task
        #expect(ended.offlineInSuccession == 0)
    }

    @Test("A3 after a pause the task waits at least a second longer than the queue")
    func pauses() throws {
        var settings = Self.settings
        settings.retry = .fixed(milliseconds: 0)
        for isCounted in [false, true] {
            let outcome = HandlerOutcome.pauseQueue(
                milliseconds: 60_000, isCounted: isCounted, error: "401")
            let change = try Self.execute(Self.waiting(), .handler(outcome), settings)
            #expect(change.task.waiting?.timer?.until == at(110 + 61))
            #expect(change.pause?.cause == .handler && change.pause?.reason == "401")
        }
    }

    @Test(
        "Q6 a required task that is given up pauses its queue; an optional one does not",
        arguments: [true, false])
    func required(_ isRequired: Bool) throws {
        let endings: [Ending] = [
            .handler(.giveUp(error: "boom")),
            .handler(.retry(afterMilliseconds: nil, error: "boom")),
            .stopped(.timedOut),
        ]
        for ending in endings {
            let task = Self.waiting {
                $0.isRequired = isRequired
                $0.attempts = 2
            }
            let change = try Self.execute(task, ending)
            #expect(change.task.state.name == .failed && change.wasGivenUp)
            #expect(change.pause?.cause == (isRequired ? .required : nil))
            #expect(change.pause?.milliseconds == nil)
        }
    }

    @Test("Q9 S4 a success is kept where the queue or a client wants it")
    func kept() throws {
        let success = Ending.handler(.success(result: [1]))
        var settings = Self.settings
        #expect(
            try Self.execute(Self.waiting { $0.session = "s" }, success, settings).isRemoved
                == false)
        for keep in [KeepFinished.last(3), .milliseconds(9), .acknowledged] {
            settings.keepFinished = keep
            #expect(try Self.execute(Self.waiting(), success, settings).isRemoved == false)
        }
        settings.keepFinished = .none
        #expect(try Self.execute(Self.waiting(), success, settings).isRemoved)
    }

    @Test("D6 a running task that is deleted comes back waiting, also when its worker died")
    func deletedWhileRunning() throws {
        for ending in [Ending.stopped(.deleted), .lost] {
            var lease = Running(owner: 5, token: 7, attempt: 1, since: at(100))
            lease.stop = .deleted
            lease.deletion = Deletion(by: "bob", members: .release)
            var running = Self.waiting { $0.groupStart = "g" }
            running.state = .running(lease)
            let deleted = try running.applying(
                .end(token: 7, ending), settings: Self.settings, now: at(110)
            ).task
            #expect(deleted.state.name == .deleted && deleted.endedStartPolicy == .release)
            let back = try deleted.applying(.undelete, settings: Self.settings, now: at(120)).task
            #expect(back.waiting != nil)
        }
    }
}

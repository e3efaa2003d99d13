import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@testable import SluiceRunner

/// A schedule, by default due at the beginning of each minute.
func schedule(
    _ name: String = "tick", _ spec: String = "* * * * *", to queue: String = "q",
    _ change: (inout ScheduleRequest) -> Void = { _ in }
) throws -> Verb {
    var request = ScheduleRequest(
        name, try ScheduleSpec(spec), queue: queue, type: "report", payload: Array("{}".utf8))
    change(&request)
    return .setSchedule(request)
}

extension Bench {
    /// Enqueues the due schedules, as a runner does.
    @discardableResult
    func enqueueScheduled() throws -> [TaskID] { try act { try $0.enqueueScheduled().tasks } }

    func schedule(_ name: String = "tick") throws -> Schedule? {
        try read { try $0.storeRecord().schedules[name] }
    }

    /// The moments that the waiting tasks of a queue are for, in the order of their numbers.
    func moments(_ queue: String = "q") throws -> [Timestamp] {
        try waiting(queue).sorted().compactMap { try task($0).scheduled?.at }
    }

    /// Lets the time pass up to a moment.
    func pass(to moment: Timestamp) { pass(moment - now) }
}

@Suite("schedules")
struct ScheduleTests {
    private static let minute: Int64 = 60_000

    @Test("R2 what is due is enqueued in the commit that moves its next", arguments: Engine.large)
    func due(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let answer = try bench.perform(schedule())
        #expect(answer.createdQueue == "q" && answer.undo != nil)
        #expect(answer.schedules.map(\.next) == [at(Self.minute)])
        #expect(try bench.enqueueScheduled() == [])
        bench.pass(Self.minute - 1)
        #expect(try bench.enqueueScheduled() == [])
        bench.pass(1)
        let made = try bench.enqueueScheduled()
        #expect(made.count == 1)
        #expect(try bench.enqueueScheduled() == [])
        let task = try bench.task(made[0])
        #expect(task.type == "report" && task.queue == "q" && task.createdAt == bench.now)
        #expect(task.scheduled == ScheduledMoment(schedule: "tick", at: at(Self.minute)))
        #expect(try bench.read { try $0.payload(of: made[0]) } == Array("{}".utf8))
        let schedule = try #require(try bench.schedule())
        #expect(schedule.next == at(2 * Self.minute) && schedule.last == at(Self.minute))
        let line = try #require(bench.events().last)
        #expect(line.kind == "scheduled" && line.task == made[0] && line.queue == "q")
        #expect(line.text == "#\(made[0]) report enqueued by schedule tick")
        // A task keeps who made it through its life.
        let runner = try bench.attach()
        let claimed = try #require(bench.claim(runner).first)
        #expect(claimed.task.scheduled == task.scheduled)
        try bench.settle(claimed, .fail)
        #expect(try bench.task(made[0]).scheduled == task.scheduled)
    }

    @Test(
        "R2 several workers over a week in which the clocks change: each moment once",
        arguments: Engine.large)
    func week(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let begin = try #require(TimeText.rfc3339("2027-03-25T00:00:30Z"))
        bench.pass(to: begin)
        try bench.perform(
            schedule("a", "15 2,3,14 * * *") { $0.timeZone = "Europe/Berlin" })
        try bench.perform(schedule("b", "every 4h"))
        let end = begin + 7 * 86_400_000
        var random = SeededRandom(seed: 5)
        while bench.now < end {
            // The first runner to wake enqueues it, on time or a little late.
            for _ in 0..<2 { try bench.enqueueScheduled() }
            let next = try bench.read { try $0.storeRecord().schedules.next }
            bench.pass(to: try #require(next) + Int64.random(in: 0...900, using: &random))
        }
        var moments: [String: [String]] = [:]
        for id in try bench.waiting().sorted() {
            let made = try #require(bench.task(id).scheduled)
            moments[made.schedule, default: []].append(
                String(TimeText.rfc3339(made.at).dropFirst(5).prefix(11)))
        }
        // On 28 March two o'clock is three o'clock: 2:15 is due at the jump, at 01:00 UTC.
        let days = (25...27).map { "03-\($0)" }
        let later = (29...31).map { "03-\($0)" }
        let wanted =
            days.flatMap { ["\($0)T01:15", "\($0)T02:15", "\($0)T13:15"] }
            + ["03-28T01:00", "03-28T01:15", "03-28T12:15"]
            + later.flatMap { ["\($0)T00:15", "\($0)T01:15", "\($0)T12:15"] }
        #expect(moments["a"] == wanted)
        #expect(moments["b"]?.count == 42 && Set(moments["b"] ?? []).count == 42)
    }

    @Test("R2 many workers at one moment: one task", arguments: Engine.large)
    func race(_ engine: Engine) async throws {
        let bench = try Bench(engine)
        try bench.perform(schedule())
        for round in 1...10 {
            bench.pass(Self.minute)
            let now = bench.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await bench.store.transact(at: now) { _ = try $0.enqueueScheduled() }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try bench.waiting().count == round)
        }
    }

    @Test(
        "R2 a commit that fails at any write leaves nothing, and no moment is lost",
        arguments: Engine.large)
    func anomalies(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.perform(schedule())
        let before = try bench.schedule()
        bench.pass(Self.minute)
        var failing = 1
        while true {
            bench.faults.fail(from: failing)
            let made = try? bench.enqueueScheduled()
            bench.faults.fail(from: nil)
            if made != nil { break }
            #expect(try bench.schedule() == before && bench.waiting().isEmpty)
            failing += 1
        }
        #expect(failing > 2)
        #expect(try bench.moments() == [at(Self.minute)])
    }

    @Test("R3 one task for all missed moments, one for each, or none", arguments: Engine.large)
    func missed(_ engine: Engine) throws {
        let bench = try Bench(engine)
        for missed in Schedule.Missed.allCases {
            try bench.perform(schedule(missed.rawValue, to: missed.rawValue) { $0.missed = missed })
        }
        func counts() throws -> [Int] {
            try Schedule.Missed.allCases.map { try bench.waiting($0.rawValue).count }
        }
        // A minute late is not missed.
        bench.pass(2 * Self.minute)
        try bench.enqueueScheduled()
        #expect(try counts() == [1, 2, 1])
        bench.pass(5 * Self.minute + 1000)
        try bench.enqueueScheduled()
        #expect(try counts() == [2, 7, 2])
        #expect(try bench.moments("once").last == at(7 * Self.minute))
        #expect(try bench.moments("each") == (1...7).map { at($0 * Self.minute) })
        bench.pass(1000 * Self.minute)
        try bench.enqueueScheduled()
        #expect(try counts() == [3, 107, 3])
        #expect(try bench.moments("each").last == at(1007 * Self.minute))
        let lines = try bench.events().suffix(3).map(\.text)
        #expect(lines.contains { $0.hasSuffix("; earlier moments were passed over") })
    }

    @Test("R3 none makes no task for what is more than a minute past", arguments: Engine.large)
    func passedOver(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.perform(schedule("daily", "0 9 * * *") { $0.missed = .none })
        bench.pass(3_600_000 + Self.minute + 1)
        #expect(try bench.enqueueScheduled() == [])
        let schedule = try #require(try bench.schedule("daily"))
        #expect(schedule.last == nil && schedule.next == at(25 * 3_600_000))
        let line = try #require(bench.events().last?.text)
        #expect(
            line == "schedule daily enqueued nothing; earlier moments were passed over")
        bench.pass(to: at(25 * 3_600_000 + Self.minute))
        #expect(try bench.enqueueScheduled().count == 1)
    }

    @Test("R2 G3 a clock that goes back enqueues nothing twice", arguments: Engine.large)
    func back(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.perform(schedule())
        bench.pass(3 * Self.minute)
        #expect(try bench.enqueueScheduled().count == 1)
        bench.pass(-3 * Self.minute)
        for _ in 1...3 {
            bench.pass(Self.minute)
            #expect(try bench.enqueueScheduled() == [])
        }
        // A pause with undo at an earlier clock time does not enqueue again.
        bench.pass(-Self.minute)
        try bench.perform(.schedule(.pause, name: "tick"))
        try bench.perform(.undo(event: nil))
        bench.pass(Self.minute)
        #expect(try bench.enqueueScheduled() == [])
        bench.pass(Self.minute)
        #expect(try bench.enqueueScheduled().count == 1)
    }

    @Test("R2 what a queue refuses is passed over, and the log says so", arguments: Engine.large)
    func refused(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.maximumLength = 2 }
        try bench.perform(schedule { $0.missed = .each })
        bench.pass(5 * Self.minute)
        #expect(try bench.enqueueScheduled().count == 2)
        #expect(
            try bench.events().last?.text
                == "2 tasks enqueued by schedule tick; q holds at most 2 waiting tasks")
        #expect(try bench.schedule()?.next == at(6 * Self.minute))
        var pause = PauseRequest(.queue("q"))
        pause.direction = .enqueues
        try bench.perform(.pause(pause))
        bench.pass(Self.minute)
        #expect(try bench.enqueueScheduled() == [])
        #expect(
            try bench.events().last?.text
                == "schedule tick enqueued nothing; q takes no tasks: paused by ann")
        // A pause of work lets tasks come, and they wait.
        try bench.perform(.resume(.queue("q")))
        try bench.perform(.setQueue("q", [.maximumLength(nil)]))
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        bench.pass(Self.minute)
        #expect(try bench.enqueueScheduled().count == 1)
    }

    @Test("R2 a queue that was deleted is made anew", arguments: Engine.large)
    func deletedQueue(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.perform(schedule())
        try bench.perform(.deleteQueue("q", evenWithTasks: true))
        bench.pass(Self.minute)
        #expect(try bench.enqueueScheduled().count == 1)
        #expect(try bench.waiting().count == 1)
    }

    @Test("R2 a worker fires for every queue, busy or not; one of steps alone does not")
    func agenda() throws {
        let bench = try Bench(.memory)
        let (worker, stepper) = (
            try bench.attach(queues: ["other"]), try bench.attach(onlyPermits: true)
        )
        func next(_ id: ProcessID, wantsWork: Bool) throws -> Timestamp? {
            let now = bench.now
            return try bench.read {
                try RunnerPoll($0, runner: id, now: now, wantsWork: wantsWork, inFlight: 0)
                    .nextSchedule
            }
        }
        #expect(try next(worker, wantsWork: true) == nil)
        try bench.perform(schedule())
        try bench.perform(schedule("later", "0 * * * *"))
        for wantsWork in [true, false] {
            #expect(try next(worker, wantsWork: wantsWork) == at(Self.minute))
            #expect(try next(stepper, wantsWork: wantsWork) == nil)
        }
        try bench.perform(.schedule(.pause, name: "tick"))
        #expect(try next(worker, wantsWork: true) == at(60 * Self.minute))
    }
}

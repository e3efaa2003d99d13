import SluiceModel
import SluiceStore
import Testing

@Suite("what always holds for a task")
struct InvariantTests {
    private static let moment = Timestamp(milliseconds: 1_800_000_000_000)

    private static var waiting: QueueTask {
        var task = claimed
        task.state = .waiting(Waiting())
        return task
    }

    fileprivate static var claimed: QueueTask {
        var task = QueueTask(id: 7, queue: "q", type: "t", position: 1024, createdAt: moment)
        (task.version, task.executions, task.attempts) = (5, 3, 2)
        task.state = .running(Running(owner: 2, token: 9, attempt: 3, since: moment))
        return task
    }

    struct Mistake: Sendable, CustomTestStringConvertible {
        let said: String
        var of = InvariantTests.claimed
        let make: @Sendable (inout QueueTask) -> Void

        var testDescription: String { said }
    }

    static let mistakes: [Mistake] = [
        Mistake(said: "it is another task") { $0.id = 8 },
        Mistake(said: "it is another task") { $0.createdAt = Timestamp(milliseconds: 1) },
        Mistake(said: "its attempts are below 0") { $0.attempts = -1 },
        Mistake(said: "its executions go back") { $0.executions = 2 },
        Mistake(said: "its version goes back") { $0.version = 4 },
        Mistake(said: "its version does not grow") { $0.state = .waiting(Waiting()) },
        Mistake(said: "its version does not grow") { $0.attempts = 3 },
        Mistake(said: "it runs without an owner") {
            $0.version = 6
            $0.state = .running(Running(owner: 0, token: 9, attempt: 3, since: moment))
        },
        Mistake(said: "it begins to run in an attempt that is not its last", of: waiting) {
            $0.version = 6
            $0.state = .running(Running(owner: 2, token: 9, attempt: 2, since: moment))
        },
    ]

    @Test("T2 a change that breaks what always holds is named", arguments: mistakes)
    func named(_ mistake: Mistake) {
        let task = mistake.of
        #expect(task.broken(by: task) == nil)
        var wrong = task
        mistake.make(&wrong)
        #expect(task.broken(by: wrong) == mistake.said)
    }

    @Test(
        "T2 such a change is refused before it is written, with all that its write changed",
        arguments: Engine.all, [(0, 1, "without an owner"), (1, -4, "executions go back")])
    func refused(_ engine: Engine, _ wrong: (owner: Int64, attempt: Int, said: String)) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(2)
        let before = try bench.read { try $0.tasks(ids) }
        let now = bench.now
        let error = #expect(throws: QueueError.self) {
            try bench.act { mutation in
                let tasks = try mutation.store.tasks(ids)
                try mutation.apply(.giveUp(reason: "first"), to: tasks[0])
                let lease = Running(
                    owner: wrong.owner, token: 5, attempt: wrong.attempt, since: now)
                try mutation.apply(.claim(lease), to: tasks[1])
            }
        }
        #expect(error?.code == .notLegal)
        #expect(error?.message.contains(wrong.said) == true, "\(String(describing: error))")
        #expect(try bench.read { try $0.tasks(ids) } == before)
        #expect(try bench.read { try $0.counts(queue: "q")[.waiting] } == 2)
    }
}

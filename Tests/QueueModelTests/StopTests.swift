import SluiceModel
import Testing

/// A person's request to a running task takes effect for every outcome (A6, B12, D6).
@Suite("stops")
struct StopTests {
    private let now = Timestamp(milliseconds: 1_000_000)

    private func running(_ cause: StopCause) throws -> QueueTask {
        let lease = Running(owner: 7, token: 3, attempt: 1, since: now)
        let task = QueueTask(id: 1, queue: "q", type: "t", position: 1, createdAt: now)
        let claimed = try task.applying(.claim(lease), settings: QueueSettings(), now: now).task
        let asked = TaskEvent.requestStop(cause, Deletion(by: "dana"))
        return try claimed.applying(asked, settings: QueueSettings(), now: now).task
    }

    private func end(_ task: QueueTask, _ ending: Ending) throws -> QueueTask {
        try task.applying(
            .end(token: 3, ending), settings: QueueSettings(), now: now
        ).task
    }

    static let endings: [Ending] = [
        .handler(.retry(afterMilliseconds: nil, error: "late")), .handler(.park(error: nil)),
        .handler(.offline(error: nil)), .lost, .stopped(.timedOut), .abandoned(.deleted),
    ]

    @Test("D6 a task deleted while it ran goes to the trash, however it ends", arguments: endings)
    func deleted(ending: Ending) throws {
        let task = try end(try running(.deleted), ending)
        #expect(task.state.name == .deleted)
    }

    @Test("A6 a task cancelled while it ran is parked, however it ends", arguments: endings)
    func cancelled(ending: Ending) throws {
        let task = try end(try running(.cancelled), ending)
        #expect(task.waiting?.parking != nil || task.state.name == .deleted)
        #expect(task.waiting?.timer == nil)
    }

    @Test(
        "A6 a success reported before it stopped counts",
        arguments: [StopCause.deleted, .cancelled])
    func succeeded(cause: StopCause) throws {
        let task = try end(try running(cause), .handler(.success(result: nil)))
        #expect(task.state.name == .succeeded)
    }

    @Test("B12 what was abandoned and deleted still lingers when it is brought back")
    func lingering() throws {
        let trashed = try end(try running(.deleted), .abandoned(.deleted))
        let back = try trashed.applying(.undelete, settings: QueueSettings(), now: now).task
        #expect(back.waiting?.lingering?.kind == .abandoned)
    }

    @Test("B10 what comes back from the trash has no mark of an older run")
    func marks() throws {
        var task = QueueTask(id: 1, queue: "q", type: "t", position: 1, createdAt: now)
        var waiting = Waiting()
        waiting.attemptedInRun = true
        waiting.skip = Skip(by: "dana", since: now, until: nil, endsWithRun: true)
        task.state = .waiting(waiting)
        let settings = QueueSettings()
        let deletion = TaskEvent.delete(Deletion(by: "dana"))
        let trashed = try task.applying(deletion, settings: settings, now: now).task
        let back = try trashed.applying(.undelete, settings: settings, now: now).task
        #expect(back.waiting == Waiting())
    }
}

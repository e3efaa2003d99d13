import SluiceFolderStore
import SluiceModel
import Testing

@testable import SluiceControl
@testable import SluiceStore

/// One operation on a scene, to fail at each of its writes.
struct Operation: Sendable, CustomStringConvertible {
    let description: String
    let prepare: @Sendable (Scene) throws -> Void
    let run: @Sendable (Scene) throws -> Void

    init(
        _ description: String, prepare: @escaping @Sendable (Scene) throws -> Void = { _ in },
        _ run: @escaping @Sendable (Scene) throws -> Void
    ) {
        self.description = description
        self.prepare = prepare
        self.run = run
    }

    static let all: [Operation] =
        verbs + [
            Operation("enqueue many") { scene in
                var unique = member("g", start: "h")
                (unique.uniqueKey, unique.uniquePolicy) = ("k", .replace)
                try scene.bench.enqueue([request(), unique, member("h"), unique, request()])
            },
            Operation("enqueue to a new queue") { try $0.bench.enqueue(2, to: "new") },
            Operation("claim") { scene in
                try scene.bench.act { mutation in
                    try mutation.changeQueue("q") { $0.settings.concurrency = 9 }
                    _ = try mutation.claim(
                        ClaimRequest(runner: scene.runner, freeSlots: 8, inFlight: 1))
                }
            },
            Operation("settle") { try $0.bench.settle($0.running(), .fail) },
            Operation("settle a failure for good") {
                try $0.bench.settle($0.running(), .giveUp(error: "no"))
            },
            Operation("settle with follow-ups, and claim") { scene in
                var completion = try scene.running().completion(.handler(.done))
                completion.followUps = [
                    FollowUp(queue: "q", task: member("g")),
                    FollowUp(queue: "new", task: request(), delayMilliseconds: 5),
                ]
                let sent = completion
                try scene.bench.act { mutation in
                    _ = try mutation.settle([sent])
                    _ = try mutation.claim(
                        ClaimRequest(runner: scene.runner, freeSlots: 1, inFlight: 0))
                }
            },
            Operation("reap") { scene in
                try scene.bench.act { _ = try $0.reap(scene.runner) }
            },
            Operation("leave an orphan") { scene in
                try scene.bench.act {
                    _ = try $0.reap(scene.runner, remains: { _, _ in .orphan(pid: 1) })
                }
            },
            Operation("open a session", prepare: joinSession) { scene in
                try scene.bench.act { mutation in
                    _ = try mutation.adopt(
                        session: "s", by: scene.runner, from: .start, limit: 9)
                }
            },
            Operation("close a session with cancel", prepare: joinSession) { scene in
                try scene.bench.act { mutation in
                    _ = try mutation.withdraw(
                        session: "s", of: scene.runner, by: "app", from: .start, limit: 9)
                }
            },
            Operation("issue a task again", prepare: joinSession) { scene in
                try scene.bench.act { mutation in
                    let task = try #require(mutation.store.awaitedTasks(session: "s").first)
                    _ = try mutation.reissue(
                        task, type: "u", payload: [1], collector: scene.runner, by: "app")
                }
            },
            Operation("detach") { scene in
                _ = try scene.bench.act { try $0.detach(scene.runner) }
            },
            Operation("attach") { try $0.bench.attach() },
            Operation("end a start with more members than one commit takes", prepare: grow) {
                try $0.endStart()
            },
            Operation(
                "work off a slice of a wake",
                prepare: { scene in
                    try grow(scene)
                    try scene.endStart()
                }
            ) { scene in
                try scene.bench.act { _ = try $0.workOffWakes() }
            },
            Operation(
                "issue a permit",
                prepare: { scene in
                    try scene.bench.perform(.setQueue("q", [.start(.manual)]))
                    try scene.bench.settle(scene.running())
                }
            ) { scene in
                try scene.bench.act { mutation in
                    _ = try PermitContext(mutation, issuer: scene.runner, person: "ann").issue(
                        .queue("q", count: 1))
                }
            },
        ]

    /// Adds members to a queue that fails them with their start. Some members start groups too.
    private static let grow: @Sendable (Scene) throws -> Void = { scene in
        try scene.bench.perform(.setQueue("q", [.whenStartFails(.giveUp)]))
        try scene.bench.enqueue([
            member("g", start: "h"), member("h"), member("h", "g"), member("g"), member("g"),
        ])
    }

    /// Adds all tasks to a session without a client.
    private static let joinSession: @Sendable (Scene) throws -> Void = { scene in
        try scene.bench.store.writeBlocking { store in
            for var task in try store.tasks(scene.ids) {
                task.session = "s"
                try store.update([task])
            }
        }
    }

    private static let verbs: [Operation] =
        VerbRow.rows.map { row in
            Operation("\(row)") { try $0.bench.perform(row.verb($0.target(row.on))) }
        }
        + [
            Operation("a bulk") { scene in
                try scene.bench.perform(
                    .delete(
                        scene.ids.map { TaskTarget($0) }, cancelsRunning: true, members: .giveUp))
            },
            Operation("an edit of several") { scene in
                let targets = [scene.target(.waiting), scene.target(.start)]
                try scene.bench.perform(
                    .edit(targets, payload: [1], fields: [.label("x")]))
            },
            Operation("a retry that is spread") { scene in
                let targets = [scene.target(.skipped), scene.target(.failed)]
                try scene.bench.perform(.retry(targets, overMilliseconds: 1000))
            },
            Operation("undo") { try $0.bench.perform(.undo(event: nil), by: "eve") },
            Operation(
                "undo an enqueue",
                prepare: {
                    try $0.bench.perform(.enqueue(queue: "q", [request(), member(start: "g")]))
                }
            ) {
                try $0.bench.perform(.undo(event: nil))
            },
            Operation("pause --now") { scene in
                var pause = PauseRequest(.queue("q"))
                pause.stopsRunning = true
                try scene.bench.perform(.pause(pause))
            },
            Operation(
                "step --back",
                prepare: { scene in
                    try scene.bench.perform(.setQueue("q", [.start(.manual)]))
                    try scene.bench.settle(scene.running())
                    try scene.bench.act { mutation in
                        _ = try PermitContext(mutation, issuer: scene.runner, person: "ann")
                            .issue(.queue("q", count: 1))
                    }
                    let claimed = try scene.bench.claim(scene.runner)[0]
                    var completion = claimed.completion(.handler(.done))
                    completion.followUps = [FollowUp(queue: "r", type: "made")]
                    let sent = completion
                    try scene.bench.act { _ = try $0.settle([sent]) }
                }
            ) {
                try $0.bench.perform(.stepBack(queue: "q"))
            },
            Operation("pause the store") { try $0.bench.perform(.pause(PauseRequest(.store))) },
            Operation("run") { try $0.bench.perform(.run(queue: "q", limit: .count(2))) },
            Operation("network") { try $0.bench.perform(.network(forced: false)) },
            Operation("queue set") { try $0.bench.perform(.setQueue("q", [.order(.lifo)])) },
            Operation(
                "queue delete",
                prepare: {
                    try $0.bench.perform(.enqueue(queue: "r", [request()]))
                }
            ) {
                try $0.bench.perform(.deleteQueue("r", evenWithTasks: true))
            },
        ]
}

extension Scene {
    /// The running attempt, with its lease.
    func running() throws -> Claimed {
        let task = try bench.task(ids[VerbRow.Actor.running.rawValue])
        return Claimed(
            task: task, payload: [], timeoutMilliseconds: nil, attemptLimit: nil,
            storeIdentity: "", isAlone: false, maximumDepth: 100, ownNumber: 1)
    }
}

extension Scene {
    /// In a commit that takes three members along.
    func endStart() throws {
        let (now, start) = (bench.now, target(.start).id)
        try bench.store.writeBlocking { store in
            try store.transact(at: now, membersAtOnce: 3) { mutation in
                let task = try store.requireTask(start)
                try mutation.apply(.delete(Deletion(by: "ann")), to: task)
            }
        }
    }
}

@Suite("anomalies")
struct AnomalyTests {
    @Test("P2 whatever write fails, the store is as it was", arguments: Case.all(Operation.all))
    func everyWrite(_ test: Case<Operation>) throws {
        let scene = try Scene(test.engine)
        let faults = scene.bench.faults
        try test.value.prepare(scene)
        let before = try scene.bench.dump()
        for write in 1...400 {
            faults.fail(from: write)
            do {
                try test.value.run(scene)
                // A folder records the export of its files in a separate write.
                let more = faults.steps - (write - 1)
                #expect(write >= 3 && (0...test.engine.writesAfter).contains(more))
                faults.fail(from: nil)
                try scene.bench.store.writeBlocking { try $0.put($0.storeRecord()) }
                return
            } catch let error as QueueError {
                #expect(error.code == .diskFull)
            }
            faults.fail(from: nil)
            #expect(try scene.bench.dump() == before, "write \(write)")
        }
        Issue.record("more than 400 writes")
    }

    @Test(
        "CIO-90 P6 whatever file of a folder cannot be written, the commit stands, and it follows",
        arguments: Operation.all)
    func everyFile(_ operation: Operation) throws {
        var step = 1
        while step < 400 {
            let scene = try Scene(.folder)
            let bench = scene.bench
            try operation.prepare(scene)
            bench.fileFaults.fail(from: step)
            try operation.run(scene)
            let failure = (bench.store as? FolderStore)?.exportFailure
            bench.fileFaults.fail(from: nil)
            // The bench compares the files with the store when it goes.
            try bench.store.writeBlocking { try $0.put($0.storeRecord()) }
            guard let failure else { return }
            #expect(failure.code == .diskFull, "step \(step)")
            step += 1 + step / 2
        }
        Issue.record("more than 400 steps")
    }
}

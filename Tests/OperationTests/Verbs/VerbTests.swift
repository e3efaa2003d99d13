import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// A verb on a task of a scene, and the resulting state.
struct VerbRow: Sendable, CustomStringConvertible {
    var name: String
    /// Which task of the scene it names.
    var on: Actor
    var verb: @Sendable (TaskTarget) -> Verb
    var state: TaskState.Name?
    var consequence: String?
    var canBeUndone = true

    var description: String { "\(name) on \(on)" }

    /// The tasks of the scene, one in each state.
    enum Actor: Int, Sendable { case waiting, start, member, running, failed, deleted, skipped }

    static let rows: [VerbRow] = [
        VerbRow(
            name: "skip", on: .waiting, verb: { .skip([$0], forMilliseconds: nil) }, state: .waiting
        ),
        VerbRow(
            name: "skip", on: .start, verb: { .skip([$0], forMilliseconds: 5) }, state: .waiting,
            consequence: "1 task of g stay held"),
        VerbRow(name: "unskip", on: .skipped, verb: { .unskip([$0]) }, state: .waiting),
        VerbRow(
            name: "delete", on: .waiting,
            verb: { .delete([$0], cancelsRunning: false, members: nil) }, state: .deleted),
        VerbRow(
            name: "delete", on: .start,
            verb: { .delete([$0], cancelsRunning: false, members: .release) }, state: .deleted,
            consequence: "1 member of g are free"),
        VerbRow(
            name: "delete", on: .start,
            verb: { .delete([$0], cancelsRunning: false, members: .giveUp) }, state: .deleted,
            consequence: "1 member of g are given up"),
        VerbRow(
            name: "delete", on: .start,
            verb: { .delete([$0], cancelsRunning: false, members: nil) }, state: .deleted,
            consequence: "1 member of g stay held"),
        VerbRow(
            name: "delete", on: .failed,
            verb: { .delete([$0], cancelsRunning: false, members: nil) }, state: .deleted),
        VerbRow(
            name: "delete --cancel", on: .running,
            verb: { .delete([$0], cancelsRunning: true, members: nil) }, state: .running),
        VerbRow(name: "undelete", on: .deleted, verb: { .undelete([$0]) }, state: .waiting),
        VerbRow(name: "retry", on: .failed, verb: { .retry([$0]) }, state: .waiting),
        VerbRow(name: "retry", on: .skipped, verb: { .retry([$0]) }, state: .waiting),
        VerbRow(
            name: "postpone", on: .waiting, verb: { .postpone([$0], until: at(9000)) },
            state: .waiting),
        VerbRow(
            name: "priority", on: .waiting, verb: { .priority([$0], 7) }, state: .waiting,
            consequence: "has no effect"),
        VerbRow(name: "move", on: .waiting, verb: { .move($0, .last) }, state: .waiting),
        VerbRow(
            name: "move --queue", on: .waiting, verb: { .moveToQueue([$0], "r") }, state: .waiting),
        VerbRow(
            name: "edit", on: .waiting,
            verb: { .edit([$0], payload: [1], fields: [.label("x")]) }, state: .waiting),
        VerbRow(
            name: "edit", on: .failed,
            verb: { .edit([$0], payload: nil, fields: [.attemptLimit(3)]) }, state: .failed),
        VerbRow(name: "duplicate", on: .failed, verb: { .duplicate([$0]) }, state: .failed),
        VerbRow(
            name: "cancel", on: .running, verb: { .cancel([$0]) }, state: .running,
            canBeUndone: false),
        VerbRow(
            name: "reclaim", on: .running, verb: { .reclaim([$0]) }, state: .waiting,
            canBeUndone: false),
        VerbRow(
            name: "purge", on: .failed, verb: { .purge([$0], members: nil) }, state: nil,
            canBeUndone: false),
    ]
}

/// One task in each state, in a queue with one runner.
struct Scene {
    let bench: Bench
    let runner: ProcessID
    let ids: [TaskID]

    init(_ engine: Engine) throws {
        bench = try Bench(engine)
        try bench.makeQueue()
        try bench.makeQueue("r")
        runner = try bench.attach()
        // The first two go: one fails, one keeps running.
        let first = try bench.enqueue(2)
        try bench.settle(try bench.claimOne(runner), .giveUp(error: "no"))
        try bench.claim(runner)
        let rest = try bench.enqueue([
            request(), member(start: "g"), member("g"), request(), request(),
        ])
        ids = [rest[0], rest[1], rest[2], first[1], first[0], rest[3], rest[4]]
        try bench.perform(
            .delete([target(.deleted)], cancelsRunning: false, members: nil), by: "eve")
        try bench.perform(.skip([target(.skipped)], forMilliseconds: nil), by: "eve")
    }

    func target(_ actor: VerbRow.Actor) -> TaskTarget { TaskTarget(ids[actor.rawValue]) }
}

@Suite("verbs")
struct VerbTests {
    private func queueLength(_ bench: Bench) throws -> Int {
        try bench.dump().tasks.count { $0.queue == "q" && ($0.waiting != nil || $0.running != nil) }
    }

    @Test(
        "D5 D6 D7 every verb has its effect, its line, its sentence",
        arguments: Case.all(VerbRow.rows))
    func effects(_ test: Case<VerbRow>) throws {
        let scene = try Scene(test.engine)
        let (bench, row) = (scene.bench, test.value)
        let target = scene.target(row.on)
        let before = try bench.events().count
        let (verb, length) = (row.verb(target), try queueLength(bench))
        let answer = try bench.perform(verb)
        if let tasks = verb.onTasks, tasks.kind.keepsQueueLength {
            #expect(try queueLength(bench) == length)
        }
        #expect(try bench.states([target.id]) == [row.state])
        let event = try #require(try bench.events().last)
        #expect(try bench.events().count == before + 1)
        #expect(event.by == "ann" && event.text == answer.summary && event.at == bench.now)
        #expect((event.undo != nil) == row.canBeUndone)
        #expect(answer.undo == (row.canBeUndone ? event.sequence : nil))
        #expect(answer.failed == [])
        let sentence = answer.consequences.joined()
        #expect(row.consequence.map { sentence.contains($0) } ?? sentence.isEmpty, "\(sentence)")
        #expect(try bench.wronglyHeld() == [])
    }

    @Test(
        "D9 undo takes every verb back, and a second time there is nothing",
        arguments: Case.all(VerbRow.rows.filter(\.canBeUndone)))
    func undo(_ test: Case<VerbRow>) throws {
        let scene = try Scene(test.engine)
        let bench = scene.bench
        let former = try bench.dump()
        let answer = try bench.perform(test.value.verb(scene.target(test.value.on)))
        bench.pass(10)
        let undone = try bench.perform(.undo(event: nil))
        #expect(undone.failed == [])
        let now = try bench.dump()
        // A duplicate stays in the trash; everything else is as it was, versions apart.
        let known = Set(former.tasks.map(\.id))
        #expect(
            now.tasks.filter { known.contains($0.id) }.map(\.unversioned)
                == former.tasks.map(\.unversioned))
        #expect(
            Set(now.tasks.map(\.id)).subtracting(known) == Set(answer.changed).subtracting(known))
        #expect(try bench.wronglyHeld() == [])
        #expect(try bench.refusal(.undo(event: nil)) == .notLegal)
        #expect(try bench.refusal(.undo(event: answer.undo)) == .notLegal)
    }

    @Test("D9 an undo leaves what changed since, and names it", arguments: Engine.all)
    func undoChanged(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(4)
        let targets = ids.map { TaskTarget($0) }
        try bench.perform(.skip(targets, forMilliseconds: nil))
        try bench.perform(.unskip([targets[0]]), by: "bob")
        try bench.perform(.delete([targets[1]], cancelsRunning: false, members: nil), by: "bob")
        let runner = try bench.attach()
        #expect(try bench.drain(runner) == [ids[0]])
        let answer = try bench.perform(.undo(event: nil))
        #expect(answer.changed == [ids[2], ids[3]])
        #expect(Set(answer.failed.map(\.id)) == [ids[0], ids[1]])
        #expect(Set(answer.failed.map(\.error.code)) == [.unknownTask, .changed])
        #expect(try bench.drain(runner) == [ids[2], ids[3]])
    }

    @Test("D9 each person undoes their own, or a named event of another's", arguments: Engine.all)
    func undoOwn(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let target = TaskTarget(try bench.enqueue(1)[0])
        let first = try bench.perform(.priority([target], 1), by: "bob")
        try bench.perform(.edit([target], payload: nil, fields: [.label("x")]))
        #expect(try bench.refusal(.undo(event: first.undo)) == .changed)
        try bench.perform(.undo(event: nil))
        // The undo itself gave the task a new version, and the fields that the first verb left.
        #expect(try bench.task(target.id).priority == 1)
        try bench.perform(.undo(event: first.undo))
        #expect(try bench.task(target.id).priority == 0)
        #expect(try bench.refusal(.undo(event: 999)) == .badValue)
        #expect(try bench.task(target.id).label == nil)
    }

    @Test("D9 enqueue, settings, pauses and bulks are undone as one", arguments: Engine.all)
    func undoWhole(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let added = try bench.perform(.enqueue(queue: "q", Array(repeating: request(), count: 30)))
        #expect(added.changed.count == 30)
        try bench.perform(.undo(event: nil))
        #expect(try bench.waiting() == [])
        let ids = try bench.enqueue([member(start: "g"), member("g"), request()])
        try bench.perform(
            .delete(ids.map { TaskTarget($0) }, cancelsRunning: false, members: .giveUp))
        try bench.perform(.undo(event: nil))
        #expect(try bench.waiting() == ids && bench.wronglyHeld() == [])
        try bench.perform(.setQueue("q", [.order(.lifo), .concurrency(3)]))
        try bench.perform(.undo(event: nil))
        #expect(try bench.record().settings.order == .fifo)
        for scope in [VerbScope.queue("q"), .store] {
            try bench.perform(.pause(PauseRequest(scope)))
            try bench.perform(.undo(event: nil))
            #expect(try bench.blockers(ids[0]) == [.noRunner])
            try bench.perform(.pause(PauseRequest(scope)))
            try bench.perform(.resume(scope))
            try bench.perform(.undo(event: nil))
            #expect(try bench.blockers(ids[0]).first == .queuePaused)
            try bench.perform(.resume(scope))
        }
    }

    @Test(
        "D9 a pause that somebody changed since is not undone over their head",
        arguments: Case.all([VerbScope.queue("q"), .store]))
    func undoPause(_ test: Case<VerbScope>) throws {
        let bench = try Bench(test.engine)
        try bench.makeQueue()
        try bench.perform(.pause(PauseRequest(test.value)))
        try bench.perform(.resume(test.value), by: "bob")
        try bench.perform(.pause(PauseRequest(test.value, reason: "mine")), by: "bob")
        #expect(try bench.refusal(.undo(event: nil)) == .changed)
        // The next undo would revert the verb before it, but none exists.
        #expect(try bench.refusal(.undo(event: nil)) == .notLegal)
    }

    @Test(
        "D9 what runs meanwhile does not stand in the way of undoing settings or a pause",
        arguments: Engine.all)
    func undoPastRuns(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.start = .batched(count: 1, delayMilliseconds: 100) }
        let runner = try bench.attach()
        let set = try bench.perform(.setQueue("q", [.concurrency(3)]))
        try bench.enqueue(2)
        #expect(try bench.drain(runner).count == 2)
        let pause = try bench.perform(.pause(PauseRequest(.queue("q"))))
        try bench.perform(.undo(event: set.undo))
        #expect(try bench.record().settings.concurrency == 1)
        #expect(try bench.record().isPaused(at: bench.now))
        try bench.enqueue(1)
        try bench.perform(.run(queue: "q", limit: nil))
        #expect(try bench.drain(runner).count == 1)
        try bench.perform(.undo(event: pause.undo))
        #expect(try bench.record().pauses == [])
        let other = try bench.perform(.setQueue("q", [.order(.lifo)]))
        try bench.perform(.setQueue("q", [.concurrency(2)]), by: "bob")
        #expect(try bench.refusal(.undo(event: other.undo)) == .changed)
    }

    @Test(
        "D8 a task that changed since it was shown is left alone", arguments: Case.all(VerbRow.rows)
    )
    func versions(_ test: Case<VerbRow>) throws {
        let scene = try Scene(test.engine)
        let id = scene.target(test.value.on).id
        let version = try scene.bench.task(id).version
        let before = try scene.bench.dump()
        let stale = TaskTarget(id, version: version - 1)
        #expect(try scene.bench.refusal(test.value.verb(stale)) == .changed)
        #expect(try scene.bench.dump() == before)
        let answer = try scene.bench.perform(test.value.verb(TaskTarget(id, version: version)))
        #expect(answer.changed.count == 1)
    }

    @Test("a rehearsal says the same and changes nothing", arguments: Case.all(VerbRow.rows))
    func rehearsal(_ test: Case<VerbRow>) throws {
        let scene = try Scene(test.engine)
        let verb = test.value.verb(scene.target(test.value.on))
        let before = try scene.bench.dump()
        let rehearsed = try scene.bench.control().rehearse(verb)
        #expect(try scene.bench.dump() == before)
        let done = try scene.bench.perform(verb)
        #expect(rehearsed.consequences == done.consequences)
        #expect(rehearsed.summary == done.summary && rehearsed.changed == done.changed)
    }

    @Test("D11 a store opened for reading refuses every verb", arguments: Case.all(VerbRow.rows))
    func readOnly(_ test: Case<VerbRow>) throws {
        let scene = try Scene(test.engine)
        let store = try scene.bench.readOnly()
        let now = scene.bench.now
        let control = Control(store: store, person: "ann", now: { now }, chance: { 0.5 })
        let verb = test.value.verb(scene.target(test.value.on))
        #expect(throws: Coded(.readOnly)) { try coded { try control.performBlocking(verb) } }
        store.close()
    }

    @Test(
        "what a state does not allow is refused with its code, and changes nothing",
        arguments: Engine.all)
    func refusals(_ engine: Engine) throws {
        let scene = try Scene(engine)
        let refused: [(VerbRow.Actor, (TaskTarget) -> Verb)] = [
            (.failed, { .skip([$0], forMilliseconds: nil) }), (.waiting, { .unskip([$0]) }),
            (.running, { .delete([$0], cancelsRunning: false, members: nil) }),
            (.waiting, { .undelete([$0]) }), (.running, { .retry([$0]) }),
            (.deleted, { .retry([$0]) }), (.failed, { .postpone([$0], until: at(1)) }),
            (.failed, { .move($0, .first) }), (.running, { .moveToQueue([$0], "r") }),
            (.running, { .edit([$0], payload: [], fields: []) }), (.waiting, { .cancel([$0]) }),
            (.waiting, { .reclaim([$0]) }), (.waiting, { .acknowledge([$0]) }),
            (.waiting, { .purge([$0], members: nil) }), (.running, { .purge([$0], members: nil) }),
            (.start, { .moveToQueue([$0], "r") }),
        ]
        let before = try scene.bench.dump()
        for (actor, verb) in refused {
            let name = verb(scene.target(actor)).name
            #expect(try scene.bench.refusal(verb(scene.target(actor))) == .notLegal, "\(name)")
        }
        #expect(try scene.bench.refusal(.retry([TaskTarget(999)])) == .unknownTask)
        let big = [UInt8](repeating: 0, count: (1 << 20) + 1)
        let edits: [(Verb, QueueError.Code)] = [
            (.edit([scene.target(.waiting)], payload: big, fields: []), .payloadTooLarge),
            (.edit([scene.target(.waiting)], payload: nil, fields: [.type("")]), .badName),
            (.edit([scene.target(.waiting)], payload: nil, fields: [.attemptLimit(0)]), .badValue),
            (.move(scene.target(.waiting), .before(scene.ids[0])), .notLegal),
            (.deleteQueue("q", evenWithTasks: true), .notLegal),
            (.deleteQueue("none", evenWithTasks: true), .unknownQueue),
            (.setQueue("q", [.concurrency(0)]), .badValue),
            (.setQueue("q", [.attempts(0)]), .badValue),
            (.setQueue("q", [.preset("x")]), .badValue),
            (.setQueue("", []), .badName), (.resume(.queue("none")), .unknownQueue),
        ]
        for (verb, code) in edits { #expect(try scene.bench.refusal(verb) == code, "\(verb)") }
        #expect(try scene.bench.dump() == before)
    }

    @Test("D9 D10 several tasks are edited as one, and undone as one", arguments: Engine.all)
    func editSeveral(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let targets = try bench.enqueue(3).map { TaskTarget($0) }
        let events = try bench.events().count
        let answer = try bench.perform(
            .edit(targets, payload: [7], fields: [.label("x"), .priority(2)]))
        #expect(answer.changed == targets.map(\.id) && answer.failed == [])
        #expect(try bench.events().count == events + 1)
        for target in targets {
            #expect(try bench.read { try $0.payload(of: target.id) } == [7])
            #expect(try bench.task(target.id).label == "x")
        }
        try bench.perform(.undo(event: nil))
        for target in targets {
            #expect(try bench.read { try $0.payload(of: target.id) } == Array("{}".utf8))
            #expect(try bench.task(target.id).priority == 0)
        }
    }

    @Test("T6 an edit and an enqueue are refused by one limit, in the same words")
    func payloadLimit() throws {
        let bench = try Bench(.memory)
        try bench.makeQueue { $0.maximumPayloadBytes = 4 }
        let target = TaskTarget(try bench.enqueue(1)[0])
        let big = EnqueueRequest(type: "t", payload: [1, 2, 3, 4, 5])
        var errors: [QueueError] = []
        for verb in [
            Verb.edit([target], payload: big.payload, fields: []), .enqueue(queue: "q", [big]),
        ] {
            do { try bench.perform(verb) } catch let error as QueueError { errors.append(error) }
        }
        #expect(errors.map(\.code) == [.payloadTooLarge, .payloadTooLarge])
        #expect(errors.first == errors.last)
    }

    @Test("D10 several tasks go on past one that cannot, which is named", arguments: Engine.all)
    func several(_ engine: Engine) throws {
        let scene = try Scene(engine)
        let all = scene.ids.map { TaskTarget($0) }
        let answer = try scene.bench.perform(.skip(all, forMilliseconds: nil))
        #expect(answer.changed.count == 4 && answer.failed.count == 3)
        #expect(try scene.bench.events().last?.text == "4 tasks skipped by ann")
        let none = try scene.bench.perform(.cancel([all[0], all[1]]))
        #expect(none.changed == [] && none.failed.count == 2 && none.undo == nil)
    }
}

extension QueueTask {
    /// The task without what every change moves on.
    var unversioned: QueueTask {
        var task = self
        task.version = 0
        task.updatedAt = createdAt
        return task
    }
}

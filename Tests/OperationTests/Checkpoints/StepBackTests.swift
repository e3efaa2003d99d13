import SluiceModel
import SluiceStore
import Testing

@testable import SluiceControl

/// Taking the newest step back (G5).
@Suite("steps that are taken back")
struct StepBackTests {
    private static let endings: [Ending] = [
        .handler(.done), .handler(.fail), .handler(.giveUp(error: "no")),
        .handler(.park(error: "x")), .handler(.offline(error: nil)), .stopped(.timedOut), .lost,
    ]

    @Test(
        "G5 the task of a step waits again as it did, however the step ended",
        arguments: Case.all(endings, on: Engine.all))
    func waitsAgain(_ test: Case<Ending>) throws {
        let scene = try StepScene(test.engine) { $0.keepFinished = .none }
        let ids = try scene.bench.enqueue([request { $0.label = "x" }, request()])
        let before = try scene.bench.task(ids[0])
        #expect(try scene.step(test.value) == ids[0])
        let answer = try scene.back()
        let after = try scene.bench.task(ids[0])
        #expect(after.differences(from: before) == [] && after.executions == 1)
        #expect(after.version > before.version + 2)
        #expect(try scene.bench.read { try $0.payload(of: ids[0]) } == Array("{}".utf8))
        #expect(try scene.bench.waiting() == ids)
        #expect(answer.restored?.effects.map(\.number) == [1] && answer.failed == [])
        #expect(answer.changed == [ids[0]] && answer.consequences == [])
        #expect(try scene.bench.read { try $0.problems(.tasks) } == [])
        // The step was undone, and no step precedes it.
        #expect(try scene.bench.refusal(.stepBack(queue: "q")) == .notLegal)
        #expect(try scene.step() == ids[0])
    }

    @Test("G5 its follow-ups go to the trash, and undo brings all back", arguments: Engine.large)
    func followUps(_ engine: Engine) throws {
        let scene = try StepScene(engine) { $0.keepFinished = .last(9) }
        let id = try scene.bench.enqueue(1)[0]
        let made = FollowUp(queue: "other", task: request("made"))
        try scene.step(.handler(.done), [made, made])
        let answer = try scene.back()
        #expect(answer.changed == [id, id + 1, id + 2])
        #expect(try scene.bench.states([id, id + 1, id + 2]) == [.waiting, .deleted, .deleted])
        #expect(try scene.bench.read { try $0.result(of: id) } == nil)
        try scene.bench.perform(.undo(event: nil))
        #expect(try scene.bench.states([id, id + 1, id + 2]) == [.succeeded, .waiting, .waiting])
        #expect(try scene.bench.read { try $0.result(of: id) } == [9])
        // After the undo it is the newest step again, until a redo.
        try scene.back()
        #expect(try scene.bench.states([id, id + 1, id + 2]) == [.waiting, .deleted, .deleted])
        try scene.bench.perform(.undo(event: nil))
        try scene.bench.perform(.redo)
        #expect(try scene.bench.states([id, id + 1, id + 2]) == [.waiting, .deleted, .deleted])
        #expect(try scene.bench.refusal(.stepBack(queue: "q")) == .notLegal)
    }

    @Test(
        "G5 undone, a step is the newest again, also where its task was forgotten",
        arguments: Case.all([KeepFinished.none, .last(1)]))
    func undone(_ test: Case<KeepFinished>) throws {
        let scene = try StepScene(test.engine) { $0.keepFinished = test.value }
        let bench = scene.bench
        let ids = try bench.enqueue([member(start: "g"), member("g"), request()])
        let before = try ids.map(bench.task)
        for _ in ids { try scene.step() }
        for (id, former) in zip(ids, before).reversed() {
            for _ in 0..<3 {
                try scene.back()
                #expect(try bench.task(id).differences(from: former) == [])
                try bench.perform(.undo(event: nil))
                #expect(try bench.read { try $0.task(id)?.waiting } == nil)
                #expect(try bench.wronglyHeld() == [])
            }
            let answer = try scene.back()
            #expect(answer.failed == [] && answer.consequences == [])
        }
        #expect(try bench.waiting() == ids)
        #expect(try bench.read { try $0.problems(.tasks) } == [])
        #expect(try bench.refusal(.stepBack(queue: "q")) == .notLegal)
        // A task deleted by a person stays deleted.
        try bench.perform(.undo(event: nil))
        try bench.perform(.undelete([TaskTarget(ids[0])]))
        try bench.perform(.delete([TaskTarget(ids[0])], cancelsRunning: false, members: .release))
        #expect(try bench.refusal(.stepBack(queue: "q")) == .changed)
    }

    @Test("G5 P6 in a folder its task comes again under its UUID", arguments: [Engine.folder])
    func sameName(_ engine: Engine) throws {
        let scene = try StepScene(engine) { $0.keepFinished = .none }
        let id = try scene.bench.enqueue(1)[0]
        func name() throws -> String? {
            try scene.bench.read { try $0.naming?.folderID(of: id) }
        }
        let before = try #require(try name())
        for _ in 0..<2 {
            try scene.step()
            #expect(try name() == before)
            try scene.back()
            #expect(try name() == before)
        }
    }

    @Test(
        "G5 a start holds its members again, and those that went with it come back",
        arguments: Case.all(
            [
                (Ending.handler(.done), KeepFinished.none), (.handler(.done), .last(9)),
                (.handler(.giveUp(error: "no")), .last(9)),
            ].map { End(ending: $0, kept: $1) }))
    func starts(_ test: Case<End>) throws {
        let scene = try StepScene(test.engine) {
            ($0.keepFinished, $0.whenStartFails) = (test.value.kept, .giveUp)
        }
        let ids = try scene.bench.enqueue([member(start: "g"), member("g"), member("g")])
        try scene.step(test.value.ending)
        let answer = try scene.back()
        #expect(answer.consequences == [] && answer.failed == [])
        #expect(try scene.bench.states(ids) == [.waiting, .waiting, .waiting])
        #expect(try ids.map { try scene.bench.task($0).isHeld } == [false, true, true])
        #expect(try scene.bench.wronglyHeld() == [])
    }

    /// The outcome of a start, and whether its row remains.
    struct End: Sendable {
        var ending: Ending
        var kept: KeepFinished
    }

    @Test(
        "G5 the steps of one task are taken back one after the other", arguments: Engine.large)
    func ofOneTask(_ engine: Engine) throws {
        let scene = try StepScene(engine) {
            ($0.keepFinished, $0.retry) = (.last(9), .fixed(milliseconds: 0))
        }
        let bench = scene.bench
        let id = try bench.enqueue(1)[0]
        var before: [QueueTask] = []
        for ending in [Ending.handler(.fail), .handler(.fail), .handler(.done)] {
            before.append(try bench.task(id))
            try scene.step(ending)
        }
        for (place, former) in before.enumerated().reversed() {
            let answer = try scene.back()
            #expect(answer.failed == [] && answer.consequences == [], "step \(place + 1)")
            let after = try bench.task(id)
            #expect(after.differences(from: former) == [] && after.executions == 3)
        }
        #expect(try bench.refusal(.stepBack(queue: "q")) == .notLegal)
        // Undoing a step back makes its step the newest again. A redo reverts that.
        try bench.perform(.undo(event: nil))
        try bench.perform(.undo(event: nil))
        #expect(try bench.task(id).attempts == 2)
        try bench.perform(.redo)
        try scene.back()
        #expect(try bench.task(id).differences(from: before[0]) == [])
        // A step since, and an execution since by others.
        try scene.step(.handler(.fail))
        try scene.back()
        #expect(try bench.task(id).attempts == 0 && bench.task(id).executions == 4)
        try scene.step(.handler(.fail))
        try scene.step(.handler(.fail))
        try bench.perform(.resume(.queue("q")))
        try bench.settle(bench.claim(scene.runner)[0], .fail)
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        #expect(try bench.refusal(.stepBack(queue: "q")) == .changed)
    }

    @Test(
        "G5 twenty steps go back in a row, of several tasks and what they made",
        arguments: Engine.large)
    func inARow(_ engine: Engine) throws {
        let scene = try StepScene(engine) {
            ($0.keepFinished, $0.retry) = (.last(99), .fixed(milliseconds: 0))
        }
        let bench = scene.bench
        let first = try bench.enqueue(3)
        func ids() throws -> [TaskID] {
            try bench.read { try $0.tasks(.newest(), limit: 99).map(\.id) }
        }
        var before: [[TaskID: QueueTask]] = []
        for step in 0..<20 {
            var tasks: [TaskID: QueueTask] = [:]
            for id in try ids() { tasks[id] = try bench.task(id) }
            before.append(tasks)
            let made = FollowUp(queue: "q", task: request("made"))
            let isLast = step % 3 == 2
            try scene.step(.handler(isLast ? .done : .fail), isLast ? [made] : [])
        }
        #expect(try ids().count > first.count + 3)
        for (place, tasks) in before.enumerated().reversed() {
            let answer = try scene.back()
            #expect(answer.failed == [] && answer.consequences == [], "step \(place + 1)")
            for id in try ids() {
                let task = try bench.task(id)
                if let former = tasks[id] {
                    #expect(task.differences(from: former) == [], "#\(id), step \(place + 1)")
                } else {
                    #expect(task.state.name == .deleted, "#\(id), step \(place + 1)")
                }
            }
        }
        #expect(try bench.refusal(.stepBack(queue: "q")) == .notLegal)
        #expect(try bench.waiting() == first)
        #expect(try bench.read { try $0.problems(.tasks) } == [])
    }

    @Test("G5 what others did since stays, and is named", arguments: Engine.large)
    func others(_ engine: Engine) throws {
        let scene = try StepScene(engine) { $0.whenStartFails = .giveUp }
        let ids = try scene.bench.enqueue([member(start: "g"), member("g"), request()])
        try scene.step(.handler(.giveUp(error: "no")))
        try scene.bench.perform(
            .edit([TaskTarget(ids[0])], payload: nil, fields: [.label("new")]), by: "eve")
        try scene.bench.perform(.retry([TaskTarget(ids[1])]), by: "eve")
        try scene.bench.perform(.priority([TaskTarget(ids[2])], 4), by: "eve")
        let answer = try scene.back()
        #expect(answer.failed.map(\.id) == [ids[1]])
        #expect(answer.consequences == ["what others changed of #\(ids[0]) since stays: label"])
        #expect(try scene.bench.task(ids[0]).label == "new")
        #expect(try scene.bench.task(ids[0]).waiting != nil)
        #expect(try scene.bench.task(ids[2]).priority == 4)
    }

    @Test("G5 a skip and another time that somebody gave it since stay", arguments: Engine.large)
    func skips(_ engine: Engine) throws {
        let scene = try StepScene(engine)
        let ids = try scene.bench.enqueue(2)
        try scene.step(.handler(.fail))
        try scene.bench.perform(.skip([TaskTarget(ids[0])], forMilliseconds: nil), by: "eve")
        let answer = try scene.back()
        #expect(answer.consequences == ["what others changed of #\(ids[0]) since stays: skipped"])
        let waiting = try #require(try scene.bench.task(ids[0]).waiting)
        #expect(waiting.skip?.by == "eve" && waiting.timer == nil)
        #expect(try scene.bench.task(ids[0]).attempts == 0)
        try scene.step(.handler(.fail))
        try scene.bench.perform(.postpone([TaskTarget(ids[1])], until: at(99_000)), by: "eve")
        try scene.back()
        #expect(try scene.bench.task(ids[1]).waiting?.timer?.until == at(99_000))
    }

    @Test(
        "G5 Q1 one that comes again goes to the end where its place is taken",
        arguments: Engine.large)
    func places(_ engine: Engine) throws {
        let scene = try StepScene(engine)
        let bench = scene.bench
        let ids = try bench.enqueue(2)
        let place = try bench.task(ids[0]).position
        try scene.step()
        try bench.act { mutation in
            var task = try mutation.store.requireTask(ids[1])
            task.position = place
            try mutation.store.update([task])
        }
        try scene.back()
        #expect(try bench.waiting() == [ids[1], ids[0]])
        #expect(try Set(ids.map { try bench.task($0).position }).count == 2)
    }

    @Test("G5 an edit that somebody began since goes on", arguments: Engine.large)
    func edits(_ engine: Engine) throws {
        let scene = try StepScene(engine)
        let bench = scene.bench
        let id = try bench.enqueue(1)[0]
        try scene.step(.handler(.fail))
        let editor = try bench.editor()
        _ = try bench.control("eve").beginEdit(TaskTarget(id), in: editor, instant: 0)
        try scene.back()
        #expect(try bench.task(id).attempts == 0 && bench.display(id) == .parked)
        try bench.control("eve").endEdit(in: editor)
        #expect(try bench.task(id).waiting == Waiting())
    }

    @Test(
        "G5 B10 a task whose run is over by now was not attempted in the next one",
        arguments: Engine.large)
    func runs(_ engine: Engine) throws {
        let scene = try StepScene(engine) {
            ($0.start, $0.retry) = (.manual, .fixed(milliseconds: 0))
        }
        let bench = scene.bench
        let ids = try bench.enqueue(2)
        try scene.step(.handler(.fail))
        // By its name it can be stepped again in the run of its attempt.
        try bench.act { mutation in
            _ = try PermitContext(mutation, issuer: scene.runner, person: "ann")
                .issue(.task(TaskTarget(ids[0])))
        }
        try bench.settle(try bench.claimOne(scene.runner), .fail)
        try scene.step()
        #expect(try bench.record().run == nil)
        try scene.back()
        try scene.back()
        let waiting = try #require(try bench.task(ids[0]).waiting)
        #expect(try !waiting.attemptedInRun && bench.task(ids[0]).attempts == 1)
    }

    @Test("G5 what cannot be undone is refused, and nothing changed", arguments: Engine.large)
    func refused(_ engine: Engine) throws {
        let scene = try StepScene(engine) { $0.attemptLimit = 9 }
        let bench = scene.bench
        #expect(try bench.refusal(.stepBack(queue: nil)) == .notLegal)
        #expect(try bench.refusal(.stepBack(queue: "nope")) == .unknownQueue)
        let ids = try bench.enqueue(2)
        try scene.step(.handler(.giveUp(error: nil)))
        let claimed = try scene.begin()
        #expect(try bench.refusal(.stepBack(queue: nil)) == .notLegal)
        try bench.settle(claimed, .giveUp(error: nil))
        try bench.perform(.delete([TaskTarget(ids[1])], cancelsRunning: false, members: nil))
        let before = try bench.dump()
        #expect(try bench.refusal(.stepBack(queue: "q")) == .changed)
        #expect(try bench.dump() == before)
        try bench.perform(.undelete([TaskTarget(ids[1])]))
        try scene.back()
        try scene.back()
        #expect(try bench.waiting() == ids)
        // Executed again, not by a step.
        try scene.step(.handler(.giveUp(error: nil)))
        try bench.perform(.retry([TaskTarget(ids[0])]))
        try bench.perform(.resume(.queue("q")))
        try bench.settle(bench.claim(scene.runner)[0], .giveUp(error: nil))
        #expect(try bench.refusal(.stepBack(queue: "q")) == .changed)
    }

    @Test("G5 a task that went on and was forgotten does not come back", arguments: Engine.large)
    func wentOn(_ engine: Engine) throws {
        let scene = try StepScene(engine) {
            ($0.keepFinished, $0.retry) = (.none, .fixed(milliseconds: 0))
        }
        try scene.bench.enqueue(1)
        try scene.step(.handler(.fail))
        try scene.bench.perform(.resume(.queue("q")))
        try scene.bench.settle(scene.bench.claim(scene.runner)[0])
        #expect(try scene.bench.refusal(.stepBack(queue: "q")) == .changed)
    }

    @Test("G5 a key that another waiting task has is not taken from it", arguments: Engine.large)
    func keys(_ engine: Engine) throws {
        for kept in [KeepFinished.none, .last(9)] {
            let scene = try StepScene(engine) { $0.keepFinished = kept }
            try scene.bench.enqueue([request { $0.uniqueKey = "k" }])
            try scene.step()
            let other = try scene.bench.enqueue([request { $0.uniqueKey = "k" }])[0]
            #expect(try scene.bench.refusal(.stepBack(queue: "q")) == .uniqueTaken)
            try scene.bench.perform(
                .delete([TaskTarget(other)], cancelsRunning: false, members: nil))
            #expect(try scene.bench.refusal(.stepBack(queue: "q")) == nil)
        }
    }

    @Test("G5 the newest 20 steps are kept, and only steps", arguments: Engine.large)
    func kept(_ engine: Engine) throws {
        let scene = try StepScene(engine)
        try scene.bench.enqueue(23)
        for _ in 0..<22 { try scene.step() }
        #expect(try scene.bench.read { try $0.steps().count } == 20)
        for _ in 0..<20 { try scene.back() }
        #expect(try scene.bench.refusal(.stepBack(queue: nil)) == .notLegal)
        #expect(try scene.bench.waiting().count == 21)
        let tokens = try scene.bench.read { try $0.steps().map(\.token) }
        try scene.bench.perform(.resume(.queue("q")))
        let claimed = try scene.bench.claim(scene.runner)
        try scene.bench.settle(claimed[0])
        #expect(try scene.bench.read { try $0.steps().map(\.token) } == tokens)
    }

    @Test("G5 what a step enqueued while it ran, and what followed its group later, is named")
    func inOtherCommits() throws {
        let bench = try Bench(.memory, membersAtOnce: 2)
        try bench.makeQueue { $0.whenStartFails = .giveUp }
        let runner = try bench.attach()
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        let start = try bench.enqueue([member(start: "g")] + (0..<9).map { _ in member("g") })[0]
        try bench.act { mutation in
            _ = try PermitContext(mutation, issuer: runner, person: "ann")
                .issue(.queue("q", count: 1))
        }
        let claimed = try #require(try bench.claim(runner).first)
        let child = try bench.enqueue([request { $0.parent = start }])[0]
        try bench.settle(claimed, .giveUp(error: "no"))
        try bench.workOffAll()
        let answer = try bench.perform(.stepBack(queue: "q"))
        #expect(answer.consequences.first == "its tasks from other commits stay: #\(child)")
        let gone = try bench.read { store in
            try store.tasks(matching: TaskQuery(queue: "q", state: .failed, limit: 100)).count
        }
        #expect(gone > 0)
        #expect(
            answer.consequences.last
                == "\(gone) of g that were given up with #\(start) in later commits stay so")
        #expect(try bench.wronglyHeld() == [])
    }
}

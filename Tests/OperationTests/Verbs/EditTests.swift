import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("edits in progress")
struct EditTests {
    @Test(
        "B11 no worker takes what is edited; others pass it, and why names who",
        arguments: Engine.all)
    func holds(_ engine: Engine) throws {
        let scene = try EditScene(engine) { $0.concurrency = 3 }
        let target = try scene.begin(scene.ids[0])
        #expect(try scene.target(scene.ids[0]) == target)
        let blocker = try #require(try scene.why(scene.ids[0]).first)
        #expect(blocker.kind == .parked && blocker.cause == "editing")
        #expect(blocker.text == "ann is editing it" && blocker.until == at(600_000))
        #expect(blocker.fix == .task(.retry, scene.ids[0]))
        #expect(try scene.bench.display(scene.ids[0]) == .parked)
        #expect(try scene.claim() == [scene.ids[1]])
        try scene.bench.perform(scene.save(target))
        #expect(try scene.why(scene.ids[0]) == [])
        #expect(try scene.claim() == [scene.ids[0]])
        #expect(try scene.bench.read { try $0.payload(of: scene.ids[0]) } == Array("[1]".utf8))
    }

    @Test("B11 B7 the head of a strict queue holds it while it is edited", arguments: Engine.all)
    func strict(_ engine: Engine) throws {
        let scene = try EditScene(engine) { $0.afterFailure = .block }
        try scene.begin(scene.ids[0])
        #expect(try scene.claim() == [])
        try scene.bench.control().endEdit(in: scene.editor)
        #expect(try scene.claim() == [scene.ids[0]])
    }

    @Test(
        "B11 D9 an edit that is given up leaves the task as it was, undo included",
        arguments: Engine.all)
    func givenUp(_ engine: Engine) throws {
        let scene = try EditScene(engine)
        let (bench, id) = (scene.bench, scene.ids[0])
        try bench.perform(.priority([TaskTarget(id)], 7))
        let before = try bench.task(id)
        try scene.begin(id)
        try bench.control().endEdit(in: scene.editor)
        #expect(try bench.task(id) == before)
        try bench.perform(.undo(event: nil))
        #expect(try bench.task(id).priority == 0)
        #expect(try scene.claim() == [id])
    }

    @Test("B11 D9 undo of an edit brings back the payload and no hold", arguments: Engine.all)
    func undone(_ engine: Engine) throws {
        let scene = try EditScene(engine)
        let (bench, id) = (scene.bench, scene.ids[0])
        try bench.perform(scene.save(try scene.begin(id)))
        try bench.control().endEdit(in: scene.editor)
        try bench.perform(.undo(event: nil))
        #expect(try bench.task(id).waiting == Waiting())
        #expect(try bench.read { try $0.payload(of: id) } == Array("{}".utf8))
        #expect(try scene.claim() == [id])
    }

    @Test(
        "B11 A2 it runs out ten minutes after it was renewed, whatever the store's clock says",
        arguments: Engine.all)
    func runsOut(_ engine: Engine) throws {
        let scene = try EditScene(engine)
        let (bench, id) = (scene.bench, scene.ids[0])
        let target = try scene.begin(id, instant: 1000)
        bench.pass(90 * 86_400_000)
        func look(_ instant: Int64) throws -> Int64? {
            try Reaper.reapTheDead(in: bench.store, now: bench.now, instant: instant)
                .nextEditEnd
        }
        #expect(try look(600_999) == 601_000)
        #expect(try bench.control().renewEdit(in: scene.editor, instant: 600_999))
        #expect(try look(1_200_998) == 1_200_999)
        #expect(try bench.display(id) == .parked)
        #expect(try look(1_200_999) == nil)
        #expect(try bench.display(id) == .next)
        #expect(try !bench.control().renewEdit(in: scene.editor, instant: 1_200_999))
        // No other change happened, so the edit can still be saved.
        try bench.perform(scene.save(target))
        let late = try scene.begin(id, instant: 0)
        try Reaper.endEdits(in: bench.store, now: bench.now, instant: 600_000)
        #expect(try scene.claim() == [id])
        #expect(try bench.refusal(scene.save(late)) == .changed)
    }

    @Test("B11 A2 it ends at once with the process in which it is edited")
    func dies() throws {
        for isLooked in [false, true] {
            let bench = try Bench(.sqlite)
            try bench.makeQueue()
            let id = try bench.enqueue(1)[0]
            try bench.dieEditing(id)
            #expect(try bench.display(id) == .parked)
            if isLooked {
                try Reaper.endEdits(in: bench.store, now: bench.now, instant: 5)
                #expect(try bench.read { try $0.processes() }.count == 1)
            } else {
                try Reaper.reapTheDead(in: bench.store, now: bench.now, instant: 5)
                #expect(try bench.read { try $0.processes() } == [])
            }
            #expect(try bench.display(id) == .next)
        }
    }

    @Test("B11 who leaves while editing holds nothing any more", arguments: Engine.all)
    func leaves(_ engine: Engine) throws {
        let scene = try EditScene(engine)
        try scene.begin(scene.ids[0])
        try scene.editor.detach(now: scene.bench.now)
        #expect(try scene.claim() == [scene.ids[0]])
    }

    @Test(
        "B11 D8 whatever another person does to the task ends the edit, and its save is refused",
        arguments: Case.all(["retry", "skip", "postpone", "priority", "edit", "delete", "move"]))
    func takenAway(_ test: Case<String>) throws {
        let scene = try EditScene(test.engine)
        let (bench, id) = (scene.bench, scene.ids[0])
        try bench.makeQueue("other")
        let target = try scene.begin(id)
        let verb: Verb
        switch test.value {
        case "retry": verb = .retry([target])
        case "skip": verb = .skip([target], forMilliseconds: nil)
        case "postpone": verb = .postpone([target], until: at(5000))
        case "priority": verb = .priority([target], 3)
        case "edit": verb = scene.save(target, "[2]")
        case "delete": verb = .delete([target], cancelsRunning: false, members: nil)
        default: verb = .moveToQueue([target], "other")
        }
        try bench.perform(verb, by: "bob")
        #expect(try bench.task(id).withoutEdit == bench.task(id))
        #expect(try scene.why(id).contains { $0.cause == "editing" } == false)
        #expect(try bench.refusal(scene.save(target)) == .changed)
        let after = try bench.task(id)
        try bench.control().endEdit(in: scene.editor)
        #expect(try bench.task(id) == after)
        if test.value == "delete" {
            try bench.perform(.undelete([TaskTarget(id)]), by: "bob")
            #expect(try bench.display(id) == .next)
        }
    }

    @Test("B11 what is parked already stays so after the edit", arguments: Engine.all)
    func parkedBefore(_ engine: Engine) throws {
        let scene = try EditScene(engine)
        let (bench, id) = (scene.bench, scene.ids[0])
        try bench.settle(
            try bench.claimOne(scene.runner.process.id), .park(error: "ask somebody"))
        let before = try bench.task(id)
        let target = try scene.begin(id)
        #expect(try scene.why(id).map(\.cause) == ["handler", "editing"])
        try bench.control().endEdit(in: scene.editor)
        #expect(try scene.why(id).map(\.cause) == ["handler"])
        #expect(try bench.task(id) == before)
        try bench.perform(scene.save(target))
        #expect(try bench.task(id).waiting?.parking == before.waiting?.parking)
    }

    @Test(
        "B11 D8 it begins on what was shown, once, and on what waits or failed",
        arguments: Engine.all)
    func begins(_ engine: Engine) throws {
        let scene = try EditScene(engine) { $0.attemptLimit = 1 }
        let (bench, id) = (scene.bench, scene.ids[0])
        let other = try bench.editor()
        func refused(_ id: TaskID, version: Int64? = nil, here: Bool = false) -> Coded? {
            #expect(throws: Coded.self) {
                try coded {
                    try bench.control("bob").beginEdit(
                        TaskTarget(id, version: version), in: here ? scene.editor : other,
                        instant: 5)
                }
            }
        }
        #expect(refused(id, version: 99) == Coded(.changed))
        #expect(refused(99) == Coded(.unknownTask))
        try scene.begin(id)
        #expect(refused(id) == Coded(.notLegal))
        #expect(refused(scene.ids[1], here: true) == Coded(.notLegal))
        // After its time the next editor may begin.
        _ = try bench.control("bob").beginEdit(TaskTarget(id), in: other, instant: 600_000)
        #expect(try scene.why(id).first?.text == "bob is editing it")
        try bench.control("bob").endEdit(in: other)
        let claimed = try bench.claimOne(scene.runner.process.id)
        #expect(refused(id) == Coded(.notLegal))
        try bench.settle(claimed, .fail)
        #expect(try bench.states([id]) == [.failed])
        // No runner claims a failed task, so the edit needs no hold.
        let target = try scene.begin(id)
        #expect(try bench.read { try $0.processes() }.allSatisfy { $0.editing == nil })
        try bench.perform(scene.save(target))
    }

    @Test("B11 a worker takes the task when its edit has run out", arguments: Engine.all)
    func runnerGoesOn(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let id = try bench.enqueue(1)[0]
        let editor = try bench.editor()
        let soOver = SystemClock.monotonicMilliseconds() - EditLease.milliseconds
        _ = try bench.control().beginEdit(TaskTarget(id), in: editor, instant: soOver)
        let handler = ToldHandler { _, _ in .done }
        // The runner's look for the dead ends it.
        try bench.runToTheEnd { _ in handler }
        #expect(handler.log == ["start 1", "deleted after success"])
    }
}

import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Bulks on the screen")
struct BulkTests {
    private static let command = "delete --filter 'queue:profiles state:waiting,failed'"

    /// A screen during a verb on all 14 tasks of a queue, and the verb's token.
    private func bench(_ size: Size = Size(width: 118, height: 32)) throws -> (Bench, Int) {
        let bench = Bench(store: try LivingScene.store(), size: size, now: LivingScene.now)
        bench.holdsVerbs = true
        bench.press("* d y")
        let token = bench.state.underWay.lastToken
        try #require(bench.state.underWay.sent[token] != nil)
        _ = bench.takeEffects()
        bench.send(
            .progressed(token: token, BulkProgress(done: 0, total: 100_000), secondsLeft: nil))
        return (bench, token)
    }

    private func advance(_ bench: Bench, _ token: Int, failed: Int = 0) {
        let progress = BulkProgress(done: 42_000, total: 100_000, failed: failed)
        bench.send(.progressed(token: token, progress, secondsLeft: 83))
    }

    @Test(
        "K7 a bulk shows how far it is, what is left and how to stop it",
        arguments: [
            Size(width: 118, height: 32), Size(width: 80, height: 24),
            Size(width: 60, height: 12), Size(width: 40, height: 10),
        ])
    func pictures(_ size: Size) throws {
        let (bench, token) = try bench(size)
        advance(bench, token)
        try Pictures.check("bulk-\(size.width)x\(size.height)", bench.buffer)
    }

    @Test("K7 Esc stops it between two slices, once; its place stays on the screen")
    func stop() throws {
        let (bench, token) = try bench()
        #expect(bench.screen.contains("0 of 100,000 · Esc stops it"))
        advance(bench, token, failed: 3)
        #expect(
            bench.screen.contains(
                "42,000 of 100,000, about 1m 23s left · 3 not done · Esc stops it"))
        bench.press("Esc")
        #expect(bench.takeEffects().contains(.stop(token: token)))
        advance(bench, token)
        #expect(bench.screen.contains("42,000 of 100,000 · stopping"))
        bench.press("Esc")
        #expect(!bench.takeEffects().contains(.stop(token: token)))
        var answer = Answer()
        answer.changed = Array(1...9)
        answer.undo = 7
        answer.stop = Answer.Stop(
            left: [TaskTarget(1050, version: 4), TaskTarget(1051, version: 1)])
        bench.send(.answered(token: token, .success(answer)))
        let text = "stopped: 2 tasks left, still selected · z undoes it"
        #expect(bench.message == "\(Self.command) | \(text)")
        #expect(bench.state.marks.versions == [1050: 4, 1051: 1])
        #expect(!bench.screen.contains("of 100,000"))
    }

    @Test("D10 what failed stays selected as it was found, what is gone does not")
    func failures() throws {
        let (bench, token) = try bench()
        var answer = Answer()
        answer.changed = Array(1...11)
        answer.undo = 7
        let error = QueueError.changed(1045, "it is now running, version 8")
        answer.failed = [
            Answer.Failure(id: 1045, error: error, version: 8),
            Answer.Failure(id: 1046, error: .unknownTask(1046)),
        ]
        bench.send(.answered(token: token, .success(answer)))
        #expect(bench.state.marks.versions == [1045: 8])
        #expect(bench.message.contains("2 not done, still selected: task #1045 has changed"))
        #expect(bench.message.contains("z undoes it"))
    }

    @Test("D10 K1 what * marked is spelled by its filter, what single keys marked by numbers")
    func spelled() throws {
        let bench = Bench(store: try LivingScene.store(), now: LivingScene.now)
        bench.holdsVerbs = true
        bench.press("/")
        bench.type("type:track")
        bench.press("Enter *")
        let found = bench.state.marks.count
        #expect(found > 6)
        bench.press("d y")
        let filter = "'queue:profiles type:track state:waiting,failed'"
        #expect(bench.state.underWay.sent.values.map(\.command) == ["delete --filter \(filter)"])
        bench.press("* Space d y")
        let sent = try #require(bench.state.underWay.sent[bench.state.underWay.lastToken])
        let ids = sent.verb?.targets.map { "\($0.id)" } ?? []
        #expect(ids.count == found - 1)
        #expect(sent.command == "delete \(ids.joined(separator: " "))")
    }

    @Test("D10 what was selected meanwhile is not mixed with what failed")
    func otherSelection() throws {
        let (bench, token) = try bench()
        bench.press("Space")
        let marks = bench.state.marks
        #expect(marks.count == 1)
        var answer = Answer()
        answer.failed = [Answer.Failure(id: 1045, error: .unknownTask(1045), version: 8)]
        bench.send(.answered(token: token, .success(answer)))
        #expect(bench.state.marks == marks)
    }

    @Test("K7 other keys do what they do while a bulk goes on")
    func meanwhile() throws {
        let (bench, token) = try bench()
        bench.holdsVerbs = false
        bench.press("r")
        #expect(bench.message.contains("resume profiles | done"))
        #expect(bench.screen.contains("0 of 100,000 · Esc stops it"))
        bench.press("j")
        #expect(bench.state.message == nil)
        advance(bench, token)
        #expect(bench.screen.contains("42,000 of 100,000"))
        bench.press("w")
        #expect(bench.state.page != nil)
        bench.press("Esc")
        #expect(bench.state.page != nil && bench.screen.contains("stopping"))
        bench.press("Esc")
        #expect(bench.state.page == nil)
    }

    @Test("K7 whoever leaves is told what that leaves, and leaves after the slice")
    func leave() throws {
        let (bench, token) = try bench()
        advance(bench, token)
        bench.press("q")
        #expect(bench.message.contains("that leaves 58,000 tasks as they are"))
        bench.press("j q")
        #expect(bench.message.contains("that leaves 58,000 tasks as they are"))
        #expect(!bench.takeEffects().contains(.stop(token: token)))
        bench.press("q")
        let effects = bench.takeEffects()
        #expect(effects.contains(.stop(token: token)) && !effects.contains(.quit))
        bench.send(.answered(token: token, .success(Answer())))
        #expect(bench.takeEffects().contains(.quit))
        let (second, other) = try self.bench()
        advance(second, other)
        second.press("q q q")
        #expect(second.takeEffects().contains(.quit))
    }

    /// A store with `count` waiting tasks in one queue.
    private func many(_ count: Int) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.transactBlocking(at: LivingScene.now) { mutation in
            let request = EnqueueRequest(type: "t", payload: [])
            _ = try mutation.enqueue(Array(repeating: request, count: count), to: "q")
        }
        return Bench(store: store, size: Size(width: 118, height: 32), now: LivingScene.now)
    }

    @Test("D10 all that match are marked, asked for by their number, done, and undone as one")
    func whole() throws {
        let bench = try many(2500)
        bench.press("/")
        bench.type("type:t")
        bench.press("Enter *")
        #expect(bench.message.contains("2,500 tasks are marked"))
        bench.press("d")
        #expect(bench.screen.contains("delete 2,500 tasks?"))
        #expect(bench.screen.contains("#1 #2 #3 #4 #5 #6 #7 #8 …"))
        #expect(bench.screen.contains("1,000 at a time; Esc stops it in between"))
        bench.type("2500")
        bench.press("Enter")
        #expect(bench.message.contains("2,500 tasks · done · z undoes it"))
        let gone = try bench.store.readBlocking { try $0.counts(queue: "q")[.deleted] }
        #expect(gone == 2500)
        bench.press("z")
        #expect(bench.screen.contains("undo: 500 tasks deleted by dana (2,500 of 2,500)?  y/n"))
        #expect(bench.screen.contains("500 tasks in its first slice, and the others"))
        bench.press("y")
        #expect(bench.message.contains("2,500 tasks undone by dana"))
        let back = try bench.store.readBlocking { try $0.counts(queue: "q")[.waiting] }
        #expect(back == 2500)
    }

    @Test("K9 D10 what none of many tasks can take is refused at once, with the reason")
    func none() throws {
        let bench = try many(12)
        bench.press("* d y /")
        bench.type("state:deleted")
        bench.press("Enter * x")
        #expect(bench.state.modal == nil, "\(bench.screen)")
        #expect(bench.message.contains("none of 12 tasks was changed: "), "\(bench.message)")
        #expect(bench.message.contains("is in the trash"), "\(bench.message)")
        #expect(bench.state.marks.count == 12)
    }

    @Test("D10 t postpones many over a time")
    func spread() throws {
        let bench = try many(4)
        bench.press("* t")
        #expect(bench.screen.contains("spread from there: 1h over 10m"))
        bench.type("1h past 10m")
        bench.press("Enter")
        #expect(bench.screen.contains("is no time"))
        for _ in 0..<11 { bench.press("BkSp") }
        bench.type("1h over 10m")
        bench.press("Enter")
        #expect(bench.message.contains("postpone 1 2 3 4 +1h --over 10m | 4 tasks · done"))
        let task = try bench.store.readBlocking { try $0.requireTask(3) }
        #expect(task.waiting?.timer?.until == LivingScene.now + 3_900_000)
    }
}

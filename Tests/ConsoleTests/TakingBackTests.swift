import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// `z` undoes the person's last verb in any console. It asks if another console did the verb or
/// many tasks change, and reports the result.
@Suite("What z asks and says")
struct TakingBackTests {
    private let bench: Bench

    init() throws {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
            _ = try writer.reserveTaskIDs(15)
            let tasks = (1...15).map { LivingScene.task($0, "mail", "send", 60) }
            try writer.insert(tasks.map { NewTask(task: $0, payload: []) })
        }
        bench = Bench(store: store, size: Size(width: 118, height: 32), now: LivingScene.now)
    }

    /// A command of the same person in another process.
    private func elsewhere(_ verb: Verb) throws {
        let control = Control(
            store: bench.store, person: "dana", now: { LivingScene.now }, chance: { 0.5 })
        try control.performBlocking(verb)
        bench.send(.storeChanged)
    }

    private func deleted() throws -> Int {
        try bench.store.readBlocking { store in
            try (1...15).filter { try store.requireTask($0).state.name == .deleted }.count
        }
    }

    @Test("D9 K9 what another process did is asked, by what it was, before it is undone")
    func otherProcess() throws {
        try elsewhere(.delete([TaskTarget(3)], cancelsRunning: false, members: nil))
        bench.press("z")
        #expect(bench.screen.contains("undo: #3 deleted by dana?  y/n"), "\(bench.screen)")
        #expect(bench.screen.contains("it was not done in this console"))
        #expect(try deleted() == 1)
        bench.press("n")
        #expect(try deleted() == 1 && bench.message.contains("nothing was changed"))
        bench.press("z y")
        #expect(try deleted() == 0)
        #expect(bench.message.contains("undone by dana: #3 deleted by dana"), "\(bench.message)")
    }

    @Test("D9 behind a verb that cannot be undone z says so first, and then goes on before it")
    func behindFinal() throws {
        bench.press("d")
        #expect(try deleted() == 1)
        bench.press(":")
        bench.type("purge 5")
        bench.press("Enter")
        var report = CommandReport(lines: ["#5 purged by dana"], isFailure: false)
        report.finalVerb = .purge([TaskTarget(5)])
        let token = bench.effects.reversed().compactMap { effect in
            if case .command(_, let token) = effect { token } else { nil }
        }.first
        bench.send(.commanded(token: try #require(token), report))
        bench.press("z")
        #expect(bench.message.contains("purge cannot be undone; z again"), "\(bench.message)")
        #expect(try deleted() == 1)
        bench.press("z")
        #expect(try deleted() == 0)
    }

    @Test("D9 K9 behind an undo that was refused the next one asks, as it is about another verb")
    func behindRefused() throws {
        bench.press("p d")
        try elsewhere(.undelete([TaskTarget(1)]))
        bench.press("z")
        #expect(bench.message.contains("the next undo takes"), "\(bench.message)")
        #expect(try pauses().count == 1)
        bench.press("z")
        #expect(bench.screen.contains("undo: mail paused by dana?  y/n"), "\(bench.screen)")
        #expect(try pauses().count == 1)
        bench.press("y")
        #expect(try pauses().isEmpty)
    }

    @Test("D9 behind a step z says what takes that back, and then goes on before it")
    func behindStep() throws {
        bench.press("p s")
        let token = bench.state.underWay.lastToken
        var answer = StepAnswer()
        let task = try bench.store.readBlocking { try $0.requireTask(1) }
        answer.stepped = [
            Stepped(AttemptRecord(task: task, number: 1, runner: 1, startedAt: LivingScene.now))
        ]
        bench.send(.stepped(token: token, .success(answer)))
        bench.press("z")
        #expect(bench.message.contains("a step is undone by B; z again"), "\(bench.message)")
        #expect(try pauses().count == 1)
        bench.press("z")
        #expect(try pauses().isEmpty)
    }

    @Test("D9 K1 while it is asked another verb may come, and the one that was asked is undone")
    func targetStays() throws {
        try elsewhere(.delete([TaskTarget(3)], cancelsRunning: false, members: nil))
        bench.press("z")
        try elsewhere(.delete([TaskTarget(4)], cancelsRunning: false, members: nil))
        bench.press("y")
        let states = try bench.store.readBlocking { store in
            try [3, 4].map { try store.requireTask($0).state.name }
        }
        #expect(states == [.waiting, .deleted], "\(bench.message)")
    }

    @Test("D9 K9 what was done here is undone at once; of many tasks it is asked")
    func here() throws {
        bench.press("d z")
        #expect(try deleted() == 0 && bench.state.modal == nil, "\(bench.screen)")
        bench.press("* d y")
        #expect(try deleted() == 15)
        bench.press("z")
        #expect(bench.screen.contains("undo: 15 tasks deleted by dana?  y/n"), "\(bench.screen)")
        #expect(!bench.screen.contains("it was not done in this console"))
        try elsewhere(.undelete([TaskTarget(7)]))
        bench.press("y")
        #expect(try deleted() == 0)
        let words = "14 of 15 tasks · undone by dana: 15 tasks deleted by dana · 1 not done: "
        #expect(bench.message.contains(words), "\(bench.message)")
    }

    /// An application enqueues under the person's name.
    private func application() throws {
        try elsewhere(.enqueue(queue: "mail", [EnqueueRequest(type: "receipt", payload: [])]))
    }

    private func pauses() throws -> [Pause] {
        try bench.store.readBlocking { try $0.requireQueue("mail").pauses }
    }

    @Test("D9 K9 what was done here comes first, whatever others of the same name did since")
    func meanwhile() throws {
        bench.press("p")
        try application()
        bench.press("z")
        #expect(try bench.state.modal == nil && pauses().isEmpty, "\(bench.screen)")
        bench.press("d d")
        for left in [1, 0] {
            try application()
            bench.press("z")
            #expect(try bench.state.modal == nil && deleted() == left, "\(bench.screen)")
        }
        for left in [1, 2] {
            try application()
            bench.press("Z")
            #expect(try bench.state.modal == nil && deleted() == left, "\(bench.message)")
            #expect(bench.message.contains("redone by dana: "), "\(bench.message)")
        }
        try application()
        bench.press("z z")
        #expect(try bench.state.modal == nil && deleted() == 0, "\(bench.message)")
        // This console has no verb left to undo.
        bench.press("z")
        #expect(bench.screen.contains("it was not done in this console"), "\(bench.screen)")
        #expect(bench.screen.contains("receipt enqueued by dana?  y/n"))
        bench.press("n")
    }

    @Test("D9 K9 what was taken back elsewhere is over: z takes the one before it")
    func takenBackElsewhere() throws {
        bench.press("p d")
        try elsewhere(.undo(event: nil))
        #expect(try deleted() == 0 && !pauses().isEmpty)
        try application()
        bench.press("z")
        #expect(try bench.state.modal == nil && pauses().isEmpty, "\(bench.screen)")
    }

    @Test("D9 K9 what was brought again elsewhere is named once, and stands in nobody's way")
    func broughtElsewhere() throws {
        bench.press("d z d z")
        try elsewhere(.redo)
        #expect(try deleted() == 1)
        bench.press("Z")
        #expect(bench.message.contains("was already undone by"), "\(bench.message)")
        bench.press("Z")
        #expect(bench.message.contains("nothing to redo"), "\(bench.message)")
        #expect(try deleted() == 1)
    }

    @Test("D9 a new verb of this console ends what Z could bring")
    func newVerb() throws {
        bench.press("d z x")
        try application()
        bench.press("Z")
        #expect(try deleted() == 0)
        #expect(bench.message.contains("nothing to redo"), "\(bench.message)")
    }

    @Test("D9 K9 many tasks are asked by Z too")
    func redo() throws {
        bench.press("* d y z y Z")
        #expect(bench.screen.contains("redo: ") && bench.screen.contains("y/n"), "\(bench.screen)")
        #expect(try deleted() == 0)
        bench.press("y")
        #expect(try deleted() == 15)
    }
}

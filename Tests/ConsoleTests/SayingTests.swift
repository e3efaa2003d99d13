import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// Messages about runs, errors and undo.
@Suite("What is said of runs, errors and undo")
struct SayingTests {
    private func bench(_ tasks: [QueueTask], paused: Bool = false) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            var queue = QueueRecord(name: "mail", createdAt: LivingScene.now)
            if paused {
                queue.pauses = [
                    Pause(
                        cause: .person, by: "dana", reason: "do not touch",
                        since: LivingScene.ago(60))
                ]
            }
            try writer.put(queue)
            _ = try writer.reserveTaskIDs(tasks.count)
            try writer.insert(tasks.map { NewTask(task: $0, payload: []) })
        }
        return Bench(store: store, size: Size(width: 118, height: 32), now: LivingScene.now)
    }

    private func queue(_ bench: Bench) throws -> QueueRecord {
        try bench.store.readBlocking { try $0.requireQueue("mail") }
    }

    @Test("K8 lines of a command that are indented stand beside each other without their blanks")
    func indented() throws {
        let bench = try bench([])
        bench.press(":")
        bench.type("break remove 2")
        bench.press("Enter")
        let token = try #require(
            bench.takeEffects().compactMap { effect -> Int? in
                if case .command(_, let token) = effect { token } else { nil }
            }.last)
        let lines = ["breakpoint 2 removed by dana", "  mail is not stopped by it any more"]
        bench.send(
            .commanded(token: token, CommandReport(lines: lines, isFailure: false, undo: 7)))
        let words = lines[0] + " · mail is not stopped by it any more · z undoes it"
        #expect(bench.message == "break remove 2 | \(words)")
    }

    @Test("K8 a line of commands that helps is written as one types it")
    func commandLines() throws {
        let bench = try bench([LivingScene.task(1, "mail", "send", 60)])
        bench.press("J")
        #expect(bench.message == " | no other store was shown; :open PATH shows one")
        bench.press("P j j Enter Enter Enter")
        #expect(bench.screen.contains("store paused by dana"), "\(bench.screen)")
        bench.press("r")
        #expect(bench.message == " | the whole store is paused; :resume --all ends that")
    }

    @Test("K8 Enter on a worker, and a verb on a queue there, say where tasks are chosen")
    func onRunner() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 118, height: 32),
            now: LivingScene.now)
        let words = " | a worker has no page: Enter opens a task, and 1 lists those"
        bench.press("6 Enter")
        #expect(bench.message == words)
        bench.press("h g")
        #expect(bench.state.isAll, "\(bench.screen)")
        bench.press("l Enter")
        #expect(bench.message == words)
        bench.press("s")
        #expect(
            bench.message
                == " | that is for the queue of a task, and none is selected here: 1 lists tasks")
    }

    @Test("D4 D9 z ends the run that c opened, and leaves the pause before it")
    func run() throws {
        let bench = try bench([LivingScene.task(1, "mail", "send", 60)], paused: true)
        bench.press("c")
        #expect(try queue(bench).run?.isAsked == true)
        #expect(bench.screen.contains("paused by dana") && bench.screen.contains("its run is open"))
        bench.press("z")
        #expect(try queue(bench).run == nil && queue(bench).pauses.count == 1, "\(bench.message)")
        #expect(!bench.screen.contains("its run"))
    }

    @Test("D9 a run that has ended by itself is named, and the next undo takes the verb before it")
    func endedRun() throws {
        let bench = try bench([LivingScene.task(1, "mail", "send", 60)])
        bench.press("p")
        bench.press("c")
        try bench.change { writer in
            try writer.transact(at: LivingScene.now) { try $0.endRun("mail") }
        }
        bench.press("z")
        #expect(bench.message.contains("that run has ended"), "\(bench.message)")
        #expect(try queue(bench).pauses.count == 1)
        bench.press("z")
        #expect(bench.screen.contains("undo: mail paused by dana?  y/n"), "\(bench.screen)")
        bench.press("y")
        #expect(try queue(bench).pauses.isEmpty, "\(bench.message)")
    }

    @Test("D9 undo of redo of undo says the verb itself once")
    func again() throws {
        let bench = try bench([LivingScene.task(1, "mail", "send", 60)])
        bench.press("p z Z z")
        let texts = try bench.store.readBlocking { store in
            try store.journal(JournalQuery(limit: 9, withUndo: false)).compactMap { entry in
                if case .event(let event) = entry { event.text } else { nil }
            }
        }
        let paused = "mail paused by dana"
        #expect(
            texts.suffix(4)
                == [
                    paused, "undone by dana: \(paused)", "redone by dana: \(paused)",
                    "undone by dana: \(paused)",
                ], "\(texts)")
    }

    @Test("K1 what is typed after e and before the editor acts on nothing")
    func editing() throws {
        let bench = try bench([LivingScene.task(1, "mail", "send", 60)])
        bench.press("e d d c")
        #expect(try bench.store.readBlocking { try $0.requireTask(1) }.state.name == .waiting)
        #expect(try queue(bench).run == nil)
        bench.press("^C")
        #expect(bench.takeEffects().contains(.quit), "a store that does not answer holds nobody")
        bench.send(.edited(.unchanged(TaskTarget(1))))
        bench.press("d")
        #expect(try bench.store.readBlocking { try $0.requireTask(1) }.state.name == .deleted)
    }

    @Test("K4 a queue in which nothing is left but failures is not called empty")
    func failed() throws {
        var task = LivingScene.task(1, "mail", "send", 60)
        let error = "Traceback (most recent call last):\n  File \"a.py\", line 7\nKeyError: 'to'\n"
        task.state = .failed(Failure(at: LivingScene.ago(9), reason: error, startPolicy: nil))
        let bench = try bench([task])
        let row = try #require(bench.lines.first { $0.contains("mail   ") })
        #expect(row.contains("1 failed") && !row.contains("empty"), "\(bench.screen)")
        #expect(bench.screen.contains("failed: KeyError: 'to'"))
        bench.press("5")
        #expect(bench.screen.contains("KeyError: 'to'") && !bench.screen.contains("Traceback"))
    }

    @Test("K4 a moment of another year has its year")
    func year() {
        let clock = ScreenClock(
            now: LivingScene.now, format: .utc, ticks: true)
        let year = LivingScene.now + 400 * 86_400_000
        #expect(clock.time(year).hasPrefix("2027-"))
        #expect(!clock.time(LivingScene.now + 86_400_000).hasPrefix("2026-"))
    }
}

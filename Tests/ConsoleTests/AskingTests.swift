import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("What the console asks before it does")
struct AskingTests {
    private func bench(size: Size = Size(width: 120, height: 36)) throws -> Bench {
        Bench(store: try LivingScene.store(), size: size, now: LivingScene.now)
    }

    private func type(_ line: String, _ bench: Bench) {
        bench.press(":")
        for part in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            if part.offset > 0 { bench.press("Space") }
            bench.type(String(part.element))
        }
        bench.press("Enter")
    }

    @Test("D10 K9 a command with a filter asks y/n in the console, about the tasks that it saw")
    func filter() throws {
        let bench = try bench()
        type("retry --filter state:failed", bench)
        var report = CommandReport(lines: [], isFailure: false)
        report.verb = .retry((600...611).map { TaskTarget($0) })
        bench.send(.commanded(token: 1, report))
        #expect(bench.screen.contains("retry 12 tasks?  y/n"))
        bench.press("n")
        #expect(bench.message.contains("nothing was changed"))
        #expect(bench.state.modal == nil)
    }

    @Test("a typed guard without a queue takes the selected one")
    func guardOfSelected() throws {
        let bench = try bench()
        type("guard set --do warn", bench)
        let lines = bench.takeEffects().compactMap { effect in
            if case .command(let line, _) = effect { line } else { nil }
        }
        #expect(lines == ["guard set \(bench.state.selectedQueue ?? "") --do warn"])
    }

    @Test("a reason may go while a later one is chosen", arguments: [24, 36])
    func fewerReasons(height: Int) throws {
        let bench = try bench(size: Size(width: 80, height: height))
        bench.press("G k w 2")
        try bench.change { writer in
            var queue = try writer.requireQueue("profiles")
            queue.pauses = []
            try writer.put(queue)
        }
        bench.send(.storeChanged)
        #expect(!bench.screen.contains("is paused by dana"), "\(bench.screen)")
        bench.press("Enter")
        #expect(bench.screen.contains("retry #1051 identify?  y/n"), "\(bench.screen)")
        bench.press("Esc 1")
        try bench.change { writer in
            var tasks = try writer.tasks([1052])
            tasks[0].state = .succeeded(Success(at: LivingScene.now))
            try writer.update(tasks)
        }
        bench.send(.storeChanged)
        #expect(bench.screen.contains("#1052"), "\(bench.screen)")
        bench.press("Enter")
        #expect(bench.message.contains("nothing holds it back"), "\(bench.message)")
    }

    @Test("K9 Enter in w lets one task go at once, and asks before it lets a queue go")
    func why() throws {
        let bench = try bench()
        bench.press("G k w")
        let lines = bench.lines
        let own = try #require(lines.firstIndex { $0.contains("its group mira is held") })
        let queue = try #require(lines.firstIndex { $0.contains("is paused by dana for 2m") })
        #expect(own < queue, "the task's own reason comes first")
        bench.press("2 Enter")
        #expect(bench.screen.contains("resume profiles?  y/n"))
        #expect(bench.screen.contains("tasks of profiles can start then"))
        bench.press("Esc")
        let pauses = try bench.store.readBlocking { try $0.requireQueue("profiles").pauses }
        #expect(pauses.count == 1)
        bench.press("1 Enter")
        #expect(bench.screen.contains("retry #1051 identify?  y/n"))
        #expect(bench.screen.contains("#1052 waits for it"))
        bench.press("y")
        #expect(bench.message.hasPrefix("retry 1051"))
        bench.press("Esc")
        bench.press("g j j j w")
        #expect(bench.screen.contains("#1043 metric waits for two reasons"))
        bench.press("Enter")
        #expect(bench.state.modal == nil && bench.message.hasPrefix("retry 1043"))
    }

    @Test("N1 K3 w counts on while it is looked at")
    func counts() throws {
        let bench = try bench()
        bench.press("h j l p j w")
        #expect(bench.screen.contains("paused by dana"), "\(bench.screen)")
        bench.wait(milliseconds: 16_000)
        #expect(bench.screen.contains("paused by dana for 16s"), "\(bench.screen)")
    }

    @Test("w on a task that waits out a retry says how it failed, and lies on the page once")
    func retrying() throws {
        let bench = try bench()
        try bench.change { store in
            var task = try store.requireTask(1043)
            task.lastError = "the relay is gone"
            try store.update([task])
        }
        bench.press("g j j j w w")
        #expect(bench.state.pages.count == 1)
        #expect(bench.screen.contains("#1043 metric waits for"), "\(bench.screen)")
        #expect(bench.screen.contains("it failed last: the relay is gone"), "\(bench.screen)")
    }

    @Test("w on a failed task has no time if its system keeps none")
    func unknownEnd() throws {
        let bench = try bench()
        try bench.change { store in
            var task = try store.requireTask(1039)
            task.state = .failed(Failure(at: .unknown, reason: "declined", startPolicy: nil))
            try store.update([task])
        }
        bench.press("G w")
        #expect(bench.screen.contains("was given up:"), "\(bench.screen)")
        #expect(!bench.screen.contains("1970"))
    }

    @Test("w on a failed task says its whole error and what makes it wait")
    func failed() throws {
        let bench = try bench(size: Size(width: 60, height: 24))
        let error = String(repeating: "the card was declined by the bank ", count: 6) + "at last"
        try bench.change { store in
            var task = try store.requireTask(1039)
            task.lastError = error
            try store.update([task])
            var cutOff = AttemptRecord(
                task: task, number: 1, runner: 1, startedAt: LivingScene.now + -9000)
            (cutOff.endedAt, cutOff.outcome) = (LivingScene.now + -7000, .timedOut)
            try store.put([cutOff])
        }
        bench.press("G w")
        let words = bench.screen.split(whereSeparator: { " \n│".contains($0) }).joined(
            separator: " ")
        #expect(words.contains(error), "\(bench.screen)")
        #expect(words.contains("attempt 1 was cut off: what it did stays done"))
        #expect(bench.screen.contains("R makes it wait again  $ sluice retry 1039"))
        bench.press("Enter")
        #expect(bench.message.contains("it was given up: R makes it wait"))
        bench.press("R")
        #expect(bench.screen.contains("#1039: attempt 1 was cut off: what it did stays done"))
        bench.press("n")
        #expect(try bench.store.readBlocking { try $0.task(1039) }?.state.name == .failed)
        bench.press("R y")
        #expect(bench.message.hasPrefix("retry 1039"))
        #expect(try bench.store.readBlocking { try $0.task(1039) }?.state.name == .waiting)
    }

    @Test("K8 Ctrl-L paints every cell again, also on a page and within a question")
    func repaint() throws {
        let bench = try bench()
        for page in ["", "?", "Esc", "/", "Esc", "d"] {
            bench.press(page)
            _ = bench.takeEffects()
            bench.press("C-l")
            #expect(bench.takeEffects() == [.repaint], "\(page)")
        }
    }

    @Test("y sends what a shell takes to the terminal's clipboard, and says what it sent")
    func copy() throws {
        let bench = try bench()
        bench.press("y")
        #expect(bench.takeEffects().contains(.copy("1040")))
        bench.send(.copied(true))
        #expect(bench.message == " | #1040 was sent to the terminal's clipboard")
        bench.press("Enter y")
        bench.send(.copied(true))
        #expect(bench.message == " | the payload of #1040 was sent to the terminal's clipboard")
    }

    @Test("D1 P asks what is stopped: this queue, at once, all queues, what comes in")
    func stopMenu() throws {
        let bench = try bench()
        bench.press("h j l P")
        for words in [
            "1  this queue, no new starts", "2  this queue now", "3  all queues",
            "4  new tasks", "5  all queues now",
        ] {
            #expect(bench.screen.contains(words))
        }
        #expect(bench.screen.contains("this queue is messages"), "\(bench.screen)")
        #expect(bench.lines.last?.contains("1-5 directly") == true)
        bench.press("j Enter")
        bench.type("why")
        bench.press("Enter")
        bench.type("15m")
        bench.press("Enter")
        #expect(bench.message.hasPrefix("pause messages --reason why --for 15m --now"))
        bench.press("P 4 Enter Enter")
        #expect(bench.message.hasPrefix("pause messages --direction enqueues"))
        bench.press("P 3 Enter Enter")
        #expect(bench.message.hasPrefix("pause --all"))
        bench.press("P 5 Enter Enter")
        #expect(bench.message.hasPrefix("pause --all --now"))
        let pauses = try bench.store.readBlocking { try $0.storeRecord().pauses }
        #expect(pauses.count == 1)
        bench.press("P Esc")
        #expect(bench.state.modal == nil)
    }

    static let lines: [(typed: String, sent: String)] = [
        ("pause", "pause profiles"), ("resume", "resume profiles"), ("step", "step profiles"),
        ("step -n 3", "step profiles -n 3"), ("run", "run profiles"),
        ("pause --for 5m", "pause profiles --for 5m"), ("pause --all", "pause --all"),
        ("pause jobs", "pause jobs"), ("step --task 1041", "step --task 1041"),
        ("queues", "queues"), ("sluice pause", "pause profiles"),
        ("pause --reason 'a b'", "pause profiles --reason 'a b'"),
    ]

    @Test("D1 a verb on a queue without a name takes the queue at the cursor", arguments: lines)
    func queueAtCursor(typed: String, sent: String) throws {
        let bench = try bench()
        type(typed, bench)
        #expect(bench.takeEffects().contains(.command(sent, token: 1)))
    }

    @Test("K1 :open shows another store and begins anew there; where it cannot, all stays")
    func open() throws {
        let bench = try bench()
        bench.press("Space")
        type("open other.db", bench)
        #expect(bench.takeEffects().contains(.open("other.db", token: 1)))
        let report = CommandReport(lines: ["there is no store at other.db"], isFailure: true)
        bench.send(.commanded(token: 1, report))
        #expect(bench.message == "open other.db | there is no store at other.db")
        #expect(bench.lines[0].contains("app.db") && bench.state.marks.count == 1)
        type("open other.db", bench)
        bench.send(.opened(name: "other.db", kind: "sqlite", isReadOnly: true))
        #expect(bench.lines[0].contains("other.db") && bench.lines[0].contains("read-only"))
        #expect(bench.state.marks.isEmpty && bench.message.contains("J goes back"))
        bench.press(":")
        bench.type("ope")
        bench.press("Tab")
        bench.type("ap")
        bench.press("Tab")
        #expect(bench.screen.contains(":open app.db"))
        bench.press("Esc")
        type("open", bench)
        #expect(bench.screen.contains("open takes one store"))
    }

    @Test("K8 :q leaves the console")
    func quit() throws {
        let bench = try bench()
        type("q", bench)
        #expect(bench.takeEffects().contains(.quit))
    }

    @Test("K13 ? is searched by /")
    func help() throws {
        let bench = try bench()
        bench.press("? /")
        bench.type("pause")
        bench.press("Enter")
        #expect(bench.screen.contains("Keys with \"pause\""))
        #expect(bench.screen.contains("start no more tasks"))
        #expect(!bench.screen.contains("to the trash"))
        bench.press("/ BkSp BkSp BkSp BkSp BkSp")
        bench.type("xyzzy")
        bench.press("Enter")
        #expect(bench.screen.contains("no key or command has that in its help"))
        bench.press("/ BkSp BkSp BkSp BkSp BkSp")
        bench.type("doctor")
        bench.press("Enter")
        #expect(bench.screen.contains("commands without a key"), "\(bench.screen)")
        #expect(bench.screen.contains("doctor"))
        bench.press("/ BkSp BkSp BkSp BkSp BkSp BkSp Enter")
        #expect(bench.screen.contains("the ten keys you need"))
        #expect(bench.screen.contains("Enter unfolds it") && !bench.screen.contains("to the trash"))
        bench.press("Enter G g PgDn")
        #expect(bench.screen.contains("to the trash"), "\(bench.screen)")
        bench.press("Esc")
        #expect(bench.state.page == nil)
    }
}

import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Stepping keeps its place")
struct SteppingTests {
    private static let now = LivingScene.now
    private static let wide = Size(width: 160, height: 40)

    /// A paused queue of a hundred tasks.
    private func bench(
        keeping: KeepFinished = .last(100), tasks: TaskID = 100
    ) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            var queue = QueueRecord(name: "mail", createdAt: Self.now)
            queue.settings.keepFinished = keeping
            queue.pauses = [Pause(cause: .person, by: "dana", reason: nil, since: Self.now)]
            try writer.put(queue)
            try writer.put(LivingScene.runner(1, pid: 1, types: nil))
            _ = try writer.reserveTaskIDs(Int(tasks))
            try writer.insert(
                (1...tasks).map {
                    NewTask(task: LivingScene.task($0, "mail", "send", 60), payload: [0x31])
                })
        }
        return Bench(store: store, size: Self.wide, now: Self.now)
    }

    private func token(_ bench: Bench) throws -> Int {
        try #require(
            bench.takeEffects().compactMap { effect -> Int? in
                if case .step(_, let token) = effect { token } else { nil }
            }.last)
    }

    private func begin(_ id: TaskID, _ bench: Bench) throws {
        try bench.change { writer in
            guard var task = try writer.task(id) else { return }
            task.state = .running(Running(owner: 1, token: id, attempt: 1, since: Self.now))
            (task.executions, task.version) = (1, task.version + 1)
            try writer.update([task])
        }
    }

    /// The attempt ends and the step is answered, the answer first as a rule.
    private func end(
        _ id: TaskID, next: TaskID?, _ outcome: AttemptRecord.Outcome, token: Int, _ bench: Bench
    ) throws {
        let attempt = try bench.store.readBlocking { reader in
            try reader.task(id).map { task in
                var attempt = AttemptRecord(
                    task: task, number: 1, runner: 1, startedAt: Self.now)
                (attempt.outcome, attempt.endedAt) = (outcome, Self.now + 20)
                attempt.error = outcome == .success ? nil : "card declined"
                attempt.log = ["charging 12 EUR"]
                return attempt
            }
        }
        guard let attempt else { return }
        var answer = StepAnswer()
        answer.stepped = [Stepped(attempt)]
        answer.next = next
        try bench.change { writer in
            guard var task = try writer.task(id) else { return }
            task.state =
                outcome == .success
                ? .succeeded(Success(at: Self.now))
                : .failed(Failure(at: Self.now, reason: "card declined", startPolicy: nil))
            task.version += 1
            try writer.put([attempt])
            try writer.update([task])
        }
        bench.send(.stepped(token: token, .success(answer)))
    }

    private func preview(_ bench: Bench) -> String {
        bench.lines.map { $0.split(separator: "│").last.map(String.init) ?? "" }
            .joined(separator: "\n")
    }

    @Test(
        "D3 K15 after a step the cursor goes on with what comes next, and what was stepped stays",
        arguments: [AttemptRecord.Outcome.success, .giveUp])
    func goesOn(_ outcome: AttemptRecord.Outcome) throws {
        let bench = try bench()
        for id in TaskID(1)...3 {
            bench.press("s")
            let token = try token(bench)
            try begin(id, bench)
            #expect(bench.state.list.line?.task.id == id)
            try end(id, next: id + 1, outcome, token: token, bench)
            #expect(bench.state.list.line?.task.id == id + 1, "\(bench.screen)")
            #expect(bench.state.list.top == 0)
            #expect(preview(bench).contains("#\(id) send"), "\(preview(bench))")
            #expect(preview(bench).contains("charging 12 EUR"))
            if outcome != .success { #expect(preview(bench).contains("card declined")) }
        }
        bench.press("j")
        #expect(preview(bench).contains("#5 send"), "\(preview(bench))")
    }

    @Test("K1 K15 the preview says where the cursor is beside what was stepped, until the next key")
    func besideCursor() throws {
        let bench = try bench(tasks: 10)
        bench.press("j S")
        let token = try token(bench)
        try begin(2, bench)
        #expect(!preview(bench).contains("the cursor is on"))
        try end(2, next: 1, .success, token: token, bench)
        #expect(bench.state.list.line?.task.id == 3)
        #expect(preview(bench).contains("#2 was stepped; the cursor is on #3"), "\(bench.screen)")
        bench.press("v v")
        #expect(preview(bench).contains("#2 was stepped; the cursor is on #3"))
        bench.press("d")
        #expect(bench.message.contains("delete 3"))
        let id = try #require(bench.state.list.line?.task.id)
        #expect(preview(bench).contains("#\(id) send"), "\(bench.screen)")
        #expect(!preview(bench).contains("was stepped"))
    }

    @Test("K15 a step never scrolls away, wherever the task goes")
    func place() throws {
        let bench = try bench()
        bench.press(Array(repeating: "j", count: 60).joined(separator: " "))
        let (top, row) = (bench.state.list.page.rows[bench.state.list.top].task.id, 60)
        #expect(bench.state.list.line?.task.id == TaskID(row + 1))
        bench.press("S")
        let token = try token(bench)
        try begin(61, bench)
        #expect(bench.state.list.page.rows[bench.state.list.top].task.id == top)
        try end(61, next: 1, .giveUp, token: token, bench)
        #expect(bench.state.list.page.rows[bench.state.list.top].task.id == top, "\(bench.screen)")
        #expect(bench.state.list.line?.task.id == 62)
        #expect(preview(bench).contains("#61 send") && preview(bench).contains("card declined"))
    }

    @Test("K15 while it runs the cursor is on it and its log in the preview, until one moves")
    func staysWithIt() throws {
        let bench = try bench(tasks: 10)
        bench.press("j j j S")
        let token = try token(bench)
        try begin(4, bench)
        for line in ["charging 12 EUR", "charging 13 EUR"] {
            try bench.change { writer in
                guard let task = try writer.task(4) else { return }
                var attempt = AttemptRecord(task: task, number: 1, runner: 1, startedAt: Self.now)
                attempt.log = [line]
                try writer.put([attempt])
            }
            #expect(bench.state.list.line?.task.id == 4, "\(bench.screen)")
            #expect(preview(bench).contains("#4 send") && preview(bench).contains(line))
        }
        try end(4, next: 1, .success, token: token, bench)
        #expect(bench.state.list.line?.task.id == 5, "\(bench.screen)")
        #expect(preview(bench).contains("#4 send"))
        bench.press("S")
        let second = try self.token(bench)
        try begin(5, bench)
        bench.press("j j")
        let moved = try #require(bench.state.list.line?.task.id)
        #expect(preview(bench).contains("#\(moved) send"), "\(bench.screen)")
        try end(5, next: 1, .success, token: second, bench)
        #expect(bench.state.list.line?.task.id == moved)
    }

    @Test("K15 behind a step that goes on for long none is begun, and it says so; quick keys count")
    func inTheWay() throws {
        let bench = try bench(tasks: 10)
        bench.press("s s")
        let asked = bench.takeEffects().count { if case .step = $0 { true } else { false } }
        #expect(asked == 2)
        let token = bench.state.underWay.lastToken
        try begin(1, bench)
        bench.wait(milliseconds: 3000)
        bench.press("s")
        #expect(bench.message.contains("has run for 3s"), "\(bench.message)")
        // Wherever the cursor has gone since.
        bench.press("j j S")
        #expect(bench.message.contains("has run for 3s"), "\(bench.message)")
        #expect(!bench.takeEffects().contains { if case .step = $0 { true } else { false } })
        // Its end lets the second one begin.
        bench.send(.stepped(token: token - 1, .success(StepAnswer())))
        bench.press("s")
        #expect(bench.takeEffects().contains { if case .step = $0 { true } else { false } })
        try end(1, next: 2, .success, token: token, bench)
        bench.press("s")
        #expect(bench.takeEffects().contains { if case .step = $0 { true } else { false } })
    }

    @Test("K15 out of sight it stays in the preview, and the list does not scroll after it")
    func staysInPreview() throws {
        let bench = try bench()
        bench.press(Array(repeating: "j", count: 60).joined(separator: " "))
        let top = bench.state.list.page.rows[bench.state.list.top].task.id
        bench.press("S")
        let token = try token(bench)
        try begin(61, bench)
        #expect(bench.state.list.page.rows[bench.state.list.top].task.id == top, "\(bench.screen)")
        #expect(preview(bench).contains("#61 send"), "\(bench.screen)")
        try end(61, next: 1, .success, token: token, bench)
        #expect(preview(bench).contains("#61 send"), "\(bench.screen)")
    }

    @Test("K13 what a refusal offers for the task at the cursor is told by its key")
    func offered() throws {
        let bench = try bench()
        let waits = "task #1 waits"
        for (error, told) in [
            (
                QueueError(.notLegal, waits, command: .init("retry", 1, "makes it wait")),
                "R makes it wait: sluice retry 1"
            ),
            (
                QueueError(.notLegal, waits, command: .init("retry", 2, "makes it wait")),
                "waits; sluice retry 2 makes it wait"
            ),
            (
                QueueError(.notLegal, waits, fix: "sluice list shows the tasks"),
                "waits; sluice list shows the tasks"
            ),
        ] {
            bench.press("S")
            bench.send(.stepped(token: try token(bench), .failure(error)))
            #expect(bench.message.hasSuffix(told), "\(bench.message)")
        }
    }

    @Test("K1 whoever moves or marks meanwhile stays where they are")
    func moved() throws {
        let bench = try bench()
        bench.press("s")
        let token = try token(bench)
        try begin(1, bench)
        bench.press("j j j j j")
        let cursor = bench.state.list.line?.task.id
        try end(1, next: 2, .success, token: token, bench)
        #expect(bench.state.list.line?.task.id == cursor && cursor == 6)
        #expect(preview(bench).contains("#6 send"))
        bench.press("g Space s")
        let second = try self.token(bench)
        try begin(2, bench)
        let marked = bench.state.list.line?.task.id
        try end(2, next: 3, .success, token: second, bench)
        #expect(bench.state.list.line?.task.id == marked && bench.state.marks.count == 1)
    }

    @Test("K1 K15 what is due again above the cursor pulls nobody back")
    func retriedAbove() throws {
        let bench = try bench()
        bench.press("j j j s")
        let token = try token(bench)
        try begin(1, bench)
        try end(1, next: 2, .success, token: token, bench)
        #expect(bench.state.list.line?.task.id == 4, "\(bench.screen)")
        #expect(preview(bench).contains("#1 send") && preview(bench).contains("charging 12 EUR"))
        // The last task above the cursor. The next task is below, so the cursor moves on.
        bench.press("s")
        let second = try self.token(bench)
        try begin(2, bench)
        try end(2, next: 5, .success, token: second, bench)
        #expect(bench.state.list.line?.task.id == 5, "\(bench.screen)")
    }

    @Test("K1 K15 nor does what is due again far above it, where a part of the list is loaded")
    func retriedFarAbove() throws {
        let bench = try bench(tasks: 1000)
        bench.press(Array(repeating: "PgDn", count: 20).joined(separator: " "))
        let cursor = try #require(bench.state.list.line?.task.id)
        #expect(!bench.state.list.page.reachesStart && !bench.state.list.page.reachesEnd)
        bench.press("s")
        let token = try token(bench)
        try begin(1, bench)
        try end(1, next: 2, .success, token: token, bench)
        #expect(bench.state.list.line?.task.id == cursor, "\(bench.screen)")
    }

    @Test("D3 a task that is gone after its step leaves its outcome in the preview")
    func gone() throws {
        let bench = try bench(keeping: .none)
        bench.press("s")
        let token = try token(bench)
        var answer = StepAnswer()
        var record = AttemptRecord(
            task: LivingScene.task(1, "mail", "send", 0), number: 1, runner: 1,
            startedAt: Self.now)
        (record.outcome, record.endedAt) = (.success, Self.now + 12)
        (answer.stepped, answer.next) = ([Stepped(record)], 2)
        try bench.change { try $0.remove([1]) }
        bench.send(.stepped(token: token, .success(answer)))
        #expect(bench.state.list.line?.task.id == 2)
        #expect(preview(bench).contains("#1 send"), "\(preview(bench))")
        #expect(preview(bench).contains("12 ms"))
    }

    @Test("D3 a step whose end nothing tells is shown as neither good nor failed")
    func untold() throws {
        let bench = try bench()
        bench.press("s")
        let token = try token(bench)
        var stepped = Stepped(
            AttemptRecord(
                task: LivingScene.task(1, "mail", "send", 0), number: 1, runner: 1,
                startedAt: Self.now))
        stepped.remark = "it has ended; nothing here says how"
        var answer = StepAnswer()
        answer.stepped = [stepped]
        bench.send(.stepped(token: token, .success(answer)))
        #expect(bench.message.contains("nothing here says how"))
        #expect(bench.state.message?.role == .time)
    }

    @Test("K5 the pane with the keys has its row lit and its heading bold, the other one a sign")
    func focus() throws {
        let bench = try bench()
        func lit(_ x: Int) -> [Int] {
            (0..<Self.wide.height).filter {
                Array(bench.buffer[row: $0])[x].background == .selection
            }
        }
        func isBold(_ word: String) -> Bool? {
            for (y, line) in bench.lines.enumerated().prefix(10) {
                guard let range = line.ranges(of: word).first else { continue }
                let x = line.distance(from: line.startIndex, to: range.lowerBound)
                return Array(bench.buffer[row: y])[x].emphasis
            }
            return nil
        }
        let right = bench.state.layout.right.x + 1
        #expect(lit(2).isEmpty && lit(right).count == 1)
        #expect(isBold("type ") == true && isBold("queues ") == false)
        #expect(bench.lines.contains { $0.hasPrefix("›") && $0.contains("mail") })
        bench.press("h")
        #expect(lit(2).count == 1 && lit(right).isEmpty)
        #expect(isBold("type ") == false && isBold("queues ") == true)
        #expect(bench.lines.contains { $0.contains("│›") })
    }
}

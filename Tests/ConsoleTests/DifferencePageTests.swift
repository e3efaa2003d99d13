import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// The page of a difference, and a task next to its former state.
@Suite("the page of a difference")
struct DifferencePageTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// A console that shows the changes since a checkpoint.
    private func bench(size: Size = Size(width: 100, height: 24)) throws -> Bench {
        let store = MemoryStore()
        let now = Self.start + 1000
        let control = Control(store: store, person: "ann", now: { now }, chance: { 0.5 })
        try store.writeBlocking { store in
            try store.put(QueueRecord(name: "mail", createdAt: Self.start))
        }
        let payload = Array(#"{"to":"kim","kind":"welcome"}"#.utf8)
        try control.performBlocking(
            .enqueue(
                queue: "mail",
                [
                    EnqueueRequest(type: "send", payload: payload),
                    EnqueueRequest(type: "purge", payload: []),
                ]))
        try control.performBlocking(.takeCheckpoint(CheckpointRequest("before")))
        try control.performBlocking(.priority([TaskTarget(1)], 7))
        try control.performBlocking(
            .edit(
                [TaskTarget(1)], payload: Array(#"{"to":"lee","kind":"welcome"}"#.utf8),
                fields: []))
        try control.performBlocking(
            .enqueue(queue: "mail", [EnqueueRequest(type: "late", payload: [])]))
        let difference = try store.readBlocking {
            try Reading($0, now: now).difference(from: nil, to: nil)
        }
        let bench = Bench(store: store, size: size, now: now)
        bench.press(": d i f f Enter")
        var report = CommandReport(lines: ["one", "two", "three"], isFailure: false)
        report.difference = difference
        bench.send(.commanded(token: bench.state.underWay.lastToken, report))
        return bench
    }

    @Test("G5 Enter opens the task at the cursor beside what it was, and from there the task")
    func opens() throws {
        let bench = try bench()
        #expect(bench.screen.contains("↵ before and after"))
        bench.press("Enter")
        let lines = bench.lines
        #expect(bench.screen.contains("#1 send in mail: before and after"))
        #expect(lines.contains { $0.contains("at before") && $0.contains("now") })
        let priority = try #require(lines.first { $0.contains(" priority ") })
        #expect(priority.split(separator: " ").suffix(2) == ["0", "7"])
        #expect(lines.contains { $0.contains(#"- "to": "kim""#) || $0.contains("-   \"to\"") })
        #expect(bench.screen.contains("lee") && bench.screen.contains("queue mail"))
        bench.press("Enter")
        guard case .detail(1, _)? = bench.state.page else {
            Issue.record("the task is not open: \(bench.screen)")
            return
        }
        bench.press("Esc Esc")
        // A page accepts no verbs for the view below it (K1).
        bench.press("p")
        #expect(bench.message.contains("Esc goes back first"))
        bench.press("/ l a t e Enter")
        #expect(bench.message.contains("1 line has \"late\""))
        bench.press("Enter")
        #expect(bench.screen.contains("#3 late in mail: before and after"))
        #expect(bench.screen.contains("was not there"))
        bench.press("Esc Esc")
        #expect(bench.state.page == nil)
    }

    @Test("G5 the cursor goes from change to change and is never out of sight")
    func moves() throws {
        let bench = try bench()
        guard case .difference(let shown)? = bench.state.page else {
            Issue.record("no page of a difference")
            return
        }
        var difference = shown.difference
        let change = difference.tasks[0]
        difference.tasks = (0..<200).map { number in
            var one = change
            one.fields = (0..<(number % 7)).map { place in
                FieldDifference(name: "f\(place)", from: .null, to: .integer(1))
            }
            return one
        }
        difference.effects = (0..<30).map { number in
            var attempt = AttemptRecord(
                task: change.task, number: number, runner: 1, startedAt: Self.start)
            (attempt.endedAt, attempt.outcome) = (Self.start, .success)
            return attempt
        }
        var page = DifferencePage(difference, title: "diff a b", TaskNames())
        #expect(page.heads.count == 200)
        for height in [1, 3, 20] {
            page.move(.start, height: height)
            for place in 1..<200 {
                page.move(.rows(1), height: height)
                #expect(page.choice == place)
                let row = page.heads[place] - page.top
                #expect((0..<height).contains(row))
            }
            for _ in 0..<40 { page.move(.rows(1), height: height) }
            #expect(page.choice == 199 && page.top == page.lines.count - height)
            page.move(.rows(-1), height: height)
            #expect(page.choice == 198 && (0..<height).contains(page.heads[198] - page.top))
            page.move(.end, height: height)
            #expect(page.top == page.lines.count - height)
            page.move(.pages(-1), height: height)
            #expect(page.heads[page.choice] >= page.top || page.choice == 199)
        }
    }
}

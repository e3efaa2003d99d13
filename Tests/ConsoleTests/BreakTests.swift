import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("breakpoints on the screen")
struct BreakTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// Six tasks that wait, the third and the fifth of the type `identify`, and a worker.
    private func bench(
        glyphs: GlyphSet = .unicode, isReadOnly: Bool = false
    ) throws -> (bench: Bench, runner: ProcessID) {
        try Bench.profiles(
            ["track", "track", "identify", "track", "identify", "track"], at: Self.start, glyphs,
            isReadOnly: isReadOnly)
    }

    /// Claims tasks until none is left, and succeeds with each.
    private func work(_ bench: Bench, _ runner: ProcessID) throws {
        let now = bench.now
        try bench.change { store in
            try store.transact(at: now) { mutation in
                let request = ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0)
                while let one = try mutation.claim(request).first {
                    let token = one.task.running?.token ?? 0
                    _ = try mutation.settle([
                        Completion(
                            task: one.task.id, token: token,
                            ending: .handler(.success(result: nil)))
                    ])
                }
            }
        }
    }

    private func field(_ bench: Bench) -> String {
        guard case .prompt(let prompt)? = bench.state.modal else { return "" }
        return prompt.editor.text
    }

    private func gutters(_ bench: Bench) -> [String] {
        bench.lines.filter { $0.contains("track") || $0.contains("identify") }
            .filter { $0.contains("0/10") }.map { line in
                String(line.drop { $0 != "│" && $0 != "|" }.dropFirst(2).prefix(1))
            }
    }

    @Test("G1 b opens a line for the row, which Tab widens and narrows, with what matches now")
    func line() throws {
        let (bench, _) = try bench()
        bench.press("j j b")
        #expect(field(bench) == "'type:identify queue:profiles' --before")
        #expect(bench.screen.contains("2 match"))
        var lines: [String] = []
        for _ in 0..<6 {
            bench.press("Tab")
            lines.append(field(bench))
        }
        #expect(
            lines == [
                "'group:kim queue:profiles' --before", "queue:profiles --before",
                "queue:profiles --on-failure",
                "queue:profiles --on-failure --failed 20% --of 50 --in 5m --for none --keep",
                "id:3 --before", "'type:identify queue:profiles' --before",
            ])
        bench.send(.input(.key(.backTab)))
        #expect(field(bench) == "id:3 --before")
        bench.press("Esc")
        #expect(try bench.store.readBlocking { try $0.storeRecord().breakpoints.isEmpty })
    }

    @Test("G1 what is counted is of all queues, as the breakpoint is", arguments: ["b", "8 b"])
    func counted(_ keys: String) throws {
        let (bench, _) = try bench()
        try act(bench, .enqueue(queue: "other", [EnqueueRequest(type: "audit", payload: [])]))
        bench.press(keys)
        for (line, words) in [
            ("type:audit", "1 matches"), ("'type:audit queue:profiles'", "0 match"),
            ("'type:audit queue:other'", "1 matches"), ("type:track", "4 match"),
        ] {
            bench.send(.input(.key(.control("u"))))
            bench.type(line)
            #expect(bench.screen.contains(words), "\(line)\n\(bench.screen)")
        }
    }

    @Test("G1 K8 what is wrong with a long line is said with its remedy")
    func remedy() throws {
        let (bench, _) = try bench()
        bench.press("b")
        bench.send(.input(.key(.control("u"))))
        bench.type("type:identify queue:profiles payload.customer.address.city:amsterdam")
        #expect(bench.screen.contains("one argument too many"), "\(bench.screen)")
        #expect(bench.screen.contains("amsterdam'"), "\(bench.screen)")
    }

    @Test("G1 G2 where no task is, the line is about the queue", arguments: ["b", "f"])
    func withoutTask(_ key: String) throws {
        let (bench, _) = try bench()
        try bench.change { try $0.put(QueueRecord(name: "quiet", createdAt: Self.start)) }
        bench.press("h j l \(key)")
        #expect(bench.state.selectedQueue == "quiet")
        #expect(field(bench).hasPrefix("queue:quiet "), "\(bench.screen)")
        #expect(bench.screen.contains("0 match"))
    }

    @Test("G1 a mistake in the line is named while it is typed, and is not taken")
    func mistake() throws {
        let (bench, _) = try bench()
        bench.press("b")
        bench.type(" --times 0")
        #expect(bench.screen.contains("--times"))
        bench.press("Enter")
        #expect(bench.state.modal != nil)
        for _ in 0..<90 { bench.press("Backspace") }
        bench.type("state:failed")
        #expect(bench.screen.contains("a breakpoint cannot ask \"state:failed\""))
        bench.press("Enter")
        #expect(bench.state.modal != nil)
        #expect(try bench.store.readBlocking { try $0.storeRecord().breakpoints.isEmpty })
    }

    @Test(
        "G1 the gutter says where it would stop, the headline where it did",
        arguments: [
            GlyphSet.unicode, .ascii,
        ])
    func stops(_ glyphs: GlyphSet) throws {
        let (bench, runner) = try bench(glyphs: glyphs)
        let sign = glyphs[.breakpoint]
        bench.press("j j b Enter")
        #expect(bench.message.contains("break 'type:identify queue:profiles' --before"))
        #expect(gutters(bench)[2] == sign && gutters(bench)[4] == sign)
        #expect(!gutters(bench)[..<2].contains(sign) && gutters(bench)[3] != sign)
        bench.press("k k")
        try work(bench, runner)
        let dot = glyphs[.separator]
        let words =
            "\(sign) breakpoint 1 before #3 identify \(dot) s steps over it \(dot) c resumes"
        #expect(bench.screen.contains(words))
        bench.send(.resized(Size(width: 80, height: 24)))
        #expect(bench.screen.contains("\(sign) 1 before #3 identify \(dot) s step \(dot) c run"))
        bench.send(.resized(Size(width: 118, height: 30)))
        // The cursor is on its task.
        #expect(bench.state.selectedLine?.task.id == 3)
        bench.press("c")
        #expect(bench.message.contains("resume profiles --breakpoints"))
        #expect(!bench.screen.contains("resumes \(dot)") && !bench.screen.contains(words))
        try work(bench, runner)
        #expect(bench.screen.contains("breakpoint 1 before #5 identify"))
        #expect(bench.state.selectedLine?.task.id == 5)
    }

    /// Performs a verb as another person.
    private func act(_ bench: Bench, _ verb: Verb) throws {
        let now = bench.now
        let control = Control(store: bench.store, person: "ann", now: { now }, chance: { 0.5 })
        _ = try control.performBlocking(verb)
        bench.send(.storeChanged)
    }

    @Test("G1 the mark and next are the task before which it stopped, which a step takes first")
    func next() throws {
        let (bench, runner) = try bench()
        bench.press("j j b Enter")
        try work(bench, runner)
        try act(bench, .move(TaskTarget(6), .first))
        func marked() -> [TaskID] {
            bench.state.list.page.rows.filter { $0.display == .next }.map(\.task.id)
        }
        #expect(marked() == [3] && bench.state.scene?.next?.id == 3, "\(bench.screen)")
        #expect(bench.screen.contains("next #3 identify"))
        // Without a runner it is still the first.
        try bench.change { try $0.removeProcess(runner) }
        #expect(marked() == [3] && bench.state.scene?.next?.id == 3, "\(bench.screen)")
        bench.press("c")
        #expect(marked() == [6] && bench.state.scene?.next?.id == 6, "\(bench.screen)")
    }

    @Test(
        "G1 K5 the pane of queues tells a stop from a pause", arguments: [GlyphSet.unicode, .ascii])
    func pane(_ glyphs: GlyphSet) throws {
        let (bench, runner) = try bench(glyphs: glyphs)
        func row() -> String {
            bench.lines.first { $0.dropFirst().hasPrefix("\(glyphs[.breakpoint]) profiles") } ?? ""
        }
        let width = bench.state.layout.left.width
        bench.press("j j b Enter")
        #expect(row().isEmpty)
        try work(bench, runner)
        #expect(row().contains(" at stop "), "\(bench.screen)")
        #expect(!row().contains("paused") && bench.state.layout.left.width == width)
        try act(bench, .pause(PauseRequest(.queue("profiles"))))
        #expect(row().isEmpty)
        #expect(bench.lines.contains { $0.contains("profiles") && $0.contains(" paused ") })
    }

    @Test("G1 K8 a stop is told in the message line once, in whatever queue")
    func told() throws {
        let (bench, runner) = try bench()
        try act(
            bench, .enqueue(queue: "other", [EnqueueRequest(type: "audit", payload: [])]))
        bench.press("j j b Enter")
        #expect(bench.message.contains("z undoes it"))
        try work(bench, runner)
        #expect(bench.message == " | breakpoint 1 stopped profiles before #3 identify")
        bench.press("k")
        bench.send(.storeChanged)
        #expect(bench.message == "", "\(bench.message)")
        try act(bench, .setBreakpoint(BreakRequest(try TaskFilter("type:audit"))))
        try act(bench, .enqueue(queue: "other", [EnqueueRequest(type: "audit", payload: [])]))
        try work(bench, runner)
        let place = try #require(bench.state.scene?.queue(named: "other")?.stop(at: bench.now))
        #expect(bench.message == " | breakpoint 2 stopped other \(place.place)")
        #expect(bench.state.selectedQueue == "profiles")
        // A console that opens later does not announce the old stop.
        let later = Bench(
            store: bench.store, size: Size(width: 118, height: 30), now: bench.now)
        #expect(later.screen.contains(" at stop ") && later.message == "", "\(later.screen)")
    }

    @Test("G1 K15 where the cursor goes to a stop the preview leaves what was stepped before")
    func preview() throws {
        let (bench, runner) = try bench()
        bench.press("j j b Enter k k p s")
        let token = try #require(
            bench.takeEffects().compactMap { effect -> Int? in
                if case .step(_, let token) = effect { token } else { nil }
            }.last)
        let task = try bench.store.readBlocking { try $0.requireTask(1) }
        var record = AttemptRecord(task: task, number: 1, runner: runner, startedAt: Self.start)
        (record.outcome, record.endedAt) = (.success, Self.start + 12)
        var answer = StepAnswer()
        answer.stepped = [Stepped(record)]
        bench.send(.stepped(token: token, .success(answer)))
        #expect(bench.state.previewed == 1)
        bench.press("r")
        try work(bench, runner)
        #expect(bench.state.selectedLine?.task.id == 3, "\(bench.screen)")
        #expect(bench.state.previewed == 3)
    }

    @Test("G1 a new stop leaves the cursor alone while somebody types")
    func staysWhileTyping() throws {
        let (bench, runner) = try bench()
        bench.press("j j b Enter j :")
        try work(bench, runner)
        #expect(bench.screen.contains("breakpoint 1 before #3 identify"))
        bench.press("Esc")
        #expect(bench.state.selectedLine?.task.id == 4)
    }

    @Test("G1 one from b is the console's own, unless the line says --keep")
    func owner() throws {
        let (bench, _) = try bench()
        func sent() -> BreakRequest? {
            for case .perform(let verb, _) in bench.takeEffects() {
                return verb.order as? BreakRequest
            }
            return nil
        }
        bench.press("b Enter")
        #expect(sent()?.isOfConsole == true)
        bench.press("b")
        bench.type(" --keep --after --for none")
        bench.press("Enter")
        // Two moments are an error, and the line stays.
        #expect(sent() == nil && bench.state.modal != nil)
        for _ in 0..<90 { bench.press("Backspace") }
        bench.type("queue:profiles --keep --for none")
        bench.press("Enter")
        let request = try #require(sent())
        #expect(!request.isOfConsole && request.forMilliseconds == nil)
    }

    @Test("D11 a store that is open for reading only takes none, and offers no way on from a stop")
    func readOnly() throws {
        let (bench, runner) = try bench(isReadOnly: true)
        bench.press("b")
        #expect(bench.state.modal == nil && bench.message.contains("reading only"))
        let control = Control(
            store: bench.store, person: "ann", now: { Self.start }, chance: { 0.5 })
        let request = BreakRequest(try TaskFilter("type:identify"))
        _ = try control.performBlocking(.setBreakpoint(request))
        try work(bench, runner)
        #expect(bench.screen.contains("breakpoint 1 before #3 identify"))
        #expect(!bench.screen.contains("steps over it") && !bench.screen.contains("resumes"))
    }
}

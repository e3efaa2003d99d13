import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("faults on the screen")
struct FaultTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// Four tasks that wait, the second and the fourth of the type `identify`, and a worker.
    private func bench(
        glyphs: GlyphSet = .unicode, isReadOnly: Bool = false
    ) throws -> (bench: Bench, runner: ProcessID) {
        try Bench.profiles(
            ["track", "identify", "track", "identify"], at: Self.start, glyphs,
            isReadOnly: isReadOnly)
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

    @Test("G2 what is counted is of all queues, as the fault is")
    func counted() throws {
        let (bench, _) = try bench()
        let control = Control(
            store: bench.store, person: "ann", now: { Self.start }, chance: { 0.5 })
        let request = EnqueueRequest(type: "audit", payload: [])
        _ = try control.performBlocking(.enqueue(queue: "other", [request]))
        bench.send(.storeChanged)
        bench.press("f")
        bench.send(.input(.key(.control("u"))))
        bench.type("type:audit fail")
        #expect(bench.screen.contains("1 matches"), "\(bench.screen)")
    }

    @Test("G2 f opens a line for the task, which Tab widens; what stands behind it stays")
    func line() throws {
        let (bench, _) = try bench()
        bench.press("j f")
        #expect(field(bench) == "id:2 fail")
        for _ in 0..<4 { bench.press("Backspace") }
        bench.type("'fail=HTTP 500' --times 2")
        var lines: [String] = []
        for _ in 0..<4 {
            bench.press("Tab")
            lines.append(field(bench))
        }
        let rest = "'fail=HTTP 500' --times 2"
        #expect(
            lines == [
                "'type:identify queue:profiles' \(rest)", "'group:kim queue:profiles' \(rest)",
                "queue:profiles \(rest)", "id:2 \(rest)",
            ])
        bench.press("Tab")
        #expect(bench.screen.contains("2 match"))
        bench.send(.input(.key(.backTab)))
        #expect(field(bench) == "id:2 \(rest)")
        bench.press("Esc")
        #expect(try bench.store.readBlocking { try $0.storeRecord().faults.isEmpty })
    }

    @Test("G2 a mistake in the line is named while it is typed, and is not taken")
    func mistake() throws {
        let (bench, _) = try bench()
        bench.press("f")
        bench.type(" --chance 2")
        #expect(bench.screen.contains("--chance"))
        bench.press("Enter")
        #expect(bench.state.modal != nil)
        for _ in 0..<90 { bench.press("Backspace") }
        bench.type("state:failed fail")
        #expect(bench.screen.contains("a fault cannot ask \"state:failed\""))
        bench.press("Enter")
        #expect(bench.state.modal != nil)
        #expect(try bench.store.readBlocking { try $0.storeRecord().faults.isEmpty })
    }

    @Test(
        "G2 the gutter says whom it takes, the headline that it stands, the page what it did",
        arguments: [GlyphSet.unicode, .ascii])
    func shown(_ glyphs: GlyphSet) throws {
        let (bench, runner) = try bench(glyphs: glyphs)
        let sign = glyphs[.fault]
        bench.press("j f Tab")
        for _ in 0..<4 { bench.press("Backspace") }
        bench.type("give-up=no --times 1")
        bench.press("Enter")
        #expect(bench.message.contains("fault 'type:identify queue:profiles' give-up=no --times 1"))
        #expect(gutters(bench).map { $0 == sign } == [false, true, false, false])
        #expect(bench.screen.contains("\(sign) fault 1 give-up=no, 1 left"))
        bench.press("w")
        #expect(bench.screen.contains("if it started now: fault 1, give-up=no"))
        bench.press("Esc")
        let now = bench.now
        try bench.change { store in
            try store.transact(at: now) { mutation in
                let request = ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0)
                for _ in 1...2 {
                    let one = try #require(mutation.claim(request).first)
                    let error = one.task.running?.injection?.kind.error
                    _ = try mutation.settle([
                        Completion(
                            task: one.task.id, token: one.task.running?.token ?? 0,
                            ending: .handler(
                                error == nil ? .success(result: nil) : .giveUp(error: error)))
                    ])
                }
            }
        }
        #expect(!bench.screen.contains("\(sign) fault 1"))
        bench.press("g")
        while bench.state.selectedLine?.task.id != 2, bench.state.selectedLine != nil {
            bench.press("j")
        }
        bench.press("Enter")
        #expect(bench.screen.contains("injected: fault 1, give-up=no"))
        bench.press("Esc w")
        #expect(bench.screen.contains("attempt 1: injected: fault 1, give-up=no"))
    }

    @Test("D11 a store that is open for reading only takes none")
    func readOnly() throws {
        let (bench, _) = try bench(isReadOnly: true)
        bench.press("f")
        #expect(bench.state.modal == nil && bench.message.contains("reading only"))
    }
}

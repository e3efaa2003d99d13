import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// The lines of the debugger's forms at 80 columns.
@Suite("lines of the debugger's forms")
struct FormTests {
    private func bench() throws -> Bench {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let store = MemoryStore()
        let control = Control(store: store, person: "ann", now: { now }, chance: { 0.5 })
        let requests = ["welcome-mail", "other"].map { EnqueueRequest(type: $0, payload: []) }
        try control.performBlocking(.enqueue(queue: "mail", requests))
        return Bench(store: store, size: Size(width: 80, height: 24), now: now)
    }

    @Test("G1 G2 K9 what a line takes is told above it where it has no room beside it")
    func hints() throws {
        let bench = try bench()
        bench.press("f")
        #expect(bench.screen.contains("fail=TEXT give-up time-out offline delay=2s"))
        bench.press("Esc b")
        #expect(bench.screen.contains("--after --times --keep"))
        bench.press("Esc V")
        #expect(bench.screen.contains("Tab: this queue alone; --redact payload.PATH"))
    }

    @Test("G6 Tab narrows a recording to the queue that is shown, and widens it again")
    func recorded() throws {
        let bench = try bench()
        bench.press("V Tab")
        #expect(bench.screen.contains("app-20270115-080000.tape --queue mail"))
        bench.press("Tab")
        #expect(!bench.screen.contains("--queue"))
        bench.press("Tab Enter")
        #expect(bench.effects.contains(.record("app-20270115-080000.tape --queue mail")))
    }
}

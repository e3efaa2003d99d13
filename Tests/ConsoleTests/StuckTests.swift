import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("A task that runs too long, on the screen")
struct StuckTests {
    private func bench() throws -> Bench {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 118, height: 32),
            now: LivingScene.now)
        bench.press("h j j j l")
        return bench
    }

    @Test("Q8 D7 w offers to cancel it, and Enter asks before it does")
    func cancel() throws {
        let bench = try bench()
        bench.press("w")
        #expect(bench.screen.contains("$ sluice cancel 877"), "\(bench.screen)")
        #expect(bench.screen.contains("longer than the 5m"), "\(bench.screen)")
        bench.press("Enter")
        #expect(bench.screen.contains("cancel #877 upload?  y/n"), "\(bench.screen)")
        bench.press("y")
        let task = try bench.store.readBlocking { try $0.requireTask(877) }
        #expect(task.running?.stop == .cancelled, "\(bench.message)")
    }
}

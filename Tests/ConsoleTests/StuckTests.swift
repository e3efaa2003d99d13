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

    @Test("K w of a task that runs as it should offers nothing that there is not")
    func running() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 118, height: 32),
            now: LivingScene.now)
        bench.press("h j l w")
        #expect(bench.screen.contains("#930 push runs"), "\(bench.screen)")
        #expect(bench.screen.contains("nothing holds it back"))
        #expect(bench.screen.contains("$ sluice cancel 930 asks it to stop"), "\(bench.screen)")
        let legend = try #require(bench.lines.last)
        #expect(!legend.contains("do it") && !legend.contains("choose"), "\(legend)")
        bench.press("Esc j w")
        let held = try #require(bench.lines.last)
        let count = bench.state.scene?.chain.first?.blockers.count ?? 0
        #expect(count > 0 && held.contains("do it"), "\(bench.screen)")
        #expect(held.contains("1-\(count) choose") == (count > 1), "\(held)")
    }

    @Test("K8 the sentence that says why is whole in 80 columns")
    func narrow() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 80, height: 24),
            now: LivingScene.now)
        bench.press("h j j j l w")
        #expect(bench.screen.contains("usual"), "\(bench.screen)")
    }

    @Test("K14 a command for tasks that names none takes the one at the cursor")
    func unnamed() throws {
        let bench = try bench()
        bench.press(":")
        bench.type("cancel")
        bench.press("Enter")
        #expect(bench.takeEffects().contains(.command("cancel 877", token: 1)))
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

import SluiceControl
import SluiceModel
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// The first change of another system's queues.
@Suite("care on production")
struct CareTests {
    private func bench(_ name: String = "redis://prod/0", size: Size = Size(width: 80, height: 24))
        throws -> Bench
    {
        let bench = Bench(store: try LivingScene.store(), size: size, now: LivingScene.now)
        bench.state.settings.storeName = name
        bench.state.settings.storeKind = "celery"
        bench.state.scene?.names = TaskNames(foreign: [:])
        return bench
    }

    private func changes(_ bench: Bench) -> [ConsoleEffect] {
        bench.takeEffects().filter {
            switch $0 {
            case .perform, .step, .command, .edit: true
            default: false
            }
        }
    }

    @Test("K5 a total of counts that are lower bounds has a plus")
    func bounds() throws {
        let bench = try bench(size: Size(width: 120, height: 34))
        let count = try #require(bench.state.scene?.taskCount)
        #expect(bench.screen.contains("· \(count) tasks"))
        bench.state.scene?.isBounded = true
        #expect(bench.screen.contains("· \(count)+ tasks"))
        #expect(!bench.screen.contains("· \(count) tasks"))
    }

    static let keys = ["x y", "s", "r", "t + 5 m Enter", "e", "D", ": d e l e t e Enter"]

    @Test("K9 the first change asks once a session, whatever its key", arguments: keys)
    func first(keys: String) throws {
        let bench = try bench()
        bench.press(keys)
        #expect(changes(bench) == [], "\(keys)")
        let question = "allow changes to celery at redis://prod/0 in this session?  y/n"
        #expect(bench.screen.contains(question), "\(bench.screen)")
        bench.press("n")
        #expect(bench.message.contains("nothing was changed") && changes(bench) == [])
        bench.state.scene?.names = TaskNames(foreign: [:])
        bench.press(keys)
        #expect(changes(bench) == [])
        bench.press("y")
        #expect(changes(bench).count == 1, "\(keys)")
        bench.state.isEditing = false
        bench.state.scene?.names = TaskNames(foreign: [:])
        bench.press("j x")
        #expect(changes(bench).count == 1, "the second change is not asked about")
    }

    @Test("looking asks nothing, and stores of this program's own never ask")
    func looking() throws {
        let bench = try bench()
        bench.press("j w Esc Enter Esc 5 1 Y")
        bench.press(": q u e u e s Enter")
        #expect(bench.state.modal == nil)
        bench.state.scene?.names = TaskNames()
        bench.press("Esc x")
        #expect(bench.state.modal == nil && bench.message.contains("skip"))
    }

    @Test("another store is asked about again; a long address has a line of its own")
    func places() throws {
        let long = "postgres://someone@queues.example.com:5432/production"
        let bench = try bench(long)
        bench.press("j x")
        #expect(bench.screen.contains("allow changes to celery in this session?  y/n"))
        #expect(bench.screen.contains("at \(long)"))
        #expect(bench.screen.contains("y also does: skip"))
        bench.press("y")
        bench.state.settings.storeName = "redis://other/1"
        bench.state.scene?.names = TaskNames(foreign: [:])
        bench.press("j x")
        #expect(bench.screen.contains("redis://other/1 in this session?"))
    }
}

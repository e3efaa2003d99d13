import SluiceControl
import SluiceModel
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("reports from the screen")
struct ReportTests {
    private func bench() throws -> Bench {
        Bench(
            store: try LivingScene.store(), size: Size(width: 120, height: 36),
            now: LivingScene.now)
    }

    @Test("G7 Y asks for the report of the task under the cursor, or of the marked ones")
    func asks() throws {
        let bench = try bench()
        _ = bench.takeEffects()
        bench.press("Y")
        let id = try #require(bench.state.list.line?.task.id)
        #expect(bench.takeEffects().contains(.report([id])))
        bench.send(.reported([id], .success(.clipboard)))
        #expect(bench.message.contains("the report of #\(id) was sent to the terminal's clipboard"))
        bench.press("Space Space Y")
        let marked = bench.state.marks.versions.keys.sorted()
        #expect(marked.count == 2 && bench.takeEffects().contains(.report(marked)))
        bench.send(.reported(marked, .success(.file("./sluice-report.md"))))
        #expect(bench.message.contains("the report of 2 tasks is in ./sluice-report.md"))
        bench.send(.reported(Array(5...40), .success(.clipboard)))
        #expect(bench.message.hasSuffix("to a file: sluice report --filter id:5..40 > FILE"))
        bench.send(.reported([id], .failure(.unknownTask(id))))
        #expect(bench.message.contains("there is no task #\(id)"))
    }
}

import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Small screens")
struct DensityTests {
    private static let now = LivingScene.now

    private func bench(
        _ width: Int, _ height: Int, types: [String] = ["send"], count: Int = 40
    ) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: Self.now))
            try writer.insert(
                (0..<count).map { place in
                    let type = types[place % types.count]
                    let task = LivingScene.task(TaskID(place + 1), "mail", type, 0)
                    return NewTask(task: task, payload: [])
                })
        }
        return Bench(store: store, size: Size(width: width, height: height), now: Self.now)
    }

    @Test("how many are marked stays on the screen after another message")
    func marked() throws {
        let bench = try bench(80, 24)
        bench.press("Space Space Space")
        #expect(bench.screen.contains("3 tasks are marked"), "\(bench.screen)")
        bench.press("T")
        #expect(bench.screen.contains("3 tasks are marked"), "\(bench.screen)")
    }

    @Test("types drop the beginning that all share, and are cut at the left")
    func types() throws {
        #expect(TypeWords.prefix(of: ["app.tasks.send", "app.tasks.sort"]) == "app.tasks.")
        #expect(TypeWords.prefix(of: ["app.tasks.send"]) == "app.tasks.")
        #expect(TypeWords.prefix(of: ["send", "app.send"]) == "")
        #expect(TypeWords.prefix(of: []) == "")
        let prefix = "app.tasks."
        func fitting(_ type: String, _ width: Int) -> String {
            TypeWords.fitting(type, width: width, prefix, glyphs: .unicode)
        }
        #expect(fitting("app.tasks.send", 14) == "app.tasks.send")
        #expect(fitting("app.tasks.send", 13) == "…send")
        #expect(fitting("app.tasks.send_invoice", 8) == "…invoice")
        #expect(fitting("other", 3) == "…er")
        let long = try bench(
            80, 24, types: ["company.app.tasks.send_invoice", "company.app.tasks.send_mail"])
        #expect(long.screen.contains("…send_invoice"), "\(long.screen)")
        let rows = long.lines.filter { $0.contains("…send_") }
        #expect(rows.count > 1 && !rows.contains { $0.contains("company") }, "\(long.screen)")
    }
}

import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Columns of the list")
struct ColumnTests {
    private func bench(width: Int = 118, height: Int = 32) throws -> Bench {
        Bench(
            store: try LivingScene.store(), size: Size(width: width, height: height),
            now: LivingScene.now)
    }

    private func headings(_ bench: Bench) -> [String] {
        let line =
            bench.lines.first { $0.contains(" task ") && $0.contains("tries") }
            ?? bench.lines.first { $0.contains(" task ") } ?? ""
        let words = line.split(separator: " ").map(String.init)
        return Array(words.drop { $0 != "task" })
    }

    private func kept(_ bench: Bench) -> InventoryColumns? {
        for case .keepColumns(let columns) in bench.effects.reversed() { return columns }
        return nil
    }

    @Test("K21 O leaves a column out and moves one, seen at once, and Enter keeps them")
    func chosen() throws {
        let bench = try bench()
        let before = headings(bench)
        #expect(before.starts(with: ["task", "type", "group", "pri"]), "\(before)")
        bench.press("O j j Space")
        #expect(headings(bench).starts(with: ["task", "type", "pri", "tries"]))
        bench.press("g j K")
        #expect(bench.state.columns.shown.first == .type)
        bench.press("G k k Space K K K K K K K K K K K K")
        #expect(headings(bench).starts(with: ["task", "changed", "type"]), "\(bench.screen)")
        try Pictures.check("columns-118x32", bench.buffer)
        bench.press("Enter")
        let columns = try #require(kept(bench))
        #expect(columns.shown.starts(with: [.changed, .type, .queue]))
        #expect(try InventoryColumns(columns.text) == InventoryColumns(columns.text))
        #expect(try InventoryColumns(columns.text).shown == columns.shown)
        #expect(bench.message.contains("kept in"))
    }

    @Test("K21 Esc brings back the columns before, r those of who chose none")
    func left() throws {
        let bench = try bench()
        let before = headings(bench)
        bench.press("O j j Space J")
        #expect(headings(bench) != before)
        bench.press("Esc")
        #expect(headings(bench) == before && kept(bench) == nil)
        bench.press("O j Space r Enter")
        #expect(headings(bench) == before && kept(bench) == nil)
    }

    @Test("K21 where there is no room the columns that say least go first, in whatever order")
    func narrow() throws {
        let bench = try bench(width: 80, height: 24)
        let all = InventoryColumns.Name.allCases.map(\.rawValue).joined(separator: " ")
        bench.state.columns = try InventoryColumns("session label changed age " + "state type")
        let shown = headings(bench)
        #expect(shown.contains("state") && shown.contains("type"), "\(shown)")
        #expect(try InventoryColumns(all).shown == InventoryColumns.Name.allCases)
        bench.press("O G")
        #expect(bench.screen.contains("session"), "\(bench.screen)")
        func row(_ name: String) -> String {
            bench.lines.last { $0.contains("[x] \(name) ") } ?? ""
        }
        #expect(row("age").contains("(no room)"), "\(bench.screen)")
        bench.press("g")
        #expect(row("state").contains("[x]") && !row("state").contains("(no room)"))
    }

    @Test(
        "K21 a file that names no column, or one twice, is refused with its line",
        arguments: [
            ("type\nstat", 2, "state"), ("type state, type", 1, "once"),
            ("zzzzzzzz", 1, "queue type group"),
        ])
    func refused(_ example: (text: String, line: Int, fix: String)) {
        do {
            _ = try InventoryColumns(example.text)
            Issue.record("taken: \(example.text)")
        } catch {
            #expect(error.line == example.line && error.fix.contains(example.fix), "\(error)")
        }
    }
}

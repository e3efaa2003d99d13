import SluiceControl
import SluiceModel
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// Headings, ranges of marks, and the way to a page.
@Suite("headings, ranges and crumbs")
struct CrumbTests {
    private func bench(_ size: Size = Size(width: 120, height: 40)) throws -> Bench {
        Bench(store: try LivingScene.store(), size: size, now: LivingScene.now)
    }

    private func click(_ heading: String, _ bench: Bench) throws {
        let y = bench.state.layout.headingsY
        let x = try #require(bench.lines[y].range(of: heading))
        bench.send(.input(.mouse(Mouse(.press(.left), at: Point(x: x, y: y)))))
    }

    @Test("K10 K16 a click on a heading sorts by it, a second one restores the running order")
    func headings() throws {
        let bench = try bench()
        bench.press("j j")
        let task = try #require(bench.state.selectedLine?.task.id)
        try click("tries", bench)
        #expect(bench.state.order == .tries)
        #expect(bench.message.contains("by tries"))
        #expect(bench.state.selectedLine?.task.id == task)
        try click("task", bench)
        #expect(bench.state.order == .number)
        try click("task", bench)
        #expect(bench.state.order == .running)
        try click("state", bench)
        #expect(bench.state.order == .error)
        try click("type", bench)
        #expect(bench.state.order == .error && bench.message.contains("not sorted by that"))
        bench.press("2")
        let y = bench.state.layout.headingsY
        bench.send(.input(.mouse(Mouse(.press(.left), at: Point(x: 60, y: y)))))
        #expect(bench.state.view == .groups && bench.state.order == .error)
    }

    @Test("S-Down and S-Up mark the rows that the cursor passes")
    func range() throws {
        let bench = try bench()
        bench.press("j")
        let ids = bench.state.list.page.rows.map(\.task.id)
        bench.press("S-Down S-Down")
        #expect(bench.state.marks.targets.map(\.id) == ids[1...3].sorted())
        #expect(bench.state.list.cursor == 3)
        bench.press("S-Up S-Up S-Up")
        #expect(bench.state.marks.targets.map(\.id) == ids[0...3].sorted())
        bench.press("Esc G S-Down")
        #expect(bench.state.marks.count == 1)
        bench.press("Esc 5 S-Down")
        #expect(bench.state.marks.isEmpty)
    }

    @Test("the top line shows the way to a page, and its last part where there is no room")
    func crumbs() throws {
        let bench = try bench()
        #expect(bench.lines[0].contains("sqlite"))
        bench.press("Enter")
        #expect(bench.lines[0].contains("app.db  profiles › #1040"), "\(bench.lines[0])")
        bench.press("w")
        #expect(bench.lines[0].contains("profiles › #1040 › why"), "\(bench.lines[0])")
        bench.press("?")
        #expect(bench.lines[0].contains("› why › keys"), "\(bench.lines[0])")
        bench.press("Esc Esc Esc 3 Enter")
        #expect(bench.lines[0].contains("timers › #"), "\(bench.lines[0])")
        bench.press("Esc 1 /")
        bench.type("type:track")
        bench.press("Enter Enter")
        #expect(bench.lines[0].contains("› type:track › #"), "\(bench.lines[0])")
        bench.press("w ?")
        for width in [40, 50, 60] {
            bench.send(.resized(Size(width: width, height: 12)))
            #expect(DisplayText.width(bench.lines[0]) <= width)
            #expect(bench.lines[0].contains("keys"), "\(bench.lines[0])")
        }
        bench.state.settings.glyphs = .ascii
        #expect(bench.lines[0].allSatisfy { $0.isASCII })
    }
}

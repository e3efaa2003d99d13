import SluiceControl
import SluiceModel
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// K1: a page that hides a key's target blocks the key.
@Suite("Keys on pages")
struct PageKeyTests {
    private func bench() throws -> Bench {
        Bench(
            store: try LivingScene.store(), size: Size(width: 118, height: 32),
            now: LivingScene.now)
    }

    /// Shows what a command printed.
    private func show(_ lines: [String], _ bench: Bench) {
        bench.press(":")
        bench.type("log")
        bench.press("Enter")
        let token = bench.state.underWay.lastToken
        bench.send(.commanded(token: token, CommandReport(lines: lines, isFailure: false)))
        _ = bench.takeEffects()
    }

    private static func acts(_ effect: ConsoleEffect) -> Bool {
        switch effect {
        case .perform, .rehearse, .step, .command, .edit, .record, .collect, .copy, .report: true
        default: false
        }
    }

    private static let hidden = [
        "r", "s", "S", "c", "p", "P", "x", "d", "R", "t", "+", "m", "e", "D", "i", "z", "B", "K",
        "b", "f", "C", "V", "E", "Space", "w", "Enter", "y",
    ]

    @Test("K1 a verb does nothing to what a page hides, and says so", arguments: ["?", "text"])
    func verbs(_ what: String) throws {
        let bench = try bench()
        if what == "text" { show(["one", "two", "three"], bench) } else { bench.press(what) }
        let pages = bench.state.pages
        #expect(pages.count == 1)
        // Enter unfolds the page of keys.
        for key in Self.hidden where what != "?" || key != "Enter" {
            bench.press(key)
            #expect(bench.message.contains("\(key) is for the list under this page"), "\(key)")
            #expect(bench.message.hasSuffix("Esc goes back first"))
            #expect(bench.state.pages == pages && bench.state.modal == nil, "\(key)")
            #expect(bench.state.marks.isEmpty)
        }
        #expect(!bench.takeEffects().contains(where: Self.acts))
        bench.press("Esc r")
        #expect(bench.message.contains("resume profiles | done"))
    }

    @Test("a line that is too long for the page is told whole, in several")
    func longLines() throws {
        let bench = try bench()
        let long = (1...40).map { "word\($0)" }.joined(separator: " ")
        show(["one", "  \(long)", "three"], bench)
        #expect(bench.screen.contains("word40") && bench.screen.contains("  word1 word2"))
        let rows = bench.lines.filter { $0.contains("word") }
        #expect(rows.count == 3 || rows.count == 4, "\(bench.screen)")
    }

    @Test("K1 keys that look or lead on keep their meaning on such a page")
    func looking() throws {
        let bench = try bench()
        show(["one", "two", "three"], bench)
        bench.press("T")
        #expect(bench.state.timeFormat != .relative)
        bench.press(":")
        #expect(bench.state.modal != nil)
        bench.press("Esc ?")
        #expect(bench.state.pages.count == 2)
        bench.press("q")
        #expect(bench.state.pages.count == 1)
        bench.press("3")
        #expect(bench.state.view == .timers && bench.state.pages.isEmpty)
    }

    @Test(
        "K1 the palette over such a page does nothing either",
        arguments: [("d", Action.ID.delete), ("x", .skip)])
    func palette(_ key: String, _ id: Action.ID) throws {
        let bench = try bench()
        show(["one", "two", "three"], bench)
        bench.choose(id)
        #expect(bench.message.contains("\(key) is for the list under this page"))
        #expect(bench.state.modal == nil && !bench.takeEffects().contains(where: Self.acts))
    }

    @Test("K1 in the form of a queue verbs are about that queue, and about no task")
    func form() throws {
        let bench = try bench()
        bench.press("E")
        for key in ["d", "x", "R", "+", "S"] {
            bench.press(key)
            #expect(bench.message.contains("\(key) is for the list under this page"), "\(key)")
        }
        #expect(!bench.takeEffects().contains(where: Self.acts))
        bench.press("r")
        #expect(bench.message.contains("resume profiles | done"))
    }

    @Test("the answers of several places are a page, also where one of them failed")
    func places() throws {
        let bench = try bench()
        bench.press(":")
        bench.type("failures")
        bench.press("Enter")
        let lines = ["a.db", "  nothing has failed", "b.db", "  sluice: b.db is no store"]
        bench.send(
            .commanded(
                token: bench.state.underWay.lastToken,
                CommandReport(lines: lines, isFailure: true)))
        guard case .text(_, let shown, _)? = bench.state.page else {
            Issue.record("\(bench.screen)")
            return
        }
        #expect(shown == lines && bench.message.contains("failed in part"), "\(bench.message)")
        #expect(bench.lines.contains { $0.contains("sluice: b.db is no store") })
    }

    @Test("K13 / goes on to the next line with a word and marks it, round and round")
    func finds() throws {
        let bench = try bench()
        var lines = (0..<200).map { "line \($0)" }
        for place in [10, 100, 199] { lines[place] += " a Welcome mail" }
        show(lines, bench)
        func top() -> Int? {
            if case .text(_, _, let top)? = bench.state.page { top } else { nil }
        }
        func marked() -> String {
            let area = bench.state.layout.pageRect
            return (area.y..<area.maxY).flatMap { Array(bench.buffer[row: $0]) }
                .filter { $0.role == .key }.map(\.text).joined()
        }
        #expect(bench.lines.last?.contains("/ find") == true)
        bench.press("/")
        bench.type("welcome")
        bench.press("Enter")
        #expect(top() == 10 && bench.message.contains("3 lines have \"welcome\""))
        #expect(marked() == "Welcome", "\(bench.screen)")
        #expect(!bench.takeEffects().contains(where: Self.acts))
        bench.press("/ Enter")
        #expect(top() == 100)
        bench.press("/ Enter")
        #expect(top() == 200 - bench.state.layout.pageRect.height && marked() == "Welcome")
        bench.press("/ Enter")
        #expect(top() == 10)
        bench.press("/")
        bench.type("s")
        bench.press("Enter")
        #expect(top() == 10 && bench.message.contains("no line has \"welcomes\""))
    }
}

import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// The command line with the rows of what its letters may mean.
@Suite("the palette")
struct PaletteTests {
    private func bench(_ size: Size = Size(width: 120, height: 40)) throws -> Bench {
        try Bench(store: LivingScene.store(), size: size, now: LivingScene.now)
    }

    private func entries(_ bench: Bench) -> [Palette.Entry] { bench.state.palette?.entries ?? [] }

    private func open(_ bench: Bench, _ text: String) {
        bench.press(":")
        bench.type(text)
    }

    @Test(
        "a, : and ^P open it with every action, and Esc changes nothing",
        arguments: ["a", ":", "^P"])
    func opens(key: String) throws {
        let bench = try bench()
        bench.press(key)
        #expect(entries(bench).count > 40)
        #expect(entries(bench).contains { $0.meaning == .action(.skip) && $0.key == "x" })
        #expect(bench.screen.contains("1–16 of \(entries(bench).count)"), "\(bench.screen)")
        bench.press("Esc")
        #expect(bench.state.modal == nil && bench.message.contains("nothing was changed"))
    }

    @Test("duplicates are found by what they are, in the palette and in the help")
    func twins() throws {
        for word in ["twin", "duplicates", "twice"] {
            let bench = try bench()
            open(bench, word)
            #expect(entries(bench).contains { $0.title == "twin:" }, "\(word)")
            bench.press("Esc ? /")
            bench.type(word)
            bench.press("Enter")
            #expect(bench.screen.contains("twin:"), "\(bench.screen)")
            #expect(TaskFilter.help.contains { $0.contains(word) })
        }
        let bench = try bench()
        open(bench, "twin")
        bench.press("Down Enter")
        #expect(bench.state.list.filter?.description == "twin:*", "\(bench.screen)")
    }

    @Test("a typed command has one row", arguments: ["flow", "copy", "report", "flow --json"])
    func once(text: String) throws {
        let bench = try bench()
        open(bench, text)
        let name = text.prefix { $0 != " " }
        let rows = entries(bench).filter {
            $0.key == "$" && $0.title.split(separator: " ")[0] == name
        }
        #expect(rows.count == 1, "\(rows.map(\.title))")
    }

    @Test("a system's own words for an action replace those of a store")
    func words() throws {
        let bench = try bench()
        bench.state.scene?.helps = [.delete: "take it out of laravel"]
        bench.press("a")
        let entry = try #require(entries(bench).first { $0.meaning == .action(.delete) })
        #expect(entry.help == "take it out of laravel")
        #expect(bench.screen.contains("take it out of laravel"), "\(bench.screen)")
        #expect(!bench.screen.contains("to the trash"))
    }

    @Test(
        "the best match is the first",
        arguments: [
            ("flw", Palette.Entry.Meaning.view(.flow)), ("failu", .view(.failures)),
            ("ntwrk", .action(.network)), ("mess", .queue("messages")),
            ("other st", .action(.otherStore)), ("doct", .command("doctor", needsArguments: false)),
            ("clipboard", .action(.copy)), ("pause", .line), ("why #1042", .line), ("1042", .line),
            ("open x.db", .line), ("quit", .line),
        ])
    func ranks(line: String, meaning: Palette.Entry.Meaning) throws {
        let bench = try bench()
        open(bench, line)
        #expect(entries(bench).first?.meaning == meaning, "\(entries(bench).prefix(3))")
        guard case .prompt(let prompt)? = bench.state.modal else { throw Missing() }
        #expect(prompt.choice == 0)
    }

    @Test("letters find their order in names, and help only as it is written")
    func scores() {
        func score(_ text: String, _ title: String, _ help: String = "") -> Int? {
            FuzzyQuery(text).score(
                of: Palette.Entry(meaning: .line, key: "", title: title, help: help))
        }
        let steps = ["failures", "fail", "a fail", "unfailing", "f a i l"].map { score("fail", $0) }
        #expect(steps == [300, 400, 250, 200, 97])
        #expect(score("lia", "fail") == nil && score("il", "fail") == 200)
        #expect(score("xy", "a", "has xy") == 10 && score("yx", "a", "has xy") == nil)
        #expect(score("que set", "settings", "of a queue") == 10 + 300)
        #expect(score("que zzz", "settings", "of a queue") == nil)
        #expect(score("É", "école") == 300 && score("", "a") == 0)
    }

    @Test("Enter does the chosen row: an action, a view, a queue, a saved filter, a command")
    func runs() throws {
        let bench = try bench()
        open(bench, "flw")
        bench.press("Enter")
        #expect(bench.state.view == .flow && bench.state.modal == nil)
        open(bench, "messag")
        bench.press("Enter")
        #expect(bench.state.selectedQueue == "messages")
        bench.state.settings.savedFilters = ["late": "attempts>3"]
        open(bench, "late")
        #expect(entries(bench).first?.meaning == .filter("late"))
        bench.press("Enter")
        #expect(bench.state.view == .inventory)
        #expect(bench.state.list.filter?.description.contains("@late") == true)
        bench.press("Esc")
        _ = bench.takeEffects()
        open(bench, "docto")
        bench.press("Enter")
        #expect(bench.takeEffects().contains { if case .command = $0 { true } else { false } })
        open(bench, "impor")
        let first = try #require(entries(bench).first)
        #expect(first.meaning == .command("import", needsArguments: true))
        bench.press("Enter")
        #expect(bench.state.modalField?.editor.text == "import ")
    }

    @Test("a row that is not possible says why, and Enter says it too")
    func reasons() throws {
        let bench = try bench()
        bench.press("2")
        open(bench, "ordr")
        #expect(entries(bench).first?.meaning == .action(.order))
        let reason = try #require(DisabledReasons(state: bench.state).reason(.order))
        #expect(bench.screen.contains(reason), "\(bench.screen)")
        bench.press("Enter")
        #expect(bench.message.contains(reason))
    }

    @Test("Down and Up choose a row; on the first one, and in an empty line, Up has the history")
    func history() throws {
        let bench = try bench()
        open(bench, "queues")
        bench.press("Enter Esc :")
        func text() -> String? { bench.state.modalField?.editor.text }
        bench.press("Enter")
        #expect(bench.state.modal == nil, "an empty line does nothing")
        bench.press(": Down Down Up")
        let first = try #require(entries(bench).first)
        guard case .prompt(let prompt)? = bench.state.modal else { throw Missing() }
        #expect(prompt.choice == 0 && first.meaning == .action(ActionMenu.entries[0].id))
        bench.press("Up Up")
        #expect(text() == "queues")
        bench.press("Down")
        #expect(text() == "")
    }

    private struct Missing: Error {}

    @Test("a click chooses a row, another one does it")
    func clicks() throws {
        let bench = try bench()
        open(bench, "fl")
        let row = try #require(bench.lines.firstIndex { $0.contains("view 9") })
        let place = try #require(entries(bench).firstIndex { $0.meaning == .view(.flow) })
        let click = InputEvent.mouse(Mouse(.press(.left), at: Point(x: 9, y: row)))
        bench.send(.input(click))
        if place != 0 { bench.send(.input(click)) }
        #expect(bench.state.view == .flow)
    }

    @Test(
        "it fits on every screen, and takes any text",
        arguments: [
            Size(width: 40, height: 10), Size(width: 80, height: 24), Size(width: 60, height: 17),
        ])
    func sizes(size: Size) throws {
        let bench = try bench(size)
        bench.press("a Down Down PgDn PgUp")
        #expect(bench.lines.count == size.height)
        #expect(bench.lines.allSatisfy { DisplayText.width($0) <= size.width })
        bench.type(String(repeating: "e\u{301}👩‍👩‍👧", count: 500))
        bench.press("Down Enter")
        #expect(bench.lines.count == size.height)
    }

    @Test("letters without a match say so", arguments: [40, 80, 120])
    func noMatch(width: Int) throws {
        let bench = try bench(Size(width: width, height: 24))
        let words = "no action, view, queue or command"
        open(bench, "retz")
        #expect(bench.screen.contains(words), "\(bench.screen)")
        bench.press("Backspace Backspace")
        #expect(!bench.screen.contains(words) && !entries(bench).isEmpty)
    }

    @Test("the sentence of the chosen row is whole where the rows cut it")
    func foot() throws {
        let bench = try bench(Size(width: 60, height: 24))
        open(bench, "detail log")
        let reason = try #require(DisabledReasons(state: bench.state).reason(.detailLog))
        #expect(entries(bench).first?.meaning == .action(.detailLog))
        #expect(bench.lines.contains { $0.hasPrefix(" \(reason)") }, "\(bench.screen)")
    }
}

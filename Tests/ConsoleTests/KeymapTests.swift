import SluiceControl
import SluiceModel
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Keys of a person's own")
struct KeymapTests {
    private func bench(_ keys: String, size: Size = Size(width: 120, height: 40)) throws -> Bench {
        let bench = Bench(store: try LivingScene.store(), size: size, now: LivingScene.now)
        bench.state.settings.keys = try Keymap(keys)
        return bench
    }

    @Test("a key does what the file says, and its former one means nothing any more")
    func remapped() throws {
        let bench = try bench("X = skip\nF5 = run\nM-u = undo\n; = unskip")
        bench.press("j j j x")
        #expect(bench.message.contains("x means nothing here; ? shows the keys"))
        bench.press("X")
        #expect(bench.message.contains("skip 1043 | done · M-u undoes it"))
        bench.press(";")
        #expect(bench.message.contains("unskip 1043"))
        bench.press("M-u")
        #expect(bench.message.contains("undo 7 |"))
        bench.press("F5")
        #expect(bench.message.contains("run profiles"))
        bench.press("z")
        #expect(bench.message.contains("z means nothing here"))
    }

    @Test("keys can be exchanged, given twice, and taken away")
    func exchanged() throws {
        let bench = try bench(
            "d = skip\nx = delete\nX = delete\nnone = duplicate\nq = back\nQ = back")
        bench.press("j j j d")
        #expect(bench.message.contains("skip 1043"))
        bench.press("x")
        #expect(bench.message.contains("delete 1043"))
        bench.press("X")
        #expect(bench.message.contains("delete"))
        bench.press("D")
        #expect(bench.message.contains("D means nothing here"))
        bench.press("? Q")
        #expect(bench.state.pages.isEmpty)
        bench.press("Q")
        #expect(bench.takeEffects().contains(.quit))
    }

    @Test("moving, pages and the lens follow; arrows, digits, Enter and Esc stay")
    func moving() throws {
        let bench = try bench(
            "t = down\nn = up\nj = postpone\nk = nextMatch\nv = nextView\no = detail")
        bench.press("t t")
        #expect(bench.state.selectedLine?.task.id == 1042)
        bench.press("n")
        #expect(bench.state.selectedLine?.task.id == 1041)
        bench.press("Down Up v")
        #expect(bench.state.view == .groups)
        #expect(bench.state.settings.keys.name(of: .preview) == nil)
        bench.press("1 o")
        #expect(bench.lines.last?.contains("v raw bytes") == true)
        bench.press("v")
        #expect(bench.lines.last?.contains("v opened") == true)
        bench.press("Tab")
        #expect(bench.message.contains("Tab means nothing here"))
        bench.press("Esc Enter")
        guard case .detail? = bench.state.page else {
            Issue.record("Enter opened nothing")
            return
        }
    }

    @Test("K5 no blank beside a key of the help or the menu is underlined, where keys are")
    func blanks() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 118, height: 32),
            now: LivingScene.now)
        for page in ["?", "a"] {
            bench.press(page == "?" ? "? Enter" : page)
            let rows = (2..<29).map { row in
                bench.buffer[row: row].reduce(into: "") { text, cell in
                    text += cell.role == .key ? cell.text : "|"
                }
            }
            let keys = rows.flatMap { $0.split(separator: "|") }
            #expect(keys.count > 10, "\(bench.screen)")
            #expect(!keys.contains { $0.hasPrefix(" ") || $0.hasSuffix(" ") }, "\(keys)")
            bench.press("Esc")
        }
    }

    @Test("legend, help, menu, hints and sentences show the keys as they are")
    func shown() throws {
        let bench = try bench(
            "M-s = step\nQ = undo\nnone = retry\nF1 = help\nP = pause\np = pauseWithReason")
        #expect(bench.lines.last?.contains("M-s step") == true)
        #expect(bench.lines.last?.contains("R retry") == false)
        #expect(bench.lines.last?.contains("F1 help") == true)
        bench.press("h j M-s")
        #expect(bench.message.contains("P pauses it first"))
        bench.press("l F1")
        #expect(bench.screen.contains("   M-s  step"))
        #expect(!bench.screen.contains("     s  step"))
        bench.press("Esc a")
        #expect(bench.screen.contains("  M-s  step"))
        let retry = bench.lines.first { $0.contains("due now: no timer") || $0.contains(" retry ") }
        #expect(retry?.contains("    R  retry") == false)
        let hint = Bench(
            store: try LivingScene.store(), now: LivingScene.now,
            hints: [Hint("paused", [.init("s", "runs one"), .init("j w", "says why")])])
        hint.state.settings.keys = try Keymap("M-s = step\ny = why\nw = copy")
        #expect(hint.screen.contains("M-s runs one · j y says why"))
    }

    @Test("a click on the legend presses the key that is shown")
    func clicked() throws {
        let bench = try bench("Q = pause")
        bench.press("h j")
        let row = bench.lines.count - 1
        let at = try #require(bench.lines[row].place(of: "Q pause"))
        let column = bench.lines[row].distance(from: bench.lines[row].startIndex, to: at)
        bench.send(.input(.mouse(Mouse(.press(.left), at: Point(x: column, y: row)))))
        #expect(bench.message.contains("pause messages"))
    }

    @Test("what is typed into a question is never translated")
    func typed() throws {
        let bench = try bench("Q = filter\n/ = undo")
        bench.press("Q")
        bench.type("type:z/q")
        #expect(bench.screen.contains("type:z/q"))
    }

    static let wrong: [(text: String, line: Int, message: String, fix: String)] = [
        ("x = delete", 1, "x is the key of skip", "none = skip"),
        ("# mine\nX = skip\nX = undo", 3, "X was given to skip in line 2", "another"),
        ("X = skp", 1, "no action \"skp\"", "did you mean skip?"),
        ("X = nonsense", 1, "no action \"nonsense\"", "sluice help keys"),
        ("X = list", 1, "list is a command", "take the line out"),
        ("Ctl-x = skip", 1, "no key \"Ctl-x\"", "^X"),
        ("\u{1b}[2J = skip", 1, "no key", "Tab"), ("^I = skip", 1, "send Tab for ^I", "another"),
        ("^M = skip", 1, "send Enter for ^M", "another"),
        ("^[ = skip", 1, "send Esc for ^[", "another"),
        ("Esc = skip", 1, "Esc always means the same", "another"),
        ("7 = skip", 1, "7 always means the same", "another"),
        ("Up = skip", 1, "Up always means the same", "another"),
        ("X skip", 1, "\"X skip\" is no setting", "NAME = VALUE"),
    ]

    @Test(
        "what is wrong in a file of keys is said with its line and how to fix it", arguments: wrong
    )
    func problems(text: String, line: Int, message: String, fix: String) {
        let problem = #expect(throws: SettingsText.Problem.self) { try Keymap(text) }
        #expect(problem?.line == line)
        #expect(problem?.message.contains(message) == true, "\(problem?.message ?? "")")
        #expect(problem?.fix.contains(fix) == true, "\(problem?.fix ?? "")")
    }

    @Test("principle 5 the sample names every key of the table and changes none")
    func sample() throws {
        let keys = try Keymap(Keymap.sample.joined(separator: "\n"))
        for action in Action.all where action.canHaveKey {
            #expect(keys.name(of: action.id) == action.key, "\(action.id)")
            if let key = action.standardKey { #expect(keys.meaning(of: key) == .key(key)) }
        }
        #expect(Keymap.sample.count == Action.all.filter(\.canHaveKey).count)
    }
}

extension String {
    /// The first index of a text.
    fileprivate func place(of text: String) -> String.Index? {
        indices.first { self[$0...].hasPrefix(text) }
    }
}

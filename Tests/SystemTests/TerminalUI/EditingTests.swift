import Testing

@testable import SluiceTerminalUI

@Suite("Line, list and names of keys")
struct EditingTests {
    static let edits: [(keys: [String], text: String, cursor: Int)] = [
        (["a", "b", "^A", "c"], "cab", 1), (["a", "b", "Left", "BkSp"], "b", 0),
        (["a", "b", "Home", "Del"], "b", 0), (["a", "Space", "b", "^W"], "a ", 2),
        (["a", "b", "Left", "^K"], "a", 1), (["a", "b", "Left", "^U"], "b", 0),
        (["a", "b", "^U", "^Y", "^Y"], "abab", 4), (["a", "-", "b", "M-b", "x"], "a-xb", 3),
        (["a", "-", "b", "^A", "M-f", "x"], "ax-b", 2), (["BkSp", "Del", "^W", "Left"], "", 0),
        (["a", ".", "b", "M-BkSp"], "a.", 2), (["a", ".", "b", "^A", "M-d"], ".b", 0),
        (["Up", "x"], "secondx", 7), (["q", "Up", "Up", "Up", "Down", "Down"], "q", 1),
        (["Up", "Up"], "first", 5),
    ]

    @Test("Keys edit the line", arguments: edits)
    func edit(keys: [String], text: String, cursor: Int) throws {
        var editor = LineEditor(history: ["first", "second"])
        for name in keys { _ = editor.handle(try #require(Key(name: name))) }
        #expect(editor.text == text)
        #expect(editor.cursor == cursor)
    }

    @Test("K11 pasted text becomes one line without controls")
    func paste() {
        var editor = LineEditor("ab")
        editor.insert("1\r\n2\t3\u{1b}[A\u{301}")
        #expect(editor.text == "ab1 2 3[A\u{301}")
        editor.insert(String(repeating: "x", count: 100_000))
        #expect(editor.characters.count <= LineEditor.maximumLength)
        #expect(editor.cursor == editor.characters.count)
    }

    @Test("A completion replaces the word before the cursor")
    func completion() {
        var editor = LineEditor("pause pro")
        #expect(editor.handle(.tab) == .completionRequested)
        #expect(editor.wordBeforeCursor == "pro")
        editor.complete(with: "profiles ")
        #expect(editor.text == "pause profiles ")
    }

    @Test("The window of a line holds the cursor at any width", arguments: [0, 1, 2, 5, 40])
    func window(width: Int) {
        var editor = LineEditor("日本語 and more")
        for _ in 0..<14 {
            let window = editor.window(width: width)
            #expect(DisplayText.width(window.text) <= width)
            #expect(window.cursorColumn < max(1, width))
            _ = editor.handle(.left)
        }
    }

    @Test("K5 the cursor stands behind what the terminal shows of a picture")
    func pictures() {
        let editor = LineEditor("👩‍👩‍👧👍🏽x")
        #expect(editor.window(width: 20).cursorColumn == 9)
        let joined = editor.window(width: 20, glyphs: .joining([.parts, .tones]))
        #expect(joined.cursorColumn == 5 && joined.text == "👩‍👩‍👧👍🏽x")
        #expect(editor.window(width: 200, glyphs: .ascii).text.utf8.allSatisfy { $0 < 0x80 })
    }

    static let ownNames = [
        "a", "^L", "M-x", "Enter", "Esc", "Tab", "S-Tab", "PgDn", "PgUp", "F5", "F12", "C-Up",
        "C-M-S-Left", "Space", "^Space", "M-Space", "M-BkSp", "^", "-", "^^", "Home", "?",
    ]

    @Test("The name of a key reads back as the key", arguments: ownNames)
    func names(name: String) throws {
        #expect(try #require(Key(name: name)).name == name)
    }

    static let foreignNames: [(name: String, key: Key?)] = [
        ("ctrl-l", .control("l")), ("C-l", .control("l")), ("Alt-x", .alt("x")),
        ("pagedown", .pageDown), ("ESCAPE", .escape), ("Shift-Tab", .backTab), ("f13", nil),
        ("", nil), ("nope", nil), ("C-", nil), ("S-a", nil),
    ]

    @Test("Other names are understood, and none is guessed", arguments: foreignNames)
    func otherNames(name: String, key: Key?) {
        #expect(Key(name: name) == key)
    }

    @Test("K2 the window keeps the cursor in sight, with a margin, and its place otherwise")
    func scrolling() {
        var window = ScrollWindow(total: 100, height: 10)
        window.move(by: 7)
        #expect(window.visible == 0..<10)
        window.move(by: 1)
        #expect(window.visible == 1..<11)
        window.pageDown()
        #expect(window.visible == 10..<20 && window.cursorRow == 7)
        window.moveToEnd()
        #expect(window.visible == 90..<100 && window.cursor == 99)
        window.pageDown()
        #expect(window.cursor == 99)
        window.update(total: 5)
        #expect(window.visible == 0..<5 && window.cursor == 4)
        window.update(total: 0)
        #expect(window.visible.isEmpty && window.cursor == 0)
        window.moveToStart()
        #expect(window.cursor == 0)
    }

    @Test("K1 a row that moved stays where it is on the screen")
    func following() {
        var window = ScrollWindow(total: 100, height: 10)
        window.move(to: 50)
        let row = window.cursorRow
        window.update(total: 90)
        window.follow(to: 40)
        #expect(window.cursor == 40 && window.cursorRow == row)
        window.follow(to: 0)
        #expect(window.cursor == 0 && window.top == 0)
    }

    @Test("No move or height breaks the window", arguments: [Int.min, -1, 0, 1, 5, Int.max])
    func hostile(value: Int) {
        for total in [nil, 0, 1, 100] {
            var window = ScrollWindow(total: total, height: 5, margin: 40)
            window.move(by: value)
            window.move(to: value)
            window.scroll(by: value)
            window.follow(to: value)
            window.resize(height: min(value, 1_000_000))
            window.move(by: -3)
            window.pageUp()
            window.scroll(by: 4)
            #expect(window.cursor >= 0 && window.top >= 0)
            #expect(window.height == 0 || window.visible.contains(window.cursor) || total == 0)
        }
    }
}

#if canImport(SluiceCVTerm)
import SluiceSystem
import SluiceTerminalUI
import SluiceTestSupport
import Testing

@Suite("Programs on a terminal")
struct SessionTests {
    private func shell(_ script: String, columns: Int = 40, rows: Int = 6) throws
        -> TerminalSession
    {
        try TerminalSession("sh", ["-c", script], columns: columns, rows: rows)
    }

    @Test("what is typed is echoed, and the end of input ends the program")
    func typing() throws {
        let session = try TerminalSession("/bin/cat", columns: 20, rows: 4)
        try session.send("héllo")
        try session.key(.enter)
        let screen = try session.wait("the line twice") {
            $0.lineTexts == ["héllo", "héllo", "", ""]
        }
        #expect(screen.cursor == ScreenPicture.Position(column: 0, row: 2))
        try session.key(.control("d"))
        #expect(try session.waitForExit() == .code(0))
    }

    @Test(
        "the exit of the program is told",
        arguments: [
            ("exit 3", ChildProcess.Exit.code(3)), ("kill -KILL $$", .signal(.kill)),
        ])
    func exit(script: String, exit: ChildProcess.Exit) throws {
        let session = try shell("echo last words; \(script)")
        #expect(try session.waitForExit() == exit)
        #expect(try session.screen.text == "last words")
    }

    @Test("the program has a controlling terminal and is signalled as a group")
    func control() throws {
        let asked = try shell("ps -o tty= $$")
        try asked.wait(forText: "pts/")
        let session = try TerminalSession("/bin/cat")
        try session.send("ready")
        try session.key(.enter)
        try session.wait("both lines") { $0.text == "ready\nready" }
        try session.key(.control("c"))
        #expect(try session.waitForExit() == .signal(.interrupt))
        let other = try shell("sleep 100")
        try other.kill(.terminate)
        #expect(try other.waitForExit() == .signal(.terminate))
    }

    @Test("wide characters are drawn in a terminal of one column")
    func wideInOneColumn() throws {
        let session = try shell("printf '漢👩字'", columns: 1, rows: 4)
        #expect(try session.waitForExit() == .code(0))
        #expect(try session.screen.text.contains("字"))
        try session.resize(columns: 1, rows: 3)
    }

    @Test("a program goes on writing where its terminal became shorter above its cursor")
    func shorter() throws {
        let session = try shell(
            #"seq 30; printf '\033[20;28r\033[H'; echo ready; "#
                + #"read go; printf '\033[30S\033[Hhere'"#, rows: 30)
        try session.wait(forText: "ready")
        try session.resize(columns: 40, rows: 8)
        let cursor = try session.screen.cursor
        #expect((0..<8).contains(cursor.row))
        try session.send("\n")
        #expect(try session.waitForExit() == .code(0))
        #expect(try session.screen.text.contains("here"))
    }

    @Test("colours and attributes of cells are seen")
    func colours() throws {
        let session = try shell(
            #"printf '\033[1;31mred\033[0m \033[48;5;200mpink\033[0m \033[4;7mover\033[0m "#
                + #"\033[38;2;1;2;3mtrue\033[0m 漢字 e\314\201'"#)
        #expect(try session.waitForExit() == .code(0))
        let screen = try session.screen
        #expect(screen.text == "red pink over true 漢字 e\u{301}")
        let red = try #require(screen.style(of: "red"))
        #expect(red.bold && red.foreground == .indexed(1) && red.background == .standard)
        #expect(screen.style(of: "pink")?.background == .indexed(200))
        let over = try #require(screen.style(of: "over"))
        #expect(over.underline && over.reverse)
        #expect(screen.style(of: "true")?.foreground == .rgb(red: 1, green: 2, blue: 3))
        let wide = try #require(screen.position(of: "漢"))
        #expect(screen[row: 0, column: wide.column].width == 2)
        #expect(screen[row: 0, column: wide.column + 1].width == 0)
    }

    @Test(
        "keys arrive in the form the program asked for",
        arguments: [
            (TerminalKey.up, "^[[A", "^[OA"), (.escape, "^[", "^["), (.backTab, "^[[Z", "^[[Z"),
            (.pageDown, "^[[6~", "^[[6~"), (.function(5), "^[[15~", "^[[15~"),
            (.control("x"), "^X", "^X"), (.alt("b"), "^[b", "^[b"), (.delete, "^[[3~", "^[[3~"),
        ])
    func keys(key: TerminalKey, normal: String, application: String) throws {
        for (mode, text) in [("l", normal), ("h", application)] {
            let session = try shell(#"printf '\033[?1%s>' \#(mode); exec cat -v"#)
            try session.wait(forText: ">")
            try session.key(key)
            try session.wait(forText: ">" + text)
        }
    }

    @Test("the mouse and a paste arrive where they were asked for")
    func mouse() throws {
        let session = try shell(
            #"stty -icanon -echo; printf '\033[?1000h\033[?1006h\033[?2004h>'; exec cat -v"#,
            columns: 80)
        try session.wait(forText: ">")
        #expect(session.wantsMouse)
        try session.click(column: 4, row: 2)
        try session.wait(forText: "^[[<0;5;3M^[[<0;5;3m")
        try session.paste("a b")
        try session.wait(forText: "^[[200~a b^[[201~")
        try session.mouse(.wheelDown, column: 0, row: 0)
        try session.wait(forText: "^[[<65;1;1M")
    }

    @Test("a new size is told to the program")
    func resize() throws {
        let session = try shell("trap 'stty size; exit' WINCH; stty size; while :; do :; done")
        try session.wait(forText: "6 40")
        try session.resize(columns: 61, rows: 17)
        try session.wait(forText: "17 61")
        #expect(try session.screen.columns == 61)
        #expect(try session.screen.rows.count == 17)
        #expect(try session.waitForExit() == .code(0))
    }

    @Test("full-screen mode, the cursor's visibility and terminfo's sequences are understood")
    func fullScreen() throws {
        let session = try shell(
            "tput smcup; tput civis; tput cup 2 5; echo here; read x; tput rmcup; tput cnorm")
        let during = try session.wait(forText: "here")
        #expect(during.isAlternate && !during.isCursorVisible)
        #expect(during.position(of: "here") == ScreenPicture.Position(column: 5, row: 2))
        try session.key(.enter)
        #expect(try session.waitForExit() == .code(0))
        let after = try session.screen
        #expect(!after.isAlternate && after.isCursorVisible && after.text.isEmpty)
    }

    @Test("waiting in vain throws with the screen in the error")
    func waitingInVain() throws {
        let session = try shell("echo something else; exec cat")
        try session.wait(forText: "something else")
        let late = #expect(throws: TerminalFailure.self) {
            try session.wait("a miracle", timeoutSeconds: 0.05) { _ in false }
        }
        #expect(late?.description.contains("a miracle\n+") == true)
        #expect(late?.description.contains("|something else") == true)
        try session.kill(.kill)
        let ended = #expect(throws: TerminalFailure.self) {
            try session.wait("a miracle") { _ in false }
        }
        #expect(ended?.description.contains("ended (signal KILL)") == true)
    }

    @Test("a program's questions to the terminal are answered")
    func questions() throws {
        let session = try shell(#"stty -icanon -echo; printf '\033[6n'; exec cat -v"#)
        try session.wait(forText: "^[[1;1R")
    }

    @Test("a large paste does not block while the program writes as much")
    func largeTraffic() throws {
        let session = try shell("stty -icanon -echo; echo ready; exec cat")
        try session.wait(forText: "ready")
        let line = String(repeating: "x", count: 999) + "\n"
        try session.send(String(repeating: line, count: 300) + "done")
        try session.wait(forText: "done")
        #expect(session.received.count > 300_000)
        #expect(session.received.tail.suffix(4) == Array("done".utf8)[...])
    }

    @Test("the time from a key to the first byte of the answer is measured")
    func latency() throws {
        let session = try TerminalSession("/bin/cat")
        var times: [UInt64] = []
        for _ in 0..<50 {
            try times.append(session.nanosecondsToFirstByte { try session.key(.char("x")) })
        }
        times.sort()
        print("key to echo: median \(times[25] / 1000) µs, worst \(times[49] / 1000) µs")
        #expect(times[0] > 0)
    }
}
#endif

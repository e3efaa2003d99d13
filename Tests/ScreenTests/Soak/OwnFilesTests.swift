import SluiceSystem
import SluiceTerminalUI
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// A person's own files of keys and colours, as the program finds them.
    @Suite("own files", .serialized)
    struct OwnFilesTests {
        private static func place() throws -> Workplace {
            let place = try Workplace.withStore()
            _ = try place.enqueue("mail", count: 3)
            try Files.makeDirectory(place.file("config/sluice"), withParents: true)
            return place
        }

        @Test("keys of the configuration folder, of $SLUICE_KEYS, and of nobody")
        func keys() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                try place.write("Q = pause\n", to: "config/sluice/keys")
                try place.write("F5 = pause\n", to: "mine")
                for (variables, key, shown) in [
                    ([], TerminalKey.char("Q"), "Q pause"),
                    (["SLUICE_KEYS=\(place.file("mine"))"], .function(5), "F5 pause"),
                    (["SLUICE_KEYS="], .char("p"), "p pause"),
                    (["XDG_CONFIG_HOME=relative", "HOME=/nowhere"], .char("p"), "p pause"),
                ] {
                    let console = try LiveConsole(at: place, environment: variables)
                    try console.terminal.wait(forText: shown, timeoutSeconds: 30)
                    try console.terminal.key(key)
                    try console.terminal.wait(forText: "paused by tester")
                    try console.quit()
                    try place.json(["resume", "mail"])
                }
            }
        }

        static let wrong: [(file: String, text: String, words: [String], said: String)] = [
            (
                "keys", "# a\nX = skp", [],
                "keys, line 2: there is no action \"skp\"; did you mean skip?"
            ),
            ("keys", "\u{1b}]0;x\u{7} = skip", [], "there is no key \"␛]0;x␇\""),
            ("columns", "type stat", [], "columns, line 1: there is no column \"stat\""),
            ("theme", "next = blu", [], "theme, line 1: \"blu\" is no colour"),
            ("other", "", ["--theme", "./none.theme"], "cannot open ./none.theme"),
            ("other", "", ["--theme", "drak"], "--theme: \"drak\" is not allowed"),
        ]

        @Test(
            "what is wrong in them is exit code 2 with file and line, before anything is drawn",
            arguments: wrong.indices)
        func mistakes(_ index: Int) async throws {
            let (file, text, words, said) = Self.wrong[index]
            try await Workplace.onOwnThread {
                let place = try Self.place()
                try place.write(text, to: "config/sluice/\(file)")
                let terminal = try TerminalSession(
                    BuiltProgram.path(), [place.store] + words,
                    environment: LiveConsole.environment(at: place), directory: place.path,
                    columns: 200)
                #expect(try terminal.waitForExit(timeoutSeconds: 20) == .code(2))
                let screen = try terminal.screen
                #expect(screen.text.contains(said), "\(screen.text)")
                #expect(!screen.isAlternate && !terminal.received.tail.contains(0x1b))
            }
        }

        @Test("K21 columns that O chose are there at the next start")
        func columns() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                func headings(_ console: LiveConsole, _ words: String) throws {
                    try console.terminal.wait("the heading \(words)", timeoutSeconds: 30) {
                        $0.text.split(separator: " ").joined(separator: " ").contains(words)
                    }
                }
                let first = try LiveConsole(at: place, environment: [])
                try headings(first, "task type")
                try first.terminal.key(.char("O"))
                try first.terminal.wait(forText: "from left to right")
                for key in "jK jjjjj " { try first.terminal.key(.char(key)) }
                try first.terminal.key(.enter)
                try first.terminal.wait(forText: "kept in")
                try first.quit()
                let text = place.text("config/sluice/columns")
                #expect(text.contains("state") && !text.contains("type"), "\(text)")
                let second = try LiveConsole(at: place, environment: [])
                try headings(second, "task state")
                try second.quit()
            }
        }

        @Test("K5 a theme of one's own reaches the cells, by the option, the variable, the folder")
        func themes() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                let theme = "base = dark\nselection = 24\nkey = 200 underline\n"
                try place.write(theme, to: "config/sluice/theme")
                try place.write(theme.replacing("200", with: "201"), to: "mine.theme")
                try place.write(theme.replacing("200", with: "202"), to: "other.theme")
                let variable = "SLUICE_THEME=\(place.file("mine.theme"))"
                for (words, variables, color) in [
                    ([], [], 200), ([], [variable], 201),
                    (["--theme", place.file("other.theme")], [variable], 202),
                    (["--theme", "dark"], [variable], 117),
                ] as [([String], [String], UInt8)] {
                    let terminal = try TerminalSession(
                        BuiltProgram.path(), [place.store] + words,
                        environment: LiveConsole.environment(at: place) + variables,
                        directory: place.path, columns: 110, rows: 30)
                    // The list goes to the screen ahead of the keys.
                    _ = try terminal.wait(forText: "row 1 of 3", timeoutSeconds: 30)
                    func key(_ screen: ScreenPicture) -> ScreenCell? {
                        screen.rows.last?.first { $0.text == "s" }
                    }
                    let screen = try terminal.wait("the key's colour", timeoutSeconds: 30) {
                        key($0)?.style.foreground == .indexed(color)
                    }
                    let key = try #require(key(screen))
                    #expect(key.style.underline == (color != 117))
                    let grounds = screen.rows.joined().map(\.style.background)
                    #expect(grounds.contains(.indexed(24)) == (color != 117))
                    try terminal.kill(.terminate)
                    _ = try terminal.waitForExit()
                }
            }
        }
    }
}

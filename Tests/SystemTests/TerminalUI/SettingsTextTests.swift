import Testing

@testable import SluiceTerminalUI

@Suite("Settings as text")
struct SettingsTextTests {
    @Test("a line is a name and a value; comments, blanks and any line end part them")
    func lines() throws {
        let text = "\u{FEFF}# mine\r\n\n  x = skip  # why not\r\n= = step\nTab=nextView\n\t# end"
        let found = try SettingsText(text).lines.map { "\($0.number) \($0.name) \($0.value)" }
        #expect(found == ["3 x skip", "4 = step", "5 Tab nextView"])
        #expect(try SettingsText("").lines == [])
        #expect(try SettingsText("a = b#c").lines.map(\.value) == ["b#c"])
    }

    @Test(
        "what is no setting is said with its line",
        arguments: ["skip", "x =", "= step", "x skip #"])
    func problems(_ line: String) {
        let problem = #expect(throws: SettingsText.Problem.self) {
            try SettingsText("# one\n\(line)")
        }
        #expect(problem?.line == 2)
        #expect(problem?.message.isEmpty == false && problem?.fix.contains("NAME = VALUE") == true)
    }
}

@Suite("Themes of a person's own")
struct ThemeChangesTests {
    private func style(
        _ text: String, _ role: Role, _ background: Background = .none, emphasis: Bool = false,
        depth: ColorDepth = .indexed
    ) throws -> CellStyle {
        try ThemeChanges(text).style(
            role, background: background, emphasis: emphasis, of: .dark, depth: depth)
    }

    @Test("K5 a role takes its colour and attributes, everywhere or before one ground")
    func looks() throws {
        #expect(try style("next = 200", .next) == CellStyle(foreground: 200))
        #expect(
            try style("next = 200", .next, .selection)
                == CellStyle(foreground: 200, background: 237))
        #expect(try style("next.selection = red", .next) == CellStyle(foreground: 111))
        #expect(
            try style("next.selection = red bold", .next, .selection)
                == CellStyle(foreground: 1, background: 237, bold: true))
        #expect(
            try style("failed = white on bright-red underline reverse", .failed)
                == CellStyle(foreground: 7, background: 9, underline: true, reverse: true))
        #expect(try style("selection = 17", .text, .selection) == CellStyle(background: 17))
        #expect(try style("bar = default", .text, .bar) == CellStyle())
        #expect(try style("text = default", .text) == CellStyle())
        #expect(try style("title = 15 plain", .title) == CellStyle(foreground: 15))
        #expect(try style("title = 15", .title) == CellStyle(foreground: 15, bold: true))
        #expect(
            try style("quiet = 7", .quiet, emphasis: true) == CellStyle(foreground: 7, bold: true))
        #expect(try ThemeChanges("base = light").base == .light)
        #expect(try ThemeChanges("next = 1").base == nil)
    }

    @Test("K5 bars of what failed have the colour of failed as it is seen, or one of their own")
    func bars() throws {
        #expect(try style("failed = 200", .failedBar) == CellStyle(foreground: 200))
        #expect(try style("failed = 200 bold reverse", .failedBar) == CellStyle(foreground: 200))
        // White on red looks red, so the bar is red.
        #expect(try style("failed = white on red", .failedBar) == CellStyle(foreground: 1))
        #expect(try style("failed = white on red reverse", .failedBar) == CellStyle(foreground: 7))
        #expect(
            try style("failed.selection = 201", .failedBar, .selection)
                == CellStyle(foreground: 201, background: 237))
        #expect(try style("failed = 200\nfailedBar = 9", .failedBar) == CellStyle(foreground: 9))
        #expect(try style("failedBar = 9", .failed) == CellStyle(foreground: 204))
        #expect(try style("failed = reverse", .failedBar) == CellStyle(foreground: 204))
        #expect(
            try style("failed = 200 underline", .failedBar, depth: .mono) == CellStyle(bold: true))
    }

    @Test("K5 a colour that the terminal lacks is left to the theme, without colours to attributes")
    func depths() throws {
        let text = "next = 200 underline\nheld = 9"
        #expect(
            try style(text, .next, depth: .sixteen) == CellStyle(foreground: 4, underline: true))
        #expect(try style(text, .held, depth: .sixteen) == CellStyle(foreground: 9))
        #expect(try style(text, .held, depth: .eight) == CellStyle(foreground: 5))
        #expect(try style(text, .held, depth: .mono) == CellStyle())
        #expect(try style(text, .next, depth: .mono) == CellStyle(bold: true, underline: true))
    }

    @Test("a theme without lines, and the sample, are the theme itself")
    func nothing() throws {
        for changes in [
            ThemeChanges(), try ThemeChanges(ThemeChanges.sample.joined(separator: "\n")),
        ] {
            for theme in Theme.allCases {
                for role in Role.allCases {
                    for background in Background.allCases {
                        let plain = theme.style(role, background: background, depth: .indexed)
                        let style = changes.style(
                            role, background: background, of: theme, depth: .indexed)
                        #expect(style == plain)
                    }
                }
            }
        }
        // Without its comment signs the sample is valid.
        let lines = ThemeChanges.sample.map { String($0.dropFirst(2)) }
        #expect(try ThemeChanges(lines.joined(separator: "\n")).base == .dark)
    }

    static let wrong: [(line: String, message: String, fix: String)] = [
        ("nxt = 5", "no role \"nxt\"", "next"), ("next = 256", "\"256\"", "0 to 255"),
        ("next = blu", "\"blu\"", "blue"), ("next = red blue", "\"blue\"", "on"),
        ("next = red on", "follows on", "on 236"), ("next.left = red", "\"next.left\"", "next.bar"),
        ("base = mono", "\"mono\"", "dark, light"), ("selection = bold", "\"bold\"", "0 to 255"),
        ("next = red\nnext = blue", "a second time", "one"),
    ]

    @Test("what is wrong in a theme is said with its line and how to fix it", arguments: wrong)
    func problems(line: String, message: String, fix: String) {
        let problem = #expect(throws: SettingsText.Problem.self) {
            try ThemeChanges("bar = 3\n" + line)
        }
        #expect(problem?.message.contains(message) == true, "\(problem?.message ?? "")")
        #expect(problem?.fix.contains(fix) == true, "\(problem?.fix ?? "")")
        #expect(problem?.line == (line.contains("\n") ? 3 : 2))
    }
}

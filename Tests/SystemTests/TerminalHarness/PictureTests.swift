import SluiceSystem
import SluiceTerminalUI
import SluiceTestSupport
import Testing

@Suite("Pictures of screens")
struct PictureTests {
    private func picture(
        _ lines: [String], style: ScreenStyle = ScreenStyle()
    ) -> ScreenPicture {
        let columns = lines.map(\.count).max() ?? 0
        let rows = lines.map { line in
            line.map { ScreenCell(text: String($0), style: style) }
                + Array(repeating: ScreenCell(), count: columns - line.count)
        }
        return ScreenPicture(
            columns: columns, rows: rows, cursor: ScreenPicture.Position(column: 0, row: 0),
            isCursorVisible: false, isAlternate: false)
    }

    @Test(
        "text stands at the place of its column, in runs of one look",
        arguments: [
            ("ab cd", [#"<text x="0" y="15.75" textLength="50" "#, ">ab cd</text>"]),
            ("a   b", [#"<text x="0" "#, #"<text x="40" "#]),
            ("ab▶cd", [#"<text x="25" y="15.75" text-anchor="middle">▶<"#, #"<text x="30" "#]),
            ("a<&>b", [">a&lt;&amp;&gt;b</text>"]),
        ])
    func columns(line: String, parts: [String]) {
        let svg = picture([line]).svg(fontSize: 16)
        for part in parts { #expect(svg.contains(part), "\(part) in \(svg)") }
    }

    @Test(
        "lines and blocks are shapes without gaps",
        arguments: [
            ("────", #"<rect x="0" y="9" width="40" height="1" "#),
            ("┃", #"<rect x="3" y="0" width="3" height="20" "#),
            ("████", #"<rect x="0" y="0" width="40" height="20" "#),
            ("▌", #"<rect x="0" y="0" width="5" height="20" "#),
            ("╭", #"<path d="M10 9.5Q4.5 9.5 4.5 20" "#),
        ])
    func shapes(line: String, part: String) {
        let svg = picture([line]).svg(fontSize: 16)
        #expect(svg.contains(part) && !svg.contains("<text"), "\(svg)")
    }

    @Test("reverse swaps the colours, and rows of one background are one rectangle")
    func backgrounds() {
        var style = ScreenStyle()
        style.reverse = true
        style.foreground = .indexed(200)
        let svg = picture(["ab c"], style: style).svg(theme: .light)
        #expect(svg.contains(##"width="40" height="20" fill="#ff00d7""##), "\(svg)")
        #expect(svg.contains(##"fill="#fbfbfa">ab c<"##), "\(svg)")
    }

    #if canImport(SluiceCVTerm)
    @Test("a real screen becomes a PNG")
    func png() throws {
        let script = #"""
            printf '┌─┬─┐ ╔═╦═╗ ┏━┳━┓ ╭──╮ ╒═╕ ╓─╖ ┍━┑\n'
            printf '│x│y│ ║x║y║ ┃x┃y┃ │xy│ │x│ ║x║ │x│\n'
            printf '├─┼─┤ ╠═╬═╣ ┣━╋━┫ ├──┤ ╞═╡ ╟─╢ ┝━┥\n'
            printf '└─┴─┘ ╚═╩═╝ ┗━┻━┛ ╰──╯ ╘═╛ ╙─╜ ┕━┙\n'
            printf '▁▂▃▄▅▆▇█ ▏▎▍▌▋▊▉█ ░▒▓ ▖▗▘▙▚▛▜▝▞▟ ⡇⣿⠛ ┄┅┈┉╌╍ ╱╲╳\n'
            printf '\033[1mbold\033[0m \033[3mitalic\033[0m \033[4munder line\033[0m '
            printf '\033[9mstrike\033[0m \033[7mreverse\033[0m \033[1;31mred\033[0m '
            printf '\033[48;5;24m  on blue \033[0m \033[38;2;255;150;0mtrue\033[0m\n'
            printf '▶ ● ○ ✓ ✗ ⏸ → ← … 漢字 🙂 é ß | aligned\n'
            printf '123456789 123456789 123456789 | aligned\n'
            """#
        let session = try TerminalSession("sh", ["-c", script], columns: 60, rows: 10)
        _ = try session.waitForExit()
        let svg = try session.screen.svg()
        let png = try Picture.png(svg, zoom: 2)
        #expect(png.prefix(4) == [0x89, 0x50, 0x4e, 0x47])
        if let folder = ProcessIdentity.environment("PICTURES") {
            try Files.writeAtomically(Array(svg.utf8), to: "\(folder)/screen.svg")
            try Files.writeAtomically(png, to: "\(folder)/screen.png")
        }
    }
    #endif

    @Test("a film draws a row once, and shows it while it stands")
    func film() {
        var film = Film()
        film.add(picture(["same", "one"]), caption: "1st", milliseconds: 1000)
        film.add(picture(["same", "two"]), caption: "then", milliseconds: 3000)
        let svg = film.svg()
        #expect(svg.split(separator: ">same<").count == 2)
        #expect(svg.contains("4s step-end infinite"))
        #expect(svg.contains("{0%{visibility:visible}25%{visibility:hidden}}"), "\(svg)")
        #expect(svg.contains("{0%{visibility:hidden}25%{visibility:visible}}"))
        #expect(svg.contains(">one<") && svg.contains(">two<") && svg.contains(">1st<"))
    }
}

import Testing

@testable import SluiceTerminalUI

@Suite("Themes")
struct ThemeTests {
    struct Case: CustomTestStringConvertible {
        let theme: Theme
        let role: Role
        let background: Background
        var testDescription: String { "\(theme) \(role) on \(background)" }
    }

    static let cases = Theme.allCases.flatMap { theme in
        Role.allCases.flatMap { role in
            Background.allCases.map { Case(theme: theme, role: role, background: $0) }
        }
    }

    @Test("K5 what must be read has a contrast of at least 4.5", arguments: cases)
    func contrast(_ example: Case) {
        let style = example.theme.style(
            example.role, background: example.background, depth: .indexed)
        let isDark = example.theme == .dark
        let grounds =
            style.background.map { [Palette.color($0)] }
            ?? (isDark ? [0x16181d, 0x000000] : [0xfbfcf8, 0xffffff])
        let letters = style.foreground.map(Palette.color) ?? (isDark ? 0xd7dae0 : 0x22262e)
        let least = grounds.map { Palette.contrast(letters, $0) }.min() ?? 0
        #expect(least >= (example.role == .faint ? 1.5 : 4.5))
    }

    static let table: [(role: Role, dark: UInt8?, light: UInt8?, basic: UInt8?)] = [
        (.text, nil, nil, nil), (.title, nil, nil, nil), (.quiet, 245, 242, nil),
        (.faint, 239, 250, 8), (.next, 111, 25, 4), (.running, 108, 28, 2),
        (.time, 179, 94, 3), (.held, 141, 91, 5), (.failed, 204, 161, 1),
        (.failedBar, 204, 161, 1), (.key, 117, 24, 6),
    ]

    @Test("K5 each role has the colour of the table", arguments: table)
    func colours(role: Role, dark: UInt8?, light: UInt8?, basic: UInt8?) {
        let isTitle = role == .title
        #expect(
            Theme.dark.style(role, depth: .indexed) == CellStyle(foreground: dark, bold: isTitle))
        #expect(
            Theme.light.style(role, depth: .indexed) == CellStyle(foreground: light, bold: isTitle))
        #expect(
            Theme.dark.style(role, depth: .sixteen) == CellStyle(foreground: basic, bold: isTitle))
        #expect(Theme.dark.style(role, depth: .eight).foreground == (role == .faint ? nil : basic))
    }

    @Test("K5 without colours the looks are made of bold, underline and reverse")
    func monochrome() {
        for theme in Theme.allCases {
            for role in Role.allCases {
                for background in Background.allCases {
                    let style = theme.style(role, background: background, depth: .mono)
                    #expect(style.foreground == nil && style.background == nil)
                    #expect(style.reverse || background != .selection)
                }
            }
        }
        #expect(Theme.dark.style(.failed, depth: .mono).reverse)
        // Reverse video would turn a block into a hole.
        #expect(!Theme.dark.style(Role.failed.inBar, depth: .mono).reverse)
        #expect(Theme.dark.style(.key, depth: .mono).underline)
        #expect(Theme.dark.style(.next, depth: .mono).bold)
    }

    @Test("K5 every sign takes one column, and the plain ones are ASCII")
    func glyphs() {
        for glyph in Glyph.allCases {
            #expect(DisplayText.width(GlyphSet.unicode[glyph]) == 1)
            let plain = GlyphSet.ascii[glyph]
            #expect(plain.utf8.count == 1 && DisplayText.isPrintableASCII(plain))
        }
        #expect(GlyphSet.unicode.levels.count == GlyphSet.ascii.levels.count)
    }
}

/// The usual colours of the palette of 256, and contrast as WCAG 2 defines it.
private enum Palette {
    static func color(_ index: UInt8) -> Int {
        let number = Int(index)
        if number >= 232 { return (8 + (number - 232) * 10) * 0x010101 }
        guard number >= 16 else { return 0x808080 }
        let steps = [0, 95, 135, 175, 215, 255]
        let cube = number - 16
        return steps[cube / 36] << 16 | steps[cube / 6 % 6] << 8 | steps[cube % 6]
    }

    static func contrast(_ first: Int, _ second: Int) -> Double {
        let values = [luminance(first), luminance(second)].sorted()
        return (values[1] + 0.05) / (values[0] + 0.05)
    }

    private static func luminance(_ color: Int) -> Double {
        let parts = [16, 8, 0].map { linear(Double(color >> $0 & 0xff) / 255) }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    private static func linear(_ value: Double) -> Double {
        // A polynomial that stays within 0.001 of the curve of sRGB.
        value <= 0.04045
            ? value / 12.92
            : value * (value * (value * 0.305306011 + 0.682171111) + 0.012522878)
    }
}

import Testing

@testable import SluiceTerminalUI

@Suite("Text for a terminal")
struct DisplayTextTests {
    private static let england =
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"

    static let shown: [(given: String, shown: String, width: Int)] = [
        ("", "", 0),
        ("plain ~!", "plain ~!", 8),
        ("\u{1b}[2J\u{1b}]0;x\u{07}", "␛[2J␛]0;x␇", 10),
        ("a\tb\r\nc\0", "a␉b␍␊c␀", 7),
        ("\u{7f}", "␡", 1),
        ("\u{9b}31m", "\\u{9b}31m", 9),
        ("abc\u{202e}cba", "abc\\u{202e}cba", 14),
        ("a\u{200b}b\u{feff}", "a\\u{200b}b\\u{feff}", 18),
        ("\u{2028}", "\\u{2028}", 8),
        ("日本", "日本", 4),
        ("e\u{301}", "e\u{301}", 1),
        ("\u{301}x", "\u{25cc}\u{301}x", 2),
        ("👩‍👩‍👧x", "👩👩👧x", 7),
        ("👍🏽!", "👍!", 3),
        ("❤\u{fe0f}", "❤", 1),
        ("🇩🇪", "DE", 2), ("1\u{fe0f}\u{20e3}", "1\u{20e3}", 1),
        (england + "x", "\u{1f3f4}gbengx", 8), ("\u{1f3f4}", "\u{1f3f4}", 2),
        ("\u{1f3f4}\u{e0067}x", "\u{1f3f4}\\u{e0067}x", 12),
        ("\u{10ffff}\u{0378}", "\u{fffd}\u{fffd}", 2),
        ("\u{e0041}", "\\u{e0041}", 9),
        ("❤\u{1b}", "❤␛", 2),
    ]

    @Test("K11 whatever could steer a terminal is made visible", arguments: shown)
    func sanitised(given: String, shown: String, width: Int) {
        let made = DisplayText.sanitized(given)
        #expect(Array(made.unicodeScalars) == Array(shown.unicodeScalars))
        #expect(DisplayText.width(given) == width)
    }

    static let lines: [(given: String, shown: String, width: Int)] = [
        ("👩‍👩‍👧x", "👩‍👩‍👧x", 3), ("👍🏽!", "👍🏽!", 3), ("❤\u{fe0f}", "❤\u{fe0f}", 1),
        ("🇩🇪", "🇩🇪", 2), ("a\u{200d}b", "ab", 2), ("a\u{fe0f}", "a", 1),
        ("👩\u{200d}\u{1b}[m", "👩␛[m", 5), ("👩\u{200d}x", "👩x", 3),
        ("1\u{fe0f}\u{20e3}", "1\u{fe0f}\u{20e3}", 1), ("☠\u{fe0f}!", "☠\u{fe0f}!", 2),
        (england + "x", england + "x", 3),
        ("\u{1f3f4}\u{200d}☠\u{fe0f}", "\u{1f3f4}\u{200d}☠\u{fe0f}", 2),
        ("\u{1f3f4}\u{e0068}\u{e0069}\u{e007f}", "\u{1f3f4}\\u{e0068}\\u{e0069}\\u{e007f}", 29),
    ]

    @Test("K5 K11 in lines a picture of several scalars stays as it is", arguments: lines)
    func wholePictures(given: String, shown: String, width: Int) {
        let made = DisplayText.sanitized(given, in: .lines)
        #expect(Array(made.unicodeScalars) == Array(shown.unicodeScalars))
        #expect(DisplayText.width(given, in: .lines) == width)
        #expect(
            DisplayText.width(DisplayText.paddedRight(given, to: 9, in: .lines), in: .lines) == 9)
    }

    private static let both: PictureJoins = [.parts, .tones]

    static let joins: [(given: String, joins: PictureJoins, shown: String, width: Int)] = [
        ("👩‍👩‍👧x", both, "👩‍👩‍👧x", 3), ("👩‍👩‍👧x", .parts, "👩‍👩‍👧x", 3),
        ("👩‍👩‍👧x", .tones, "👩👩👧x", 7),
        ("👍🏽!", both, "👍🏽!", 3), ("👍🏽!", .parts, "👍!", 3), ("👍🏽!", .tones, "👍🏽!", 3),
        ("👩🏽‍💻", both, "👩🏽‍💻", 2), ("👩🏽‍💻", .parts, "👩💻", 4),
        ("👩‍⚕\u{fe0f}.", both, "👩‍⚕\u{fe0f}.", 3),
        // More than a cell takes, and what the library counts as one column.
        ("👨‍👩‍👧‍👦x", both, "👨👩👧👦x", 9), ("🏳\u{fe0f}‍🌈", both, "🏳🌈", 3), ("❤\u{fe0f}", both, "❤", 1),
        ("🇩🇪", both, "DE", 2), ("⌚\u{fe0f}x", both, "⌚x", 3),
        // Scalars that a terminal would join to preceding text, and joiners without effect.
        ("a🏽", both, "a\\u{1f3fd}", 10), ("a🏽", .parts, "a🏽", 3), ("👩\u{200d}x", both, "👩x", 3),
        ("👩\u{200d}", both, "👩", 2), ("a\u{200d}👩", both, "a👩", 3),
        ("👩\u{200d}\u{1b}[m", both, "👩␛[m", 5),
    ]

    @Test(
        "K5 K11 a terminal that joins pictures gets those whole that a cell takes", arguments: joins
    )
    func joinedPictures(given: String, joins: PictureJoins, shown: String, width: Int) {
        let glyphs = GlyphSet.unicode.joining(joins)
        let made = DisplayText.sanitized(given, glyphs: glyphs)
        #expect(Array(made.unicodeScalars) == Array(shown.unicodeScalars))
        #expect(DisplayText.width(given, glyphs: glyphs) == width)
        // Sanitised text does not change when sanitised again.
        #expect(DisplayText.sanitized(made, glyphs: glyphs) == made)
        var buffer = CellBuffer(Size(width: 20, height: 1), glyphs: glyphs)
        #expect(buffer.put(given, x: 0, y: 0) == width)
        #expect(Array(buffer.lines[0].unicodeScalars) == Array(shown.unicodeScalars))
        #expect(buffer[row: 0].reduce(0) { $0 + Int($1.width) } == 20)
        #expect(GlyphSet.ascii.joining(joins) == .ascii)
    }

    @Test("K11 every scalar there is comes out harmless and with the width it was counted by")
    func everyScalar() {
        var faults: [UInt32] = []
        for value in UInt32(0)...0x10ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for cluster in DisplayClusters("a" + String(Character(scalar))) {
                let isControl = ScalarKind(cluster.base).isDangerous
                if isControl || cluster.width != CharacterWidth.of(cluster.base) {
                    faults.append(value)
                }
            }
        }
        #expect(faults == [])
    }

    @Test("K11 the ASCII form of a control is ASCII")
    func asciiForm() {
        #expect(DisplayText.sanitized("\u{1b}[m\u{7f}\n", glyphs: .ascii) == "^[[m^?^J")
    }

    static let foreign: [(given: String, shown: String)] = [
        ("Zoë", "Zo\\u{eb}"), ("e\u{301}", "e\\u{301}"), ("👩", "\\u{1f469}"),
        ("a → b · “c”…", "a > b - \"c\"~"),
    ]

    @Test("K5 where signs are ASCII so is all text, and as wide as it counts", arguments: foreign)
    func foreignText(given: String, shown: String) {
        #expect(DisplayText.sanitized(given, glyphs: .ascii) == shown)
        #expect(DisplayText.width(given, glyphs: .ascii) == shown.utf8.count)
        #expect(DisplayText.truncated(given, to: 3, glyphs: .ascii).utf8.allSatisfy { $0 < 0x80 })
    }

    static let cuts: [(text: String, columns: Int, shown: String)] = [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"),
        ("abcdef", 0, ""), ("abc", -4, ""), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"), ("日", 1, "…"), ("e\u{301}e\u{301}", 1, "…"),
        ("\u{1b}\u{1b}", 2, "␛␛"), ("ab\u{202e}", 4, "ab\\…"),
    ]

    @Test("K5 a cut text fits and says that it was cut", arguments: cuts)
    func truncated(text: String, columns: Int, shown: String) {
        #expect(DisplayText.truncated(text, to: columns) == shown)
    }

    @Test("K5 padding makes the exact width", arguments: cuts)
    func padded(text: String, columns: Int, shown: String) {
        let left = DisplayText.paddedLeft(text, to: columns)
        let right = DisplayText.paddedRight(text, to: columns)
        #expect(DisplayText.width(left) == max(0, columns) && left.hasSuffix(shown))
        #expect(DisplayText.width(right) == max(0, columns) && right.hasPrefix(shown))
    }

    @Test("Text is wrapped at blanks, within the width, and not without end")
    func wrapped() {
        #expect(DisplayText.wrapped("one two three", to: 7) == ["one two", "three"])
        #expect(DisplayText.wrapped("one\n\ntwo", to: 7) == ["one", "", "two"])
        #expect(DisplayText.wrapped("abcdefgh", to: 3) == ["abc", "def", "gh"])
        #expect(DisplayText.wrapped("日本語", to: 1) == ["\u{fffd}", "\u{fffd}", "\u{fffd}"])
        #expect(DisplayText.wrapped("a b c d", to: 1, limit: 2) == ["a", "…"])
        #expect(DisplayText.wrapped("x", to: 0) == [])
    }

    @Test("K6 a cut of a long text looks no further than the cut")
    func longText() {
        let long = String(repeating: "日\u{301}", count: 500_000)
        let clock = ContinuousClock()
        // The fastest of several, so that a busy machine does not fail the test.
        let times = (0..<10).map { _ in
            clock.measure { _ = DisplayText.truncated(long, to: 80) }
        }
        #expect(times.min() ?? .zero < .milliseconds(50))
    }
}

extension ScalarKind {
    fileprivate var isDangerous: Bool {
        switch self {
        case .control, .deceptive, .invisible: true
        default: false
        }
    }
}

import Testing

@testable import SluiceTerminalUI

@Suite("What a terminal is told and answers")
struct TerminalControlTests {
    static let reports: [(report: String, theme: Theme?)] = [
        ("\u{1b}]11;rgb:1616/1818/1d1d\u{07}", .dark), ("\u{1b}]11;rgb:ff/ff/ff\u{1b}\\", .light),
        ("jk\u{1b}]11;rgba:ffff/ffff/eeee/ffff\u{07}\u{1b}[?1;2c", .light),
        ("\u{1b}]11;rgb:0/0/0", .dark), ("\u{1b}]11;rgb:fffff/0/0", nil),
        ("\u{1b}]11;rgb:ff/ff", nil), ("\u{1b}]10;rgb:ff/ff/ff\u{07}", nil), ("", nil),
        ("\u{1b}[?62;c", nil), ("]11;", nil), ("\u{1b}]11;rgb:zz/zz/zz\u{07}", nil),
    ]

    @Test("K5 the ground is read from the terminal's answer", arguments: reports)
    func ground(report: String, theme: Theme?) {
        #expect(Theme(backgroundReport: Array(report.utf8)) == theme)
    }

    @Test("K5 a picture of each kind is asked for in a row of its own, and known by it")
    func joins() {
        let asked = String(decoding: TerminalControl.askJoins, as: UTF8.self)
        #expect(asked == "\u{1b}[2;1H👩‍👩‍👧\u{1b}[6n\u{1b}[3;1H👍🏽\u{1b}[6n")
        let parts = TerminalControl.joins(Point(x: 2, y: 1))
        #expect(parts?.kind == .parts && parts?.isJoined == true)
        let tones = TerminalControl.joins(Point(x: 4, y: 2))
        #expect(tones?.kind == .tones && tones?.isJoined == false)
        #expect(TerminalControl.joins(Point(x: 2, y: 0)) == nil)
        #expect(TerminalControl.joins(Point(x: 2, y: 3)) == nil)
    }

    @Test("K11 a notice has the program's name first, no control signs, and an end")
    func notice() {
        func text(_ text: String, throughScreen: Bool = false) -> String {
            String(
                decoding: TerminalControl.notice(text, throughScreen: throughScreen),
                as: UTF8.self)
        }
        #expect(text("4;1;é\u{1b}]0;x\u{07}\n\u{9c}") == "\u{1b}]9;sluice: 4;1;é ]0;x   \u{07}")
        #expect(text(String(repeating: "a", count: 999)).count == 213)
        #expect(text("a", throughScreen: true) == "\u{1b}P\u{1b}]9;sluice: a\u{07}\u{1b}\\")
    }

    static let variables: [(value: String, theme: Theme?)] = [
        ("15;0", .dark), ("0;15", .light), ("15;default;0", .dark), ("0;default", nil),
        ("7;8", .dark), ("", nil), ("0;99", nil),
    ]

    @Test("K5 the ground is read from COLORFGBG", arguments: variables)
    func variable(value: String, theme: Theme?) {
        #expect(Theme(colorForegroundBackground: value) == theme)
    }

    static let copies: [(text: String, letters: String)] = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("hé\n", "aMOpCg=="),
        ("\u{1b}\u{07}", "Gwc="),
    ]

    @Test("K11 a copied text reaches the terminal as letters only", arguments: copies)
    func copied(text: String, letters: String) throws {
        let bytes = try #require(TerminalControl.copy(text))
        #expect(String(decoding: bytes, as: UTF8.self) == "\u{1b}]52;c;\(letters)\u{07}")
    }

    @Test("K11 within GNU screen a copied text is wrapped in pieces that make the same sequence")
    func copiedThroughScreen() throws {
        let text = String(repeating: "a task's payload ", count: 60)
        let plain = try #require(TerminalControl.copy(text))
        let wrapped = try #require(TerminalControl.copy(text, throughScreen: true))
        let pieces = String(decoding: wrapped, as: UTF8.self).split(separator: "\u{1b}\\")
        #expect(pieces.count > 1 && pieces.allSatisfy { $0.hasPrefix("\u{1b}P") })
        #expect(pieces.allSatisfy { $0.utf8.count <= 252 })
        #expect(pieces.map { $0.dropFirst(2) }.joined() == String(decoding: plain, as: UTF8.self))
    }

    @Test("A text that is too long for a clipboard is refused")
    func longCopy() {
        let limit = TerminalControl.maximumClipboardBytes
        #expect(TerminalControl.copy(String(repeating: "x", count: limit)) != nil)
        #expect(TerminalControl.copy(String(repeating: "x", count: limit + 1)) == nil)
    }

    @Test("Delays are taken out of strings of terminfo")
    func delays() {
        let given = Array("\u{1b}[m$<2>\u{0f}$<5/>$".utf8)
        #expect(TerminalControl.withoutDelays(given) == Array("\u{1b}[m\u{0f}$".utf8))
    }
}

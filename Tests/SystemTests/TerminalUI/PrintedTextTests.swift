import Testing

@testable import SluiceTerminalUI

@Suite("Printed text of other programs")
struct PrintedTextTests {
    private func lines(_ text: String, isCut: Bool = false, limit: Int = 100) -> [String] {
        PrintedText.lines(Array(text.utf8), isCut: isCut, limit: limit)
    }

    @Test("colours and moves of the cursor are left out, other codes stay to be made visible")
    func codes() {
        #expect(lines("\u{1B}[1;32mok\u{1B}[0m\n") == ["ok"])
        #expect(lines("a\u{1B}[2J\u{1B}[Hb") == ["ab"])
        #expect(lines("\u{1B}]0;x\u{7}y") == ["\u{1B}]0;x\u{7}y"])
        #expect(lines("\u{1B}[é") == ["\u{1B}[é"])
        #expect(lines("\u{1B}[\n31mx") == ["\u{1B}[", "31mx"])
        let long = "\u{1B}[" + String(repeating: "1", count: 100) + "m"
        #expect(lines(long) == [long])
    }

    @Test("a line with carriage returns has its last state; tabs are blanks; no line is no line")
    func states() {
        #expect(lines("10%\r20%\r30%\nnext") == ["30%", "next"])
        #expect(lines("10%\r20%\r") == ["20%"])
        #expect(lines("a\r\nb\r\n") == ["a", "b"])
        #expect(lines("a\tb\n\tc") == ["a       b", "        c"])
        #expect(lines("") == [] && lines("\n") == [""] && lines("a\n\nb") == ["a", "", "b"])
        #expect(lines("1\n2\n3\n", limit: 2) == ["2", "3"])
    }

    @Test("bytes that are no UTF-8 are shown as such; a cut begins with a whole character")
    func bytes() {
        let bad: [UInt8] = [0x61, 0xFF, 0xFE, 0x62, 0x0A]
        #expect(PrintedText.lines(bad, isCut: false, limit: 9) == ["a\u{FFFD}\u{FFFD}b"])
        let cut = Array("é!".utf8.dropFirst())
        #expect(PrintedText.lines(cut, isCut: true, limit: 9) == ["!"])
    }

    @Test("pieces of any length give the same text as the whole", arguments: 1...9)
    func pieces(size: Int) {
        let text =
            "plain \u{1B}[1;31mré\u{1B}[0md\t😀\r\n10%\r20%\n\u{1B}]0;t\u{7}\u{1B}[999 end\n"
        let whole = Array(text.utf8) + [0xE2, 0x82, 0x0A, 0x78]
        var printed = PrintedText()
        var rest = whole[...]
        var joined: [UInt8] = []
        while !rest.isEmpty {
            joined += printed.add(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        var atOnce = PrintedText()
        #expect(joined == atOnce.add(whole))
        #expect(joined.last == 0x78)
    }
}

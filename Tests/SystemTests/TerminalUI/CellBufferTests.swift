import Testing

@testable import SluiceTerminalUI

@Suite("Cells")
struct CellBufferTests {
    static let extremes = [Int.min, -1_000_000, -1, 0, 1, 3, 1_000_000, Int.max]

    @Test("K11 no place, width or size makes writing fail", arguments: extremes)
    func hostilePlaces(x: Int) {
        for size in [
            Size(width: 0, height: 0), Size(width: 1, height: 1), Size(width: 4, height: 2),
        ] {
            var buffer = CellBuffer(size)
            for y in Self.extremes {
                for width in [nil] + Self.extremes.map(Optional.some) {
                    buffer.put("日a\u{1b}本", x: x, y: y, maxWidth: width)
                }
                buffer.fill(Rect(x: x, y: y, width: y, height: x), with: "日")
                buffer.paint(Rect(x: y, y: x, width: x, height: y), background: .selection)
            }
            for y in 0..<size.height {
                let total = buffer[row: y].reduce(0) { $0 + Int($1.width) }
                #expect(total == size.width)
            }
        }
    }

    @Test("K5 a hostile size is bounded")
    func hostileSize() {
        let buffer = CellBuffer(Size(width: .max, height: .max))
        #expect(buffer.size == CellBuffer.maximumSize)
        #expect(CellBuffer(Size(width: -3, height: 7)).lines.count == 7)
    }

    static let edges: [(x: Int, text: String, line: String)] = [
        (0, "日本語", "日本"), (-1, "日本語", " 本"), (3, "日", ""), (2, "日", "  日"),
        (-3, "abcdef", "def"), (-2, "日本", "本"), (3, "e\u{301}x", "   e\u{301}"),
    ]

    @Test("K5 wide signs are never halved at an edge", arguments: edges)
    func wideAtEdges(x: Int, text: String, line: String) {
        var buffer = CellBuffer(Size(width: 4, height: 1))
        buffer.put(text, x: x, y: 0)
        #expect(buffer.lines == [line])
    }

    @Test("K5 what covers half of a wide sign leaves a blank")
    func coveredHalves() {
        var buffer = CellBuffer(Size(width: 4, height: 1))
        buffer.put("日本", x: 0, y: 0)
        buffer.put("x", x: 1, y: 0)
        buffer.put("y", x: 2, y: 0)
        #expect(buffer.lines == [" xy"])
        buffer.put("日日", x: 0, y: 0)
        buffer.put("日", x: 1, y: 0)
        #expect(buffer.lines == [" 日"])
    }

    @Test("Spans share a width and end in one sign of the cut")
    func spans() {
        var buffer = CellBuffer(Size(width: 12, height: 4))
        let line: StyledLine = [Span("ab", .next), Span("cd", .held, emphasis: true), Span("")]
        #expect(buffer.put(line, x: 0, y: 0, maxWidth: 4) == 4)
        #expect(buffer.put(line, x: 0, y: 1, maxWidth: 3) == 3)
        #expect(buffer.put(line, x: 0, y: 2, maxWidth: 2) == 2)
        #expect(buffer.put(line, x: 10, y: 3) == 12)
        #expect(buffer.lines == ["abcd", "ab…", "a…", "          ab"])
        #expect(buffer.roleLines == ["nnHH", "nnH", "nn", "          nn"])
    }

    @Test("A background stays under text that brings none")
    func background() {
        var buffer = CellBuffer(Size(width: 5, height: 1))
        buffer.paint(buffer.bounds, background: .selection)
        buffer.put("ab", x: 1, y: 0)
        buffer.put("c", x: 3, y: 0, background: .bar)
        #expect(buffer.backgroundLines == ["sssbs"])
        #expect(buffer.lines == [" abc"])
    }

    @Test("What differs in a row is found, never from within a wide sign, and taken over")
    func differences() {
        var former = CellBuffer(Size(width: 8, height: 2))
        former.put("a日b", x: 1, y: 0)
        var next = former
        #expect(next.columns(row: 0, since: former) == nil)
        next.put("月", x: 2, y: 0)
        next.put("!", x: 7, y: 0)
        #expect(next.columns(row: 0, since: former) == 2..<8)
        next.paint(Rect(x: 3, y: 0, width: 1, height: 1), background: .selection)
        former.takeOver(Rect(x: 2, y: 0, width: 1, height: 1), of: next)
        #expect(next.columns(row: 0, since: former) == 2..<8)
        #expect(next.columns(row: 1, since: former) == nil)
        #expect(next.columns(row: 0, since: nil) == 0..<8)
        #expect(next.columns(row: 2, since: nil) == nil)
        former.takeOver(former.bounds, of: next)
        #expect(former == next)
    }
}

import Testing

@testable import SluiceTerminalUI

@Suite("Layout")
struct LayoutTests {
    static let columns = Columns([
        Column("#", alignment: .right, minimum: 4, ideal: 6, priority: 9),
        Column("type", minimum: 6, ideal: 12, maximum: 20, priority: 8, isFlexible: true),
        Column("group", minimum: 5, ideal: 8, priority: 2),
        Column("state", minimum: 8, ideal: 16, priority: 7, isFlexible: true),
        Column("age", alignment: .right, minimum: 3, ideal: 3, priority: 1),
    ])

    static let layouts: [(width: Int, shown: [Int], widths: [Int])] = [
        (0, [], []), (3, [0], [3]), (4, [0], [4]), (11, [0, 1], [4, 6]),
        (20, [0, 1, 3], [4, 6, 8]), (26, [0, 1, 2, 3], [4, 6, 5, 8]),
        (30, [0, 1, 2, 3, 4], [4, 6, 5, 8, 3]), (49, [0, 1, 2, 3, 4], [6, 12, 8, 16, 3]),
        (69, [0, 1, 2, 3, 4], [6, 20, 8, 28, 3]),
    ]

    @Test("Columns disappear by priority and share what is left", arguments: layouts)
    func layout(width: Int, shown: [Int], widths: [Int]) {
        let frames = Self.columns.layout(width: width)
        #expect(frames.map(\.index) == shown)
        #expect(frames.map(\.width) == widths)
    }

    @Test("Columns never overlap nor leave their width", arguments: [-1, 1, 7, 33, 80, 500])
    func within(width: Int) {
        var end = -1
        for frame in Self.columns.layout(width: width) {
            #expect(frame.x > end || frame.x == 0)
            end = frame.x + frame.width
        }
        #expect(end <= max(0, width))
    }

    @Test("Numbers stand right, words left")
    func alignment() {
        var buffer = CellBuffer(Size(width: 20, height: 3))
        let columns = Columns([
            Column("waits", alignment: .right, minimum: 7), Column("name", minimum: 6),
        ])
        let frames = columns.layout(width: 20)
        buffer.putHeadings(columns, frames, x: 1, y: 0)
        for (frame, text) in zip(frames, ["412", "profiles"]) {
            let alignment = columns.all[frame.index].alignment
            buffer.put(StyledLine(text), in: frame, alignment: alignment, x: 1, y: 1)
        }
        #expect(buffer.lines == ["   waits name", "     412 profi…", ""])
    }

    static let bars: [(fraction: Double, solid: String, shaded: String, ascii: String)] = [
        (0, "····", "░░░░", "...."), (1, "████", "▒▒▒▒", "####"), (0.5, "██··", "▒▒░░", "##.."),
        (0.40625, "█▋··", "▒▒░░", "##.."), (.nan, "····", "░░░░", "...."),
        (-.infinity, "····", "░░░░", "...."), (.infinity, "████", "▒▒▒▒", "####"),
    ]

    @Test("Bars have their exact width whatever the fraction", arguments: bars)
    func bar(fraction: Double, solid: String, shaded: String, ascii: String) {
        let bar = ProgressBar(fraction: fraction, width: 4)
        #expect(bar.line(.time).text == solid)
        #expect(bar.line(.time, glyphs: .ascii).text == ascii)
        #expect(
            ProgressBar(fraction: fraction, width: 4, style: .shaded).line(.time).text == shaded)
    }

    @Test("A sparkline shows the newest values, and any above nothing")
    func sparkline() {
        #expect(Sparkline([0, 1, 1000, 500]).text(width: 6) == "   ▁█▄")
        #expect(Sparkline([9, 0, .nan, .infinity, -1, 8]).text(width: 5) == "  █ █")
        #expect(Sparkline([1, 2]).text(width: 2, glyphs: .ascii) == "=#")
        #expect(Sparkline([1]).text(width: -1) == "")
    }

    static let stacks: [(amounts: [Int], width: Int, widths: [Int])] = [
        ([1, 1], 4, [2, 2]), ([0, 0], 4, [0, 0]), ([1000, 1], 4, [3, 1]),
        ([1, 0, 2], 3, [1, 0, 2]),
        ([5, 5, 5], 2, [0, 1, 1]), ([1, 1, 1], 10, [4, 3, 3]), ([.max, .max], 4, [2, 2]),
        ([-4, 4], 3, [0, 3]), ([1], 0, [0]),
    ]

    @Test("A stacked bar fills its width and shows every part it can", arguments: stacks)
    func stacked(amounts: [Int], width: Int, widths: [Int]) {
        let bar = StackedBar(amounts.map { StackedBar.Part($0, .next, letter: "n") })
        let made = bar.widths(width: width)
        #expect(made.sorted() == widths.sorted())
        #expect(bar.line(width: width, glyphs: .ascii).width == made.reduce(0, +))
    }
}

import SluiceTerminalUI
import Testing

@Suite("Lines over one scale")
struct LinePlotTests {
    private func lines(
        _ plot: LinePlot, _ size: Size, glyphs: GlyphSet = .unicode
    ) -> [String] {
        var buffer = CellBuffer(size, glyphs: glyphs)
        plot.paint(into: &buffer, Rect(size), glyphs: glyphs)
        return buffer.lines
    }

    @Test("a solid line joins its steps")
    func solid() {
        let plot = LinePlot([.init([0, 0, 7, 7], .running, .solid, sign: "#")], top: 7)
        #expect(lines(plot, Size(width: 2, height: 2)) == [" ⡏", "⣀⠇"])
    }

    @Test("a dotted line leaves out each second dot, a filled one goes to the lower edge")
    func styles() {
        let dotted = LinePlot([.init([1, 1], .next, .dotted, sign: ".")], top: 1)
        #expect(lines(dotted, Size(width: 3, height: 1)) == ["⠁⠁⠁"])
        let filled = LinePlot([.init([1, 1], .failed, .filled, sign: "x")], top: 1)
        #expect(lines(filled, Size(width: 2, height: 1)) == ["⣿⣿"])
    }

    @Test("a filled line of zeros has no dots, so that it does not colour another line")
    func zeros() {
        let zeros = LinePlot.Line([0, 0, 0, 4], .failed, .filled, sign: "x")
        #expect(lines(LinePlot([zeros], top: 4), Size(width: 2, height: 1)) == [" ⢸"])
        var buffer = CellBuffer(Size(width: 2, height: 1))
        let good = LinePlot.Line([1, 1, 1, 1], .running, .solid, sign: "#")
        LinePlot([good, zeros], top: 4).paint(
            into: &buffer, Rect(Size(width: 2, height: 1)), glyphs: .unicode)
        #expect(buffer[0, 0]?.role == Role.running.inBar)
        let other = LinePlot.Line([0, 0, 0, 0], .time, .dotted, sign: "/")
        for (lines, role) in [([good, other], Role.running.inBar), ([other], .quiet)] {
            LinePlot(lines, top: 40).paint(
                into: &buffer, Rect(Size(width: 2, height: 1)), glyphs: .unicode)
            #expect(buffer[0, 0]?.role == role)
        }
    }

    @Test("ASCII has columns of the lines' signs, the later ones in front")
    func ascii() {
        let plot = LinePlot(
            [
                .init([4, 4, 4], .next, .dotted, sign: "."),
                .init([2, 0, 4], .running, .solid, sign: "#"),
            ], top: 4)
        let found = lines(plot, Size(width: 3, height: 4), glyphs: .ascii)
        #expect(found == ["..#", "#.#", "#.#", "#.#"])
    }

    @Test("nothing, one value, missing ones, and what is no number")
    func bad() {
        let size = Size(width: 4, height: 2)
        #expect(lines(LinePlot([.init([], .next, .solid, sign: "#")], top: 1), size) == ["", ""])
        #expect(lines(LinePlot([.init([1], .next, .solid, sign: "#")], top: 0), size) == ["", ""])
        let one = LinePlot([.init([5], .next, .solid, sign: "#")], top: 1)
        #expect(lines(one, size) == ["⠉⠉⠉⠉", ""])
        let values: [Double?] = [nil, .nan, .infinity, -3]
        let odd = LinePlot([.init(values, .next, .solid, sign: "#")], top: 1)
        #expect(lines(odd, size) == ["", "   ⣀"])
    }

    @Test("no peak is lost where a cell stands for several values")
    func peaks() {
        var values: [Double?] = Array(repeating: 0, count: 120)
        values[61] = 9
        let plot = LinePlot([.init(values, .next, .solid, sign: "#")], top: 9)
        #expect(lines(plot, Size(width: 20, height: 1))[0].contains { $0 != "⣀" })
    }
}

import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The columns of a lane of view 9, from the left of the view.
struct FlowLane {
    private(set) var name = 0..<0
    private(set) var arrivals = 0..<0
    private(set) var bar = 0..<0
    private(set) var gate = 0..<0
    private(set) var dots = 0..<0
    private(set) var succeeded = 0..<0
    private(set) var retrying = 0..<0
    private(set) var failed = 0..<0

    static let numberWidth = 7

    init(width: Int, names: [String]) {
        let longest = max(5, names.map { DisplayText.width($0) }.max() ?? 5)
        var x = 2
        func take(_ length: Int, gap: Int = 2) -> Range<Int> {
            defer { x += length + (length > 0 ? gap : 0) }
            return x..<x + length
        }
        let (isWide, isNarrow) = (width >= 100, width < 60)
        let figures = isWide ? 8 : isNarrow ? 5 : 6
        name = take(min(longest, isWide ? 24 : isNarrow ? 8 : 12))
        arrivals = take(width >= 140 ? 16 : isWide ? 8 : isNarrow ? 0 : 4)
        let gateWidth = width >= 140 ? 40 : isWide ? 26 : isNarrow ? 3 : width >= 90 ? 24 : 20
        let dotsWidth = width >= 140 ? 12 : isWide ? 8 : 0
        let isDotted = dotsWidth > 0
        let right = gateWidth + 2 + (isDotted ? dotsWidth + 1 : 0) + (figures + 1) * 3 - 1
        bar = take(max(Self.numberWidth, width - x - right - 1), gap: 1)
        gate = take(gateWidth)
        dots = take(dotsWidth, gap: 1)
        succeeded = take(figures, gap: 1)
        retrying = take(figures, gap: 1)
        failed = take(max(0, min(figures, width - x)), gap: 0)
    }

    /// A rate in few columns: `12/min`, `4.2/s`, `310/s`, `1.2M/s`.
    static func rate(_ perMinute: Int) -> String {
        if perMinute < 60 { return "\(perMinute)/min" }
        if perMinute < 600 { return "\(perMinute / 60).\(perMinute % 60 / 6)/s" }
        return "\(Figure.text(perMinute / 60, width: 5))/s"
    }

    /// The same in a column; an estimate has `~`.
    static func rate(_ perMinute: Int, width: Int, isAbout: Bool) -> String {
        let sign = isAbout ? "~" : ""
        let whole = sign + rate(perMinute)
        guard whole.count > width else { return whole }
        guard perMinute >= 60 else { return "\(sign)\(perMinute)/m" }
        let room = width - sign.count - 2
        return "\(sign)\(Figure.text(perMinute / 60, width: room))/s"
    }

    /// A sign of a bar, its role, and its meaning.
    typealias Sign = (glyph: Glyph, role: Role, word: String)

    static let signs: [Sign] = [
        (.block, .next, "due"), (.shade, .held, "held, blocked"),
        (.lightShade, .time, "delayed, retrying"), (.emptyBlock, .quiet, "skipped, parked"),
    ]

    /// The waiting tasks, by these signs.
    static func waiting(_ tally: QueueTally) -> [(sign: Sign, count: Int)] {
        let counts = [
            tally.due, tally.held + tally.blocked, tally.delayed + tally.retrying,
            tally.skipped + tally.parked,
        ]
        return zip(signs, counts).filter { $1 > 0 }.map { ($0, $1) }
    }

    /// How many cells each of these counts has in a bar of a length: at least one, and all cells
    /// together no more than the length.
    static func cells(_ counts: [Int], length: Int) -> [Int] {
        let sum = counts.reduce(0) { $0 + Double($1) }
        guard sum > 0, length > 0 else { return counts.map { _ in 0 } }
        var cells = counts.map { max(1, Int(Double($0) / sum * Double(length))) }
        while cells.reduce(0, +) > length,
            let most = cells.indices.max(by: { cells[$0] < cells[$1] }),
            cells[most] > 0
        {
            cells[most] -= 1
        }
        let rest = length - cells.reduce(0, +)
        if rest > 0, let most = counts.indices.max(by: { counts[$0] < counts[$1] }) {
            cells[most] += rest
        }
        return cells
    }
}

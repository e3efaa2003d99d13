import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The last hour by minute, in view 7 and in the preview: a lane of columns for each outcome, all
/// of one scale.
extension Painter {
    /// Paints the last hour of the selection, with a line of words above and times below.
    mutating func paintHour(in area: Rect) {
        guard let scene = state.scene, let hour = scene.lastHour, area.height > 2 else { return }
        let gutter = 7
        let scale = area.width - gutter >= 2 * LastHour.minutes ? 2 : 1
        let minutes = min(LastHour.minutes, (area.width - gutter) / scale)
        guard minutes >= 10 else { return }
        let all = OutcomeBars.lanes(of: hour, now: clock.realNow, minutes: minutes)
        let words = hourWords(scene, all, minutes: minutes, room: area.width)
        buffer.put(words, x: area.x, y: area.y, maxWidth: area.width)
        guard !all.isEmpty else { return }
        var y = area.y + 1
        let room = area.height - 2
        let lanes = Array(all.prefix(room))
        let (heights, unit) = OutcomeBars.heights(lanes, rows: room)
        y += max(0, room - heights.reduce(0, +))
        for (lane, height) in zip(lanes, heights) {
            buffer.put(lane.word, x: area.x, y: y + height - 1, role: .quiet)
            for (index, count) in lane.ended.enumerated() where count > 0 {
                paintColumn(
                    Double(count) / unit, lane.role,
                    at: Rect(
                        x: area.x + gutter + index * scale, y: y, width: scale, height: height))
            }
            y += height
        }
        paintHourTimes(x: area.x + gutter, width: minutes * scale, y: y, minutes: minutes)
    }

    /// Paints a column of the given height, at least its lowest mark.
    private mutating func paintColumn(_ value: Double, _ role: Role, at area: Rect) {
        let steps = glyphs.levels.count - 1
        var left = max(1, Int(value * Double(steps) + 0.5))
        var y = area.maxY - 1
        while left > 0, y >= area.y {
            let mark = glyphs.levels[min(steps, left)]
            for x in area.x..<area.maxX { buffer.put(mark, x: x, y: y, role: role.inBar) }
            left -= steps
            y -= 1
        }
    }

    private mutating func paintHourTimes(x: Int, width: Int, y: Int, minutes: Int) {
        for (place, ago) in [(0, minutes - 1), (1, (minutes - 1) / 2), (2, 0)] {
            let moment = clock.realNow + -Int64(ago) * EndedCounts.minuteMilliseconds
            let text =
                clock.format != .relative
                ? clock.real.time(moment, seconds: false) : ago == 0 ? "now" : "\(ago)m ago"
            let column = x + (minutes - 1 - ago) * width / minutes
            let start = [column, column - text.count / 2, x + width - text.count][place]
            buffer.put(text, x: start, y: y, role: .quiet)
        }
    }

    /// `last hour of jobs  412 wait now · ok 1,204 · failed 30 · at most 46 in a minute`, as much
    /// of it as has room.
    private func hourWords(
        _ scene: LoadedScene, _ lanes: [OutcomeBars], minutes: Int, room: Int
    ) -> StyledLine {
        let isAll = scene.request.isHourOfAll
        var line = StyledLine(
            minutes == LastHour.minutes ? "last hour" : "last \(minutes) min", .quiet)
        if isAll || room >= 60 {
            line.append(" of \(isAll ? "all queues" : scene.selected ?? "")", .quiet)
        }
        var glue = "  "
        func add(_ part: StyledLine) {
            guard line.width + DisplayText.width(glue) + part.width <= room else { return }
            line = line + [Span(glue, .quiet)] + part
            glue = separator
        }
        let ended = lanes.map { lane -> StyledLine in
            let count = NumberText.grouped(lane.ended.reduce(0, +))
            return [Span("\(lane.word) ", .quiet), Span(count, lane.role)]
        }
        let waiting = isAll ? scene.counts[.waiting] : scene.queue?.tally.waiting ?? 0
        let waits: StyledLine = [
            Span(NumberText.grouped(waiting), .next), Span(" wait now", .quiet),
        ]
        // The number of waiting tasks appears elsewhere too, so failures take its room.
        let told = ended.reduce(2) { $0 + DisplayText.width(separator) + $1.width }
        if waiting > 0, line.width + waits.width + told <= room { add(waits) }
        if lanes.isEmpty { add(StyledLine("nothing ended", .quiet)) }
        for part in ended { add(part) }
        let sums = (0..<minutes).map { minute in lanes.reduce(0) { $0 + $1.ended[minute] } }
        if let most = sums.max(), most > 0 {
            add(StyledLine("at most \(NumberText.grouped(most)) in a minute", .quiet))
        }
        return line
    }
}

/// The ended attempts of one outcome.
private struct OutcomeBars {
    var word: String
    var role: Role
    /// By minute, the oldest first.
    var ended: [Int]
    var most: Int

    private init(_ outcome: EndedOutcome, _ ended: [Int]) {
        switch outcome {
        case .succeeded: (word, role) = ("ok", .running)
        case .failed: (word, role) = ("failed", .failed)
        case .other: (word, role) = ("other", .time)
        }
        (self.ended, most) = (ended, ended.max() ?? 0)
    }

    private static let leastUnit = 2.0

    /// The outcomes with at least one attempt.
    static func lanes(of hour: LastHour, now: Timestamp, minutes: Int) -> [OutcomeBars] {
        EndedOutcome.allCases.map {
            OutcomeBars($0, hour.ended($0, before: now).suffix(minutes))
        }.filter { $0.most > 0 }
    }

    /// The rows of each lane, and the number of attempts per row, the same for all lanes. Few
    /// attempts give a low lane.
    static func heights(_ lanes: [OutcomeBars], rows: Int) -> ([Int], unit: Double) {
        var heights = lanes.map { _ in 1 }
        for _ in 0..<max(0, rows - lanes.count) {
            let tallest = lanes.indices.max {
                lanes[$0].most * heights[$1] < lanes[$1].most * heights[$0]
            }
            if let tallest { heights[tallest] += 1 }
        }
        let unit = zip(lanes, heights).map { Double($0.most) / Double($1) }.max() ?? 1
        guard unit < leastUnit else { return (heights, unit) }
        return (lanes.map { max(1, Int((Double($0.most) / leastUnit).rounded(.up))) }, leastUnit)
    }
}

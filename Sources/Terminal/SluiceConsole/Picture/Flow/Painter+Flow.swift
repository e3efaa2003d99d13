import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// View 9: one lane for each queue, from its arrivals through its gate to its outcomes.
extension Painter {
    mutating func paintFlow() {
        guard let scene = state.scene else { return }
        paintFlowHeadline(scene)
        paintTabs(y: layout.tabsY)
        guard scene.queueCount > 0 else {
            guard isEnqueuing else { return putEmptyForeign() }
            return putEmpty(
                "The store is empty.", "Enqueue a first task; its queue is created:",
                command: "enqueue QUEUE TYPE PAYLOAD")
        }
        let lane = FlowLane(width: contentWidth, names: scene.queues.map(\.name))
        paintFlowHeadings(lane)
        let visible = state.queueCursor.window.visible.clamped(to: 0..<scene.queueCount)
        let pitch = layout.lanePitch(queues: scene.queueCount)
        let most = scene.queues.map(\.tally.waiting).max() ?? 0
        var y = layout.rows.y
        for place in visible where y < layout.rows.maxY {
            if let line = scene.queue(at: place) {
                if line.name == state.selectedQueue { paintSelection(y: y) }
                paintLane(line, lane, most: most, y: y)
            }
            y += pitch
        }
        if let y = layout.nextY { paintFlowSigns(y: y) }
        paintFlowChart(in: layout.hour)
    }

    private mutating func paintFlowHeadline(_ scene: LoadedScene) {
        var text: StyledLine = [Span("all queues", .title, emphasis: true)]
        let rates = state.flow.all.perMinute(at: clock.realNow)
        let came = rates.came ?? scene.flow?.cameOfAll
        if let came { text = text + figure("in", came, .next) }
        let good = rates.ended.succeeded
        text = text + figure(isSeen ? "ended" : "ok", good, .running)
        text = text + figure("failed", rates.ended.failed, .failed)
        let waiting = scene.counts[.waiting]
        // A paused queue keeps its waiting tasks, so the total does not shrink.
        let isShut = scene.queues.contains { !$0.overview.pauses.isEmpty && $0.tally.waiting > 0 }
        if let came, good > came, waiting > 0, scene.storePauses.isEmpty, !isShut {
            let left = Int64(waiting) * EndedCounts.minuteMilliseconds / Int64(good - came)
            text.append("   empty in ", .quiet)
            text.append("~\(DurationText.short(left))", .text)
        }
        buffer.put(text, x: contentX, y: layout.body.y, maxWidth: contentWidth)
    }

    /// Whether rates are known from the differences of counts alone, which may miss some.
    private var isSeen: Bool { state.scene?.flow.map { $0.all.tally == nil } ?? false }

    private func figure(_ word: String, _ perMinute: Int, _ role: Role) -> StyledLine {
        let about = isSeen ? "~" : ""
        return [
            Span("   \(word) ", .quiet),
            Span(about + FlowLane.rate(perMinute), perMinute == 0 ? .quiet : role),
        ]
    }

    private mutating func paintFlowHeadings(_ lane: FlowLane) {
        let y = layout.headingsY
        func head(_ text: String, _ part: Range<Int>, isRight: Bool = false) {
            guard part.count >= text.count else { return }
            let x = isRight ? part.upperBound - text.count : part.lowerBound
            buffer.put(text, x: contentX + x, y: y, role: .quiet, emphasis: true)
        }
        head("queue", lane.name)
        head("in", lane.arrivals)
        head("waits", lane.bar)
        head(lane.gate.count > 4 ? "gate" : "", lane.gate)
        head(isSeen ? "ended" : "ok", lane.succeeded, isRight: true)
        head("retry", lane.retrying, isRight: true)
        head(lane.failed.count < 6 ? "fail" : "failed", lane.failed, isRight: true)
    }

    private mutating func paintLane(_ line: QueueLine, _ lane: FlowLane, most: Int, y: Int) {
        let look = QueueLook(line)
        let isSelected = line.name == state.selectedQueue
        buffer.put(glyphs[look.glyph], x: contentX, y: y, role: look.role)
        buffer.put(
            line.name, x: contentX + lane.name.lowerBound, y: y,
            role: isSelected ? .title : .text, emphasis: isSelected, maxWidth: lane.name.count)
        let rates = state.flow.queues[line.name]?.perMinute(at: clock.realNow)
        let came = rates?.came ?? state.scene?.flow?.arrivedPerMinute[line.name]
        paintArrivals(came ?? 0, lane, y: y)
        paintWaiting(line.tally, lane, most: most, y: y)
        paintGate(line, lane, y: y)
        paintDots(line, lane, y: y)
        let tally = line.tally
        let good = rates?.ended.succeeded ?? 0
        let rate = FlowLane.rate(good, width: lane.succeeded.count, isAbout: isSeen)
        put(good == 0 ? "" : rate, .running, lane.succeeded, y: y)
        put(count(tally.retrying, lane.retrying), .time, lane.retrying, y: y)
        let plus = tally.bounded.contains(.failed) ? "+" : ""
        put(count(tally.failed, lane.failed, plus), .failed, lane.failed, y: y)
    }

    private func count(_ value: Int, _ part: Range<Int>, _ plus: String = "") -> String {
        value == 0 ? "" : Figure.text(value, width: part.count - plus.count) + plus
    }

    /// A figure at the right of a part.
    private mutating func put(_ text: String, _ role: Role, _ part: Range<Int>, y: Int) {
        let x = contentX + max(part.lowerBound, part.upperBound - DisplayText.width(text))
        buffer.put(text, x: x, y: y, role: role, maxWidth: part.count)
    }

    /// Draws one arrow for each digit of the arrivals per minute, and the rate if it fits.
    private mutating func paintArrivals(_ came: Int, _ lane: FlowLane, y: Int) {
        guard came > 0, !lane.arrivals.isEmpty else { return }
        let count = min(4, String(came).count)
        let glue = lane.arrivals.count >= 7 ? " " : ""
        let arrows = Array(repeating: glyphs[.arrow], count: count).joined(separator: glue)
        let start = contentX + lane.arrivals.lowerBound
        let x = buffer.put(arrows, x: start, y: y, role: .running)
        let text = FlowLane.rate(came)
        guard lane.arrivals.count >= 8 + text.count else { return }
        buffer.put(text, x: max(x + 1, start + 8), y: y, role: .quiet)
    }

    /// The waiting tasks, by their reason, in the scale of the longest queue.
    private mutating func paintWaiting(_ tally: QueueTally, _ lane: FlowLane, most: Int, y: Int) {
        let parts = FlowLane.waiting(tally)
        let number = Figure.text(
            tally.waiting, width: FlowLane.numberWidth, isAbout: tally.isWaitingEstimated)
        let room = max(0, lane.bar.count - FlowLane.numberWidth - 1)
        var x = contentX + lane.bar.lowerBound
        if most > 0, !parts.isEmpty, room > 0 {
            let whole = Double(tally.waiting) / Double(most) * Double(room)
            let length = min(room, max(parts.count, Int(whole.rounded())))
            let cells = FlowLane.cells(parts.map(\.count), length: length)
            for (part, width) in zip(parts, cells) {
                let sign = String(repeating: glyphs[part.sign.glyph], count: width)
                x = buffer.put(sign, x: x, y: y, role: part.sign.role.inBar)
            }
            x += 1
        }
        buffer.put(
            number, x: x, y: y, role: tally.waiting == 0 ? .quiet : .text,
            maxWidth: contentX + lane.bar.upperBound - x)
    }

    /// The meaning of the signs of the bars.
    private mutating func paintFlowSigns(y: Int) {
        var text = StyledLine()
        for (sign, role, word) in FlowLane.signs {
            text = text + [Span("\(glyphs[sign]) ", role.inBar), Span("\(word)  ", .quiet)]
        }
        buffer.put(text, x: contentX, y: y, maxWidth: contentWidth)
    }
}

extension FlowReading {
    /// The arrivals of all queues in a minute, if each of them was asked.
    fileprivate var cameOfAll: Int? {
        arrivedPerMinute.isEmpty ? nil : arrivedPerMinute.values.reduce(0, +)
    }
}

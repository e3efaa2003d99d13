import SluiceControl
package import SluiceModel
import SluiceStore
package import SluiceTerminalUI

/// View 9 as lines of text, for a command that prints it once.
package struct FlowPicture {
    /// How far back it looks.
    package var span = FlowSpan.twoMinutes
    package var width = 100
    package var glyphs = GlyphSet.unicode
    package var zone = ZoneRules.utc

    /// A picture of the last two minutes.
    package init() {}

    /// The request for its data: all queues, because it loads only once.
    package static func request(queues: Int) -> LoadRequest {
        var request = LoadRequest()
        request.view = .flow
        request.queues.height = max(1, queues)
        request.withArrivals = true
        return request
    }

    /// The lines, without blanks at their ends.
    package func lines(_ scene: LoadedScene) -> [String] {
        let size = Size(
            width: max(FrameLayout.smallest.width, width), height: 20 + 2 * scene.queueCount)
        var settings = ConsoleSettings(storeName: "", storeKind: "")
        settings.glyphs = glyphs
        var state = ConsoleState(settings: settings, size: size, now: scene.at)
        state.zone = zone
        (state.view, state.flowSpan, state.scene) = (.flow, span, scene)
        state.flow.apply(scene.flow, at: scene.at)
        state.fitWindows()
        return state.printed(size)
    }
}

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

/// The gate of a lane of view 9, and the attempts that came through it.
extension Painter {
    mutating func paintGate(_ line: QueueLine, _ lane: FlowLane, y: Int) {
        let gate = QueueGate(line, state.scene)
        let role: Role = gate.isOpen ? .running : line.overview.isAtStop ? .failed : .time
        let isASCII = glyphs == .ascii
        var x = contentX + lane.gate.lowerBound
        x = buffer.put(isASCII ? "==" : "══", x: x, y: y, role: .running)
        let door = gate.isOpen ? (isASCII ? ">" : "▶") : (isASCII ? "#" : "█")
        x = buffer.put(door, x: x, y: y, role: role.inBar)
        let room = contentX + lane.gate.upperBound - x - 1
        let forms = gateWords(gate)
        buffer.put(
            forms.first { DisplayText.width($0) <= room } ?? forms[forms.count - 1], x: x + 1, y: y,
            role: gate.isOpen ? .quiet : role, maxWidth: max(0, room))
    }

    /// The words of a gate, the longest first: with its age, and without what its sign says.
    private func gateWords(_ gate: QueueGate) -> [String] {
        let words = state.names.text(gate.words)
        let short =
            words.hasPrefix("stop at ")
            ? String(words.dropFirst(8)) : gate.isOpen ? String(words.prefix { $0 != "," }) : words
        guard let since = gate.since, clock.ticks || clock.now - since >= 60_000 else {
            return [words, short]
        }
        return ["\(words) \(clock.age(since))", words, short]
    }

    /// A dot for each attempt that ended in the last seconds, on its way to the right.
    mutating func paintDots(_ line: QueueLine, _ lane: FlowLane, y: Int) {
        guard !lane.dots.isEmpty else { return }
        let length = Double(ConsoleState.flightMilliseconds)
        for attempt in state.attemptsInFlight where attempt.queue == line.name {
            guard let ended = attempt.endedAt else { continue }
            let age = Double(max(0, clock.realNow - ended)) / length
            let x = Int(age * Double(lane.dots.count))
            guard x < lane.dots.count else { continue }
            let role: Role = attempt.outcome == .success ? .running : .failed
            buffer.put(
                glyphs == .ascii ? "o" : "•", x: contentX + lane.dots.lowerBound + x, y: y,
                role: role.inBar)
        }
    }
}

extension QueueGate {
    /// The gate of a queue as a scene shows it.
    package init(_ line: QueueLine, _ scene: LoadedScene?) {
        let processes = scene?.runners.map(\.process) ?? []
        let slots = line.overview.slots(of: processes)
        self.init(line.overview, line.tally, slots: slots)
        // A queue without tasks has no worker to wait for, and no status says so.
        if isOpen, slots == nil, line.system == nil { (isOpen, words) = (false, "no worker") }
        if let unserved = line.unserved, isOpen { words = unserved }
    }
}

/// The foot of view 9: what came in, succeeded and failed, over one scale.
extension Painter {
    mutating func paintFlowChart(in area: Rect) {
        guard area.height > 2, area.width > 20 else { return }
        let (series, time) = state.flow.all.chart(state.flowSpan, at: clock.realNow)
        let lines = [
            LinePlot.Line(series.came, .next, .dotted, sign: "."),
            LinePlot.Line(series.succeeded, .running, .solid, sign: "#"),
            LinePlot.Line(series.failed, .failed, .filled, sign: "x"),
        ]
        paintFlowTitle(lines, time, y: area.y)
        let gutter = 7
        let plot = Rect(
            x: area.x + gutter, y: area.y + 1, width: area.width - gutter,
            height: area.height - 2)
        paintFlowTimes(plot)
        let most = series.most
        guard most > 0 else {
            buffer.put(
                "nothing came or ended in this time", x: area.x, y: area.y + 1, role: .quiet,
                maxWidth: area.width)
            return
        }
        let top = Self.roundedUp(most)
        buffer.put(
            Figure.text(Int(top), width: gutter - 1), x: area.x, y: plot.y, role: .quiet)
        if plot.height > 1 { buffer.put("0", x: area.x, y: plot.maxY - 1, role: .quiet) }
        LinePlot(lines, top: top).paint(into: &buffer, plot, glyphs: glyphs)
    }

    private mutating func paintFlowTimes(_ plot: Rect) {
        let span = state.flowSpan
        let length = Int64(span.parts) * span.partMilliseconds
        for place in 0...2 {
            let moment = clock.realNow + -(length * Int64(2 - place) / 2)
            let text =
                place == 2
                ? "now"
                : clock.format == .relative
                    ? "\(DurationText.short(clock.realNow - moment)) ago"
                    : clock.real.time(moment, seconds: span == .twoMinutes)
            let start = [plot.x, plot.x + (plot.width - text.count) / 2, plot.maxX - text.count]
            buffer.put(text, x: start[place], y: plot.maxY, role: .quiet)
        }
    }

    private mutating func paintFlowTitle(_ lines: [LinePlot.Line], _ time: String, y: Int) {
        let flow = state.scene?.flow
        let isSeen = flow.map { $0.all.tally == nil } ?? false
        var text: StyledLine = [
            Span("last \(time)", .title, emphasis: true)
        ]
        for (line, word) in zip(lines, ["in", isSeen ? "ended" : "ok", "failed"]) {
            text.append("  \(LinePlot.sample(line, glyphs: glyphs)) ", line.role.inBar)
            text.append(word, line.role)
        }
        // A command looks once and has seen nothing come.
        if let since = state.flow.all.since, flow?.arrivedPerMinute.isEmpty ?? true {
            let words = "seen since \(clock.real.time(since))"
            text.append(separator + (isSeen ? words : "in: \(words)"), .quiet)
        }
        buffer.put(text, x: contentX, y: y, maxWidth: contentWidth)
    }

    /// The next of 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, …: a whole number that leaves little
    /// room above a value.
    static func roundedUp(_ value: Double) -> Double {
        let value = max(2, value)
        var unit = 1.0
        while unit < 1e15 {
            for factor in [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8] {
                let top = (factor * unit).rounded(.down)
                if value <= top { return top }
            }
            unit *= 10
        }
        return value
    }
}
